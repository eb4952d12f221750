//! `malformed-server-tool-id`: a server call's id that the server did not give.

use crate::history::Marks;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP206",
    slug: "malformed-server-tool-id",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The id of a server call is not of the server's form.",
    why: "Ids of server calls, in the call, in its result and in `caller.tool_id`, match \
          ^srvtoolu_[a-zA-Z0-9_]+$. Others come from another provider's history.",
    mend: "Write the id anew, the same in call, result and caller; or turn the blocks into text.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "call_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "call_1", "content": []}]},
 {"role": "user", "content": "x"}]"#,
    source: "API reference; live probe, 2026-09",
    server: &["{at}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"],
    check: Check::Message(Marks::ODD_ID.with(Marks::ODD_CALLER), check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        if block.marks.meets(Marks::ODD_CALLER) {
            let says = "the caller.tool_id of this call does not match ^srvtoolu_[a-zA-Z0-9_]+$";
            findings.push(Finding::at_block(history, index, says));
        }
        if block.kind.has_server_id() && block.marks.meets(Marks::ODD_ID) {
            let says = "the id '{id}' does not match ^srvtoolu_[a-zA-Z0-9_]+$";
            findings.push(Finding::at_block(history, index, says));
        }
    }
}
