//! `content-beside-open-server-call`: more than results while the server still works.

use super::server_tool_use_without_result::server_text;
use crate::exchange::{Fate, Signs};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP203",
    slug: "content-beside-open-server-call",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A user turn holds more than results while a server call is open.",
    why: "Where one assistant turn calls the server and the client, the server's call is finished \
          after the client's results. Until then the user turn may hold results only.",
    mend: "Send the results alone; move the rest to a user message after the finished turn.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"},
                              {"type": "text", "text": "hurry"}]}]"#,
    source: "documentation on stop reasons; recorded requests of the legal shape",
    server: &[],
    check: Check::Exchange(Signs::SERVER_OPEN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let exchange = scene.exchange;
    let Fate::OpenBeside(block) = exchange.fate() else { return };
    if exchange.made.iter().any(|made| exchange.is_answered(made)) {
        // Then what stands beside the results is told of as beside those of the server's code.
        return;
    }
    let Some(call) = exchange.open.iter().find(|call| !call.is_mcp) else { return };
    let says = "a block that is no result stands here while the server call{of_name} is open";
    let finding = Finding::at_block(scene.history, block, says);
    let text = server_text(scene.history.message_of(call.block));
    let finding = finding.about(scene.history, call.block).related(scene.history, call.block);
    findings.push(finding.in_words_of(text));
}
