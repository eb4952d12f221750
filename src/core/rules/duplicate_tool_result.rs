//! `duplicate-tool-result`: a second result for one call.

use crate::exchange::{Signs, Target};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP104",
    slug: "duplicate-tool-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A call has more than one result.",
    why: "Exactly one result belongs to a call. A retry, or a placeholder that was kept beside \
          the real result, leaves two.",
    mend: "Keep one: the real result rather than a placeholder.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"},
                              {"type": "tool_result", "tool_use_id": "t1", "content": "r2"}]}]"#,
    source: "public issues",
    server: &[
        "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks \
         with id: {ids}",
    ],
    check: Check::Exchange(Signs::AGAIN, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for answer in &scene.exchange.answers {
        if let Target::Again(first) = answer.target {
            let says = "the call was already answered at {related}";
            let finding = Finding::at_block(scene.history, answer.block, says);
            findings.push(finding.related(scene.history, first));
        }
    }
}
