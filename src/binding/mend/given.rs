//! What a plan is carried out on, read back: it may have changed since it was read.

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use toolpair::{Marks, Place};

use super::Mending;
use crate::sequences;

impl<'py> Mending<'_, 'py> {
    /// A block of the history as an object; the text of a message that is a string.
    pub(super) fn object(&self, at: u32) -> PyResult<Bound<'py, PyAny>> {
        let place = Place::block(self.history, at);
        let message = self.messages.get_item(place.message.unwrap_or_default() as usize)?;
        let content = self.member(&message, "content")?;
        if self.history.block(at).marks.meets(Marks::STRING) {
            return self.text(content.cast()?).map(Bound::into_any);
        }
        let changed = || PyRuntimeError::new_err(format!("{place} changed while it was mended"));
        let within = place.block.unwrap_or_default() as usize;
        let block = if let Ok(list) = content.cast::<PyList>() {
            list.get_item(within).map_err(|_| changed())?
        } else {
            let blocks = sequences::elements(&content, "content")?.ok_or_else(changed)?;
            blocks.get_item(within).map_err(|_| changed())?
        };
        if self.is_still(&block, at)? { Ok(block) } else { Err(changed()) }
    }

    /// Whether a call or a result has the id that was read, if it had one.
    fn is_still(&self, block: &Bound<'py, PyAny>, at: u32) -> PyResult<bool> {
        let read = self.history.block(at);
        let name = match read.kind {
            kind if kind.is_call() => intern!(self.py(), "id"),
            kind if kind.is_result() => intern!(self.py(), "tool_use_id"),
            _ => return Ok(true),
        };
        let Some(id) = self.mended.texts.id_object(read.id) else { return Ok(true) };
        let held = match block.cast::<PyDict>() {
            Ok(dict) => dict.get_item(name)?,
            Err(_) => Some(self.python("member")?.call1((block, name))?),
        };
        Ok(held.is_some_and(|held| held.is(id) || held.eq(id).unwrap_or_default()))
    }

    fn member(&self, message: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(dict) = message.cast::<PyDict>() {
            return dict.as_any().get_item(name);
        }
        self.python("member")?.call1((message, name))
    }
}
