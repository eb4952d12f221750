//! `server-block-in-wrong-role`: a server's call or result outside an assistant message.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP210",
    slug: "server-block-in-wrong-role",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A server tool's block stands outside an assistant message.",
    why: "Server and MCP calls and their results are parts of the assistant's own turn.",
    mend: "Drop the block, or move it back into the assistant message it came in.",
    example: r#"[{"role": "user", "content": [
    {"type": "text", "text": "q"},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
     "input": {"query": "x"}}]}]"#,
    source: "a replica of the API; API reference",
    server: &["{message}: `server_tool_use` blocks can only be in `assistant` messages"],
    check: Check::Message(Marks::WRONG_ROLE, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        let is_client = matches!(block.kind, Kind::ToolUse | Kind::ToolResult);
        if block.marks.meets(Marks::WRONG_ROLE) && !is_client {
            let says = "a server tool's block stands outside an assistant message";
            findings.push(Finding::at_block(history, index, says));
        }
    }
}
