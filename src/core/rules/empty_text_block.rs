//! `empty-text-block`: a text block without a character.

use crate::history::{Kind, Marks, Side};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP403",
    slug: "empty-text-block",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A text block holds no character.",
    why: "Text blocks must say something, in every role. A client that stores an empty delta, or \
          cuts a text away, leaves such blocks. A text inside a result may be empty.",
    mend: "Drop the block; then see whether its message is empty, or two thinking blocks touch.",
    example: r#"[{"role": "user", "content": [{"type": "text", "text": ""},
                              {"type": "text", "text": "q"}]}]"#,
    source: "live probes; API reference; many public issues",
    server: &[
        "{list}: text content blocks must be non-empty",
        "{place}.text: text content blocks must be non-empty",
    ],
    check: Check::Message(Marks::EMPTY_TEXT, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if history.messages[message as usize].side == Side::System {
        return;
    }
    for index in history.blocks_of(message) {
        let block = history.block(index);
        let is_empty = block.kind == Kind::Text && block.marks.meets(Marks::EMPTY_TEXT);
        if is_empty && !block.marks.meets(Marks::CACHED) {
            findings.push(Finding::at_block(history, index, "the text block is empty"));
        }
    }
}
