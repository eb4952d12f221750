//! `empty-user-turn`: a user who says nothing.

use std::iter::successors;

use crate::history::Side;
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP401",
    slug: "empty-user-turn",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A user turn holds nothing.",
    why: "A user turn must have content. Adjacent user messages are one turn: an empty one beside \
          one that speaks is accepted. What takes blocks out of a message leaves it empty.",
    mend: "Drop the message, or say something in it.",
    example: r#"[{"role": "user", "content": []}]"#,
    source: "live probe of the endpoint, published 2026-09; public issues",
    server: &[
        "{place}: user messages must have non-empty content",
        "{place}: all messages must have non-empty content except for the optional final \
         assistant message",
        "all messages must have non-empty content",
        "The content field in the Message object at {place} is empty",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let is_user = |&message: &u32| history.messages[message as usize].side == Side::User;
    let mut judged = 0;
    for &message in history.empties.iter().filter(|message| is_user(message)) {
        if message < judged {
            continue;
        }
        if whole.endpoint.joins {
            // What stands before it in its turn is not empty, or was judged with all of the turn.
            if history.before(message).is_some_and(|before| is_user(&before)) {
                continue;
            }
            let mut turn = successors(Some(message), |&at| history.behind(at)).take_while(is_user);
            let is_empty = turn.all(|at| {
                judged = at + 1;
                history.says_nothing(at)
            });
            if !is_empty {
                continue;
            }
        }
        findings.push(Finding::at(Place::message(message), "the user turn holds nothing"));
    }
}
