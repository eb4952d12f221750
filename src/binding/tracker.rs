//! A history that is judged while it grows.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList};
use toolpair::{Checker, History, Recorder};

use crate::options::{options, read_context};
use crate::read::{self, Wish};
use crate::texts::PyTexts;
use crate::write;

/// Reads a message once, when it is appended.
#[pyclass(frozen, module = "toolpair._core")]
pub(crate) struct Tracker {
    /// Whether unknown members are noted.
    extras: bool,
    state: Mutex<State>,
}

struct State {
    recorder: Recorder,
    texts: PyTexts,
    checker: Checker,
}

#[pymethods]
impl Tracker {
    #[new]
    fn new(
        endpoint: &Bound<'_, PyAny>,
        ignore: &Bound<'_, PyAny>,
        select: &Bound<'_, PyAny>,
        allow_pending: &Bound<'_, PyAny>,
        context: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tracker> {
        let options = options(endpoint, ignore, select, allow_pending)?;
        let (context, texts) = read_context(context)?;
        let extras = options.wants_extras();
        let (recorder, checker) =
            (Recorder::default(), Checker::new(options.with_context(context)));
        Ok(Tracker { extras, state: Mutex::new(State { recorder, texts, checker }) })
    }

    /// Take one message in.
    fn append(&self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = read::read_message(message, self.wish(message.py()))?;
        self.absorb(message.py(), read)
    }

    /// Take several messages in: all, or none if one cannot be read.
    fn extend(&self, messages: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = read::read_messages(messages, self.wish(messages.py()))?;
        self.absorb(messages.py(), read)
    }

    /// The calls that wait for a result.
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = self.with(py, |state| {
            let history = state.recorder.history();
            write::calls(py, &state.checker.pending(), history, &state.texts)
        });
        write::call_list(py, calls)
    }

    /// The report, if nothing more comes. None if there is nothing to tell.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let taken = self.with(py, |state| {
            let history = state.recorder.history();
            let notes = state.checker.context().notes();
            write::take(py, state.checker.report(history), history, &state.texts, notes)
        });
        write::report(py, taken)
    }

    /// Another tracker that has taken the same in.
    fn copy(&self, py: Python<'_>) -> Tracker {
        let state = self.with(py, |state| State {
            recorder: state.recorder.clone(),
            texts: state.texts.clone_ref(py),
            checker: state.checker.clone(),
        });
        Tracker { extras: self.extras, state: Mutex::new(state) }
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.length(py) as usize
    }
}

impl Tracker {
    fn wish(&self, py: Python<'_>) -> Wish {
        let (offset, extras) = (self.length(py), self.extras);
        Wish { offset, extras, ..Wish::default() }
    }

    fn length(&self, py: Python<'_>) -> u32 {
        self.with(py, |state| state.recorder.history().messages.len() as u32)
    }

    /// Messages are read before the lock is taken: reading may run the caller's code.
    fn absorb(&self, py: Python<'_>, (history, texts): (History, PyTexts)) -> PyResult<()> {
        self.with(py, |state| {
            let blocks = state.recorder.next_block();
            let messages = state.recorder.history().messages.len() as u32;
            let symbols = state.texts.append(py, texts, blocks, messages)?;
            state.recorder.append(&history, &symbols);
            state.checker.advance(state.recorder.history());
            Ok(())
        })
    }

    /// Act under the lock. No Python object may be made there: the collector could run, and with
    /// it code that asks this tracker.
    fn with<T>(&self, py: Python<'_>, act: impl FnOnce(&mut State) -> T) -> T {
        // No code runs under the lock that could panic half way and leave a broken state.
        let mut state =
            self.state.lock_py_attached(py).unwrap_or_else(std::sync::PoisonError::into_inner);
        act(&mut state)
    }
}
