//! `cache-control-on-thinking`: a cache marker on a thinking block.

use crate::history::Kind;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP509",
    slug: "cache-control-on-thinking",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "A thinking block carries cache_control.",
    why: "Thinking is cached with what stands around it, and takes no marker of its own. Clients \
          that mark the first or the last block, whatever it is, meet this.",
    mend: "Set the marker on a block beside it, or leave it out.",
    example: r#"[{"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "SIG",
     "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "a"}]},
 {"role": "user", "content": "x"}]"#,
    source: "documentation on prompt caching; public issues",
    server: &[
        "{place}.thinking.cache_control: Extra inputs are not permitted",
        "{place}.redacted_thinking.cache_control: Extra inputs are not permitted",
        "cache_control: Extra inputs are not permitted",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    let markers = history.breakpoints.iter().map(|marker| marker.block);
    for block in markers.filter(|&block| history.block(block).kind == Kind::Thinking) {
        findings.push(Finding::at_block(history, block, "a thinking block carries cache_control"));
    }
}
