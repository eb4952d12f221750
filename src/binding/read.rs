//! Python objects to a history: one walk, no text copied, nothing of the caller's changed.
//!
//! A message or a block is a `dict`, another mapping, or an object with attributes. Code of the
//! caller's runs only for the last two; whatever it does, the walk ends: it follows no nesting.

mod blocks;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpair::{Content, History, Place, Recorder, Role};

use crate::keys::{Keys, Lesson};
use crate::members::{Access, Accesses, ByAttribute, ByKey, Members, unreadable};
use crate::sequences::{self, elements, type_name};
use crate::texts::PyTexts;
use crate::words::Words;
use blocks::text_of;

/// Read a `messages` list. `offset`: how many messages stand before it, for places in errors.
pub(crate) fn read_messages(
    messages: &Bound<'_, PyAny>,
    offset: u32,
) -> PyResult<(History, PyTexts)> {
    let py = messages.py();
    if let Ok(list) = messages.cast::<PyList>() {
        let length = list.len();
        let mut reader = Reader::new(py, length, offset)?;
        for message in list.iter() {
            reader.message(&message)?;
        }
        if list.len() != length || reader.index as usize != length {
            return Err(changed("messages"));
        }
        return Ok(reader.finish());
    }
    let messages = sequences::messages(messages)?;
    let mut reader = Reader::new(py, messages.len(), offset)?;
    for message in messages.iter_borrowed() {
        reader.message(&message)?;
    }
    Ok(reader.finish())
}

/// Read one message.
pub(crate) fn read_message(
    message: &Bound<'_, PyAny>,
    offset: u32,
) -> PyResult<(History, PyTexts)> {
    let mut reader = Reader::new(message.py(), 1, offset)?;
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
    index: u32,
}

impl<'py> Reader<'py> {
    fn new(py: Python<'py>, messages: usize, offset: u32) -> PyResult<Reader<'py>> {
        let recorder = Recorder::with_capacity(messages);
        // In an agent's history every other message calls.
        let texts = PyTexts::with_capacity(messages / 2);
        let (words, accesses) = (Words::get(py)?, Accesses::default());
        let keys = Keys::new(py, messages >= WORTH_LEARNING);
        Ok(Reader { py, words, keys, accesses, recorder, texts, offset, index: 0 })
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
        let access = self.accesses.of(message);
        match access.map_err(|error| self.unreadable(error))? {
            Access::OwnAttribute => {
                let members = ByAttribute::own(message);
                self.message_of(&members.map_err(|error| self.unreadable(error))?, message)
            }
            Access::Attribute => self.message_of(&ByAttribute::asking(message), message),
            Access::Key => self.message_of(&ByKey(message), message),
            Access::None => {
                let is_tuple = message.is_instance_of::<PyTuple>();
                let why =
                    if is_tuple { "is a tuple, and not asked for a role" } else { "has no role" };
                Err(self.no_message(why, message))
            }
        }
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
        let content = self.member(members, &self.keys.content)?;
        let has_directive = role == Role::System
            && self.member(members, &self.keys.output_config)?.is_some_and(|it| !it.is_none());
        self.recorder.begin(role);
        let shape = match content {
            None => Content::Missing,
            Some(content) => self.content(&content)?,
        };
        self.recorder.end(shape, has_directive);
        Ok(())
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
            if text.code_point_len()? > 0 {
                self.recorder.string();
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
