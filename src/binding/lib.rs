//! The compiled half of the Python package `toolpair`. It converts, and decides nothing.
//! `guard` alone does more: what it must not be interrupted in cannot be Python.

mod accesses;
mod guard;
mod keys;
mod members;
mod mend;
mod options;
mod read;
mod repair;
mod request;
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
    use crate::guard::Guard;
    #[pymodule_export]
    use crate::repair::plan_repair;
    #[pymodule_export]
    use crate::request::check_request;
    #[pymodule_export]
    use crate::tracker::Tracker;
    #[pymodule_export]
    use crate::verbs::{
        check, endpoints, explain, pending, plan_trim, rules, shown, trim, unpaired,
    };
}
