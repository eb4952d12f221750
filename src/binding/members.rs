//! Members of messages and blocks, by name: of a dict, of any mapping, of an object.

use pyo3::exceptions::{PyException, PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyType};

use crate::sequences::is_record;

/// How the members of a value are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// By key: it is a mapping.
    Key,
    /// By attribute.
    Attribute,
    /// It has no members: it is a scalar, a text, a list, a set.
    None,
}

/// The ways of the types that were met. Asking whether a type is a mapping is slow.
#[derive(Default)]
pub(crate) struct Accesses<'py>(Vec<(Bound<'py, PyType>, Access)>);

impl<'py> Accesses<'py> {
    /// More types than this are asked each time.
    const MOST: usize = 16;

    pub(crate) fn of(&mut self, value: &Bound<'py, PyAny>) -> Access {
        let kind = value.get_type();
        if let Some((_, access)) = self.0.iter().find(|(known, _)| known.is(&kind)) {
            return *access;
        }
        let access = if !is_record(value) {
            Access::None
        } else if value.cast::<PyMapping>().is_ok() {
            Access::Key
        } else {
            Access::Attribute
        };
        if self.0.len() < Self::MOST {
            self.0.push((kind, access));
        }
        access
    }
}

/// A place to look members up.
pub(crate) trait Members<'py> {
    /// A member. `None` (the object) counts as absent, as it does in the SDKs' models.
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// How many members there are, at the most.
    fn count(&self) -> usize {
        usize::MAX
    }
}

impl<'py> Members<'py> for &Bound<'py, PyDict> {
    #[inline]
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.get_item(name)
    }

    #[inline]
    fn count(&self) -> usize {
        self.len()
    }
}

impl<'py> Members<'py> for &Bound<'py, PyMapping> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.get_item(name) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_instance_of::<PyKeyError>(self.py()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// An object with attributes; those that it holds itself are looked up without its help.
pub(crate) struct Attributes<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    own: Option<Bound<'py, PyDict>>,
}

impl<'a, 'py> Attributes<'a, 'py> {
    pub(crate) fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Attributes<'a, 'py>> {
        let own = object.getattr_opt(intern!(object.py(), "__dict__"))?;
        let own = own.and_then(|own| own.cast_into::<PyDict>().ok());
        Ok(Attributes { object, own })
    }
}

impl<'py> Members<'py> for Attributes<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(own) = &self.own
            && let Some(value) = own.get_item(name)?
        {
            return Ok(Some(value));
        }
        self.object.getattr_opt(name)
    }
}

/// Something of the caller's raised: say where. What is no ordinary exception goes on as it is.
pub(crate) fn unreadable(py: Python<'_>, place: &str, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let clear = PyTypeError::new_err(format!("{place} could not be read: {error}"));
    clear.set_cause(py, Some(error));
    clear
}
