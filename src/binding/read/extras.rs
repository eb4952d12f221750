//! Members that no message or block of its kind has: noted only for who asks.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolpair::{Role, members};

use super::Reader;
use super::details::text_of;
use crate::members::Members;

impl<'py> Reader<'py> {
    #[cold]
    pub(super) fn note_extras_of_message(
        &mut self,
        of: &impl Members<'py>,
        role: Role,
    ) -> PyResult<()> {
        let is_system = role == Role::System;
        self.note_extras(of, false, |member| members::message_has(is_system, member))
    }

    /// Of the block just recorded, whose `type` this is.
    #[cold]
    pub(super) fn note_extras_of_block(
        &mut self,
        of: &impl Members<'py>,
        kind: &Bound<'py, PyString>,
    ) -> PyResult<()> {
        let Some(known) = self.words.read_word(kind, members::of_block)? else { return Ok(()) };
        self.note_extras(of, true, |member| member == "type" || known.contains(&member))
    }

    /// In the order of their names, whatever that of the members is.
    fn note_extras(
        &mut self,
        of: &impl Members<'py>,
        of_block: bool,
        is_known: impl Fn(&str) -> bool,
    ) -> PyResult<()> {
        let mut unknown = Vec::new();
        for name in of.names()? {
            let Some(name) = text_of(Some(name))? else { continue };
            if !self.words.read_word(&name, &is_known)? {
                unknown.push(name);
            }
        }
        if unknown.len() > 1 {
            let read = |name| self.words.read(&name, str::to_owned).map(|text| (text, name));
            let mut named: Vec<_> = unknown.into_iter().map(read).collect::<PyResult<_>>()?;
            named.sort_by(|(one, _), (other, _)| one.cmp(other));
            unknown = named.into_iter().map(|(_, name)| name).collect();
        }
        for name in unknown {
            let name = self.texts.intern(self.words, &name)?;
            self.recorder.extra(name.symbol, of_block);
        }
        Ok(())
    }
}
