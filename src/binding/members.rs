//! Members of messages and blocks, by name: of a dict, of any mapping, of an object.

use pyo3::exceptions::{PyException, PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

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
