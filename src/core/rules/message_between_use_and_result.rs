//! `message-between-use-and-result`: something else between a call and its result.

use std::collections::BTreeSet;
use super::tool_use_without_result::server_text;
use crate::exchange::{Signs, Standing, Target};
use crate::history::Side;
use crate::location::Place;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP108",
    slug: "message-between-use-and-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A message stands between a call and its result.",
    why: "Nothing may come between a call and its results, of whatever role. The server's text for \
          a system message is the same wherever it is misplaced.",
    mend: "Move the message after the results; join an assistant message with the one before it.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "system", "content": "note"},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "documentation on handling tool calls; live probes",
    server: &[
        "{place}: role 'system' must follow a 'user' message or an 'assistant' message ending in \
         a server tool result",
    ],
    check: Check::Exchange(Signs::BEYOND, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let mut reported = BTreeSet::new();
    for answer in &scene.exchange.answers {
        let (Standing::Beyond(message), Target::Call(call)) = (answer.standing, answer.target)
        else {
            continue;
        };
        if !reported.insert(message) {
            continue;
        }
        let call = &scene.exchange.calls[call as usize];
        let says = "this message stands between a call{of_name} and its result";
        let finding = Finding::at(Place::message(message), says).about(scene.history, call.block);
        let finding = finding.related(scene.history, call.block).related(scene.history, answer.block);
        let is_system = scene.history.messages[message as usize].side == Side::System;
        findings.push(if is_system {
            finding
        } else {
            finding.in_words_of(server_text(call.message))
        });
    }
}
