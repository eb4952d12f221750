//! `empty-assistant-message`: an assistant message without content, and not the last one.

use crate::history::Side;
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP402",
    slug: "empty-assistant-message",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "An assistant message that is not the last one holds nothing.",
    why: "At the end of the list the API accepts it. In the middle nobody has measured it; the \
          text of 2025 refused it, and other endpoints do. An interrupted reply that was stored \
          all the same is the usual cause.",
    mend: "Drop the message.",
    example: r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": []},
 {"role": "user", "content": "x"}]"#,
    source: "live probe, published 2026-09; public issues on other endpoints",
    server: &["the message at position {position} with role 'assistant' must not be empty"],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let messages = &whole.history.messages;
    for &message in &whole.history.empties {
        let is_last = message as usize + 1 == messages.len();
        if messages[message as usize].side == Side::Assistant && !is_last {
            let says = "the assistant message holds nothing, and is not the last one";
            findings.push(Finding::at(Place::message(message), says).in_unknown_words());
        }
    }
}
