//! The texts of a history that came from Python: ids by number, names by block, kept by reference.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};
use toolpair::{Id, IdShape, Symbol};

use crate::words::{Words, is_same};

/// An id, its hash, and what its characters are like.
struct Known {
    text: Py<PyString>,
    hash: u64,
    shape: IdShape,
}

/// Texts of a history as Python strings.
pub(crate) trait Texts {
    /// An id, or another text that has a symbol.
    fn id(&self, py: Python<'_>, id: Symbol) -> Option<Py<PyString>>;

    /// The name of a call, or the odd type of a block.
    fn name(&self, py: Python<'_>, block: u32) -> Option<Py<PyString>>;

    /// The odd role of a message.
    fn role(&self, py: Python<'_>, message: u32) -> Option<Py<PyString>>;
}

/// What a reader leaves behind, so that a report can show it: the caller's own strings.
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
    /// Make room for a number of messages. In an agent's history every other one calls, and now and
    /// then more than once; it is the table that is dear to make anew.
    pub(crate) fn expect(&mut self, messages: usize) {
        self.table.reserve(messages, |&index| self.ids[index as usize].hash);
        self.ids.reserve(messages / 2);
        self.names.reserve(messages / 2);
        self.expected = self.ids.len();
    }

    /// The id of a call. `text` must be an exact `str`: its hash and its equality run no code.
    #[inline]
    pub(crate) fn intern(&mut self, words: &Words, text: &Bound<'_, PyString>) -> PyResult<Id> {
        let hash = text.hash()?.cast_unsigned() as u64;
        self.intern_hashed(text, hash, || words.read(text, |text| IdShape::of(text.as_bytes())))
    }

    #[inline]
    fn intern_hashed(
        &mut self,
        text: &Bound<'_, PyString>,
        hash: u64,
        shape: impl FnOnce() -> PyResult<IdShape>,
    ) -> PyResult<Id> {
        let PyTexts { ids, table, .. } = self;
        let is_it = |&index: &u32| {
            let known = &ids[index as usize];
            known.hash == hash && is_same(known.text.bind(text.py()), text)
        };
        let entry = match table.entry(hash, is_it, |&index| ids[index as usize].hash) {
            Entry::Occupied(entry) => {
                let symbol = Symbol(*entry.get());
                return Ok(Id { symbol, shape: ids[symbol.index()].shape });
            }
            Entry::Vacant(entry) => entry,
        };
        let shape = shape()?;
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

    /// Take over another history's texts, whose blocks and messages come behind these. Makes no
    /// Python object.
    pub(crate) fn append(
        &mut self,
        py: Python<'_>,
        other: PyTexts,
        blocks: u32,
        messages: u32,
    ) -> PyResult<Vec<Symbol>> {
        let mut symbols = Vec::with_capacity(other.ids.len());
        for Known { text, hash, shape } in &other.ids {
            let id = self.intern_hashed(text.bind(py), *hash, || Ok(*shape))?;
            symbols.push(id.symbol);
        }
        self.names.extend(other.names.into_iter().map(|(block, name)| (block + blocks, name)));
        self.roles.extend(other.roles.into_iter().map(|(at, role)| (at + messages, role)));
        Ok(symbols)
    }

    /// The same texts once more.
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> PyTexts {
        let named = |named: &Vec<(u32, Py<PyString>)>| {
            named.iter().map(|(at, name)| (*at, name.clone_ref(py))).collect()
        };
        let ids = self.ids.iter().map(|Known { text, hash, shape }| Known {
            text: text.clone_ref(py),
            hash: *hash,
            shape: *shape,
        });
        PyTexts {
            ids: ids.collect(),
            table: self.table.clone(),
            names: named(&self.names),
            roles: named(&self.roles),
            expected: self.expected,
        }
    }

    /// How many ids there are.
    pub(crate) fn count(&self) -> usize {
        self.ids.len()
    }

    /// An id as the caller gave it.
    pub(crate) fn id_object(&self, id: Symbol) -> Option<&Py<PyString>> {
        self.ids.get(id.index()).map(|id| &id.text)
    }

    /// Whether some id is this text.
    pub(crate) fn knows(&self, text: &Bound<'_, PyString>) -> PyResult<bool> {
        let hash = text.hash()?.cast_unsigned() as u64;
        let is_it = |&index: &u32| {
            let known = &self.ids[index as usize];
            known.hash == hash && is_same(known.text.bind(text.py()), text)
        };
        Ok(self.table.find(hash, is_it).is_some())
    }

    fn id_at(&self, index: usize) -> Id {
        Id { symbol: Symbol(index as u32), shape: self.ids[index].shape }
    }
}

impl Texts for PyTexts {
    fn id(&self, py: Python<'_>, id: Symbol) -> Option<Py<PyString>> {
        self.ids.get(id.index()).map(|id| id.text.clone_ref(py))
    }

    fn name(&self, py: Python<'_>, block: u32) -> Option<Py<PyString>> {
        let found = self.names.binary_search_by_key(&block, |name| name.0);
        found.ok().map(|index| self.names[index].1.clone_ref(py))
    }

    fn role(&self, py: Python<'_>, message: u32) -> Option<Py<PyString>> {
        let found = self.roles.binary_search_by_key(&message, |role| role.0);
        found.ok().map(|index| self.roles[index].1.clone_ref(py))
    }
}

/// A string of a report: one line of ASCII, whatever it holds. Only its first part is looked at,
/// and no copy is left in it.
pub(crate) fn readable(text: &Bound<'_, PyString>) -> PyResult<String> {
    // One more than is shown, so that it shows that there is more.
    let first =
        text.get_item(PySlice::new(text.py(), 0, toolpair::texts::SHOWN.cast_signed() + 1, 1))?;
    // Characters that UTF-8 cannot hold come out as Rust shows the others.
    let escaped = first.call_method1("encode", ("utf-8", "backslashreplace"))?;
    let bytes = escaped.cast::<PyBytes>()?.as_bytes();
    Ok(toolpair::texts::shown(&String::from_utf8_lossy(bytes)))
}
