//! `roles-do-not-alternate`: two messages of one role in a row.

use crate::history::{Role, Side};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP409",
    slug: "roles-do-not-alternate",
    severity: Severity::Error,
    when: When::Selected,
    yields_to: &["split-tool-results", "message-between-use-and-result"],
    what: "A message has the role of the one right before it.",
    why: "The API has joined adjacent messages of one role since 2025; other endpoints still \
          refuse them.",
    mend: "Join the two messages into one.",
    example: r#"[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]"#,
    source: "public issues until 2025, and on other endpoints; recorded requests that were \
             answered",
    server: &[
        "{list}: roles must alternate between \"user\" and \"assistant\", but found multiple \
         \"user\" roles in a row",
        "{list}: roles must alternate between \"user\" and \"assistant\", but found multiple \
         \"assistant\" roles in a row",
        "A conversation must alternate between user and assistant roles",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    for (message, pair) in (1..).zip(whole.history.messages.windows(2)) {
        if pair[0].side != pair[1].side || pair.iter().any(|each| each.role == Role::Tool) {
            continue;
        }
        if pair[1].has_results && pair[1].side == Side::User {
            // Results behind another user message are a fault of pairing, which is told there.
            continue;
        }
        let (says, words) = match pair[1].side {
            Side::User => ("a user message follows a user message", 0),
            Side::Assistant => ("an assistant message follows an assistant message", 1),
            Side::System | Side::Nowhere => continue,
        };
        findings.push(Finding::at(Place::message(message), says).in_words(words));
    }
}
