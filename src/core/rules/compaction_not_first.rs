//! `compaction-not-first`: a compaction on demand that does not begin the list.

use crate::context::Context;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP702",
    slug: "compaction-not-first",
    severity: Severity::Warning,
    when: When::Always,
    yields_to: &[],
    what: "A compaction made on demand is not the first block of the list.",
    why: "With the beta compact-2026-09-04 the block that comes back stands first in `messages`, \
          in place of the messages that it sums up. Compaction at a threshold, an older beta, \
          leaves the old messages where they are.",
    mend: "Drop the messages that were compacted, and begin the list with the block.",
    example: r#"{"betas": ["compact-2026-09-04"], "messages": [
 {"role": "user", "content": "q"},
 {"role": "assistant", "content": [
    {"type": "compaction", "content": "s", "encrypted_content": "E"}]},
 {"role": "user", "content": "x"}]}"#,
    source: "documentation on compaction",
    server: &[],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let history = whole.history;
    if history.compactions.is_empty() || !is_made_on_demand(whole.context) {
        return;
    }
    for &block in &history.compactions {
        if block > 0 || history.message_of(block) > 0 {
            let says = "the compaction does not stand first in the list";
            findings.push(Finding::at_block(history, block, says));
        }
    }
}

/// Whether compactions are made on demand, and so must stand first.
pub(crate) fn is_made_on_demand(context: &Context) -> bool {
    context.has_beta("compact-2026-09-04")
}
