//! `orphan-server-tool-result`: a server's result without its call.

use crate::exchange::Signs;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP201",
    slug: "orphan-server-tool-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A server tool's result has no call before it in the same open turn.",
    why: "A server call and its result are a pair inside the assistant's turns. A fork, a filter \
          or a trim that keeps only the result breaks it.",
    mend: "Drop the result, or restore the call before it.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "public issues",
    server: &[
        "{place}: unexpected `tool_use_id` found in `{kind}_tool_result` blocks: {ids}. Each \
         `{kind}_tool_result` block must have a corresponding `server_tool_use` block before it.",
    ],
    check: Check::Exchange(Signs::SERVER_ORPHAN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for &block in &scene.exchange.server_orphans {
        let says = "the server's result has no call before it";
        findings.push(Finding::at_block(scene.history, block, says));
    }
}
