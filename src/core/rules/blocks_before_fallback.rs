//! `blocks-before-fallback`: what the model that stepped back leaves behind.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP512",
    slug: "blocks-before-fallback",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "Thinking, connector text or an unfinished call stands before a `fallback` block.",
    why: "A `fallback` block marks where another model went on. Of what stands before the last \
          one, thinking, connector text, client calls and unfinished server calls do not come \
          back.",
    mend: "Drop those blocks and leave the `fallback` where it is. A call dropped so needs no \
           result.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "SIG"},
    {"type": "fallback", "from": {"model": "claude-opus-5"}, "to": {"model": "claude-opus-4-8"}},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "documentation on refusals and fallback",
    server: &[],
    check: Check::Message(Marks::BEFORE_FALLBACK, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        if history.block(block).marks.meets(Marks::BEFORE_FALLBACK) {
            let says = "this block stands before a fallback, and does not come back";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
