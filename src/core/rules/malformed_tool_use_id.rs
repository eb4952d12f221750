//! `malformed-tool-use-id`: an id with characters that the API does not take.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP301",
    slug: "malformed-tool-use-id",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The id of a call or a result is empty or holds characters that the API refuses.",
    why: "Ids match ^[a-zA-Z0-9_-]+$. Other providers' ids (`functions.f:0`) and joined ones \
          (`parent::child`) do not.",
    mend: "Write the id anew in the call and in its result, and keep different ids different.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "tool_use", "id": "functions.f:0", "name": "f", "input": {}}]},
 {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "functions.f:0", "content": "r"}]}]"#,
    source: "API reference; public issues",
    server: &[
        "{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "{at}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "{at}.mcp_tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    check: Check::Message(Marks::ODD_ID, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        if block.marks.meets(Marks::ODD_ID) && !block.kind.has_server_id() {
            let says = "the id '{id}' does not match ^[a-zA-Z0-9_-]+$";
            findings.push(Finding::at_block(history, index, says));
        }
    }
}
