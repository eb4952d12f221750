//! `malformed-system-message`: a system message with nothing in it, or with what it may not hold.

use crate::history::{History, Kind, Marks};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP412",
    slug: "malformed-system-message",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &["misplaced-system-message"],
    what: "A system message holds nothing, a blank text, or a block that it may not hold.",
    why: "A system message holds text and changes of tools, nothing else, and its texts must say \
          something. It may be empty only where it has an `output_config`.",
    mend: "Drop what is empty or blank; move other blocks to a user message.",
    example: r#"[{"role": "user", "content": "q"}, {"role": "system", "content": []}]"#,
    source: "live probes of the endpoint, published 2026-09",
    server: &[
        "{place}: system content must contain at least one block",
        "{place}: role 'system' supports text, tool_addition, and tool_removal blocks only",
        "{place}: system text blocks must contain non-whitespace text",
    ],
    check: Check::Message(Marks::ODD_SYSTEM, check),
};

/// The server looks in this order, and between the second and the third at the message's place.
fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let fault = misshapen(whole.history, message).or_else(|| blank(whole.history, message));
    findings.extend(fault);
}

/// What is wrong with a system message, wherever it stands.
pub(crate) fn misshapen(history: &History, message: u32) -> Option<Finding> {
    if history.says_nothing(message) {
        let says = "the system message holds nothing";
        let is_fault = !history.messages[message as usize].has_directive;
        return is_fault.then(|| Finding::at(Place::message(message), says));
    }
    let is_wrong = |&block: &u32| {
        let kind = history.block(block).kind;
        matches!(kind, Kind::Media | Kind::Attachment | Kind::Thinking | Kind::Compaction | Kind::Fallback)
            || matches!(kind, Kind::Connector | Kind::Other)
    };
    let block = history.blocks_of(message).find(is_wrong)?;
    let says = "a system message holds text and changes of tools, and no such block";
    Some(Finding::at_block(history, block, says).in_words(1))
}

fn blank(history: &History, message: u32) -> Option<Finding> {
    let blank = Marks::EMPTY_TEXT.with(Marks::BLANK_TEXT);
    let mut blocks = history.blocks_of(message);
    let block = blocks.find(|&block| history.block(block).marks.meets(blank))?;
    Some(Finding::at_block(history, block, "the system message has a blank text").in_words(2))
}
