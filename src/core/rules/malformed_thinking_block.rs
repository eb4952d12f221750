//! `malformed-thinking-block`: thinking that lacks a member it must have.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP508",
    slug: "malformed-thinking-block",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A thinking block lacks its thinking or signature, or a redacted one its data.",
    why: "A thinking block comes back with the strings `thinking`, which may be empty, and \
          `signature`; a redacted one with the string `data`. A client that keeps what it \
          displayed, or another provider, leaves one of them out.",
    mend: "Send the block as it came; if a part is lost, drop the block.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "thinking", "signature": "SIG"},
                                   {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "public issues; API reference",
    server: &[
        "{at}.thinking.thinking: Field required",
        "{at}.redacted_thinking.data: Field required",
        "{at}.thinking.signature: Field required",
        "{place}: each thinking block must contain thinking",
    ],
    check: Check::Message(Marks::BAD_THINKING, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let marks = history.block(index).marks;
        if !marks.meets(Marks::BAD_THINKING) {
            continue;
        }
        findings.push(if marks.meets(Marks::REDACTED) {
            let says = "the redacted_thinking has no data, or one that is no string";
            Finding::at_block(history, index, says).in_words(1)
        } else {
            let says = "the thinking block lacks the string `thinking` or the string `signature`";
            Finding::at_block(history, index, says)
        });
    }
}
