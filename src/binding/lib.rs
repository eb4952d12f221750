//! The compiled half of the Python package `toolpair`. It converts, and decides nothing.

mod keys;
mod members;
mod read;
mod sequences;
mod texts;
mod tracker;
mod verbs;
mod words;
mod write;

use pyo3::pymodule;

/// The compiled core.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::tracker::Tracker;
    #[pymodule_export]
    use crate::verbs::{
        check, endpoints, explain, pending, plan_trim, rules, shown, trim, unpaired,
    };
}
