//! The rules of the Anthropic Messages API on calls and their results, over a flat history.
//!
//! A reader ([`json`], or the Python binding) writes a [`History`] down through a [`Recorder`]:
//! roles, kinds, ids as numbers, a few marks; no text. What else of the request rules need is its
//! [`Context`]. A walk visits each message once and notes, exchange by exchange, who answers whom.
//! Rules read those facts and name what is wrong; a rule whose signs are absent is never asked.
//! [`check()`] gives a [`Report`], [`trim()`] a [`TrimPlan`], [`repair()`] a [`RepairPlan`]: a
//! draft of untouched messages and of pieces, judged again after each round of edits.
//!
//! Invariants:
//! - **The core knows no Python, clock, file or environment.**
//! - **Each message is visited once**; what a history costs does not depend on its texts, and
//!   what one more message costs does not depend on the history.
//! - **Rules decide, readers do not**: all that differs between sources ends in `History`.
//! - **Places are those of the list as given**; sentences are written only when asked for.

mod answer;
mod called;
mod check;
mod context;
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
pub mod members;
mod models;
mod options;
mod plan;
mod recorder;
mod repair;
mod rule;
mod rules;
mod servers;
pub mod texts;
mod tools;
mod trim;
mod unpaired;
mod violation;
mod walk;

pub use answer::{Answered, LONGEST_MADE_UP, PLACEHOLDER, is_made_up};
pub use check::{Checker, check, pending_calls};
pub use context::{Breakpoints, Container, Context, Thinking, Tools};
pub use endpoint::{ENDPOINTS, Endpoint};
pub use explain::{Explanation, explain};
pub use history::{
    Block, ClearAt, Content, History, Kind, Marks, Message, Nested, Role, ServerTool, ServerTools,
    Side, Symbol,
};
pub use ids::{Id, IdShape};
pub use location::Place;
pub use models::Model;
pub use options::Options;
pub use plan::{Kept, Reason, TrimPlan};
pub use recorder::{Name, Recorder, TextShape};
pub use repair::{
    Action, Changes, Edit, Missing, Orphans, Piece, Repair, RepairPlan, RepairTexts, Sheet, Source,
    Stripping, repair,
};
pub use rule::{Rule, When};
pub use rules::RULES;
pub use trim::{Impossible, Trim, trim};
pub use unpaired::unpaired;
pub use violation::{Report, Severity, Violation, Words};
