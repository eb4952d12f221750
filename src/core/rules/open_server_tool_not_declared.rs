//! `open-server-tool-not-declared`: a server call to be finished without its tool.

use std::collections::BTreeSet;

use crate::exchange::{Fate, Signs};
use crate::history::Kind;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP204",
    slug: "open-server-tool-not-declared",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A server call is still to be finished, and its tool is not among the request's tools.",
    why: "The server goes on with a call that is open at the end of the list, and needs its tool \
          for that, in whatever version. Calls of the shell and of the text editor belong to code \
          execution.",
    mend: "Declare the same server tool again; or drop the open call.",
    example: r#"{"tools": [], "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "server_tool_use", "id": "srvtoolu_1",
                                    "name": "web_search", "input": {"query": "x"}}]}]}"#,
    source: "documentation on server tools",
    server: &[
        "{message}: `{kind}` tool use with id `{ids}` was found without a corresponding \
         `{kind}_tool_result` block, but no `{kind}` tool was provided",
        "but no `{kind}` tool was provided",
    ],
    check: Check::Exchange(Signs::SERVER_OPEN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let Some(tools) = &scene.context.tools else { return };
    for block in open_at_the_end(scene) {
        let call = scene.history.block(block);
        if call.kind == Kind::ServerToolUse && tools.lacks_server_tool(call.tool) {
            let says = "the server call{of_name} is still open, and its tool is not declared";
            findings.push(Finding::at_block(scene.history, block, says));
        }
    }
}

/// The server calls that the server has still to finish: those of the last turn, and those whose
/// code, begun in an earlier turn, has called the client in the last one.
fn open_at_the_end(scene: &Scene<'_>) -> BTreeSet<u32> {
    let mut open: BTreeSet<_> = scene.resumed.iter().map(|call| call.block).collect();
    let exchange = scene.exchange;
    if scene.is_last {
        let stays = exchange.fate() != Fate::Dead;
        let running = exchange.running_code();
        let made = exchange.made.iter().filter(|made| stays || running.contains(&made.caller_id));
        open.extend(made.map(|made| made.caller));
    }
    open
}
