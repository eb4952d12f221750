//! Members of messages and blocks, by name: of a dict, of any mapping, of an object.

use pyo3::exceptions::{PyException, PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::keys::NAMES;
use crate::sequences::{is_mapping, is_record, type_name};
use crate::texts::readable;

/// How the members of a value are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// By key: it is a mapping.
    Key,
    /// By attribute; those in its `__dict__` can be looked up there.
    OwnAttribute,
    /// By attribute, as it likes.
    Attribute,
    /// It has no members: it is a scalar, a text, a list, a set.
    None,
}

/// The ways of the types that were met, as far as all objects of a type have the same.
#[derive(Default)]
pub(crate) struct Accesses<'py>(Vec<Met<'py>>);

/// A type, how many of its objects were met, and the way of all of them once that was asked.
struct Met<'py> {
    kind: Bound<'py, PyType>,
    times: u32,
    access: Option<Access>,
}

impl<'py> Accesses<'py> {
    /// More types than this are asked each time.
    const MOST: usize = 16;
    /// So often an object is asked before its type is: looking a type over has its price.
    const PATIENCE: u32 = 8;

    pub(crate) fn of(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Access> {
        let kind = value.get_type();
        let Some(met) = self.0.iter_mut().find(|met| met.kind.is(&kind)) else {
            if self.0.len() < Self::MOST {
                self.0.push(Met { kind, times: 1, access: None });
            }
            return access_of(value);
        };
        if let Some(access) = met.access {
            return Ok(access);
        }
        met.times += 1;
        let access = access_of(value)?;
        if met.times == Self::PATIENCE && is_plain(&kind)? {
            met.access = Some(match access {
                Access::Attribute => Access::OwnAttribute,
                other => other,
            });
        }
        Ok(access)
    }
}

fn access_of(value: &Bound<'_, PyAny>) -> PyResult<Access> {
    Ok(if !is_record(value) {
        Access::None
    } else if is_mapping(value)? {
        Access::Key
    } else {
        Access::Attribute
    })
}

/// Whether objects of a type are what their type says (a proxy is not), and what stands in their
/// `__dict__` is what their attribute gives (a descriptor may give something else).
fn is_plain(kind: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = kind.py();
    for base in kind.mro() {
        if base.is(py.get_type::<PyAny>()) {
            continue;
        }
        let own = base.getattr(intern!(py, "__dict__"))?;
        if own.contains(intern!(py, "__class__"))? || own.contains("__getattribute__")? {
            return Ok(false);
        }
        // Every class that gives its objects a `__dict__` has one; a property of that name is not it.
        let dict = intern!(py, "__dict__");
        if own.contains(dict)? && !is_slot(&own.get_item(dict)?)? {
            return Ok(false);
        }
        for name in NAMES {
            if own.contains(name)? {
                let kind = own.get_item(name)?.get_type();
                if kind.hasattr(intern!(py, "__set__"))? || kind.hasattr("__delete__")? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Whether a class attribute is one that `CPython` made.
fn is_slot(attribute: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(attribute.get_type().name()? == "getset_descriptor")
}

/// A place to look members up.
pub(crate) trait Members<'py> {
    /// A member.
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

/// A mapping that is no dict.
pub(crate) struct ByKey<'a, 'py>(pub(crate) &'a Bound<'py, PyAny>);

impl<'py> Members<'py> for ByKey<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Not by the look-up alone: some mappings make what they lack.
        let can_tell = self.0.get_type().hasattr(intern!(self.0.py(), "__contains__"))?;
        if can_tell && !self.0.contains(name)? {
            return Ok(None);
        }
        match self.0.get_item(name) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_instance_of::<PyKeyError>(self.0.py()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// An object with attributes, and its `__dict__` if that tells them.
pub(crate) struct ByAttribute<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    own: Option<Bound<'py, PyDict>>,
}

impl<'a, 'py> ByAttribute<'a, 'py> {
    pub(crate) fn asking(object: &'a Bound<'py, PyAny>) -> ByAttribute<'a, 'py> {
        ByAttribute { object, own: None }
    }

    pub(crate) fn own(object: &'a Bound<'py, PyAny>) -> PyResult<ByAttribute<'a, 'py>> {
        let own = object.getattr_opt(intern!(object.py(), "__dict__"))?;
        let own = own.and_then(|own| own.cast_into_exact::<PyDict>().ok());
        Ok(ByAttribute { object, own })
    }
}

impl<'py> Members<'py> for ByAttribute<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(own) = &self.own
            && let Some(value) = own.get_item(name)?
        {
            return Ok(Some(value));
        }
        self.object.getattr_opt(name)
    }
}

/// Something of the caller's raised: say where, in one line. What is no ordinary exception goes on
/// as it is.
pub(crate) fn unreadable(py: Python<'_>, place: &str, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let kind = type_name(error.value(py).as_any());
    let text = error.value(py).str().and_then(|text| readable(&text)).unwrap_or_default();
    let why = if text.is_empty() { kind } else { format!("{kind}: {text}") };
    let clear = PyTypeError::new_err(format!("{place} could not be read: {why}"));
    clear.set_cause(py, Some(error));
    clear
}
