//! `thinking-block-last`: an assistant turn that ends in thinking.

use std::iter::successors;

use crate::history::Side;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP504",
    slug: "thinking-block-last",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "An assistant turn ends in thinking.",
    why: "A reply that was cut off while the model thought ends so, and one whose call or text was \
          taken away. The first assistant turn of the list was measured to be exempt.",
    mend: "Drop the thinking at the end, and the message if nothing else is in it.",
    example: r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"},
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "SIG"}]},
 {"role": "user", "content": "x"}]"#,
    source: "live probe; public issues",
    server: &["{place}: The final block in an assistant message cannot be `thinking`."],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let (history, joins) = (whole.history, whole.endpoint.joins);
    if history.thought_ends.is_empty() {
        return;
    }
    let is_assistant = |&message: &u32| history.messages[message as usize].side == Side::Assistant;
    let next = |&at: &u32| history.behind(at).filter(|_| joins).filter(is_assistant);
    let first = (0..history.messages.len() as u32).find(is_assistant);
    let exempt = successors(first, next).last();
    for &message in history.thought_ends.iter().filter(|&&message| Some(message) > exempt) {
        let mut rest = successors(next(&message), next);
        let goes_on = rest.any(|at| history.last_block(at).is_some());
        if let Some(block) = history.last_block(message).filter(|_| !goes_on) {
            findings.push(Finding::at_block(history, block, "the assistant turn ends in thinking"));
        }
    }
}
