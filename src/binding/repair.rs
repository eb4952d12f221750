//! Repair: what a plan changes, and the list that comes of it.

use std::cell::RefCell;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpair::{Missing, Orphans, Repair, RepairPlan, RepairTexts, Stripping, Symbol};

use crate::mend::Mending;
use crate::options::{flag, keyword_error, options, read_context};
use crate::read::{self, Wish};
use crate::sequences;
use crate::texts::{PyTexts, Texts, readable};
use crate::words::copied;
use crate::write::{self, Change};

/// A plan's parts, the messages that it was made for, and the new list; and where the messages and
/// blocks of that came from, if it must be read and mended again.
type Planned<'py> = (
    Option<Bound<'py, PyDict>>,
    Bound<'py, PyTuple>,
    Bound<'py, PyList>,
    Option<Bound<'py, PyList>>,
);

/// Plan a repair and carry it out. `tells`: whether the plan is wanted, beside the list.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of the verb")]
pub(crate) fn plan_repair<'py>(
    messages: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
    ignore: &Bound<'py, PyAny>,
    select: &Bound<'py, PyAny>,
    allow_pending: &Bound<'py, PyAny>,
    context: Option<&Bound<'py, PyAny>>,
    on_missing: &Bound<'py, PyAny>,
    orphans: &Bound<'py, PyAny>,
    thinking: &Bound<'py, PyAny>,
    tells: bool,
) -> PyResult<Planned<'py>> {
    let py = messages.py();
    let options = options(endpoint, ignore, select, allow_pending)?;
    let (context, texts) = read_context(context)?;
    let ask = (!on_missing.is_instance_of::<PyString>()).then_some(on_missing);
    if ask.is_some_and(|ask| !ask.is_callable()) {
        return Err(keyword_error("on_missing", "'placeholder', 'drop' or a callable", on_missing));
    }
    let missings = [("placeholder", Missing::Placeholder), ("drop", Missing::Drop)];
    let strippings = [
        ("auto", Stripping::auto(&context)),
        ("keep", Stripping::Keep),
        ("strip", Stripping::Strip),
    ];
    let wish = Repair {
        missing: match ask {
            Some(_) => Missing::Placeholder,
            None => choice("on_missing", on_missing, &missings)?,
        },
        orphans: choice("orphans", orphans, &[("drop", Orphans::Drop), ("text", Orphans::Text)])?,
        thinking: choice("thinking", thinking, &strippings)?,
        allow_pending: flag("allow_pending", allow_pending)?,
    };
    // A tuple of their own: the plan must hold for the messages that were read.
    let messages = sequences::messages(messages)?;
    let read = Wish { texts, extras: options.wants_extras(), ends: true, ..Wish::default() };
    let (history, texts) = read::read_messages(messages.as_any(), read)?;
    let notes = context.notes();
    let binds_thinking = context.binds_thinking();
    let options = options.with_context(context);
    let plan = toolpair::repair(&history, &Known { py, texts: &texts }, &options, wish);
    let plan = match plan {
        Ok(plan) => plan,
        Err(report) => {
            let part = tells.then(|| {
                let remaining = write::take(py, report, &history, &texts, notes);
                let change = Change { first: None, thinking_after: false, binds_thinking };
                write::repair(py, PyList::empty(py), remaining, change)
            });
            let list = messages.to_list();
            return Ok((part.transpose()?, messages, list, None));
        }
    };
    let mended = Mended { plan: &plan, texts: &texts };
    let told = RefCell::default();
    let mending = Mending { messages: &messages, history: &history, mended: &mended, ask, told };
    let list = mending.list()?;
    let told = mending.told.into_inner();
    let part = tells.then(|| {
        let edits = write::edits(py, &plan.edits, &mended, &told)?;
        let remaining = write::take(py, plan.remaining.clone(), &plan.history, &mended, notes);
        let (first, thinking_after) = (plan.first_changed, plan.thinking_after);
        let change = Change { first, thinking_after, binds_thinking };
        write::repair(py, edits, remaining, change)
    });
    let is_sure = plan.is_sure(&history, ask.is_some());
    let origins = (!is_sure).then(|| write::origins(py, &plan, &history)).transpose()?;
    Ok((part.transpose()?, messages, list, origins))
}

/// What the word means that a keyword is.
fn choice<T: Copy>(keyword: &str, value: &Bound<'_, PyAny>, words: &[(&str, T)]) -> PyResult<T> {
    let all = words.iter().map(|(word, _)| format!("'{word}'")).collect::<Vec<_>>().join(", ");
    let Ok(text) = value.cast::<PyString>() else {
        return Err(keyword_error(keyword, &format!("one of {all}"), value));
    };
    let given = text.to_string_lossy();
    let meant = words.iter().find(|(word, _)| *word == given).map(|(_, meant)| *meant);
    meant.ok_or_else(|| match readable(text) {
        Ok(given) => {
            PyValueError::new_err(format!("{keyword} must be one of {all}, not '{given}'"))
        }
        Err(_) => PyTypeError::new_err(format!("{keyword} must be one of {all}")),
    })
}

/// The texts of a mended history: those of the one it was made from, and new ids.
pub(crate) struct Mended<'a> {
    pub(crate) plan: &'a RepairPlan,
    pub(crate) texts: &'a PyTexts,
}

impl Texts for Mended<'_> {
    fn id(&self, py: Python<'_>, id: Symbol) -> Option<Py<PyString>> {
        let made = id.index().checked_sub(self.texts.count());
        match made.and_then(|made| self.plan.new_ids.get(made)) {
            Some(made) => Some(PyString::new(py, made).unbind()),
            None => self.texts.id(py, id),
        }
    }

    fn name(&self, py: Python<'_>, block: u32) -> Option<Py<PyString>> {
        let origin = self.plan.origins.get(block as usize).copied().flatten()?;
        self.texts.name(py, origin)
    }

    fn role(&self, py: Python<'_>, message: u32) -> Option<Py<PyString>> {
        let origin = self.plan.sheets.get(message as usize)?.origin?;
        self.texts.role(py, origin)
    }
}

/// The texts of a history that is to be mended.
struct Known<'a, 'py> {
    py: Python<'py>,
    texts: &'a PyTexts,
}

impl RepairTexts for Known<'_, '_> {
    fn symbols(&self) -> u32 {
        self.texts.count() as u32
    }

    fn text(&self, id: Symbol) -> Option<String> {
        let text = self.texts.id_object(id)?;
        copied(text.bind(self.py)).ok()
    }

    fn role(&self, message: u32) -> Option<String> {
        let role = self.texts.role(self.py, message)?;
        copied(role.bind(self.py)).ok()
    }

    fn knows(&self, text: &str) -> bool {
        // Equal strings have equal hashes; should one fail, another id is tried.
        self.texts.knows(&PyString::new(self.py, text)).unwrap_or(true)
    }
}
