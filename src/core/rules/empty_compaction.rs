//! `empty-compaction`: a summary of nothing.

use crate::history::{Block, Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP701",
    slug: "empty-compaction",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A compaction block has an empty string as its content.",
    why: "The content of a compaction is a summary, or null where compacting failed. An empty \
          string is not allowed.",
    mend: "Send the block as it came. If the summary is lost, drop the block, and send the \
           messages that it stood for.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "compaction", "content": ""},
                                   {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "documentation on compaction; the SDK's types",
    server: &[],
    check: Check::Message(Marks::EMPTY_TEXT, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        let Block { kind, marks, .. } = history.block(block);
        if kind == Kind::Compaction && marks.meets(Marks::EMPTY_TEXT) {
            findings.push(Finding::at_block(history, block, "the compaction's content is empty"));
        }
    }
}
