//! `toolset-name-mismatch`: a result that names another toolset than its call.

use crate::exchange::Signs;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP113",
    slug: "toolset-name-mismatch",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A result carries another toolset_name than its call, or only one of them has one.",
    why: "A call of a toolset's member is answered with the same `toolset_name`; a result for any \
          other call carries none.",
    mend: "Give the result the toolset_name of its call; none if the call has none.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "screenshot",
                                    "input": {}, "toolset_name": "computer"}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "OK"}]}]"#,
    source: "documentation on the computer-use and browser-use toolsets",
    server: &[],
    check: Check::Exchange(Signs::TOOLSET, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    for answer in &scene.exchange.answers {
        let Some(call) = scene.exchange.call_of(answer) else { continue };
        if scene.history.toolset(call.block) == scene.history.toolset(answer.block) {
            continue;
        }
        let says = "toolset_name differs from that of the call at {related}";
        let finding = Finding::at_block(scene.history, answer.block, says);
        findings.push(finding.related(scene.history, call.block));
    }
}
