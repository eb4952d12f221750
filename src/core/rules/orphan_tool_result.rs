//! `orphan-tool-result`: a result that answers no call of the turn before it.

use crate::exchange::{Signs, Target};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP103",
    slug: "orphan-tool-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result answers no call of the assistant turn right before it.",
    why: "A result must name a call of the turn before it; a call further back does not count. A \
          trim that cuts between a call and its result is the usual cause.",
    mend: "If its call is in the list, move it right after that call, or take out what stands \
           between; else drop it, or keep its content as a text after the leading results. Trim \
           with trim_messages_safely.",
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
        "The number of toolResult blocks at {place} exceeds the number of toolUse blocks of \
         previous turn",
        "tool_call_id  is not found",
        "tool_call_id {ids} is not found",
        "tool result's tool id({ids}) not found",
    ],
    check: Check::Exchange(Signs::ORPHAN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for answer in &scene.exchange.answers {
        let Target::Nothing(earlier) = answer.target else { continue };
        let says = match earlier {
            None => "the result answers no call of the assistant turn before it",
            Some(_) => {
                "the result answers no call of the assistant turn before it; a call of this id \
                 stands further back, at {related}"
            }
        };
        let finding = Finding::at_block(scene.history, answer.block, says);
        findings.push(match earlier {
            Some(call) => finding.related(scene.history, call),
            None => finding,
        });
    }
}
