//! Reports and plans to plain Python data, and a plan to a list.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{History, Place, Report, TrimPlan, Violation};

use crate::texts::{PyTexts, readable};

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

/// A report with the texts that it shows. It is taken without making a Python object, so that it can be
/// taken under a lock.
pub(crate) struct Taken {
    violations: Vec<Found>,
    pending: Vec<Call>,
}

/// A violation, its id, and the name that its sentence uses.
struct Found {
    violation: Violation,
    id: Option<Py<PyString>>,
    name: Option<Py<PyString>>,
}

/// A call: its id, the name of its tool, and where it stands.
pub(crate) struct Call {
    id: Option<Py<PyString>>,
    name: Option<Py<PyString>>,
    place: Place,
}

/// Take a report out of its history.
pub(crate) fn take(py: Python<'_>, report: Report, history: &History, texts: &PyTexts) -> Taken {
    let violations = report.violations.into_iter().map(|violation| {
        let id = own(py, texts.id_object(violation.id));
        let name = own(
            py,
            match (violation.subject, violation.place.message) {
                (Some(block), _) => texts.name_object(block),
                (None, Some(message)) => texts.role_object(message),
                (None, None) => None,
            },
        );
        Found { violation, id, name }
    });
    Taken { violations: violations.collect(), pending: calls(py, &report.pending, history, texts) }
}

/// Take calls out of their history.
pub(crate) fn calls(
    py: Python<'_>,
    blocks: &[u32],
    history: &History,
    texts: &PyTexts,
) -> Vec<Call> {
    let call = |&block: &u32| Call {
        id: own(py, texts.id_object(history.block(block).id)),
        name: own(py, texts.name_object(block)),
        place: Place::block(history, block),
    };
    blocks.iter().map(call).collect()
}

fn own(py: Python<'_>, text: Option<&Py<PyString>>) -> Option<Py<PyString>> {
    text.map(|text| text.clone_ref(py))
}

/// A report; `None` if there is nothing to tell.
pub(crate) fn report(py: Python<'_>, taken: Taken) -> PyResult<Option<Bound<'_, PyDict>>> {
    if taken.violations.is_empty() && taken.pending.is_empty() {
        return Ok(None);
    }
    let violations = PyList::empty(py);
    for found in taken.violations {
        violations.append(violation(py, &found)?)?;
    }
    let written = PyDict::new(py);
    written.set_item(intern!(py, "violations"), violations)?;
    written.set_item(intern!(py, "pending"), call_list(py, taken.pending)?)?;
    Ok(Some(written))
}

fn violation<'py>(py: Python<'py>, found: &Found) -> PyResult<Bound<'py, PyAny>> {
    let Found { violation, id, name } = found;
    let shown_id = id.as_ref().map(|id| readable(id.bind(py))).transpose()?;
    let shown_name = name.as_ref().map(|name| readable(name.bind(py))).transpose()?;
    let part = ViolationPart {
        code: violation.rule.code,
        severity: violation.severity.name(),
        text: violation.text(shown_id.as_deref(), shown_name.as_deref()),
        message_index: violation.place.message,
        block_index: violation.place.block,
        related: violation.related.iter().copied().map(PlacePart::from).collect(),
    };
    let written = pythonize(py, &part)?;
    // The caller's own string: it may hold what UTF-8 cannot.
    written.set_item(intern!(py, "tool_use_id"), id)?;
    Ok(written)
}

/// Calls, as (id, name, message, block).
pub(crate) fn call_list(py: Python<'_>, calls: Vec<Call>) -> PyResult<Bound<'_, PyList>> {
    let written = PyList::empty(py);
    for Call { id, name, place } in calls {
        written.append((id, name, place.message, place.block))?;
    }
    Ok(written)
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
