//! `misplaced-system-message`: system messages where none may stand.

use std::iter::successors;

use super::malformed_system_message::misshapen;
use crate::history::{History, Role, Side};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP411",
    slug: "misplaced-system-message",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &["message-between-use-and-result", "system-role-not-supported"],
    what: "System messages stand where none may stand.",
    why: "Adjacent system messages are one run. It must follow a user turn, or an assistant turn \
          that ends in a server's result; and it must precede an assistant turn or end the list. \
          What trims or moves its neighbours breaks it. Between a call and its result it is TP108.",
    mend: "Move the run after the next user turn. Send the first instructions as the top-level \
           `system`.",
    example: r#"[{"role": "user", "content": "a"}, {"role": "system", "content": "s"},
 {"role": "user", "content": "b"}]"#,
    source: "documentation on system messages in a conversation; live probes, published 2026-09",
    server: &[
        "{place}: use the top-level 'system' parameter for the initial system prompt; the \
         directive-only form (content: [] with output_config) is accepted at any position",
        "{place}: role 'system' must follow a 'user' message or an 'assistant' message ending in a \
         server tool result; the directive-only form (content: [] with output_config) is accepted \
         at any position",
        "{place}: role 'system' must precede an 'assistant' message or end the array; the \
         directive-only form (content: [] with output_config) is accepted at any position",
        "{place}: role 'system' must precede an 'assistant' message or end the array",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let side = |message: u32| history.messages[message as usize].side;
    let mut judged = 0;
    for &first in &history.systems {
        if first < judged {
            continue;
        }
        let mut backwards = successors(history.before(first), |&at| history.before(at));
        let before = backwards.find(|&at| side(at) != Side::System);
        let (mut last, mut behind) = (first, history.behind(first));
        while let Some(at) = behind.filter(|&at| side(at) == Side::System) {
            if history.messages[at as usize].role == Role::System {
                last = at;
            }
            behind = history.behind(at);
        }
        judged = last + 1;
        let (place, says, words) = match before {
            None => (first, "a system message begins the list", 0),
            Some(before) if !may_be_followed(whole, before) => {
                (first, "a system message follows an assistant turn without a server's result", 1)
            }
            Some(_) if behind.is_some_and(|behind| side(behind) == Side::User) => {
                (last, "a system message precedes a user turn", 2)
            }
            Some(_) => continue,
        };
        if misshapen(history, place).is_none() {
            findings.push(Finding::at(Place::message(place), says).in_words(words));
        }
    }
}

/// Whether a system run may stand behind the turn that ends with this message.
fn may_be_followed(whole: &Whole<'_>, message: u32) -> bool {
    let history = whole.history;
    if history.messages[message as usize].side == Side::User {
        return true;
    }
    let earlier = |&at: &u32| history.before(at).filter(|_| whole.endpoint.joins);
    let mut turn = successors(Some(message), earlier).take_while(|&at| is_assistant(history, at));
    let last = turn.find_map(|at| history.last_block(at));
    last.is_some_and(|block| history.block(block).kind.is_server_result())
}

fn is_assistant(history: &History, message: u32) -> bool {
    history.messages[message as usize].side == Side::Assistant
}
