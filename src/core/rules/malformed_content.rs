//! `malformed-content`: content that is no list of blocks, or a block of no known type.

use crate::history::{Content, Kind, Marks};
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP004",
    slug: "malformed-content",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A message's content is neither a string nor a list of blocks with known types.",
    why: "The API reads a string, or a list of objects, each with a `type` that it knows. Types \
          of other APIs are refused. A type that toolpair does not know is only a warning: the \
          API may have grown.",
    mend: "Give a string or a list of blocks (of an SDK reply, its `.content`). Convert other \
           APIs' blocks (`image_url` to `image`, `tool_calls` to `tool_use` blocks) before they \
           enter the history.",
    example: r#"[{"role": "user", "content": [{"type": "input_text", "text": "q"}]}]"#,
    source: "live probe of the endpoint, published 2026-09; public issues",
    server: &[
        "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags",
        "{at}.content: Field required",
        "{at}.content: Input should be a valid array",
        "{at}.content: Input should be a valid list",
        "{at}: Input should be an object",
        "{at}.type: Field required",
    ],
    check: Check::Message(Marks::ODD_TYPE.with(Marks::ODD_FORM), check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    match history.messages[message as usize].content {
        Content::Missing => {
            findings.push(Finding::at(Place::message(message), "the message has no content"));
        }
        Content::Malformed => findings.push(Finding::at(
            Place::message(message),
            "the content is neither a string nor a list of blocks",
        )),
        Content::Blocks | Content::Text => {}
    }
    for block in history.blocks_of(message) {
        let says = match history.block(block).kind {
            Kind::NoObject => "the block is no object",
            Kind::Untyped => "the block has no type",
            Kind::Foreign => "block type '{name}' belongs to another API",
            Kind::Unknown => {
                let says = "block type '{name}' is not known to toolpair";
                findings.push(Finding::at_block(history, block, says).only_a_warning());
                continue;
            }
            _ => continue,
        };
        findings.push(Finding::at_block(history, block, says));
    }
}
