//! `assistant-prefill`: words put into the mouth of a model that takes none.

use std::collections::BTreeSet;
use std::iter::successors;

use crate::context::Thinking;
use crate::history::{Kind, Role, Side};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP407",
    slug: "assistant-prefill",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The list ends in an assistant message, and the model does not go on from one.",
    why: "Models from version 4.6 on take no beginning of their answer; older ones take none while \
          they think. A paused turn, a server's result or a compaction may stand last.",
    mend: "Drop the message, or let a user message follow it.",
    example: r#"{"model": "claude-opus-4-6", "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "text", "text": "The answer is"}]}]}"#,
    source: "documentation on errors; live probe, published 2026-09",
    server: &[
        "This model does not support assistant message prefill. The conversation must end with a \
         user message.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let Some(model) = whole.context.model else { return };
    let mode = whole.context.thinking;
    let thinks = matches!(mode, Some(Thinking::Enabled | Thinking::Adaptive));
    if model.takes_prefill && !thinks {
        return;
    }
    let Some(message) = (history.messages.len() as u32).checked_sub(1) else { return };
    let Some(last) = history.blocks_of(message).last() else { return };
    if history.messages[message as usize].role != Role::Assistant {
        return;
    }
    let kind = history.block(last).kind;
    let goes_on = kind.is_server_call() || kind.is_server_result() || kind == Kind::Compaction;
    if goes_on || waits(whole, message) {
        return;
    }
    let says = if model.takes_prefill {
        "the list ends in an assistant message, which no model goes on from while it thinks"
    } else {
        "the list ends in an assistant message, which this model does not go on from"
    };
    findings.push(Finding::at(Place::message(message), says).certain_if(model.is_known));
}

/// Whether the turn that this message ends waits for a result, the client's or the server's.
fn waits(whole: &Whole<'_>, message: u32) -> bool {
    let history = whole.history;
    let is_assistant = |&at: &u32| history.messages[at as usize].side == Side::Assistant;
    let turn = successors(Some(message), |&at| history.before(at).filter(|_| whole.endpoint.joins));
    let first = turn.take_while(is_assistant).last().unwrap_or(message);
    let mut open = BTreeSet::new();
    for index in history.blocks_of(first).start..history.messages[message as usize].end {
        let block = history.block(index);
        match block.kind {
            Kind::ToolUse => return true,
            kind if kind.is_server_call() => _ = open.insert(block.id),
            kind if kind.is_server_result() => _ = open.remove(&block.id),
            _ => {}
        }
    }
    !open.is_empty()
}
