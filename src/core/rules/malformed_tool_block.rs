//! `malformed-tool-block`: a call or a result that lacks a member it must have.

use crate::history::{Kind, Marks};
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP006",
    slug: "malformed-tool-block",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A call lacks its id, name or input, or a result lacks its tool_use_id.",
    why: "A call needs a string `id`, a string `name` and an object `input`; a result needs a \
          string `tool_use_id`. A reply cut off at `max_tokens`, or arguments kept as a JSON \
          string, leave such blocks.",
    mend: "Parse a JSON string into an object, turn an empty input into {}, and give the result \
           the id of its call. Drop a call that was cut off before its id or name.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": "{}"}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]"#,
    source: "live probes and public issues",
    server: &[
        "{at}.tool_result.tool_use_id: Field required",
        "{at}.tool_use.input: Input should be a valid dictionary",
        "{at}.tool_use.input: Field required",
        "{at}.tool_use.id: Field required",
        "{at}.tool_use.name: Field required",
    ],
    check: Check::Message(Marks::MALFORMED, check),
};

fn check(whole: &Whole<'_>, message: u32, findings: &mut Vec<Finding>) {
    let history = whole.history;
    for index in history.blocks_of(message) {
        let block = history.block(index);
        if !block.marks.meets(Marks::MALFORMED) {
            continue;
        }
        let (says, words) = match (block.kind.is_result(), block.marks) {
            (true, _) => ("the result has no tool_use_id, or one that is no string", 0),
            (false, m) if m.meets(Marks::BAD_ID) => {
                ("the call has no id, or one that is no string", 3)
            }
            (false, m) if m.meets(Marks::BAD_NAME) => {
                ("the call has no name, or one that is no string", 4)
            }
            _ => ("the input of '{name}' is absent or no object", 1),
        };
        let finding = Finding::at_block(history, index, says);
        let is_client = matches!(block.kind, Kind::ToolUse | Kind::ToolResult);
        let finding = if is_client { finding.in_words(words) } else { finding.in_unknown_words() };
        findings.push(finding);
    }
}
