//! Reports and plans to plain Python data, and a plan to a list.

use std::collections::HashSet;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pythonize::pythonize;
use serde::Serialize;
use toolpair::{
    Action, Context, Edit, History, Place, RepairPlan, Report, TrimPlan, Violation, Words,
    texts as sentences,
};

use crate::texts::{Texts, readable};

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
    server_text: Option<String>,
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
    binds_thinking: Option<bool>,
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
    notes: Vec<String>,
}

/// A violation, its id, and the names that its sentence uses.
struct Found {
    violation: Violation,
    id: Option<Py<PyString>>,
    name: Option<Py<PyString>>,
    word: Option<Py<PyString>>,
    /// The ids that the server's text lists.
    ids: Vec<Option<Py<PyString>>>,
}

/// A call: its id, the name of its tool, and where it stands.
pub(crate) struct Call {
    id: Option<Py<PyString>>,
    name: Option<Py<PyString>>,
    place: Place,
}

/// Take a report out of its history.
pub(crate) fn take(
    py: Python<'_>,
    report: Report,
    history: &History,
    texts: &impl Texts,
    notes: Vec<String>,
) -> Taken {
    let violations = report.violations.into_iter().map(|violation| {
        let name = match (violation.subject, violation.place.message) {
            (Some(block), _) => texts.name(py, block),
            (None, Some(message)) => texts.role(py, message),
            (None, None) => None,
        };
        let (id, word) = (texts.id(py, violation.id), texts.id(py, violation.word));
        let ids = violation.server_ids().iter().map(|&id| texts.id(py, id)).collect();
        Found { violation, id, name, word, ids }
    });
    let violations = violations.collect();
    Taken { violations, pending: calls(py, &report.pending, history, texts), notes }
}

/// Take calls out of their history.
pub(crate) fn calls(
    py: Python<'_>,
    blocks: &[u32],
    history: &History,
    texts: &impl Texts,
) -> Vec<Call> {
    let call = |&block: &u32| Call {
        id: texts.id(py, history.block(block).id),
        name: texts.name(py, block),
        place: Place::block(history, block),
    };
    blocks.iter().map(call).collect()
}

/// A report; `None` if there is nothing to tell.
pub(crate) fn report(py: Python<'_>, taken: Taken) -> PyResult<Option<Bound<'_, PyDict>>> {
    let Taken { violations, pending, notes } = taken;
    if violations.is_empty() && pending.is_empty() && notes.is_empty() {
        return Ok(None);
    }
    let written_violations = PyList::empty(py);
    for found in violations {
        written_violations.append(violation(py, &found)?)?;
    }
    let written = PyDict::new(py);
    written.set_item(intern!(py, "violations"), written_violations)?;
    written.set_item(intern!(py, "pending"), call_list(py, pending)?)?;
    written.set_item(intern!(py, "notes"), notes)?;
    Ok(Some(written))
}

fn violation<'py>(py: Python<'py>, found: &Found) -> PyResult<Bound<'py, PyAny>> {
    let shown =
        |text: &Option<Py<PyString>>| text.as_ref().map(|text| readable(text.bind(py))).transpose();
    let Found { violation, id, name, word, ids } = found;
    let (shown_id, shown_name, shown_word) = (shown(id)?, shown(name)?, shown(word)?);
    let ids = ids.iter().map(shown).collect::<PyResult<Vec<_>>>()?;
    let ids: Vec<_> = ids.iter().map(|id| id.as_deref().unwrap_or_default()).collect();
    let words = Words {
        id: shown_id.as_deref(),
        name: shown_name.as_deref(),
        word: shown_word.as_deref(),
        ids: &ids,
    };
    let part = ViolationPart {
        code: violation.rule.code,
        severity: violation.severity.name(),
        text: violation.text(words),
        server_text: violation.server_text(words),
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

/// A plan of a trim.
pub(crate) fn plan<'py>(
    py: Python<'py>,
    plan: &TrimPlan,
    context: &Context,
) -> PyResult<Bound<'py, PyAny>> {
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
        binds_thinking: context.binds_thinking(),
        reasons: reasons.collect(),
    };
    Ok(pythonize(py, &part)?)
}

/// What an edit says where the caller knew what became of a call.
const TOLD: &str = "the call gets the result that on_missing gave";

/// The edits of a repair. `told`: the calls of which the caller knew something.
pub(crate) fn edits<'py>(
    py: Python<'py>,
    edits: &[Edit],
    texts: &impl Texts,
    told: &HashSet<Place>,
) -> PyResult<Bound<'py, PyList>> {
    let written = PyList::empty(py);
    for edit in edits {
        let Edit { place, rule, action, says, id, new_id, is_safe } = edit;
        let shown_id = texts.id(py, *new_id).map(|id| readable(id.bind(py))).transpose()?;
        let says = if *action == Action::Answer && told.contains(place) { TOLD } else { says };
        let text = sentences::fill(says, |_| shown_id.clone().unwrap_or_default());
        let part = PyDict::new(py);
        part.set_item(intern!(py, "code"), rule.code)?;
        part.set_item(intern!(py, "action"), action.name())?;
        part.set_item(intern!(py, "text"), text)?;
        part.set_item(intern!(py, "safe"), is_safe)?;
        part.set_item(intern!(py, "message_index"), place.message)?;
        part.set_item(intern!(py, "block_index"), place.block)?;
        part.set_item(intern!(py, "tool_use_id"), texts.id(py, *id))?;
        written.append(part)?;
    }
    Ok(written)
}

/// Where a repair begins to change the history, and what that means for thinking.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) first: Option<u32>,
    pub(crate) thinking_after: bool,
    pub(crate) binds_thinking: Option<bool>,
}

/// A plan of a repair.
pub(crate) fn repair<'py>(
    py: Python<'py>,
    edits: Bound<'py, PyList>,
    remaining: Taken,
    change: Change,
) -> PyResult<Bound<'py, PyDict>> {
    let part = PyDict::new(py);
    part.set_item(intern!(py, "edits"), edits)?;
    part.set_item(intern!(py, "remaining"), report(py, remaining)?)?;
    part.set_item(intern!(py, "first_changed_index"), change.first)?;
    part.set_item(intern!(py, "thinking_after_change"), change.thinking_after)?;
    part.set_item(intern!(py, "binds_thinking"), change.binds_thinking)?;
    Ok(part)
}

/// Where the messages of a mended list and their blocks came from, as `(message, [block])`, where a
/// block is a place as given or None.
pub(crate) fn origins<'py>(
    py: Python<'py>,
    plan: &RepairPlan,
    old: &History,
) -> PyResult<Bound<'py, PyList>> {
    let written = PyList::empty(py);
    for message in 0..plan.history.messages.len() as u32 {
        let (origin, blocks) = plan.origins_of(old, message);
        let blocks: Vec<_> =
            blocks.map(|place| place.map(|place| (place.message, place.block))).collect();
        written.append((origin, blocks))?;
    }
    Ok(written)
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
