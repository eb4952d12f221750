//! `thinking-missing-before-tool-use`: a running tool loop that does not begin with thinking.

use std::iter::successors;

use crate::context::Thinking;
use crate::endpoint::Endpoint;
use crate::history::{History, Kind, Side};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP501",
    slug: "thinking-missing-before-tool-use",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "Thinking is enabled, and the turn that opened the running tool loop has none before its \
           calls.",
    why: "In manual mode the assistant turn that opens the running tool loop must come back with \
          the thinking that led to its calls. Frameworks that store only text and calls lose it. \
          The loop runs while the list ends in results.",
    mend: "Send the thinking as it came. It cannot be made up: if it is lost, disable thinking for \
           this request.",
    example: r#"{"thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]}"#,
    source: "documentation on extended thinking; public issues",
    server: &[
        "{type_at}: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When \
         `thinking` is enabled, a final `assistant` message must start with a thinking block \
         (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
         include thinking blocks from previous turns. To avoid this requirement, disable \
         `thinking`.",
        "{type_at}: Expected `thinking` or `redacted_thinking`, but found `text`. When \
         `thinking` is enabled, a final `assistant` message must start with a thinking block \
         (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
         include thinking blocks from previous turns. To avoid this requirement, disable \
         `thinking`.",
        "{type_at}: Expected `thinking` or `redacted_thinking`, but found `{kind}`.",
        "The `content[].thinking` in the thinking mode must be passed back to the API.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if whole.context.thinking != Some(Thinking::Enabled) {
        return;
    }
    let Some(opening) = opening(history, whole.endpoint) else { return };
    if calls_first(history, whole.endpoint, opening) {
        let says = "thinking is enabled, and the turn that opens the tool loop has none before its \
                    calls";
        let first = history.blocks_of(opening).start;
        let finding = Finding::at_block(history, first, says);
        findings.push(match history.block(first).kind {
            Kind::ToolUse => finding,
            Kind::Text => finding.in_words(1),
            _ => finding.in_unknown_words(),
        });
    }
}

/// Whether the turn that begins with this message calls before it thinks.
pub(crate) fn calls_first(history: &History, endpoint: &Endpoint, opening: u32) -> bool {
    let goes_on = |&at: &u32| {
        let next = history.behind(at).filter(|_| endpoint.joins);
        next.filter(|&next| history.messages[next as usize].side == Side::Assistant)
    };
    let last = successors(Some(opening), goes_on).last().unwrap_or(opening);
    let blocks = history.blocks_of(opening).start..history.messages[last as usize].end;
    let decides = |kind| matches!(kind, Kind::Thinking | Kind::ToolUse);
    let mut kinds = history.blocks_in(blocks).iter().map(|block| block.kind);
    kinds.find(|&kind| decides(kind)) == Some(Kind::ToolUse)
}

/// The first assistant message of the tool loop that runs: the list ends in results, and it stands
/// behind the last user turn without any.
pub(crate) fn opening(history: &History, endpoint: &Endpoint) -> Option<u32> {
    let side = |at: u32| history.messages[at as usize].side;
    let last = history.before(history.messages.len() as u32);
    let last = last.filter(|&last| side(last) == Side::User)?;
    let mut opening = None;
    // Whether the running user turn, seen from its end, holds results so far.
    let mut answers = None;
    for at in successors(Some(last), |&at| history.before(at)) {
        let is_user = side(at) == Side::User;
        let goes_on = is_user && endpoint.joins && answers.is_some();
        if !goes_on && answers == Some(false) {
            break;
        }
        let has_results = history.messages[at as usize].has_results;
        answers = is_user.then_some(has_results || goes_on && answers == Some(true));
        if side(at) == Side::Assistant {
            opening = Some(at);
        }
    }
    opening
}
