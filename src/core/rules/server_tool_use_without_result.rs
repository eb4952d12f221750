//! `server-tool-use-without-result`: a server call that can never be finished.

use crate::exchange::{Fate, Signs};
use crate::location::Place;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, ServerText, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP202",
    slug: "server-tool-use-without-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A server call has no result, and its turn is over.",
    why: "A server call may be open at the end of the list, or while nothing but client results \
          follow: the server finishes it. A user text closes the turn.",
    mend: "Send a paused turn back as the last message; else drop the call. Its result cannot be \
           made up.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "server_tool_use", "id": "srvtoolu_1",
                                    "name": "web_search", "input": {"query": "x"}}]},
 {"role": "user", "content": "go on"}]"#,
    source: "documentation on server tools and stop reasons; public issues",
    server: &[
        "{message}: `{kind}` tool use with id `{ids}` was found without a corresponding \
         `{kind}_tool_result` block",
    ],
    check: Check::Exchange(Signs::SERVER_OPEN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    if scene.exchange.fate() != Fate::Dead {
        return;
    }
    for call in scene.exchange.open.iter().filter(|call| !call.is_mcp) {
        let says = "the server call{of_name} has no result, and its turn is over";
        findings.push(Finding::at_block(scene.history, call.block, says));
    }
}

/// What the server says of its call in this message.
pub(crate) fn server_text(message: u32) -> ServerText {
    ServerText::new(RULE.server[0], Place::message(message))
}
