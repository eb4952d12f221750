//! `tool-use-without-result`: a call that nobody answered.

use crate::exchange::{Call, Signs};
use crate::location::Place;
use crate::rule::{Check, Rule, Scene, When};
use crate::violation::{Finding, ServerText, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP101",
    slug: "tool-use-without-result",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A call has no result in the user turn right after it.",
    why: "Every client call needs a `tool_result` with its id in the next user turn. A skipped \
          parallel call, a tool that raised, an interruption, or a trim between the two leave a \
          call alone. The server says the same where the result is there, but after a text or an \
          image (TP102), or further on: check_tool_pairing(messages) tells which.",
    mend: "If its result stands further on, move it to the front of the next user message. Else \
           put a tool_result with this id there (is_error true and a text, if the tool gave \
           nothing), or drop the call.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": "hi"}]"#,
    source: "documentation on handling tool calls; many public issues",
    server: &[
        "{message}: `tool_use` ids were found without `tool_result` blocks immediately after: \
         {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next \
         message.",
        "tool_use ids were found without tool_result blocks immediately after: {ids}. Each tool \
         call in a message must have a corresponding tool_result in the next message.",
        "{message}: Did not find {count} `tool_result` block(s) at the beginning of this message. \
         Messages following `tool_use` blocks must begin with a matching number of \
         `tool_result` blocks.",
        "Expected toolResult blocks at {place} for the following Ids: {ids}",
        "an assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    ],
    check: Check::Exchange(Signs::UNANSWERED, check),
};

/// What is said of a call whose result stands too far on.
pub(crate) const SAYS_LATE: &str =
    "the call{of_name} has no tool_result in the next user turn; one stands further on, at {related}";

fn check(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    let says = "the call{of_name} has no tool_result in the next user turn";
    tell_of(scene, scene.open_calls(false), says, true, findings);
}

/// Tell of calls without a result; `is_own`: by this rule. The server names all of one message in
/// one text.
pub(crate) fn tell_of<'s>(
    scene: &Scene<'_>,
    calls: impl Iterator<Item = &'s Call>,
    says: &'static str,
    is_own: bool,
    findings: &mut Vec<Finding>,
) {
    let calls: Vec<_> = calls.collect();
    for calls in calls.chunk_by(|one, next| one.message == next.message) {
        for call in calls {
            let finding = Finding::at_block(scene.history, call.block, says);
            findings.push(if is_own && calls.len() == 1 {
                finding
            } else {
                let ids = calls.iter().map(|call| call.id);
                finding.in_words_of(server_text(call.message).listing(ids))
            });
        }
    }
}

/// What the server says of a call in this message, where it finds no result of it.
pub(crate) fn server_text(message: u32) -> ServerText {
    ServerText::new(RULE.server[0], Place::message(message))
}
