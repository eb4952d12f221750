//! `duplicate-tool-use-id`: two calls of one id.

use crate::exchange::{Reuse, Signs};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP105",
    slug: "duplicate-tool-use-id",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A call has the id of a call before it.",
    why: "Ids must be unique. Within one turn the API refuses a second one. In a later turn it \
          was seen both refused and accepted: that is a warning where the earlier call was \
          answered, and an error where it was not.",
    mend: "Give the later call and its result a new id, the same in both.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                                   {"type": "tool_use", "id": "t1", "name": "g", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"},
                              {"type": "tool_result", "tool_use_id": "t1", "content": "s"}]}]"#,
    source: "public issues; a recorded request of the warned shape that was answered with 200",
    server: &["{place}: `tool_use` ids must be unique"],
    check: Check::Exchange(Signs::REUSED_ID, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for call in &scene.exchange.calls {
        let (first, is_clash) = match call.reuse {
            Reuse::No => continue,
            Reuse::Answered(first) => (first, false),
            Reuse::Twin(first) | Reuse::Unanswered(first) => (first, true),
        };
        let says = "the id of this call{of_name} was used before, at {related}";
        let finding = Finding::at_block(scene.history, call.block, says);
        let finding = finding.related(scene.history, first);
        findings.push(if is_clash { finding } else { finding.only_a_warning() });
    }
}
