//! `toolset-name-mismatch`: a result that names another toolset than its call.

use crate::exchange::Signs;
use crate::rule::{Check, Rule, Scene};
use crate::violation::{Finding, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TP113",
    slug: "toolset-name-mismatch",
    severity: Severity::Error,
    what: "A result does not carry the toolset_name of its call.",
    why: "A call of a toolset's member is answered with the same `toolset_name`; a result for any \
          other call carries none.",
    mend: "Copy toolset_name from the call to the result.",
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
        let says = "the result does not carry the toolset_name of its call at {related}";
        let finding = Finding::at_block(scene.history, answer.block, says);
        findings.push(finding.related(scene.history, call.block));
    }
}
