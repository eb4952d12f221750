//! A block that is left whole, whatever comes in between.

use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

import_exception!(toolpair.exceptions, ToolRoundError);

/// How often leaving is begun, if an interrupt stops it each time.
const TRIES: u32 = 4;

/// The base of what must be finished when its block is left.
///
/// How it is left is compiled, so that no interrupt can come between the block and that: Python
/// handles signals where its own code runs. Where one comes while `_leave` runs, that is run again.
#[pyclass(frozen, subclass, module = "toolpair._core")]
pub(crate) struct Guard;

#[pymethods]
impl Guard {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Guard {
        Guard
    }

    /// Call `_leave(error)`; again with what it raised, if that was none of its own errors.
    fn __exit__<'py>(
        slf: &Bound<'py, Guard>,
        _kind: &Bound<'py, PyAny>,
        error: Bound<'py, PyAny>,
        _at: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (py, mut cause, mut first) = (slf.py(), error, None);
        for _ in 0..TRIES {
            match slf.call_method1("_leave", (&cause,)) {
                Ok(_) => break,
                Err(raised) if raised.is_instance_of::<ToolRoundError>(py) => return Err(raised),
                Err(raised) => {
                    if cause.is_none() {
                        cause = raised.value(py).clone().into_any();
                    }
                    first.get_or_insert(raised);
                }
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// The same for `async with`: all is done before there is anything to await.
    fn __aexit__<'py>(
        slf: &Bound<'py, Guard>,
        kind: &Bound<'py, PyAny>,
        error: Bound<'py, PyAny>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Done> {
        Guard::__exit__(slf, kind, error, at)?;
        Ok(Done)
    }
}

/// What can be awaited, and has nothing to wait for.
#[pyclass(frozen, module = "toolpair._core")]
pub(crate) struct Done;

#[pymethods]
impl Done {
    fn __await__(slf: Bound<'_, Done>) -> Bound<'_, Done> {
        slf
    }

    fn __iter__(slf: Bound<'_, Done>) -> Bound<'_, Done> {
        slf
    }

    fn __next__(_slf: Bound<'_, Done>) -> Option<()> {
        None
    }
}
