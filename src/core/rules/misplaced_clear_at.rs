//! `misplaced-clear-at`: a `clear_at` where none may be, or on what it may not clear.

use crate::history::{ClearAt, History, Kind, Marks, Role};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP414",
    slug: "misplaced-clear-at",
    severity: Severity::Error,
    when: When::BetasKnown,
    yields_to: &[],
    what: "A message has a clear_at that it may not have.",
    why: "A beta lets a system message say when it is cleared: `never`, or at the \
          `next_user_message`. One that is cleared so holds text only, without cache_control and \
          output_config. The rule is on where the request's betas are known.",
    mend: "Take clear_at off the message, or what it does not go with.",
    example: r#"{"betas": [], "messages": [
 {"role": "user", "content": "q", "clear_at": "never"}]}"#,
    source: "live probe of the endpoint, published 2026-09",
    server: &[
        "clear_at is only permitted on role 'system' messages",
        "{at}.clear_at: Input should be 'next_user_message' or 'never'",
        "{place}: a turn-scoped system message supports text blocks only (clear_at: \
         'next_user_message')",
        "{place}: cache_control is not permitted on a turn-scoped system message",
        "{at}.clear_at: Extra inputs are not permitted",
        "Input should be 'next_user_message' or 'never'",
    ],
    check: Check::Message(Marks::ODD_FORM, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let said = whole.history.messages[message as usize];
    let fault = match said.clear_at {
        ClearAt::Absent => None,
        _ if said.role != Role::System => Some(("only system messages have a clear_at", Some(0))),
        ClearAt::Unknown => {
            Some(("clear_at is neither 'next_user_message' nor 'never'", Some(1)))
        }
        ClearAt::NextUserMessage => not_to_be_cleared(whole.history, message),
        ClearAt::Never => None,
    };
    if let Some((says, words)) = fault {
        let finding = Finding::at(Place::message(message), says);
        findings.push(match words {
            Some(words) => finding.in_words(words),
            None => finding.in_unknown_words(),
        });
    }
}

/// What keeps a system message from being cleared at the next user message.
fn not_to_be_cleared(history: &History, message: u32) -> Option<(&'static str, Option<usize>)> {
    let blocks = history.blocks_in(history.blocks_of(message));
    if blocks.iter().any(|block| block.kind != Kind::Text) {
        return Some(("what is cleared at the next user message holds text only", Some(2)));
    }
    if blocks.iter().any(|block| block.marks.meets(Marks::CACHED)) {
        return Some(("what is cleared at the next user message has no cache_control", Some(3)));
    }
    let has_directive = history.messages[message as usize].has_directive;
    has_directive.then_some(("what is cleared at the next user message has no output_config", None))
}
