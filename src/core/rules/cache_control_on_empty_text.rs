//! `cache-control-on-empty-text`: a cache marker on a text block without a character.

use crate::history::{Kind, Marks, Role};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP405",
    slug: "cache-control-on-empty-text",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "An empty text block carries cache_control.",
    why: "There is nothing to cache up to. Clients that mark the last block, whatever it is, meet \
          this.",
    mend: "Drop the block, and set the marker on the block before it.",
    example: r#"[{"role": "user", "content": [
    {"type": "text", "text": "q"},
    {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]}]"#,
    source: "public issues",
    server: &["{place}: cache_control cannot be set for empty text blocks"],
    check: Check::Message(Marks::EMPTY_TEXT, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if history.messages[message as usize].role == Role::Developer {
        return;
    }
    for index in history.blocks_of(message) {
        let block = history.block(index);
        let is_empty = block.kind == Kind::Text && block.marks.meets(Marks::EMPTY_TEXT);
        if is_empty && block.marks.meets(Marks::CACHED) {
            let says = "the text block is empty, and carries cache_control";
            findings.push(Finding::at_block(history, index, says));
        }
    }
}
