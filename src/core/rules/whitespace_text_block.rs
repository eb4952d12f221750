//! `whitespace-text-block`: a text of white space and nothing else.

use crate::history::Side;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP404",
    slug: "whitespace-text-block",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A text is white space, and nothing else.",
    why: "A text must have something to read in it, as a block and as a string. Beside other \
          blocks of an earlier assistant message it is a warning: recorded requests of that shape \
          were answered.",
    mend: "Drop the block.",
    example: r#"[{"role": "user", "content": [{"type": "text", "text": " \n"}]}]"#,
    source: "public issues; recorded requests of the warned shape",
    server: &[
        "{list}: text content blocks must contain non-whitespace text",
        "The text field in the ContentBlock object at {place} is blank",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for &block in &history.blanks {
        let message = history.message_of(block);
        let side = history.messages[message as usize].side;
        if side == Side::System {
            continue;
        }
        let is_last = message as usize + 1 == history.messages.len();
        let stands_beside = history.blocks_of(message).len() > 1;
        let may_pass = side == Side::Assistant && stands_beside && !is_last;
        let finding = Finding::at_block(history, block, "the text is white space, all of it");
        findings.push(finding.certain_if(!may_pass));
    }
}
