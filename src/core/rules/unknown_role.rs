//! `unknown-role`: a message of a role that the API does not have.

use crate::history::{Marks, Role};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP003",
    slug: "unknown-role",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A message has a role that the API does not know.",
    why: "Roles are `user` and `assistant`, and `system` on models that take it. Role `tool` is \
          another API's: here results are blocks of a user message.",
    mend: "Use `user` or `assistant`. Send results as `tool_result` blocks of one `user` message; send `developer` texts as \
           the top-level `system`.",
    example: r#"[{"role": "user", "content": "q"}, {"role": "tool", "content": "x"}]"#,
    source: "live probe of the endpoint, published 2026-09",
    server: &[
        "{list}: Unexpected role \"{role}\". Allowed roles are \"user\" or \"assistant\"",
        "{list}: Unexpected role \"{role}\". The Messages API accepts a top-level `system` \
         parameter, not \"system\" as an input message role.",
        "{at}.role: Field required",
    ],
    check: Check::Message(Marks::ODD_FORM, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let says = match history.messages[message as usize].role {
        Role::Tool => "the API has no role 'tool': results are blocks of a user message",
        Role::Developer => "the API has no role 'developer': send it as top-level `system`",
        Role::NoText => "the role is no string but {name}",
        Role::User | Role::Assistant | Role::System => return,
        Role::Unknown => "the API has no role '{name}'",
    };
    findings.push(Finding::at(Place::message(message), says));
}
