//! Python objects to a history: one walk, no text copied, nothing of the caller's changed.
//!
//! A message or a block is a `dict`, another mapping, or an object with attributes. Code of the
//! caller's runs only for the last two; whatever it does, the walk ends: it follows no nesting
//! beyond the content of a result.

mod blocks;
mod context;
mod details;
mod extras;
mod results;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpair::{ClearAt, Content, History, Place, Recorder, Role, TextShape};

use crate::accesses::Accesses;
use crate::keys::{Keys, Lesson, rare};
use crate::members::{AnyMembers, Members, unreadable};
use crate::sequences::{self, elements, type_name};
use crate::texts::PyTexts;
use crate::words::Words;
pub(crate) use context::read_context;
use details::text_of;

/// How messages are read.
#[derive(Default)]
pub(crate) struct Wish {
    /// How many messages stand before them, for places in errors.
    pub(crate) offset: u32,
    /// Whether unknown members are noted.
    pub(crate) extras: bool,
    /// Whether it is noted of any text that it ends in white space, not of those at the end alone.
    pub(crate) ends: bool,
    /// The texts that were read before.
    pub(crate) texts: PyTexts,
}

/// Read a `messages` list.
pub(crate) fn read_messages(
    messages: &Bound<'_, PyAny>,
    wish: Wish,
) -> PyResult<(History, PyTexts)> {
    let py = messages.py();
    if let Ok(list) = messages.cast::<PyList>() {
        let length = list.len();
        let mut reader = Reader::new(py, length, wish)?;
        for message in list.iter() {
            reader.message(&message)?;
        }
        if list.len() != length || reader.index as usize != length {
            return Err(changed("messages"));
        }
        return Ok(reader.finish());
    }
    let messages = sequences::messages(messages)?;
    let mut reader = Reader::new(py, messages.len(), wish)?;
    for message in messages.iter_borrowed() {
        reader.message(&message)?;
    }
    Ok(reader.finish())
}

/// Read one message.
pub(crate) fn read_message(message: &Bound<'_, PyAny>, wish: Wish) -> PyResult<(History, PyTexts)> {
    let mut reader = Reader::new(message.py(), 1, wish)?;
    reader.message(message)?;
    Ok(reader.finish())
}

/// From how many messages on the keys of a document are learned: learning has a price, too.
const WORTH_LEARNING: usize = 64;

struct Reader<'py> {
    py: Python<'py>,
    words: &'py Words,
    keys: Keys<'py>,
    accesses: Accesses<'py>,
    recorder: Recorder,
    texts: PyTexts,
    offset: u32,
    extras: bool,
    index: u32,
    /// The index of the last message.
    last: usize,
    /// Whether the ends of texts are looked at.
    looks_at_ends: bool,
}

impl<'py> Reader<'py> {
    fn new(py: Python<'py>, messages: usize, wish: Wish) -> PyResult<Reader<'py>> {
        let Wish { offset, extras, ends, mut texts } = wish;
        texts.expect(messages);
        Ok(Reader {
            py,
            words: Words::get(py)?,
            keys: Keys::new(py, messages >= WORTH_LEARNING),
            accesses: Accesses::default(),
            recorder: Recorder::with_capacity(messages),
            texts,
            offset,
            extras,
            index: 0,
            last: messages.wrapping_sub(1),
            looks_at_ends: ends,
        })
    }

    fn finish(self) -> (History, PyTexts) {
        (self.recorder.finish(), self.texts)
    }

    fn place(&self) -> String {
        Place::message(self.offset + self.index).to_string()
    }

    #[inline]
    fn message(&mut self, message: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(dict) = message.cast::<PyDict>() {
            self.keys.learn(Lesson::Message, dict);
            self.message_of(&dict, message)?;
        } else {
            self.odd_message(message)?;
        }
        self.index += 1;
        // A huge history of objects whose code takes long can still be interrupted.
        if self.index.is_multiple_of(1024) { self.py.check_signals() } else { Ok(()) }
    }

    #[cold]
    fn odd_message(&mut self, message: &Bound<'py, PyAny>) -> PyResult<()> {
        let members = AnyMembers::of(&mut self.accesses, message);
        if let Some(members) = members.map_err(|error| self.unreadable(error))? {
            return self.message_of(&members, message);
        }
        let is_tuple = message.is_instance_of::<PyTuple>();
        let why = if is_tuple {
            "is a tuple, and tuples are not asked for a role"
        } else {
            "has no role"
        };
        Err(self.no_message(why, message))
    }

    #[inline]
    fn message_of(
        &mut self,
        members: &impl Members<'py>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let role = self.member(members, &self.keys.role)?;
        let Some(role) = role else { return Err(self.no_message("without a role", message)) };
        let role = self.role(&role)?;
        self.looks_at_ends |= self.index as usize == self.last;
        let content = self.member(members, &self.keys.content)?;
        self.recorder.begin(role);
        // role, content: nothing else
        let is_all = members.count() <= 2 && content.is_some();
        let has_directive = if is_all { false } else { self.directions(members, role)? };
        let shape = match content {
            None => Content::Missing,
            Some(content) => self.content(&content)?,
        };
        if self.extras {
            let noted = self.note_extras_of_message(members, role);
            noted.map_err(|error| self.unreadable(error))?;
        }
        self.recorder.end(shape, has_directive);
        Ok(())
    }

    /// What few messages have beside their content. Whether there is an `output_config`.
    fn directions(&mut self, members: &impl Members<'py>, role: Role) -> PyResult<bool> {
        let clear_at = self.member(members, rare::clear_at(self.py))?;
        if let Some(clear_at) = clear_at.filter(|clear_at| !clear_at.is_none()) {
            self.recorder.clear_at(match text_of(Some(clear_at))? {
                Some(word) => self.words.read_word(&word, ClearAt::named)?,
                None => ClearAt::Unknown,
            });
        }
        if role == Role::Tool
            && let Some(call) = text_of(self.member(members, rare::tool_call_id(self.py))?)?
        {
            let call = self.texts.intern(self.words, &call)?;
            self.recorder.tool_message(call.symbol);
        }
        if role != Role::System {
            return Ok(false);
        }
        let config = self.member(members, rare::output_config(self.py))?;
        Ok(config.is_some_and(|config| !config.is_none()))
    }

    #[inline]
    fn content(&mut self, content: &Bound<'py, PyAny>) -> PyResult<Content> {
        if let Ok(list) = content.cast::<PyList>() {
            let length = list.len();
            for (index, block) in list.iter().enumerate() {
                self.block(&block, index)?;
            }
            if list.len() != length {
                return Err(changed(&format!("{}.content", self.place())));
            }
            return Ok(Content::Blocks);
        }
        if let Ok(text) = content.cast::<PyString>() {
            let shape = self.words.shape(text)?;
            if shape != TextShape::Empty {
                self.recorder.string(shape);
                self.note_end(text)?;
            }
            return Ok(Content::Text);
        }
        self.odd_content(content)
    }

    #[cold]
    fn odd_content(&mut self, content: &Bound<'py, PyAny>) -> PyResult<Content> {
        if content.is_none() {
            return Ok(Content::Missing);
        }
        let blocks = elements(content, &format!("{}.content", self.place()))?;
        let Some(blocks) = blocks else { return Ok(Content::Malformed) };
        for (index, block) in blocks.iter_borrowed().enumerate() {
            self.block(&block, index)?;
        }
        Ok(Content::Blocks)
    }

    /// Note whether the text just recorded ends in white space.
    #[inline]
    fn note_end(&mut self, text: &Bound<'py, PyString>) -> PyResult<()> {
        if self.looks_at_ends && self.words.ends_in_space(text)? {
            self.recorder.ends_in_space();
        }
        Ok(())
    }

    #[inline]
    fn role(&mut self, role: &Bound<'py, PyAny>) -> PyResult<Role> {
        let Some(text) = text_of(Some(role.clone()))? else {
            let kind = PyString::new(self.py, &type_name(role));
            self.texts.name_role(self.index, &kind);
            return Ok(Role::NoText);
        };
        let role = self.words.role(&text)?;
        if role == Role::Unknown {
            self.texts.name_role(self.index, &text);
        }
        Ok(role)
    }

    #[cold]
    fn unreadable(&self, error: PyErr) -> PyErr {
        unreadable(self.py, &self.place(), error)
    }

    #[inline]
    fn member(
        &self,
        members: &impl Members<'py>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        members.get(name).map_err(|error| self.unreadable(error))
    }

    #[cold]
    fn no_message(&self, why: &str, message: &Bound<'py, PyAny>) -> PyErr {
        let (place, kind) = (self.place(), type_name(message));
        PyTypeError::new_err(format!("{place} is no message: {kind} {why}"))
    }
}

fn changed(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what} changed while it was being read"))
}
