//! Who will receive the history, and what they do differently. Data, not code.

use crate::rule::Rule;
use crate::violation::Severity;

/// A server that takes Anthropic's wire format.
#[derive(Debug)]
pub struct Endpoint {
    /// As `endpoint=` names it.
    pub name: &'static str,
    /// Whether adjacent messages of one role are one turn.
    pub joins: bool,
    /// Whether every warning is an error.
    pub is_strict: bool,
    /// Rules that are errors here.
    pub errors: &'static [&'static str],
}

/// All endpoints, the default first.
///
/// Source: public issues, documentation and probes of each server, as of 2026-11.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint { name: "anthropic", joins: true, is_strict: false, errors: &[] },
    Endpoint {
        name: "deepseek",
        joins: false,
        is_strict: false,
        errors: &["split-tool-results", "content-after-tool-use"],
    },
    Endpoint { name: "strict", joins: false, is_strict: true, errors: &[] },
];

impl Endpoint {
    /// The endpoint of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Endpoint> {
        ENDPOINTS.iter().find(|endpoint| endpoint.name == name)
    }

    /// How much a finding matters here.
    #[must_use]
    pub fn severity(&self, rule: &Rule, found: Option<Severity>) -> Severity {
        if self.is_strict || self.errors.contains(&rule.slug) {
            return Severity::Error;
        }
        found.unwrap_or(rule.severity)
    }
}
