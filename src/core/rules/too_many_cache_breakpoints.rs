//! `too-many-cache-breakpoints`: a fifth cache marker, or a long-lived one behind a shorter one.

use crate::context::Breakpoints;
use crate::location::Place;
use crate::rule::{Check, Rule, When, Whole};
use crate::violation::{Finding, Severity};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    code: "TP606",
    slug: "too-many-cache-breakpoints",
    severity: Severity::Error,
    when: When::Always,
    yields_to: &[],
    what: "The request has more than four cache_control markers, or one of an hour after a \
           shorter one.",
    why: "Tools, system prompt and messages together take four markers; those inside results \
          count, and so does the request's own. Markers of an hour stand before those of five \
          minutes.",
    mend: "Drop the earliest markers in the messages, and keep one time to live.",
    example: r#"[{"role": "user", "content": [
    {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "c", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "d", "cache_control": {"type": "ephemeral"}},
    {"type": "text", "text": "e", "cache_control": {"type": "ephemeral"}}]}]"#,
    source: "documentation on prompt caching; live probe; public issues",
    server: &[
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        "A maximum of 4 blocks with cache_control may be provided.",
    ],
    check: Check::List(check),
};

fn check(whole: &Whole<'_>, findings: &mut Vec<Finding>) {
    let (history, elsewhere) = (whole.history, whole.context.breakpoints);
    let markers = &history.breakpoints;
    let count = markers.len() + elsewhere.count();
    let (mut fifth, mut latest) = (None, None);
    if count > Breakpoints::MOST {
        // The request's own marker stands at its end: then the last of the others is named.
        let at = Breakpoints::MOST.saturating_sub(elsewhere.before as usize);
        let at = at.min(markers.len().saturating_sub(1));
        fifth = markers.get(at).map(|marker| marker.block);
        let says = "the request has more than four cache_control markers";
        let finding = match fifth {
            Some(block) => Finding::at_block(history, block, says),
            None => Finding::at(Place::LIST, says),
        };
        findings.push(finding.in_words(usize::from(count > Breakpoints::MOST + 1)));
    }
    let mut follows_short = elsewhere.has_short;
    for marker in markers {
        let is_told = [fifth, latest].contains(&Some(marker.block));
        if marker.is_long && follows_short && !is_told {
            latest = Some(marker.block);
            let says = "a cache_control of an hour stands after a shorter one";
            findings.push(Finding::at_block(history, marker.block, says).in_unknown_words());
        }
        follows_short |= !marker.is_long;
    }
}
