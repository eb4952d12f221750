//! The texts of a history that came from Python: ids by number, names by block, kept by reference.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolpair::{Id, IdShape, Symbol, Texts};

use crate::words::{Words, is_same};

/// An id, its hash, and what its characters are like.
struct Known {
    text: Py<PyString>,
    hash: u64,
    shape: IdShape,
}

/// What a reader leaves behind, so that a report can show it.
#[derive(Default)]
pub(crate) struct PyTexts {
    ids: Vec<Known>,
    /// Indices into the ids, by hash.
    table: HashTable<u32>,
    /// Sorted by block.
    names: Vec<(u32, Py<PyString>)>,
    /// Sorted by message.
    roles: Vec<(u32, Py<PyString>)>,
    /// The id that the next result most likely answers: results come in the order of their calls.
    expected: usize,
}

impl PyTexts {
    /// With room for a number of ids.
    pub(crate) fn with_capacity(ids: usize) -> PyTexts {
        let table = HashTable::with_capacity(ids);
        let (names, ids) = (Vec::with_capacity(ids), Vec::with_capacity(ids));
        PyTexts { ids, table, names, ..PyTexts::default() }
    }

    /// The id of a call. `text` must be an exact `str`: its hash and its equality run no code.
    #[inline]
    pub(crate) fn intern(&mut self, words: &Words, text: &Bound<'_, PyString>) -> PyResult<Id> {
        let py = text.py();
        let hash = text.hash()?.cast_unsigned() as u64;
        let PyTexts { ids, table, .. } = self;
        let is_it = |&index: &u32| {
            let known = &ids[index as usize];
            known.hash == hash && is_same(known.text.bind(py), text)
        };
        let entry = match table.entry(hash, is_it, |&index| ids[index as usize].hash) {
            Entry::Occupied(entry) => {
                let symbol = Symbol(*entry.get());
                return Ok(Id { symbol, shape: ids[symbol.index()].shape });
            }
            Entry::Vacant(entry) => entry,
        };
        let bytes = words.ascii(text)?.map(str::as_bytes);
        let shape = bytes.map_or(IdShape::default(), IdShape::of);
        let symbol = Symbol(ids.len() as u32);
        entry.insert(symbol.0);
        ids.push(Known { text: text.clone().unbind(), hash, shape });
        Ok(Id { symbol, shape })
    }

    /// The id of a result, which most often is that of the next call: then it is not hashed.
    #[inline]
    pub(crate) fn intern_result(
        &mut self,
        words: &Words,
        text: &Bound<'_, PyString>,
    ) -> PyResult<Id> {
        let expected = self.ids.get(self.expected);
        let id = match expected {
            Some(id) if is_same(id.text.bind(text.py()), text) => self.id_at(self.expected),
            _ => self.intern(words, text)?,
        };
        self.expected = id.symbol.index() + 1;
        Ok(id)
    }

    /// Note the name of a call, or the odd type of a block.
    pub(crate) fn name_block(&mut self, block: u32, name: &Bound<'_, PyString>) {
        self.names.push((block, name.clone().unbind()));
    }

    /// Note the odd role of a message.
    pub(crate) fn name_role(&mut self, message: u32, role: &Bound<'_, PyString>) {
        self.roles.push((message, role.clone().unbind()));
    }

    /// Take over another history's texts, whose blocks and messages come behind these.
    pub(crate) fn append(
        &mut self,
        py: Python<'_>,
        other: PyTexts,
        blocks: u32,
        messages: u32,
    ) -> PyResult<Vec<Symbol>> {
        let words = Words::get(py)?;
        let symbols: PyResult<Vec<Symbol>> =
            other.ids.iter().map(|id| Ok(self.intern(words, id.text.bind(py))?.symbol)).collect();
        self.names.extend(other.names.into_iter().map(|(block, name)| (block + blocks, name)));
        self.roles.extend(other.roles.into_iter().map(|(at, role)| (at + messages, role)));
        symbols
    }

    /// An id as the caller gave it.
    pub(crate) fn id_object(&self, id: Symbol) -> Option<&Py<PyString>> {
        self.ids.get(id.index()).map(|id| &id.text)
    }

    /// The name of a block as the caller gave it.
    pub(crate) fn name_object(&self, block: u32) -> Option<&Py<PyString>> {
        let found = self.names.binary_search_by_key(&block, |name| name.0);
        found.ok().map(|index| &self.names[index].1)
    }

    fn id_at(&self, index: usize) -> Id {
        Id { symbol: Symbol(index as u32), shape: self.ids[index].shape }
    }
}

impl Texts for PyTexts {
    fn id(&self, id: Symbol) -> Option<String> {
        Python::attach(|py| Some(readable(self.id_object(id)?.bind(py))))
    }
    fn name(&self, block: u32) -> Option<String> {
        Python::attach(|py| Some(readable(self.name_object(block)?.bind(py))))
    }
    fn role(&self, message: u32) -> Option<String> {
        let found = self.roles.binary_search_by_key(&message, |role| role.0).ok()?;
        Python::attach(|py| Some(readable(self.roles[found].1.bind(py))))
    }
}

/// A string that can be printed, whatever it holds.
fn readable(text: &Bound<'_, PyString>) -> String {
    let escaped = text.call_method1("encode", ("utf-8", "backslashreplace"));
    let bytes = escaped.and_then(|bytes| bytes.extract::<Vec<u8>>());
    toolpair::texts::shown(&String::from_utf8_lossy(&bytes.unwrap_or_default()))
}
