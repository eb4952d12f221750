//! Keywords to options. What means nothing is an error that names the keyword.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use toolpair::{Context, ENDPOINTS, Endpoint, Options};

use crate::texts::{PyTexts, readable};
use crate::{read, sequences};

/// The options that `check` takes, without its context.
pub(crate) fn options(
    endpoint: &Bound<'_, PyAny>,
    ignore: &Bound<'_, PyAny>,
    select: &Bound<'_, PyAny>,
    allow_pending: &Bound<'_, PyAny>,
) -> PyResult<Options> {
    let mut options = Options::new(endpoint_named(endpoint)?);
    each_rule("ignore", ignore, |name| options.ignore(name))?;
    each_rule("select", select, |name| options.select(name))?;
    if flag("allow_pending", allow_pending)? {
        options.allow_pending();
    }
    Ok(options)
}

/// What `context` says, and the texts that it left.
pub(crate) fn read_context(context: Option<&Bound<'_, PyAny>>) -> PyResult<(Context, PyTexts)> {
    context.map_or_else(
        || Ok((Context::default(), PyTexts::default())),
        |context| read::read_context(context, "context"),
    )
}

fn each_rule(
    keyword: &str,
    names: &Bound<'_, PyAny>,
    mut take: impl FnMut(&str) -> bool,
) -> PyResult<()> {
    let wanted = "codes or slugs of rules";
    let mut take_one = |name: &Bound<'_, PyAny>| {
        let Ok(text) = name.cast::<PyString>() else {
            return Err(keyword_error(keyword, wanted, name));
        };
        if take(&text.to_string_lossy()) {
            return Ok(());
        }
        let name = readable(text)?;
        Err(PyValueError::new_err(format!("{keyword}: no rule has the code or slug '{name}'")))
    };
    if names.is_instance_of::<PyString>() {
        // One name stands for a list of one.
        return take_one(names);
    }
    let refused = |_| keyword_error(keyword, wanted, names);
    for name in names.try_iter().map_err(refused)? {
        take_one(&name?)?;
    }
    Ok(())
}

pub(crate) fn endpoint_named(name: &Bound<'_, PyAny>) -> PyResult<&'static Endpoint> {
    let Ok(text) = name.cast::<PyString>() else {
        return Err(keyword_error("endpoint", "the name of an endpoint", name));
    };
    if let Some(endpoint) = Endpoint::named(&text.to_string_lossy()) {
        return Ok(endpoint);
    }
    let names: Vec<_> = ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
    let (names, name) = (names.join(", "), readable(text)?);
    Err(PyValueError::new_err(format!("endpoint must be one of {names}, not '{name}'")))
}

pub(crate) fn flag(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => Err(keyword_error(keyword, "True or False", value)),
    }
}

pub(crate) fn keyword_error(keyword: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = sequences::type_name(value);
    PyTypeError::new_err(format!("{keyword} must be {wanted}, not {kind}"))
}
