//! `tool-block-in-wrong-role`: a call that the assistant did not make, a result not from the user.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP106",
    slug: "tool-block-in-wrong-role",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A call stands outside an assistant message, or a result outside a user message.",
    why: "Calls are the assistant's, results are the user's. Some servers send both in one \
          assistant message, and some clients join messages without looking at the role.",
    mend: "Split the message at the block, and give each part its role.",
    example: r#"[{"role": "user", "content": [
    {"type": "text", "text": "q"},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}]"#,
    source: "live probes; public issues",
    server: &[
        "{message}: `tool_result` blocks can only be in `user` messages",
        "{message}: `tool_use` blocks can only be in `assistant` messages",
    ],
    check: Check::Message(Marks::WRONG_ROLE, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        let (says, words) = match block.kind {
            Kind::ToolUse => ("a tool_use stands outside an assistant message", 1),
            Kind::ToolResult => ("a tool_result stands outside a user message", 0),
            _ => continue,
        };
        if block.marks.meets(Marks::WRONG_ROLE) {
            findings.push(Finding::at_block(history, index, says).in_words(words));
        }
    }
}
