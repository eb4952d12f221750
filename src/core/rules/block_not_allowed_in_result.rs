//! `block-not-allowed-in-result`: a result that holds a block of another kind than results hold.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP602",
    slug: "block-not-allowed-in-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result holds a block that the API does not take inside a result.",
    why: "A result holds text, images, documents, search results, references to tools, and a \
          browser's state. Other types of this API and of other APIs are refused. A type that \
          toolpair does not know is only a warning: the API may have grown.",
    mend: "Turn the block into text, or into the type that the API has for it.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
    {"type": "image_url", "image_url": {"url": "x"}}]}]}]"#,
    source: "public issues; API reference",
    server: &[
        "{at}.tool_result.content.{nested}: Input tag '{tag}' found using 'type' does not match \
         any of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_reference'",
        "{at}.tool_result.content.{nested}: Input tag '{tag}' found using 'type' does not match \
         any of the expected tags",
    ],
    check: Check::Message(Marks::NESTED_REFUSED.with(Marks::NESTED_UNKNOWN), check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        let marks = history.block(block).marks;
        let is_refused = marks.meets(Marks::NESTED_REFUSED);
        let says = match (is_refused, marks.meets(Marks::NESTED_UNKNOWN)) {
            (true, _) => "the result holds a block that results do not hold",
            (false, true) => "the result holds a block of a type that is not known to toolpair",
            (false, false) => continue,
        };
        let finding = Finding::at_block(history, block, says).certain_if(is_refused);
        findings.push(finding.in_unknown_words());
    }
}
