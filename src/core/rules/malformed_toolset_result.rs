//! `malformed-toolset-result`: a toolset's result with what such results may not hold.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP607",
    slug: "malformed-toolset-result",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "A result of a toolset holds more than text, images and one state of the browser.",
    why: "The result for a member of a computer or browser toolset holds text and images, and at \
          most one browser_state, which a failure does not have. How the server words it is not \
          known.",
    mend: "Keep text and images, and one browser_state where nothing failed.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "screenshot",
                                    "input": {}, "toolset_name": "computer"}]},
 {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "toolset_name": "computer", "content": [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain",
                                        "data": "r"}}]}]}]"#,
    source: "documentation on the computer-use and browser-use toolsets",
    server: &[],
    check: Check::Message(Marks::ODD_TOOLSET, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        if history.block(block).marks.meets(Marks::ODD_TOOLSET) {
            let says = "the toolset's result holds more than text, images and one browser_state";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
