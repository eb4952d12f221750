//! `misplaced-tool-change`: a change of tools outside a system message, or of no declared tool.

use crate::history::{Kind, Marks, Side};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP415",
    slug: "misplaced-tool-change",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A tool_addition or tool_removal stands outside a system message, or names no declared \
           tool.",
    why: "A beta lets system messages add and remove tools. Each must be one of the request's \
          `tools`.",
    mend: "Move the block to a system message, and declare the tool; or drop the block.",
    example: r#"[{"role": "user", "content": [
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
    {"type": "text", "text": "q"}]}]"#,
    source: "documentation on system messages in a conversation",
    server: &["tool_reference_unresolved"],
    check: Check::Message(Marks::REFERS, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let is_system = history.messages[message as usize].side == Side::System;
    for reference in history.references_in(message) {
        let (block, name) = (reference.block, reference.name);
        if history.block(block).kind != Kind::ToolChange {
            continue;
        }
        if !is_system {
            let says = "a change of tools stands outside a system message";
            findings.push(Finding::at_block(history, block, says).in_unknown_words());
        } else if whole.context.tools.as_ref().is_some_and(|tools| tools.lacks(name)) {
            let says = "the tool '{word}' is changed, and not declared";
            findings.push(Finding::at_block(history, block, says).word(name));
        }
    }
}
