//! One block of a message: what it is, and the few members that rules need.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolpair::{Id, Kind, Symbol};

use super::Reader;
use crate::keys::Lesson;
use crate::members::{Access, ByAttribute, ByKey, Members, unreadable};

impl<'py> Reader<'py> {
    #[inline]
    pub(super) fn block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        let Ok(dict) = block.cast::<PyDict>() else { return self.odd_block(block, index) };
        match self.read_block(&dict) {
            Ok(kind) => {
                match kind {
                    Kind::ToolUse => self.keys.learn(Lesson::Call, dict),
                    Kind::ToolResult => self.keys.learn(Lesson::Result, dict),
                    _ => {}
                }
                Ok(())
            }
            Err(error) => Err(self.unreadable_block(index, error)),
        }
    }

    #[cold]
    fn unreadable_block(&self, index: usize, error: PyErr) -> PyErr {
        unreadable(self.py, &format!("{}.content[{index}]", self.place()), error)
    }

    fn odd_block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        let read = match self.accesses.of(block) {
            Ok(Access::OwnAttribute) => {
                ByAttribute::own(block).and_then(|members| self.read_block(&members))
            }
            Ok(Access::Attribute) => self.read_block(&ByAttribute::asking(block)),
            Ok(Access::Key) => self.read_block(&ByKey(block)),
            Ok(Access::None) => {
                self.recorder.plain(Kind::NoObject);
                return Ok(());
            }
            Err(error) => Err(error),
        };
        read.map(|_| ()).map_err(|error| self.unreadable_block(index, error))
    }

    #[inline]
    fn read_block(&mut self, members: &impl Members<'py>) -> PyResult<Kind> {
        let name = members.get(&self.keys.kind)?;
        let Some(name) = text_of(name)? else {
            self.recorder.plain(Kind::Untyped);
            return Ok(Kind::Untyped);
        };
        let kind = self.words.kind(&name)?;
        if kind.is_call() {
            self.call(kind, members)?;
        } else if kind.is_result() {
            self.result(kind, members)?;
        } else {
            if kind.has_odd_type() {
                self.texts.name_block(self.recorder.next_block(), &name);
            }
            self.recorder.plain(kind);
        }
        Ok(kind)
    }

    #[inline]
    fn call(&mut self, kind: Kind, members: &impl Members<'py>) -> PyResult<()> {
        let id = match text_of(members.get(&self.keys.id)?)? {
            Some(id) => Some(self.texts.intern(self.words, &id)?),
            None => None,
        };
        let name = text_of(members.get(&self.keys.name)?)?;
        if let Some(name) = &name {
            self.texts.name_block(self.recorder.next_block(), name);
        }
        let has_input = match members.get(&self.keys.input)? {
            Some(input) => self.is_object(&input)?,
            None => false,
        };
        self.recorder.call(kind, id, name.is_some(), has_input);
        // type, id, name, input: nothing else
        let is_all = members.count() <= 4 && id.is_some() && name.is_some() && has_input;
        if is_all { Ok(()) } else { self.call_detail(members) }
    }

    #[inline]
    fn result(&mut self, kind: Kind, members: &impl Members<'py>) -> PyResult<()> {
        let id = match text_of(members.get(&self.keys.tool_use_id)?)? {
            Some(id) => Some(self.texts.intern_result(self.words, &id)?),
            None => None,
        };
        self.recorder.result(kind, id);
        // type, tool_use_id: nothing else
        let is_all = members.count() <= 2 && id.is_some();
        if is_all { Ok(()) } else { self.result_detail(members) }
    }

    /// Whether an `input` is an object of JSON: a mapping, or a model with members.
    #[inline]
    fn is_object(&mut self, input: &Bound<'py, PyAny>) -> PyResult<bool> {
        if input.is_instance_of::<PyDict>() {
            return Ok(true);
        }
        match self.accesses.of(input)? {
            Access::Key => Ok(true),
            Access::OwnAttribute | Access::Attribute => has_members(input),
            Access::None => Ok(false),
        }
    }

    fn call_detail(&mut self, members: &impl Members<'py>) -> PyResult<()> {
        let toolset = self.toolset(members)?;
        let caller = self.caller(members)?;
        if toolset.is_some() || caller.is_some() {
            self.recorder.detail(toolset, caller);
        }
        Ok(())
    }

    #[inline]
    fn result_detail(&mut self, members: &impl Members<'py>) -> PyResult<()> {
        let toolset = self.toolset(members)?;
        if toolset.is_some() {
            self.recorder.detail(toolset, None);
        }
        Ok(())
    }

    #[inline]
    fn toolset(&mut self, members: &impl Members<'py>) -> PyResult<Symbol> {
        match text_of(members.get(&self.keys.toolset_name)?)? {
            Some(name) => Ok(self.texts.intern(self.words, &name)?.symbol),
            None => Ok(Symbol::NONE),
        }
    }

    /// The server call that made a client call: its id, as far as `caller` tells one.
    fn caller(&mut self, members: &impl Members<'py>) -> PyResult<Option<Id>> {
        let name = &self.keys.tool_id;
        let Some(caller) = members.get(&self.keys.caller)? else { return Ok(None) };
        let id = match self.accesses.of(&caller)? {
            Access::OwnAttribute => ByAttribute::own(&caller)?.get(name)?,
            Access::Attribute => ByAttribute::asking(&caller).get(name)?,
            Access::Key => ByKey(&caller).get(name)?,
            Access::None => None,
        };
        match text_of(id)? {
            Some(id) => Ok(Some(self.texts.intern(self.words, &id)?)),
            None => Ok(None),
        }
    }
}

/// A string that runs no code of the caller's: itself, or for a subclass a copy.
#[inline]
pub(super) fn text_of(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyString>>> {
    let Some(value) = value else { return Ok(None) };
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

/// Whether an object may hold members of its own. A function, a generator or a number may not.
#[cold]
fn has_members(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let holds = value.hasattr(intern!(py, "__dict__"))?
        || value.get_type().hasattr(intern!(py, "__slots__"))?;
    Ok(holds && !value.is_callable())
}
