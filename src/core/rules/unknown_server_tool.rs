//! `unknown-server-tool`: a server call of a tool that the server does not have.

use crate::history::{Block, Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP207",
    slug: "unknown-server-tool",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "A server call names a tool that the server is not known to run.",
    why: "The server runs a closed list of tools. Other providers write such blocks for tools of \
          their own. It is a warning, since the list grows.",
    mend: "Turn the call and its result into text, if another provider wrote them.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "analyze_image", "input": {}},
    {"type": "analyze_image_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "live probe, 2026-09; the SDK's type of the block",
    server: &[
        "{at}.server_tool_use.name: Input should be 'web_search', 'web_fetch', 'code_execution', \
         'bash_code_execution', 'text_editor_code_execution', 'tool_search_tool_regex', \
         'tool_search_tool_bm25'",
        "name: Input should be 'web_search', 'web_fetch', 'code_execution'",
    ],
    check: Check::Message(Marks::ODD_NAME, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for block in history.blocks_of(message) {
        let Block { kind, marks, .. } = history.block(block);
        if kind == Kind::ServerToolUse && marks.meets(Marks::ODD_NAME) {
            let says = "the server is not known to run a tool '{name}'";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}
