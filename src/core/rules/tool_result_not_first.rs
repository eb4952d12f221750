//! `tool-result-not-first`: a result that stands behind another block.

use std::iter;

use super::tool_use_without_result::server_text;
use crate::exchange::{Signs, Standing, Target};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP102",
    slug: "tool-result-not-first",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result stands after another block of its user turn.",
    why: "The results must be one run at the front of the user turn. The server does not look \
          past a leading text or image, and says that the result is missing.",
    mend: "Move all results of the turn to its front, and the rest after them.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "text", "text": "here:"},
                              {"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "documentation on handling tool calls; live probes",
    server: &[],
    check: Check::Exchange(Signs::BEHIND, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let mut behind = scene.exchange.answers.iter().filter_map(|answer| {
        let (Standing::Behind(other), Target::Call(call)) = (answer.standing, answer.target) else {
            return None;
        };
        Some((answer.block, other, &scene.exchange.calls[call as usize]))
    });
    let Some((block, other, call)) = behind.next() else { return };
    let others = behind.map(|(.., call)| call).filter(|next| next.message == call.message);
    let ids = iter::once(call).chain(others).map(|call| call.id);
    let text = server_text(call.message).listing(ids);
    let says = "the result stands after {related}; results must lead their turn";
    let finding = Finding::at_block(scene.history, block, says).related(scene.history, other);
    findings.push(finding.related(scene.history, call.block).in_words_of(text));
}
