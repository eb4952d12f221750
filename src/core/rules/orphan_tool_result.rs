//! `orphan-tool-result`: a result that answers no call of the turn before it.

use crate::exchange::{Signs, Target};
use crate::rule::{Check, Rule, Scene};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP103",
    slug: "orphan-tool-result",
    severity: Severity::Error,
    what: "A result answers no call of the assistant turn right before it.",
    why: "A result must name a call of the turn before it; a call further back does not count. A \
          trim that cuts between a call and its result is the usual cause.",
    mend: "Drop the result, or keep its content as a text behind the leading results; trim with \
           trim_messages_safely.",
    example: r#"[{"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "documentation on handling tool calls; many public issues",
    server: &[
        "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each \
         `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        "{place}: `tool_result` block(s) provided for tool use ids that were not found: {ids}. \
         Each `tool_result` block must have a corresponding `tool_use` block in the previous \
         message.",
        "{place}: `tool_result` block(s) provided when previous message does not contain any \
         `tool_use` blocks",
        "unexpected `{place}: tool_use_id` found in `tool_result` blocks: {ids}",
        "{place}: unexpected `tool_result`",
    ],
    check: Check::Exchange(Signs::ORPHAN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let orphan = scene.exchange.answers.iter().filter(|answer| answer.target == Target::Nothing);
    for answer in orphan {
        let says = "the result answers no call of the assistant turn before it";
        findings.push(Finding::at_block(scene.history, answer.block, says));
    }
}
