//! `empty-error-result`: a failure that says nothing.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP601",
    slug: "empty-error-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result is an error, and has no content.",
    why: "A result with `is_error` true must say what failed. One that succeeded may be empty. \
          Tools that raise without a message, and placeholders, leave such results.",
    mend: "Write what is known of the failure into the content.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "content": "", "is_error": true}]}]"#,
    source: "public issues",
    server: &["{place}: content cannot be empty if `is_error` is true"],
    check: Check::Message(Marks::EMPTY_ERROR, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        if history.block(block).marks.meets(Marks::EMPTY_ERROR) {
            let says = "the result is an error, and says nothing";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
