//! What several kinds of block have: markers, callers, names of tools.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolpair::{Id, Symbol};

use super::Reader;
use crate::accesses::Access;
use crate::keys::rare;
use crate::members::{AnyMembers, Members};
use crate::words::is_same;

impl<'py> Reader<'py> {
    /// The `cache_control` of the block just recorded, or of one inside it.
    pub(super) fn cache_control(
        &mut self,
        members: &impl Members<'py>,
        is_nested: bool,
    ) -> PyResult<()> {
        let Some(control) = members.get(rare::cache_control(self.py))? else { return Ok(()) };
        if let Some(is_long) = self.lasts_long(&control)? {
            self.recorder.cached(is_long, is_nested);
        }
        Ok(())
    }

    /// Whether a `cache_control` is for an hour. None if it is none.
    pub(super) fn lasts_long(&mut self, control: &Bound<'py, PyAny>) -> PyResult<Option<bool>> {
        let members = AnyMembers::of(&mut self.accesses, control)?;
        let Some(members) = members else { return Ok(None) };
        // An object that stands for "not given" is none.
        if !members.is_mapping() && text_of(members.get(&self.keys.kind)?)?.is_none() {
            return Ok(None);
        }
        let ttl = text_of(members.get(rare::ttl(self.py))?)?;
        Ok(Some(ttl.is_some_and(|ttl| is_same(&ttl, intern!(self.py, "1h")))))
    }

    /// Whether an `input` is an object of JSON: a mapping, or a model with members.
    #[inline]
    pub(super) fn is_object(&mut self, input: &Bound<'py, PyAny>) -> PyResult<bool> {
        if input.is_instance_of::<PyDict>() {
            return Ok(true);
        }
        match self.accesses.of(input)? {
            Access::Key => Ok(true),
            Access::Own | Access::Model | Access::Attribute => has_members(input),
            Access::None => Ok(false),
        }
    }

    pub(super) fn call_detail(&mut self, members: &impl Members<'py>) -> PyResult<()> {
        let toolset = self.toolset(members)?;
        let caller = self.caller(members)?;
        if toolset.is_some() || caller.is_some() {
            self.recorder.detail(toolset, caller);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn toolset(&mut self, members: &impl Members<'py>) -> PyResult<Symbol> {
        let name = members.get(rare::toolset_name(self.py))?;
        self.symbol(name)
    }

    /// The id that a member is, if it is a string.
    pub(super) fn id(&mut self, id: Option<Bound<'py, PyAny>>) -> PyResult<Option<Id>> {
        text_of(id)?.map(|id| self.texts.intern(self.words, &id)).transpose()
    }

    /// The symbol of a name, if it is one.
    pub(super) fn symbol(&mut self, name: Option<Bound<'py, PyAny>>) -> PyResult<Symbol> {
        Ok(self.id(name)?.map_or(Symbol::NONE, |name| name.symbol))
    }

    /// The server call that made a client call: its id, as far as `caller` tells one.
    fn caller(&mut self, members: &impl Members<'py>) -> PyResult<Option<Id>> {
        let Some(caller) = members.get(rare::caller(self.py))? else { return Ok(None) };
        let Some(caller) = AnyMembers::of(&mut self.accesses, &caller)? else { return Ok(None) };
        let id = caller.get(rare::tool_id(self.py))?;
        self.id(id)
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
