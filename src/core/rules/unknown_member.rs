//! `unknown-member`: a member that messages or blocks of this kind do not have.

use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP005",
    slug: "unknown-member",
    severity: Severity::Error,
    when: When::Selected,
    yields_to: &[],
    what: "A message or a block has a member that the API does not know there.",
    why: "The API refuses members that it does not know. Some need a beta, and the API grows: so \
          this rule is off unless it is selected. Replies dumped as they came, and notes of the \
          client's own, bring such members in.",
    mend: "Take the member out before the request is sent, or send the beta that it needs.",
    example: r#"[{"role": "user", "content": "q", "bogus": 1}]"#,
    source: "live probes of the endpoint, published 2026-09",
    server: &[
        "{at}.{member}: Extra inputs are not permitted",
        "output_config: Extra inputs are not permitted",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    for extra in &whole.history.extras {
        let finding = match extra.block {
            Some(block) => {
                let says = "blocks of this type have no member '{word}'";
                Finding::at_block(whole.history, block, says)
            }
            None => Finding::at(Place::message(extra.message), "messages have no member '{word}'"),
        };
        findings.push(finding.word(extra.name));
    }
}
