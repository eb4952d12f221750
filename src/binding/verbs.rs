//! The verbs, each: read, ask the core, write.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{ENDPOINTS, Endpoint, Options, RULES, Trim, TrimPlan};

use crate::{read, sequences, write};

pyo3::import_exception!(toolpair.exceptions, TrimError);

/// Options from keywords. Names that mean nothing are errors.
pub(crate) fn options(
    endpoint: &str,
    ignore: Vec<String>,
    allow_pending: bool,
) -> PyResult<Options> {
    let mut options = Options::new(endpoint_named(endpoint)?);
    for name in ignore {
        if !options.ignore(&name) {
            let text = format!("ignore: no rule has the code or slug '{name}'");
            return Err(PyValueError::new_err(text));
        }
    }
    if allow_pending {
        options.ignore("pending-tool-use");
    }
    Ok(options)
}

fn endpoint_named(name: &str) -> PyResult<&'static Endpoint> {
    Endpoint::named(name).ok_or_else(|| {
        let names: Vec<_> = ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
        PyValueError::new_err(format!("endpoint must be one of {}, not '{name}'", names.join(", ")))
    })
}

/// Check a history. None if there is nothing to report.
#[pyfunction]
pub(crate) fn check<'py>(
    messages: &Bound<'py, PyAny>,
    endpoint: &str,
    ignore: Vec<String>,
    allow_pending: bool,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let options = options(endpoint, ignore, allow_pending)?;
    let (history, texts) = read::read_messages(messages, 0)?;
    let report = toolpair::check(&history, options);
    write::report(messages.py(), &report, &history, &texts)
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
    let (history, texts) = read::read_messages(messages, 0)?;
    let options = Options::new(&ENDPOINTS[0]);
    let report = toolpair::check(&history, options);
    write::calls(messages.py(), &report.pending, &history, &texts)
}

/// Trim a history.
#[pyfunction]
pub(crate) fn trim<'py>(
    messages: &Bound<'py, PyAny>,
    keep_recent: Option<u32>,
    max_messages: Option<u32>,
    keep_task: bool,
    endpoint: &str,
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
    keep_task: bool,
    endpoint: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let (messages, plan) = planned(messages, keep_recent, max_messages, keep_task, endpoint)?;
    Ok((write::plan(messages.py(), &plan)?, messages))
}

fn planned<'py>(
    messages: &Bound<'py, PyAny>,
    keep_recent: Option<u32>,
    max_messages: Option<u32>,
    keep_task: bool,
    endpoint: &str,
) -> PyResult<(Bound<'py, PyTuple>, TrimPlan)> {
    let endpoint = endpoint_named(endpoint)?;
    // A tuple of their own: the plan must hold for the messages that were read.
    let messages = sequences::messages(messages)?;
    let (history, _) = read::read_messages(messages.as_any(), 0)?;
    let wish = Trim { keep_recent, max_messages, keep_task, endpoint };
    let plan = toolpair::trim(&history, wish).map_err(|impossible| {
        TrimError::new_err((
            format!(
                "what must stay and the newest step are {} messages: max_messages cannot be less",
                impossible.smallest
            ),
            impossible.smallest,
        ))
    })?;
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

/// A code, the ids, and the place that stand in a text.
type Explained = (&'static str, Vec<String>, Option<u32>, Option<u32>);

/// What a text means. None if it is not known.
#[pyfunction]
pub(crate) fn explain(text: &str) -> Option<Explained> {
    let found = toolpair::explain(text)?;
    let place = found.place.unwrap_or_default();
    Some((found.rule.code, found.ids, place.message, place.block))
}
