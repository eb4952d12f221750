//! How the members of a value are looked up: by its type.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::keys;
use crate::sequences::{is_mapping, is_record};

/// How the members of a value are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// By key: it is a mapping.
    Key,
    /// By attribute, as it likes.
    Attribute,
    /// By attribute; those in its `__dict__` can be looked up there.
    Own,
    /// In its `__dict__` and among the extras of a pydantic model, and nowhere else. To ask a model
    /// for what it lacks takes a hundred times as long as to ask for what it has.
    Model,
    /// It has no members: it is a scalar, a text, a list, a set.
    None,
}

/// The ways of the types that were met, as far as all objects of a type have the same.
#[derive(Default)]
pub(crate) struct Accesses<'py>(Vec<Met<'py>>);

/// A type, after how many of its objects it is asked, and the way of all of them from then on.
struct Met<'py> {
    kind: Bound<'py, PyType>,
    patience: u32,
    access: Option<Access>,
}

impl<'py> Accesses<'py> {
    /// More types than this are asked each time.
    const MOST: usize = 16;
    /// So often an object is asked before its type is: looking a type over has its price.
    const PATIENCE: u32 = 8;

    pub(crate) fn of(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Access> {
        let kind = value.get_type();
        let at = match self.0.iter().position(|met| met.kind.is(&kind)) {
            Some(at) => at,
            None if self.0.len() == Self::MOST => return access_of(value),
            None => {
                // The price of asking a model is higher.
                let is_model = kind.hasattr(intern!(kind.py(), "__pydantic_fields__"))?;
                let patience = if is_model { 1 } else { Self::PATIENCE };
                self.0.push(Met { kind, patience, access: None });
                self.0.len() - 1
            }
        };
        let met = &mut self.0[at];
        if let Some(access) = met.access {
            return Ok(access);
        }
        let access = access_of(value)?;
        met.patience = met.patience.saturating_sub(1);
        if met.patience == 0 {
            met.patience = u32::MAX;
            met.access = own_access(&met.kind)?.map(|own| match access {
                Access::Attribute => own,
                other => other,
            });
        }
        Ok(met.access.unwrap_or(access))
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

/// How attributes of all objects of a type can be looked up, if the objects are what their type
/// says (a proxy is not), and what stands in their `__dict__` is what their attribute gives (a
/// descriptor may give something else).
fn own_access(kind: &Bound<'_, PyType>) -> PyResult<Option<Access>> {
    let py = kind.py();
    let (mut is_model, mut has_own) = (false, false);
    for base in kind.mro() {
        if base.is(py.get_type::<PyAny>()) {
            continue;
        }
        let own = base.getattr(intern!(py, "__dict__"))?;
        if own.contains(intern!(py, "__class__"))?
            || own.contains(intern!(py, "__getattribute__"))?
        {
            return Ok(None);
        }
        // Every class that gives its objects a `__dict__` has one; a property of that name is not it.
        let dict = intern!(py, "__dict__");
        if own.contains(dict)? && !is_slot(&own.get_item(dict)?)? {
            return Ok(None);
        }
        if own.contains(intern!(py, "__getattr__"))? {
            let module = base.cast::<PyType>()?.module();
            let is_pydantic = module.is_ok_and(|module| module == "pydantic.main");
            (is_model, has_own) = (is_model || is_pydantic, has_own || !is_pydantic);
        }
        for name in keys::names(py) {
            if own.contains(name)? {
                has_own = true;
                let kind = own.get_item(name)?.get_type();
                if kind.hasattr(intern!(py, "__set__"))? || kind.hasattr("__delete__")? {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(if is_model && !has_own { Access::Model } else { Access::Own }))
}

/// Whether a class attribute is one that `CPython` made.
fn is_slot(attribute: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(attribute.get_type().name()? == "getset_descriptor")
}
