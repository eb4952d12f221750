//! `first-message-not-user`: the assistant speaks first.

use crate::history::Side;
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP408",
    slug: "first-message-not-user",
    severity: Severity::Error,
    when: When::Selected,
    yields_to: &[],
    what: "The first message that is not the system's is an assistant message.",
    why: "The API has taken it since 2025, and compactions rely on it; other endpoints still \
          refuse it. A trim that looks at the length alone leaves it.",
    mend: "Begin with a user message.",
    example: r#"[{"role": "assistant", "content": "Hi, I help."},
 {"role": "user", "content": "q"}]"#,
    source: "public issues until 2025, and on other endpoints; recorded requests that were \
             answered",
    server: &[
        "{list}: first message must use the \"user\" role",
        "A conversation must start with a user message.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let mut sides = (0..).zip(whole.history.messages.iter().map(|message| message.side));
    let first = sides.find(|(_, side)| matches!(side, Side::User | Side::Assistant));
    if let Some((message, Side::Assistant)) = first {
        findings.push(Finding::at(Place::message(message), "the assistant speaks first"));
    }
}
