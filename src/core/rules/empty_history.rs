//! `empty-history`: nothing to send.

use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP001",
    slug: "empty-history",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The list of messages is empty.",
    why: "A request needs at least one message. A trim or a filter that drops everything leaves none.",
    mend: "Keep at least the newest user message.",
    example: "[]",
    source: "live probe of the endpoint, published 2026-09",
    server: &[
        "{list}: at least one message is required",
        "messages: Field required",
        "messages: Input should be a valid array",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if history.messages.is_empty() {
        findings.push(Finding::at(Place::LIST, "there is no message"));
    }
}
