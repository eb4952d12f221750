//! `content-after-tool-use`: an assistant turn that goes on behind a call.

use super::tool_use_without_result::server_text;
use crate::exchange::Signs;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP110",
    slug: "content-after-tool-use",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "Text, media or a server block stands after a call in its assistant turn.",
    why: "A model ends its turn with its calls. What follows them was most often joined on by a \
          client; three reports and one measured upstream show it refused, often with a text that \
          names something else. Thinking between two calls is fine.",
    mend: "Move the text or media before the first call and leave thinking where it is; or drop it.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                                   {"type": "text", "text": "done"}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "three public reports; measured on one upstream",
    server: &[],
    check: Check::Exchange(Signs::GAP, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for gap in &scene.exchange.gaps {
        let call = &scene.exchange.calls[gap.call as usize];
        // A call that nobody answered, and then another assistant message: what is missing is the
        // result that stood between them.
        let is_own_message = scene.history.message_of(gap.offending) == call.message;
        if !is_own_message && call.answer.is_none() && !scene.is_pending(call) {
            continue;
        }
        let says = "the assistant turn goes on after the call{of_name}";
        let finding = Finding::at_block(scene.history, gap.first, says);
        let finding = finding.about(scene.history, call.block).related(scene.history, call.block);
        findings.push(finding.in_words_of(server_text(call.message)));
    }
}
