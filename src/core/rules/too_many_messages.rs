//! `too-many-messages`: a list longer than a request may be.

use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP002",
    slug: "too-many-messages",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The list holds more than 100,000 messages.",
    why: "A request takes at most 100,000 entries, and adjacent ones of one role count one by one.",
    mend: "Trim the history with trim_messages_safely, or compact it.",
    example: r#"[{"role": "user", "content": "q"}] * 100001"#,
    source: "documentation of the SDK's `messages` parameter",
    server: &[],
    check: Check::List(check),
};

/// The most entries of the list.
const MOST: usize = 100_000;

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    if whole.history.messages.len() > MOST {
        findings.push(Finding::at(Place::LIST, "there are more than 100,000 messages"));
    }
}
