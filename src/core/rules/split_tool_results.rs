//! `split-tool-results`: the results of one turn, spread over messages.

use super::tool_use_without_result::server_text;
use crate::exchange::{Signs, Standing, Target};
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP109",
    slug: "split-tool-results",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "The results of one assistant turn are spread over several user messages.",
    why: "The documentation says that adjacent user messages are joined; several reports, and \
          endpoints that do not join, say that later results are refused. One message for all \
          results is accepted everywhere, and teaches the model to call in parallel.",
    mend: "Put all results of the turn into one user message.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                                   {"type": "tool_use", "id": "t2", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "r"}]}]"#,
    source: "documentation on parallel tool use; conflicting public reports",
    server: &[],
    check: Check::Exchange(Signs::SPLIT, check),
};

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let mut reported = None;
    let split = scene.exchange.answers.iter().filter(|answer| answer.standing == Standing::Split);
    for answer in split {
        if reported.replace(answer.message) == Some(answer.message) {
            continue;
        }
        let says = "the results of one assistant turn go on in this message";
        let finding = Finding::at_block(scene.history, answer.block, says);
        findings.push(match answer.target {
            Target::Call(call) => {
                let call = &scene.exchange.calls[call as usize];
                finding.in_words_of(server_text(call.message))
            }
            _ => finding,
        });
    }
}
