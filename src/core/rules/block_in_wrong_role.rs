//! `block-in-wrong-role`: thinking of a user, or media of the assistant.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP417",
    slug: "block-in-wrong-role",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "A user message holds thinking, or an assistant message holds an image, a document, a \
           search result or an upload.",
    why: "Thinking is the assistant's; images, documents, search results and uploads are the \
          user's. How the server words it is not known.",
    mend: "Drop the thinking; move the other block to the user message next to it.",
    example: r#"[{"role": "user", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "SIG"},
    {"type": "text", "text": "q"}]}]"#,
    source: "documentation on search results; the SDK's types",
    server: &[],
    check: Check::Message(Marks::UNLIKE_ROLE, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        if !block.marks.meets(Marks::UNLIKE_ROLE) {
            continue;
        }
        let says = match block.kind {
            Kind::Thinking => "a user message holds thinking",
            _ => "an assistant message holds a block that only users send",
        };
        findings.push(Finding::at_block(history, index, says));
    }
}
