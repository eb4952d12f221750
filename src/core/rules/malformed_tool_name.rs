//! `malformed-tool-name`: a call whose name is empty or too long.

use crate::history::{Block, Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP304",
    slug: "malformed-tool-name",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The name of a call has no character, or more than 200.",
    why: "A call's name has 1 to 200 characters, whatever they are, and need not be declared. A \
          reply that was cut off, or deltas put together wrongly, leave an empty one.",
    mend: "Give the call the name that the model used; if that is lost, drop the call and its \
           result.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "API reference; public issues",
    server: &[
        "{at}.tool_use.name: String should have at least 1 character",
        "{at}.tool_use.name: String should have at most 200 characters",
    ],
    check: Check::Message(Marks::ODD_NAME, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        let Block { kind, marks, .. } = history.block(block);
        if kind == Kind::ToolUse && marks.meets(Marks::ODD_NAME) {
            let says = "the name of the call is empty, or longer than 200 characters";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
