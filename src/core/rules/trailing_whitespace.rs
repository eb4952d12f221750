//! `trailing-whitespace`: the beginning of an answer that ends in white space.

use crate::history::{Marks, Role};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP406",
    slug: "trailing-whitespace",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &["assistant-prefill"],
    what: "The list ends in an assistant's text that ends in white space.",
    why: "Where a model goes on from words put into its mouth, these may not end in white space. \
          It matters on models that take such a beginning.",
    mend: "Take the white space off the end of the last text.",
    example: r#"{"model": "claude-haiku-4-5", "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "text", "text": "It is blue "}]}]}"#,
    source: "public issues, on the API itself and on Bedrock",
    server: &["{list}: final assistant content cannot end with trailing whitespace"],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(&end) = history.space_ends.last() else { return };
    if !whole.context.model.is_some_and(|model| model.takes_prefill) {
        return;
    }
    let message = history.message_of(end);
    let is_last = end + 1 == history.blocks.len() as u32
        && message + 1 == history.messages.len() as u32
        && history.messages[message as usize].role == Role::Assistant;
    if is_last && !history.block(end).marks.meets(Marks::BLANK_TEXT) {
        let says = "the list ends in an assistant's text that ends in white space";
        findings.push(Finding::at_block(history, end, says));
    }
}
