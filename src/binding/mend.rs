//! A repair plan to a list: untouched messages and blocks are the same objects.

mod given;

use std::cell::RefCell;
use std::collections::HashSet;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpair::{Changes, Content, History, PLACEHOLDER, Piece, Place, Role, Sheet, Source, Symbol};

use crate::repair::Mended;
use crate::texts::Texts;
use crate::write;

/// What a plan is carried out on, and who is asked for results that are missing.
pub(crate) struct Mending<'a, 'py> {
    pub(crate) messages: &'a Bound<'py, PyTuple>,
    pub(crate) history: &'a History,
    pub(crate) mended: &'a Mended<'a>,
    /// `(call) -> str | blocks | None`
    pub(crate) ask: Option<&'a Bound<'py, PyAny>>,
    /// The calls of which the caller knew something.
    pub(crate) told: RefCell<HashSet<Place>>,
}

impl<'py> Mending<'_, 'py> {
    fn py(&self) -> Python<'py> {
        self.messages.py()
    }

    /// The new list.
    pub(crate) fn list(&self) -> PyResult<Bound<'py, PyList>> {
        let sheets = self.mended.plan.sheets.iter().map(|sheet| self.message(sheet));
        PyList::new(self.py(), sheets.collect::<PyResult<Vec<_>>>()?)
    }

    fn message(&self, sheet: &Sheet) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let origin = match sheet.origin {
            Some(at) => Some((at, self.messages.get_item(at as usize)?)),
            None => None,
        };
        if let Some((_, message)) = origin.as_ref().filter(|_| sheet.is_kept()) {
            return Ok(message.clone());
        }
        let role = match sheet.role {
            Role::Assistant => intern!(py, "assistant"),
            Role::System => intern!(py, "system"),
            _ => intern!(py, "user"),
        };
        let Some((at, message)) = origin else {
            let members = PyDict::new(py);
            members.set_item(intern!(py, "role"), role)?;
            members.set_item(intern!(py, "content"), self.content(sheet)?)?;
            return Ok(members.into_any());
        };
        // The usual message is copied here, any other one by Python.
        let copy = message.cast_exact::<PyDict>().ok().map(PyDictMethods::copy).transpose()?;
        let members = copy.clone().unwrap_or_else(|| PyDict::new(py));
        if self.history.messages[at as usize].role != sheet.role {
            members.set_item(intern!(py, "role"), role)?;
        }
        if sheet.pieces.as_ref().is_some_and(|pieces| !self.are_own_string(pieces, at)) {
            members.set_item(intern!(py, "content"), self.content(sheet)?)?;
        }
        let mut without = Vec::new();
        if sheet.no_clear_at {
            without.push(intern!(py, "clear_at"));
        }
        if sheet.no_extras {
            let extras = self.history.extras_of_message(at);
            without.extend(
                extras
                    .filter_map(|extra| self.mended.texts.id_object(extra.name))
                    .map(|it| it.bind(py)),
            );
        }
        if sheet.pieces.iter().flatten().any(|it| matches!(it.source, Source::ToolMessage(_))) {
            without.extend([
                intern!(py, "tool_call_id"),
                intern!(py, "name"),
                intern!(py, "is_error"),
            ]);
        }
        if let Some(copy) = copy {
            for name in without {
                if copy.contains(name)? {
                    copy.del_item(name)?;
                }
            }
            return Ok(copy.into_any());
        }
        self.python("changed_message")?.call1((message, members, without))
    }

    /// Whether pieces are the string that the content of a message was.
    fn are_own_string(&self, pieces: &[Piece], at: u32) -> bool {
        let is_string = self.history.messages[at as usize].content == Content::Text;
        is_string && Piece::are_untouched(pieces, self.history, at)
    }

    /// What becomes part of a result's content.
    fn folded(&self, piece: &Piece) -> PyResult<Bound<'py, PyList>> {
        let folded = PyList::empty(self.py());
        for piece in &piece.folded {
            if let Source::AsText(at) = piece.source {
                self.extend(&folded, "quoted_plainly", at)?;
            } else {
                self.write(piece, &folded)?;
            }
        }
        Ok(folded)
    }

    fn content(&self, sheet: &Sheet) -> PyResult<Bound<'py, PyList>> {
        let content = PyList::empty(self.py());
        for piece in sheet.pieces.iter().flatten() {
            self.write(piece, &content)?;
        }
        Ok(content)
    }

    fn write(&self, piece: &Piece, content: &Bound<'py, PyList>) -> PyResult<()> {
        match piece.source {
            Source::Block(at) => content.append(self.block(piece, at)?),
            Source::Missing(call) => content.append(self.missing(piece, call)?),
            Source::Words(words) => content.append(self.text(&PyString::new(self.py(), words))?),
            Source::ToolMessage(at) => {
                let message = self.messages.get_item(at as usize)?;
                let (id, toolset) = (self.id(piece.block.id), self.name(piece.toolset));
                let result = self.python("result_of_tool_message")?;
                let result = result.call1((message, id, toolset))?;
                content.append(self.changed(result, piece)?)
            }
            Source::AsText(at) => self.extend(content, "quoted", at),
            Source::Others(at) => self.extend(content, "beside_search_results", at),
        }
    }

    /// Add the blocks that a function of Python's makes of a block of the history.
    fn extend(&self, content: &Bound<'py, PyList>, function: &str, at: u32) -> PyResult<()> {
        let blocks = self.python(function)?.call1((self.object(at)?,))?;
        content.call_method1(intern!(self.py(), "extend"), (blocks,)).map(|_| ())
    }

    /// A block of the history, changed as the piece says.
    fn block(&self, piece: &Piece, at: u32) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let block = self.object(at)?;
        if piece.is_untouched(self.history, at) {
            return Ok(block);
        }
        let members = PyDict::new(py);
        let without = PyList::empty(py);
        let (id, toolset, caller) = self.history.pairing_of(at);
        if piece.block.id != id {
            let name = if piece.kind().is_call() { "id" } else { "tool_use_id" };
            members.set_item(name, self.id(piece.block.id))?;
        }
        if piece.toolset != toolset {
            match self.name(piece.toolset) {
                Some(name) => members.set_item("toolset_name", name)?,
                None => without.append("toolset_name")?,
            }
        }
        if piece.caller != caller {
            if piece.caller.is_some() {
                members.set_item("caller", self.id(piece.caller))?;
            } else {
                without.append("caller")?;
            }
        }
        if piece.changes.hold(Changes::NO_CACHE) {
            without.append("cache_control")?;
        }
        if piece.changes.hold(Changes::NO_EXTRAS) {
            for extra in self.history.extras_of_block(at) {
                without.append(self.mended.texts.id_object(extra.name))?;
            }
        }
        let folded = self.folded(piece)?;
        let changes = changes(piece);
        self.python("changed_block")?.call1((block, members, without, changes, folded))
    }

    /// A result for a call that has none.
    fn missing(&self, piece: &Piece, call: u32) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let result = PyDict::new(py);
        result.set_item(intern!(py, "type"), intern!(py, "tool_result"))?;
        result.set_item(intern!(py, "tool_use_id"), self.id(piece.block.id))?;
        let mut content = intern!(py, PLACEHOLDER).clone().into_any();
        if let Some(told) = self.ask(call, piece)? {
            content = told;
        }
        result.set_item(intern!(py, "content"), content)?;
        result.set_item(intern!(py, "is_error"), true)?;
        if let Some(name) = self.name(piece.toolset) {
            result.set_item(intern!(py, "toolset_name"), name)?;
        }
        self.changed(result.into_any(), piece)
    }

    /// A result that was made, with the further changes of its piece.
    fn changed(&self, result: Bound<'py, PyAny>, piece: &Piece) -> PyResult<Bound<'py, PyAny>> {
        let changes = changes(piece);
        if changes.is_empty() && piece.folded.is_empty() {
            return Ok(result);
        }
        let (members, without) = (PyDict::new(self.py()), PyList::empty(self.py()));
        let folded = self.folded(piece)?;
        self.python("changed_block")?.call1((result, members, without, changes, folded))
    }

    /// What the caller knows of a missing result.
    fn ask(&self, call: u32, piece: &Piece) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ask) = self.ask else { return Ok(None) };
        let calls = write::calls(self.py(), &[call], self.history, self.mended.texts);
        let written = write::call_list(self.py(), calls)?.get_item(0)?;
        let (_, _, caller) = self.history.pairing_of(call);
        let toolset = self.name(piece.toolset);
        let told = self.python("told")?.call1((ask, written, caller.is_some(), toolset))?;
        if told.is_none() {
            return Ok(None);
        }
        self.told.borrow_mut().insert(Place::block(self.history, call));
        Ok(Some(told))
    }

    fn text(&self, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py();
        let block = PyDict::new(py);
        block.set_item(intern!(py, "type"), intern!(py, "text"))?;
        block.set_item(intern!(py, "text"), text)?;
        Ok(block)
    }

    /// An id as an object: the caller's own, or a new one.
    fn id(&self, id: Symbol) -> Option<Py<PyString>> {
        self.mended.id(self.py(), id)
    }

    fn name(&self, name: Symbol) -> Option<&Py<PyString>> {
        self.mended.texts.id_object(name)
    }

    fn python(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.py().import(intern!(self.py(), "toolpair._mend"))?.getattr(name)
    }
}

/// The further changes of a piece, by name.
fn changes(piece: &Piece) -> Vec<&'static str> {
    const NAMES: &[(Changes, &str)] = &[
        (Changes::NO_NESTED_CACHE, "no-nested-cache"),
        (Changes::INPUT, "input"),
        (Changes::STRIPPED, "stripped"),
        (Changes::FLAT, "flat"),
        (Changes::PLAIN, "plain"),
        (Changes::FILLED, "filled"),
        (Changes::SEARCHES, "searches"),
    ];
    NAMES.iter().filter(|(it, _)| piece.changes.hold(*it)).map(|(_, name)| *name).collect()
}
