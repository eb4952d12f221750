//! Reports and plans to plain Python data, and a plan to a list.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{History, Place, Report, TrimPlan, Violation};

use crate::texts::PyTexts;

#[derive(Serialize)]
struct PlacePart {
    message_index: Option<u32>,
    block_index: Option<u32>,
}

#[derive(Serialize)]
struct ViolationPart {
    code: &'static str,
    severity: &'static str,
    text: String,
    message_index: Option<u32>,
    block_index: Option<u32>,
    related: Vec<PlacePart>,
}

#[derive(Serialize)]
struct KeptPart {
    message_index: u32,
    reason: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct PlanPart {
    dropped_indices: Vec<u32>,
    reached: u32,
    first_changed_index: Option<u32>,
    thinking_after_change: bool,
    starts_with_user: bool,
    reasons: Vec<KeptPart>,
}

impl From<Place> for PlacePart {
    fn from(place: Place) -> PlacePart {
        PlacePart { message_index: place.message, block_index: place.block }
    }
}

/// A report; `None` if there is nothing to tell.
pub(crate) fn report<'py>(
    py: Python<'py>,
    report: &Report,
    history: &History,
    texts: &PyTexts,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    if report.violations.is_empty() && report.pending.is_empty() {
        return Ok(None);
    }
    let violations = report.violations.iter().map(|found| violation(py, found, texts));
    let violations: PyResult<Vec<_>> = violations.collect();
    let written = PyDict::new(py);
    written.set_item(intern!(py, "violations"), violations?)?;
    written.set_item(intern!(py, "pending"), calls(py, &report.pending, history, texts)?)?;
    Ok(Some(written))
}

fn violation<'py>(
    py: Python<'py>,
    found: &Violation,
    texts: &PyTexts,
) -> PyResult<Bound<'py, PyAny>> {
    let part = ViolationPart {
        code: found.rule.code,
        severity: found.severity.name(),
        text: found.text(texts),
        message_index: found.place.message,
        block_index: found.place.block,
        related: found.related.iter().copied().map(PlacePart::from).collect(),
    };
    let written = pythonize(py, &part)?;
    // The caller's own string: it may hold what UTF-8 cannot.
    written.set_item(intern!(py, "tool_use_id"), texts.id_object(found.id))?;
    Ok(written)
}

/// Calls, as (id, name, message, block).
pub(crate) fn calls<'py>(
    py: Python<'py>,
    calls: &[u32],
    history: &History,
    texts: &PyTexts,
) -> PyResult<Bound<'py, PyList>> {
    let written = calls.iter().map(|&block| {
        let place = Place::block(history, block);
        let id = texts.id_object(history.block(block).id);
        (id, texts.name_object(block), place.message, place.block).into_pyobject(py)
    });
    let written: PyResult<Vec<_>> = written.collect();
    PyList::new(py, written?)
}

/// A plan.
pub(crate) fn plan<'py>(py: Python<'py>, plan: &TrimPlan) -> PyResult<Bound<'py, PyAny>> {
    let reasons = plan.reasons.iter().map(|kept| KeptPart {
        message_index: kept.message,
        reason: kept.reason.name(),
        text: kept.reason.text(),
    });
    let part = PlanPart {
        dropped_indices: plan.drops.iter().cloned().flatten().collect(),
        reached: plan.reached,
        first_changed_index: plan.first_changed(),
        thinking_after_change: plan.thinking_after,
        starts_with_user: plan.starts_with_user,
        reasons: reasons.collect(),
    };
    Ok(pythonize(py, &part)?)
}

/// The new list of a plan: the same message objects.
pub(crate) fn applied<'py>(
    messages: &Bound<'py, PyTuple>,
    plan: &TrimPlan,
) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let kept: PyResult<Vec<_>> =
        plan.kept().flatten().map(|message| messages.get_item(message as usize)).collect();
    PyList::new(py, kept?)
}
