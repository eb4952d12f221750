//! `client-result-for-server-tool`: a client that answers what the server does.

use crate::exchange::{Signs, Target};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP209",
    slug: "client-result-for-server-tool",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A tool_result answers a call that the server runs.",
    why: "The server answers its own calls inside the assistant's turn. Repairers that know only \
          `tool_use` and `tool_result` make this mistake.",
    mend: "Drop the result. Leave an open server call alone.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "server_tool_use", "id": "srvtoolu_1",
                                    "name": "web_search", "input": {"query": "x"}}]},
 {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "srvtoolu_1", "content": "r"}]}]"#,
    source: "documentation on tool search",
    server: &[],
    check: Check::Exchange(Signs::SERVER_ANSWERED, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let foreign = scene.exchange.answers.iter().filter(|answer| answer.target == Target::Server);
    for answer in foreign {
        let says = "a tool_result names a server call, which only the server answers";
        findings.push(Finding::at_block(scene.history, answer.block, says));
    }
}
