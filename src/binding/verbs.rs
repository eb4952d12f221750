//! The verbs, each: read, ask the core, write.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{ENDPOINTS, Endpoint, Options, RULES, Trim, TrimPlan};

use crate::texts::readable;
use crate::{read, sequences, write};

pyo3::import_exception!(toolpair.exceptions, TrimError);

/// Options from keywords. What means nothing is an error that names the keyword.
pub(crate) fn options(
    endpoint: &Bound<'_, PyAny>,
    ignore: &Bound<'_, PyAny>,
    allow_pending: &Bound<'_, PyAny>,
) -> PyResult<Options> {
    let mut options = Options::new(endpoint_named(endpoint)?);
    if let Ok(name) = ignore.cast::<PyString>() {
        // One name stands for a list of one.
        ignore_rule(&mut options, name.as_any())?;
    } else {
        let refused = |_| keyword_error("ignore", "codes or slugs of rules", ignore);
        for name in ignore.try_iter().map_err(refused)? {
            ignore_rule(&mut options, &name?)?;
        }
    }
    if flag("allow_pending", allow_pending)? {
        options.allow_pending();
    }
    Ok(options)
}

fn ignore_rule(options: &mut Options, name: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(text) = name.cast::<PyString>() else {
        return Err(keyword_error("ignore", "codes or slugs of rules", name));
    };
    if options.ignore(&text.to_string_lossy()) {
        return Ok(());
    }
    let text = format!("ignore: no rule has the code or slug '{}'", readable(text)?);
    Err(PyValueError::new_err(text))
}

fn endpoint_named(name: &Bound<'_, PyAny>) -> PyResult<&'static Endpoint> {
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

fn flag(keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match value.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true()),
        Err(_) => Err(keyword_error(keyword, "True or False", value)),
    }
}

fn keyword_error(keyword: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = sequences::type_name(value);
    PyTypeError::new_err(format!("{keyword} must be {wanted}, not {kind}"))
}

/// Check a history. None if there is nothing to report.
#[pyfunction]
pub(crate) fn check<'py>(
    messages: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
    ignore: &Bound<'py, PyAny>,
    allow_pending: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let options = options(endpoint, ignore, allow_pending)?;
    let (history, texts) = read::read_messages(messages, 0)?;
    let report = toolpair::check(&history, options);
    write::report(messages.py(), write::take(messages.py(), report, &history, &texts))
}

/// The ids of calls that no later result names.
#[pyfunction]
pub(crate) fn unpaired<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let (history, texts) = read::read_messages(messages, 0)?;
    let ids = toolpair::unpaired(&history).into_iter().filter_map(|id| texts.id_object(id));
    PyList::new(messages.py(), ids.collect::<Vec<_>>())
}

/// The calls at the very end that nobody has answered yet.
#[pyfunction]
pub(crate) fn pending<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let (history, texts) = read::read_messages(messages, 0)?;
    let calls = toolpair::pending_calls(&history);
    write::call_list(py, write::calls(py, &calls, &history, &texts))
}

/// Trim a history.
#[pyfunction]
pub(crate) fn trim<'py>(
    messages: &Bound<'py, PyAny>,
    keep_recent: Option<u32>,
    max_messages: Option<u32>,
    keep_task: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let (messages, plan) = planned(messages, keep_recent, max_messages, keep_task, endpoint)?;
    write::applied(&messages, &plan)
}

/// Plan a trim: the plan, and the messages that it was made for.
#[pyfunction]
pub(crate) fn plan_trim<'py>(
    messages: &Bound<'py, PyAny>,
    keep_recent: Option<u32>,
    max_messages: Option<u32>,
    keep_task: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let (messages, plan) = planned(messages, keep_recent, max_messages, keep_task, endpoint)?;
    Ok((write::plan(messages.py(), &plan)?, messages))
}

fn planned<'py>(
    messages: &Bound<'py, PyAny>,
    keep_recent: Option<u32>,
    max_messages: Option<u32>,
    keep_task: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyTuple>, TrimPlan)> {
    let (endpoint, keep_task) = (endpoint_named(endpoint)?, flag("keep_task", keep_task)?);
    // A tuple of their own: the plan must hold for the messages that were read.
    let messages = sequences::messages(messages)?;
    let (history, _) = read::read_messages(messages.as_any(), 0)?;
    let wish = Trim { keep_recent, max_messages, keep_task, endpoint };
    let plan = toolpair::trim(&history, wish);
    let plan = plan.map_err(|error| TrimError::new_err((error.to_string(), error.smallest)))?;
    Ok((messages, plan))
}

#[derive(Serialize)]
struct RulePart {
    code: &'static str,
    slug: &'static str,
    severity: &'static str,
    what: &'static str,
    why: &'static str,
    mend: &'static str,
    example: &'static str,
    source: &'static str,
    server_texts: &'static [&'static str],
}

/// The registry.
#[pyfunction]
pub(crate) fn rules(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let parts: Vec<_> = RULES
        .iter()
        .map(|rule| RulePart {
            code: rule.code,
            slug: rule.slug,
            severity: rule.severity.name(),
            what: rule.what,
            why: rule.why,
            mend: rule.mend,
            example: rule.example,
            source: rule.source,
            server_texts: rule.server,
        })
        .collect();
    Ok(pythonize(py, &parts)?)
}

/// The names of the endpoints.
#[pyfunction]
pub(crate) fn endpoints() -> Vec<&'static str> {
    ENDPOINTS.iter().map(|endpoint| endpoint.name).collect()
}

/// A foreign text as a report shows it.
#[pyfunction]
pub(crate) fn shown(text: &Bound<'_, PyString>) -> PyResult<String> {
    readable(text)
}

/// A code, the ids, and the place that stand in a text.
type Explained = (&'static str, Vec<String>, Option<u32>, Option<u32>);

/// What a text means. None if it is not known.
#[pyfunction]
pub(crate) fn explain(text: &str) -> Option<Explained> {
    let found = toolpair::explain(text)?;
    let place = found.place.unwrap_or_default();
    Some((found.rule.code, found.ids, place.message, place.block))
}
