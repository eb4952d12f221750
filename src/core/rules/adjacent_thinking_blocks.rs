//! `adjacent-thinking-blocks`: two thinking blocks side by side in the latest assistant message.

use crate::history::{Kind, Marks, Side};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP506",
    slug: "adjacent-thinking-blocks",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "The last assistant message has two thinking blocks side by side.",
    why: "One upstream was measured to take them for a change of what the model wrote. Clients \
          make them when they drop the empty text between two. The server says the same wherever \
          the latest message's thinking is not as it came.",
    mend: "Send the message's thinking as it came; if that is lost, drop all of its thinking.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "SIG"},
                                   {"type": "thinking", "thinking": "b", "signature": "SIG"},
                                   {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "live probe of one upstream",
    server: &[
        "{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot \
         be modified",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let sides = history.messages.iter().map(|message| message.side);
    let Some(last) = sides.rev().position(|side| side == Side::Assistant) else { return };
    let message = history.messages.len() - 1 - last;
    if !history.messages[message].thinks {
        return;
    }
    let mut previous = None;
    for index in history.blocks_of(message as u32) {
        let block = history.block(index);
        if block.marks.meets(Marks::WRONG_ROLE) {
            continue;
        }
        let thinks = block.kind == Kind::Thinking && !block.marks.meets(Marks::REDACTED);
        if let Some(before) = previous.filter(|_| thinks) {
            let says = "a thinking block stands right after another";
            findings.push(Finding::at_block(history, index, says).related(history, before));
        }
        previous = thinks.then_some(index);
    }
}
