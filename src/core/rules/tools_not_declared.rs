//! `tools-not-declared`: calls or results in a request without tools.

use crate::history::{Kind, Marks, Role};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP112",
    slug: "tools-not-declared",
    severity: Severity::Error,
    when: When::Selected,
    yields_to: &[],
    what: "The history holds calls or results, and the request declares no tool.",
    why: "The API itself has let this go since early 2025. Bedrock's Converse interface and \
          several imitations still want `tools` where the history has tool blocks. Any one tool is \
          enough.",
    mend: "Declare the tools, or any one; or turn the calls and results into text.",
    example: r#"{"tools": [], "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}"#,
    source: "public issues, 2024 to 2026",
    server: &[
        "Requests which include `tool_use` or `tool_result` blocks must define tools.",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if whole.context.tools.as_ref().is_none_or(|tools| tools.count > 0) {
        return;
    }
    let first = (0..history.blocks.len() as u32).find(|&index| {
        let block = history.block(index);
        let is_client = matches!(block.kind, Kind::ToolUse | Kind::ToolResult);
        let counts = is_client && !block.marks.meets(Marks::WRONG_ROLE);
        counts && history.messages[history.message_of(index) as usize].role != Role::Tool
    });
    if let Some(block) = first {
        let says = "the request declares no tool, and here is the first tool block";
        findings.push(Finding::at_block(history, block, says));
    }
}
