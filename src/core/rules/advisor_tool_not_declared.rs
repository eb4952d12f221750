//! `advisor-tool-not-declared`: an answer of the advisor in a request that does not declare it.

use crate::history::{Kind, Marks, ServerTool};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP213",
    slug: "advisor-tool-not-declared",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &["orphan-server-tool-result"],
    what: "The history holds an answer of the advisor, and the request does not declare the \
           advisor.",
    why: "Two texts of the provider disagree on whether finished answers may stay once the tool is \
          dropped: the later says yes, the earlier says that they are refused.",
    mend: "Declare the advisor, or drop its call together with the answer.",
    example: r#"{"tools": [], "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}},
    {"type": "advisor_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]}"#,
    source: "documentation on the advisor tool; the provider's own skills",
    server: &[],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(tools) = &whole.context.tools else { return };
    if tools.server.holds(ServerTool::Advisor)
        || !history.server_tools.holds(ServerTool::Advisor)
    {
        return;
    }
    for (index, block) in (0..).zip(&history.blocks) {
        let is_answer = block.kind == Kind::ServerToolResult && block.tool == ServerTool::Advisor;
        if is_answer && !block.marks.meets(Marks::WRONG_ROLE) {
            let says = "the advisor answers here, and the request does not declare it";
            findings.push(Finding::at_block(history, index, says));
        }
    }
}
