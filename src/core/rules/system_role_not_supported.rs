//! `system-role-not-supported`: a system message for a model that takes none.

use crate::location::Place;
use crate::models::Support;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP410",
    slug: "system-role-not-supported",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A message has role `system`, which the model does not take in the list.",
    why: "Only newer models do: Opus from 4.8 on, Fable and Mythos from 5 on, Sonnet and Haiku \
          from 5.5 on. Of Sonnet 5 the documentation says no, and a probe was answered: a warning.",
    mend: "Move the text to the top-level `system`, or into a text block of a user message.",
    example: r#"{"model": "claude-haiku-4-5", "messages": [
 {"role": "user", "content": "q"}, {"role": "system", "content": "s"}]}"#,
    source: "documentation on system messages in a conversation; live probe, published 2026-09",
    server: &["role 'system' is not supported on this model"],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(model) = whole.context.model.filter(|model| model.takes_system != Support::Yes) else {
        return;
    };
    for &message in &history.systems {
        if !history.blocks_of(message).is_empty() {
            let says = "this model takes no message of role 'system' in the list";
            let finding = Finding::at(Place::message(message), says);
            findings.push(finding.certain_if(model.takes_system == Support::No));
        }
    }
}
