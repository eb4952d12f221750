//! `thinking-not-first`: thinking behind what the model said or called.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP502",
    slug: "thinking-not-first",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "An assistant message has a text or a call before its first thinking.",
    why: "It was refused late in 2025. Newer models think between blocks, and a server's pair \
          before thinking was answered: so it is a warning, and only where a text or a client's \
          call comes first.",
    mend: "Leave the blocks in their order. If the endpoint refuses it, drop the message's \
           thinking.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "text", "text": "a"},
                                   {"type": "thinking", "thinking": "hm", "signature": "SIG"},
                                   {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "public issues, 2025; recorded requests",
    server: &[
        "If an assistant message contains any thinking blocks, the first block must be `thinking` \
         or `redacted_thinking`. Found `text`.",
        "If an assistant message contains any thinking blocks, the first block must be `thinking` \
         or `redacted_thinking`. Found `tool_use`.",
        "If an assistant message contains any thinking blocks, the first block must be `thinking` \
         or `redacted_thinking`.",
    ],
    check: Check::Message(Marks::LATE_THINKING, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let blocks = history.blocks_of(message);
    let words = match history.block(blocks.start).kind {
        Kind::Text => 0,
        Kind::ToolUse => 1,
        _ => 2,
    };
    for block in blocks.filter(|&block| history.block(block).marks.meets(Marks::LATE_THINKING)) {
        let says = "a text or a call stands before the first thinking of its message";
        findings.push(Finding::at_block(history, block, says).in_words(words));
    }
}
