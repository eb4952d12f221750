//! Python objects to a history: one walk, no text copied, nothing of the caller's changed.
//!
//! A message or a block is a `dict`, another mapping, or an object with attributes. Code of the
//! caller's runs only for the last two; whatever it does, the walk ends: it follows no nesting.

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString};
use toolpair::{Content, History, Id, Kind, Place, Recorder, Role, Symbol};

use crate::members::{Attributes, Members, unreadable};
use crate::sequences::{elements, is_record};
use crate::texts::{PyTexts, ascii};

/// Read a `messages` list. `offset`: how many messages stand before it, for places in errors.
pub(crate) fn read_messages(
    messages: &Bound<'_, PyAny>,
    offset: u32,
) -> PyResult<(History, PyTexts)> {
    let py = messages.py();
    if let Ok(list) = messages.cast::<PyList>() {
        let length = list.len();
        let mut reader = Reader::new(py, length, offset);
        for message in list.iter() {
            reader.message(&message)?;
        }
        if list.len() != length || reader.index as usize != length {
            return Err(changed("messages"));
        }
        return Ok(reader.finish());
    }
    let messages = crate::sequences::messages(messages)?;
    let mut reader = Reader::new(py, messages.len(), offset);
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
    let mut reader = Reader::new(message.py(), 1, offset);
    reader.message(message)?;
    Ok(reader.finish())
}

struct Reader<'py> {
    py: Python<'py>,
    recorder: Recorder,
    texts: PyTexts,
    offset: u32,
    index: u32,
}

impl<'py> Reader<'py> {
    fn new(py: Python<'py>, messages: usize, offset: u32) -> Reader<'py> {
        let recorder = Recorder::with_capacity(messages);
        Reader { py, recorder, texts: PyTexts::default(), offset, index: 0 }
    }

    fn finish(self) -> (History, PyTexts) {
        (self.recorder.finish(), self.texts)
    }

    fn place(&self) -> String {
        Place::message(self.offset + self.index).to_string()
    }

    fn block_place(&self, block: usize) -> String {
        format!("{}.content[{block}]", self.place())
    }

    #[inline]
    fn message(&mut self, message: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(dict) = message.cast::<PyDict>() {
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
        if let Ok(mapping) = message.cast::<PyMapping>() {
            return self.message_of(&mapping, message);
        }
        if !is_record(message) {
            return Err(self.no_message(message));
        }
        let attributes = Attributes::of(message);
        let attributes = attributes.map_err(|error| unreadable(self.py, &self.place(), error))?;
        self.message_of(&attributes, message)
    }

    #[inline]
    fn message_of(
        &mut self,
        members: &impl Members<'py>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let role = self.member(members, intern!(self.py, "role"))?;
        let Some(role) = role else { return Err(self.no_message(message)) };
        let role = self.role(&role)?;
        let content = self.member(members, intern!(self.py, "content"))?;
        let has_directive = role == Role::System
            && self.member(members, intern!(self.py, "output_config"))?.is_some();
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
    fn block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        if let Ok(dict) = block.cast::<PyDict>() {
            return self.block_of(&dict, index);
        }
        self.odd_block(block, index)
    }

    fn odd_block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        if !is_record(block) {
            self.recorder.plain(Kind::NoObject);
            return Ok(());
        }
        if let Ok(mapping) = block.cast::<PyMapping>() {
            return self.block_of(&mapping, index);
        }
        let attributes = Attributes::of(block)
            .map_err(|error| unreadable(self.py, &self.block_place(index), error))?;
        self.block_of(&attributes, index)
    }

    #[inline]
    fn block_of(&mut self, members: &impl Members<'py>, index: usize) -> PyResult<()> {
        let read = self.read_block(members);
        read.map_err(|error| unreadable(self.py, &self.block_place(index), error))
    }

    #[inline]
    fn read_block(&mut self, members: &impl Members<'py>) -> PyResult<()> {
        let py = self.py;
        let Some(name) = members.get(intern!(py, "type"))? else {
            self.recorder.plain(Kind::Untyped);
            return Ok(());
        };
        let Some(name) = plain_text(name)? else {
            self.recorder.plain(Kind::Untyped);
            return Ok(());
        };
        let kind = self.kind(&name)?;
        if kind.is_call() {
            let id = members.get(intern!(py, "id"))?;
            let id = id.map(plain_text).transpose()?.flatten();
            let id = id.map(|id| self.texts.intern(&id)).transpose()?;
            let tool = members.get(intern!(py, "name"))?.map(plain_text).transpose()?.flatten();
            let input = members.get(intern!(py, "input"))?;
            let has_input = input.is_some_and(|input| is_object(&input));
            if let Some(tool) = &tool {
                self.texts.name_block(self.recorder.next_block(), tool);
            }
            self.recorder.call(kind, id, tool.is_some(), has_input);
            // type, id, name, input: nothing else
            if members.count() > 4 { self.detail(members) } else { Ok(()) }
        } else if kind.is_result() {
            let id = members.get(intern!(py, "tool_use_id"))?;
            let id = id.map(plain_text).transpose()?.flatten();
            let id = id.map(|id| self.texts.intern_result(&id)).transpose()?;
            self.recorder.result(kind, id);
            // type, tool_use_id
            if members.count() > 2 { self.detail(members) } else { Ok(()) }
        } else {
            if matches!(kind, Kind::Foreign | Kind::Unknown) {
                self.texts.name_block(self.recorder.next_block(), &name);
            }
            self.recorder.plain(kind);
            Ok(())
        }
    }

    #[inline]
    fn detail(&mut self, members: &impl Members<'py>) -> PyResult<()> {
        let py = self.py;
        let toolset = members.get(intern!(py, "toolset_name"))?;
        let toolset = toolset.map(plain_text).transpose()?.flatten();
        let toolset = toolset.map(|name| self.texts.intern(&name)).transpose()?;
        let caller = self.caller(members)?;
        if toolset.is_some() || caller.is_some() {
            self.recorder.detail(toolset.map_or(Symbol::NONE, |name| name.symbol), caller);
        }
        Ok(())
    }

    /// The server call that made a client call: its id, as far as `caller` tells one.
    fn caller(&mut self, members: &impl Members<'py>) -> PyResult<Option<Id>> {
        let name = intern!(self.py, "tool_id");
        let Some(caller) = members.get(intern!(self.py, "caller"))? else { return Ok(None) };
        let id = if let Ok(dict) = caller.cast::<PyDict>() {
            dict.get_item(name)?
        } else if let Ok(mapping) = caller.cast::<PyMapping>() {
            (&mapping).get(name)?
        } else if is_record(&caller) {
            Attributes::of(&caller)?.get(name)?
        } else {
            None
        };
        let id = id.map(plain_text).transpose()?.flatten();
        id.map(|id| self.texts.intern(&id)).transpose()
    }

    #[inline]
    fn kind(&self, name: &Bound<'py, PyString>) -> PyResult<Kind> {
        let py = self.py;
        // Literals of a program are one object each; those of `json.loads` are not.
        if name.is(intern!(py, "tool_use")) {
            return Ok(Kind::ToolUse);
        }
        if name.is(intern!(py, "tool_result")) {
            return Ok(Kind::ToolResult);
        }
        if name.is(intern!(py, "text")) {
            return Ok(Kind::Text);
        }
        Ok(ascii(name)?.map_or(Kind::Unknown, Kind::named))
    }

    #[inline]
    fn role(&mut self, role: &Bound<'py, PyAny>) -> PyResult<Role> {
        if role.is(intern!(self.py, "user")) {
            return Ok(Role::User);
        }
        if role.is(intern!(self.py, "assistant")) {
            return Ok(Role::Assistant);
        }
        let Some(text) = plain_text(role.clone())? else {
            let kind = PyString::new(self.py, &crate::sequences::type_name(role));
            self.texts.name_role(self.index, &kind);
            return Ok(Role::Unknown);
        };
        let role = ascii(&text)?.map_or(Role::Unknown, Role::named);
        if role == Role::Unknown {
            self.texts.name_role(self.index, &text);
        }
        Ok(role)
    }

    #[inline]
    fn member(
        &self,
        members: &impl Members<'py>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let member = members.get(name);
        let member = member.map_err(|error| unreadable(self.py, &self.place(), error))?;
        Ok(member.filter(|value| !value.is_none()))
    }

    fn no_message(&self, message: &Bound<'py, PyAny>) -> PyErr {
        let kind = crate::sequences::type_name(message);
        PyTypeError::new_err(format!("{} is no message: {kind} without a role", self.place()))
    }
}

/// A string that runs no code of the caller's: itself, or for a subclass a copy.
#[inline]
fn plain_text(value: Bound<'_, PyAny>) -> PyResult<Option<Bound<'_, PyString>>> {
    match value.cast_into_exact::<PyString>() {
        Ok(text) => Ok(Some(text)),
        Err(error) => copied_text(&error.into_inner()),
    }
}

#[cold]
fn copied_text<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    if !value.is_instance_of::<PyString>() {
        return Ok(None);
    }
    // `str.__add__` itself, not what a subclass made of it.
    let add = value.py().get_type::<PyString>().getattr(intern!(value.py(), "__add__"))?;
    Ok(Some(add.call1((value, intern!(value.py(), "")))?.cast_into()?))
}

/// Whether an `input` is an object of JSON: a mapping, or a model with members.
#[inline]
fn is_object(input: &Bound<'_, PyAny>) -> bool {
    input.is_instance_of::<PyDict>() || is_record(input)
}

fn changed(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what} changed while it was being read"))
}
