//! `unknown-tool-reference`: a result that refers to a tool which is not declared.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP604",
    slug: "unknown-tool-reference",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result refers to a tool that the request does not declare.",
    why: "A `tool_reference` must name one of the request's `tools`. Taking a tool away breaks the \
          older references to it.",
    mend: "Declare the tool, if only to be loaded later; or drop the reference.",
    example: r#"{"tools": [{"name": "f"}], "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
    {"type": "tool_reference", "tool_name": "nope"}]}]}]}"#,
    source: "documentation on tool search",
    server: &["Tool reference '{word}' not found in available tools"],
    check: Check::Message(Marks::REFERS, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(tools) = &whole.context.tools else { return };
    for reference in history.references_in(message) {
        let block = history.block(reference.block);
        let counts = block.kind == Kind::ToolResult && block.marks.meets(Marks::REFERS);
        if counts && tools.lacks(reference.name) {
            let says = "the result refers to the tool '{word}', which is not declared";
            let finding = Finding::at_block(history, reference.block, says);
            findings.push(finding.word(reference.name));
        }
    }
}
