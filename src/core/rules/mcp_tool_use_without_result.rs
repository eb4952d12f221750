//! `mcp-tool-use-without-result`: a call of the MCP connector that can never be finished.

use crate::exchange::{Fate, Signs};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP214",
    slug: "mcp-tool-use-without-result",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "An MCP call has no result, and its turn is over.",
    why: "MCP calls pair like server calls. How the API refuses a lone one is not known.",
    mend: "Drop the call, or restore its result after it.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "f", "server_name": "s", "input": {}},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "API reference",
    server: &[],
    check: Check::Exchange(Signs::SERVER_OPEN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    if scene.exchange.fate() != Fate::Dead {
        return;
    }
    for call in scene.exchange.open.iter().filter(|call| call.is_mcp) {
        let says = "the MCP call{of_name} has no result, and its turn is over";
        findings.push(Finding::at_block(scene.history, call.block, says));
    }
}
