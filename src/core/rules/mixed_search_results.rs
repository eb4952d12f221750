//! `mixed-search-results`: search results beside something else in one result.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP603",
    slug: "mixed-search-results",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result holds search results and something else.",
    why: "Where one block of a result is a search_result, all must be.",
    mend: "Move the rest after the results of the user message, or turn the search results into \
           text.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
    {"type": "text", "text": "found:"},
    {"type": "search_result", "source": "https://example.com", "title": "t",
     "content": [{"type": "text", "text": "r"}]}]}]}]"#,
    source: "documentation on search results",
    server: &[],
    check: Check::Message(Marks::MIXED_SEARCH, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        if history.block(block).marks.meets(Marks::MIXED_SEARCH) {
            let says = "the result holds search results and something else";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
