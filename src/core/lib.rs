//! The rules of the Anthropic Messages API on calls and their results, over a flat history.
//!
//! A reader ([`json`], or the Python binding) writes a [`History`] down through a [`Recorder`]:
//! roles, kinds, ids as numbers, a few marks; no text. A walk visits each message once and
//! notes, exchange by exchange, who answers whom. Rules read those facts and name what is
//! wrong; a rule whose signs are absent is never asked. [`check()`] gives a [`Report`],
//! [`trim()`] a [`TrimPlan`].
//!
//! Invariants:
//! - **The core knows no Python, clock, file or environment.**
//! - **Each message is visited once**; what a history costs does not depend on its texts, and
//!   what one more message costs does not depend on the history.
//! - **Rules decide, readers do not**: all that differs between sources ends in `History`.
//! - **Places are those of the list as given**; sentences are written only when asked for.

mod called;
mod check;
mod edges;
mod endpoint;
mod exchange;
mod explain;
mod history;
mod ids;
pub mod json;
mod kinds;
mod location;
mod loose;
mod marks;
mod plan;
mod recorder;
mod rule;
mod rules;
mod servers;
pub mod texts;
mod trim;
mod unpaired;
mod violation;
mod walk;

pub use check::{Checker, Options, check, pending_calls};
pub use endpoint::{ENDPOINTS, Endpoint};
pub use explain::{Explanation, explain};
pub use history::{Block, Content, History, Kind, Marks, Message, Role, Side, Symbol};
pub use ids::IdShape;
pub use location::Place;
pub use plan::{Kept, Reason, TrimPlan};
pub use recorder::{Id, Recorder};
pub use rule::Rule;
pub use rules::RULES;
pub use trim::{Impossible, Trim, trim};
pub use unpaired::unpaired;
pub use violation::{Report, Severity, Violation};
