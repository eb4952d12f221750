//! `thinking-when-disabled`: thinking in the last message of a request that does not think.

use crate::context::Thinking;
use crate::history::{Kind, Role};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP503",
    slug: "thinking-when-disabled",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "Thinking is disabled, and the list ends in an assistant message with thinking.",
    why: "A request that does not think cannot go on from a message that does. Earlier messages \
          may keep their thinking.",
    mend: "Enable thinking, or drop the thinking of the last message, or the message.",
    example: r#"{"model": "claude-sonnet-4-5", "thinking": {"type": "disabled"}, "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "SIG"},
                                   {"type": "text", "text": "a"}]}]}"#,
    source: "public issues",
    server: &[
        "{place}: When thinking is disabled, an `assistant` message in the final position cannot \
         contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(last) = history.messages.last() else { return };
    let is_off = whole.context.thinking == Some(Thinking::Disabled);
    if !is_off || !last.thinks || last.role != Role::Assistant {
        return;
    }
    let mut blocks = history.blocks_of(history.messages.len() as u32 - 1);
    if let Some(block) = blocks.find(|&block| history.block(block).kind == Kind::Thinking) {
        let says = "thinking is disabled, and the last message holds some";
        findings.push(Finding::at_block(history, block, says));
    }
}
