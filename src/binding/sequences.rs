//! Lists that are no `list`: which are histories, which are content, and which are neither.

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMemoryView,
    PyRange, PySet, PyString, PyTuple, PyType,
};

use crate::members::unreadable;

/// The messages of anything that can be read twice, as a tuple of their own.
pub(crate) fn messages<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    if let Ok(tuple) = messages.cast::<PyTuple>() {
        return Ok(tuple.clone());
    }
    if let Ok(list) = messages.cast::<PyList>() {
        return Ok(list.to_tuple());
    }
    let py = messages.py();
    let unreadable = |error| unreadable(py, "messages", error);
    let refuse = |why: &str| {
        let kind = type_name(messages);
        Err(PyTypeError::new_err(format!("messages must be a list of messages, not {kind}{why}")))
    };
    let kind = messages.get_type();
    let is_iterable =
        kind.hasattr(intern!(py, "__iter__"))? || is_sequence(messages).map_err(unreadable)?;
    if !is_record(messages) || !is_iterable || is_mapping(messages).map_err(unreadable)? {
        let is_request = messages
            .cast::<PyDict>()
            .is_ok_and(|dict| dict.contains(intern!(py, "messages")).unwrap_or_default());
        return refuse(if is_request {
            ": give its messages, and the rest of the request as context; check_request takes it \
             whole"
        } else {
            ""
        });
    }
    if kind.hasattr(intern!(py, "__next__"))? {
        return refuse(", which can be read only once: pass list(messages)");
    }
    if !kind.hasattr(intern!(py, "__len__"))? {
        return refuse("");
    }
    let length = messages.len().map_err(unreadable)?;
    let iterator = messages.try_iter().map_err(unreadable)?;
    collect(iterator.as_any(), length, "messages")
}

/// The elements of a list, a tuple, or another sequence that can be read twice. None if it is none.
pub(crate) fn elements<'py>(
    content: &Bound<'py, PyAny>,
    place: &str,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Ok(tuple) = content.cast::<PyTuple>() {
        return Ok(Some(tuple.clone()));
    }
    if let Ok(list) = content.cast::<PyList>() {
        return Ok(Some(list.to_tuple()));
    }
    let unreadable = |error| unreadable(content.py(), place, error);
    if !is_record(content) || !is_sequence(content).map_err(unreadable)? {
        return Ok(None);
    }
    let length = content.len().map_err(unreadable)?;
    let iterator = content.try_iter().map_err(unreadable)?;
    collect(iterator.as_any(), length, place).map(Some)
}

/// The keys of a mapping.
pub(crate) fn keys<'py>(mapping: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let length = mapping.len()?;
    mapping.try_iter()?.take(length).collect()
}

/// At most `length` elements and one more: a sequence may not end, or not as it says.
fn collect<'py>(
    iterator: &Bound<'py, PyAny>,
    length: usize,
    place: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = iterator.py();
    let mut found = Vec::new();
    for element in iterator.try_iter()?.take(length.saturating_add(1)) {
        found.push(element.map_err(|error| unreadable(py, place, error))?);
        if found.len().is_multiple_of(1024) {
            py.check_signals()?;
        }
    }
    if found.len() == length {
        return PyTuple::new(py, found);
    }
    let text =
        format!("{place} changed while it was being read, or its length is not what it says");
    Err(PyRuntimeError::new_err(text))
}

/// Whether a value says that it is a mapping. What it raises on that question goes on.
pub(crate) fn is_mapping(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static MAPPING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    value.is_instance(MAPPING.import(value.py(), "collections.abc", "Mapping")?)
}

/// Whether a value says that it is a sequence.
fn is_sequence(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static SEQUENCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    value.is_instance(SEQUENCE.import(value.py(), "collections.abc", "Sequence")?)
}

/// Whether a value may be an object of JSON. Scalars, texts, lists and sets are none.
pub(crate) fn is_record(value: &Bound<'_, PyAny>) -> bool {
    !(value.is_none()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
        || value.is_instance_of::<PyComplex>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>()
        || value.is_instance_of::<PyRange>()
        || value.is_instance_of::<PyType>())
}

/// The name of a value's type, as a sentence shows it.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
