//! `pending-tool-use`: the history ends before a call is answered.

use super::tool_use_without_result::tell_of;
use crate::exchange::Signs;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP107",
    slug: "pending-tool-use",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The history ends with a call that nobody has answered yet.",
    why: "A request may not end so. A stored history may: the tools have not run yet. Check it \
          with allow_pending=True.",
    mend: "Run the call and append its result before the request is sent. If a result is there \
           under another id, correct its tool_use_id.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}]"#,
    source: "public issues",
    server: &[
        "{message}: Messages containing `tool_use` blocks must be followed by a user message with \
         `tool_result` blocks",
    ],
    check: Check::Exchange(Signs::UNANSWERED, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let says = "the call{of_name} has no result yet";
    tell_of(scene, scene.open_calls(true), says, false, findings);
}
