//! The verbs, each: read, ask the core, write.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{Context, ENDPOINTS, RULES, Thinking, Trim, TrimPlan};

use crate::options::{endpoint_named, flag, options, read_context};
use crate::read::Wish;
use crate::texts::{Texts, readable};
use crate::{read, sequences, write};

pyo3::import_exception!(toolpair.exceptions, TrimError);

/// Check a history. None if there is nothing to report.
#[pyfunction]
pub(crate) fn check<'py>(
    messages: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
    ignore: &Bound<'py, PyAny>,
    select: &Bound<'py, PyAny>,
    allow_pending: &Bound<'py, PyAny>,
    context: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = messages.py();
    let options = options(endpoint, ignore, select, allow_pending)?;
    let (context, texts) = read_context(context)?;
    let wish = Wish { texts, extras: options.wants_extras(), ..Wish::default() };
    let (history, texts) = read::read_messages(messages, wish)?;
    let notes = context.notes();
    let report = toolpair::check(&history, options.with_context(context));
    write::report(py, write::take(py, report, &history, &texts, notes))
}

/// The ids of calls that no later result names.
#[pyfunction]
pub(crate) fn unpaired<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let (history, texts) = read::read_messages(messages, Wish::default())?;
    let ids = toolpair::unpaired(&history).into_iter().filter_map(|id| texts.id(py, id));
    PyList::new(py, ids.collect::<Vec<_>>())
}

/// The calls at the very end that nobody has answered yet.
#[pyfunction]
pub(crate) fn pending<'py>(messages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let (history, texts) = read::read_messages(messages, Wish::default())?;
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
    context: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let (context, _) = read_context(context)?;
    let asked = (keep_recent, max_messages);
    let (messages, plan) = planned(messages, asked, keep_task, endpoint, &context)?;
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
    context: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let (context, _) = read_context(context)?;
    let asked = (keep_recent, max_messages);
    let (messages, plan) = planned(messages, asked, keep_task, endpoint, &context)?;
    Ok((write::plan(messages.py(), &plan, &context)?, messages))
}

fn planned<'py>(
    messages: &Bound<'py, PyAny>,
    (keep_recent, max_messages): (Option<u32>, Option<u32>),
    keep_task: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
    context: &Context,
) -> PyResult<(Bound<'py, PyTuple>, TrimPlan)> {
    let (endpoint, keep_task) = (endpoint_named(endpoint)?, flag("keep_task", keep_task)?);
    // A tuple of their own: the plan must hold for the messages that were read.
    let messages = sequences::messages(messages)?;
    let (history, _) = read::read_messages(messages.as_any(), Wish::default())?;
    let thinks = context.thinking == Some(Thinking::Enabled);
    let wish = Trim { keep_recent, max_messages, keep_task, endpoint, thinks };
    let plan = toolpair::trim(&history, wish);
    let plan = plan.map_err(|error| TrimError::new_err((error.to_string(), error.smallest)))?;
    Ok((messages, plan))
}

#[derive(Serialize)]
struct RulePart {
    code: &'static str,
    slug: &'static str,
    severity: &'static str,
    when: &'static str,
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
            when: rule.when.name(),
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
