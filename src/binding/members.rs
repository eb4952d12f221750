//! Members of messages and blocks, by name: of a dict, of any mapping, of an object.

use pyo3::exceptions::{PyException, PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::accesses::{Access, Accesses};
use crate::sequences::{self, type_name};
use crate::texts::readable;

/// A place to look members up.
pub(crate) trait Members<'py> {
    /// A member.
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// How many members there are, at the most.
    fn count(&self) -> usize {
        usize::MAX
    }

    /// Their names, if they can be listed.
    fn names(&self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Ok(Vec::new())
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

    fn names(&self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Ok(self.keys().iter().collect())
    }
}

/// Members of whatever has some.
pub(crate) enum AnyMembers<'a, 'py> {
    Dict(&'a Bound<'py, PyDict>),
    Key(ByKey<'a, 'py>),
    Attribute(ByAttribute<'a, 'py>),
}

impl<'a, 'py> AnyMembers<'a, 'py> {
    /// None if it is a scalar, a text, a list, a set.
    pub(crate) fn of(
        accesses: &mut Accesses<'py>,
        value: &'a Bound<'py, PyAny>,
    ) -> PyResult<Option<AnyMembers<'a, 'py>>> {
        if let Ok(dict) = value.cast::<PyDict>() {
            return Ok(Some(AnyMembers::Dict(dict)));
        }
        if value.is_none() {
            return Ok(None);
        }
        let rest = match accesses.of(value)? {
            Access::None => return Ok(None),
            Access::Key => return Ok(Some(AnyMembers::Key(ByKey(value)))),
            Access::Attribute => Rest::Asked,
            Access::Own => Rest::AskedAfter(own_members(value)?),
            Access::Model => {
                let more = value.getattr_opt(intern!(value.py(), "__pydantic_extra__"))?;
                let more = more.and_then(|more| more.cast_into_exact::<PyDict>().ok());
                let more = more.filter(|more| !more.is_empty());
                Rest::Known(own_members(value)?, more)
            }
        };
        Ok(Some(AnyMembers::Attribute(ByAttribute { object: value, rest })))
    }

    /// Whether they are those of JSON: what a key names is meant to be there.
    pub(crate) fn is_mapping(&self) -> bool {
        !matches!(self, AnyMembers::Attribute(_))
    }
}

impl<'py> Members<'py> for AnyMembers<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            AnyMembers::Dict(dict) => dict.get_item(name),
            AnyMembers::Key(members) => members.get(name),
            AnyMembers::Attribute(members) => members.get(name),
        }
    }

    fn count(&self) -> usize {
        if let AnyMembers::Dict(dict) = self { dict.len() } else { usize::MAX }
    }

    fn names(&self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        match self {
            AnyMembers::Dict(dict) => dict.names(),
            AnyMembers::Key(ByKey(mapping)) => sequences::keys(mapping),
            AnyMembers::Attribute(_) => Ok(Vec::new()),
        }
    }
}

/// A mapping that is no dict.
pub(crate) struct ByKey<'a, 'py>(&'a Bound<'py, PyAny>);

impl<'py> ByKey<'_, 'py> {
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

/// An object with attributes.
pub(crate) struct ByAttribute<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    rest: Rest<'py>,
}

/// Where an object's members are, before the object is asked for them or instead.
enum Rest<'py> {
    Asked,
    AskedAfter(Option<Bound<'py, PyDict>>),
    Known(Option<Bound<'py, PyDict>>, Option<Bound<'py, PyDict>>),
}

fn own_members<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let own = object.getattr_opt(intern!(object.py(), "__dict__"))?;
    Ok(own.and_then(|own| own.cast_into_exact::<PyDict>().ok()))
}

impl<'py> ByAttribute<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let look = |dict: &Option<Bound<'py, PyDict>>| match dict {
            Some(dict) => dict.get_item(name),
            None => Ok(None),
        };
        let (own, more) = match &self.rest {
            Rest::Asked => return self.object.getattr_opt(name),
            Rest::AskedAfter(own) => (own, None),
            Rest::Known(own, more) => (own, Some(more)),
        };
        if let Some(value) = look(own)? {
            return Ok(Some(value));
        }
        more.map_or_else(|| self.object.getattr_opt(name), look)
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
