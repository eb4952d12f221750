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
    /// Rules, by slug, that have another severity here; those that are off elsewhere are on.
    pub differs: &'static [(&'static str, Severity)],
}

/// All endpoints, the default first.
///
/// Source: public issues, documentation and probes of each server, as of 2026-11.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint { name: "anthropic", joins: true, is_strict: false, differs: &[] },
    Endpoint {
        name: "bedrock",
        joins: true,
        is_strict: false,
        differs: &[("tools-not-declared", Severity::Warning)],
    },
    Endpoint { name: "vertex", joins: true, is_strict: false, differs: &[] },
    Endpoint {
        name: "deepseek",
        joins: false,
        is_strict: false,
        differs: &[
            ("split-tool-results", Severity::Error),
            ("content-after-tool-use", Severity::Error),
            ("empty-assistant-message", Severity::Error),
        ],
    },
    Endpoint {
        name: "kimi",
        joins: true,
        is_strict: false,
        differs: &[("empty-assistant-message", Severity::Error)],
    },
    Endpoint {
        name: "strict",
        joins: false,
        is_strict: true,
        differs: &[
            ("first-message-not-user", Severity::Error),
            ("roles-do-not-alternate", Severity::Error),
            ("tools-not-declared", Severity::Error),
        ],
    },
];

impl Endpoint {
    /// The endpoint of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Endpoint> {
        ENDPOINTS.iter().find(|endpoint| endpoint.name == name)
    }

    /// Whether two messages of one role may not follow each other.
    #[must_use]
    pub fn alternates(&self) -> bool {
        self.differs.iter().any(|(slug, _)| *slug == "roles-do-not-alternate")
    }

    /// What is said here of a rule in particular.
    #[must_use]
    pub fn differing(&self, rule: &Rule) -> Option<Severity> {
        self.differs.iter().find(|(slug, _)| *slug == rule.slug).map(|(_, severity)| *severity)
    }

    /// How much a finding matters here.
    #[must_use]
    pub fn severity(&self, rule: &Rule, found: Option<Severity>) -> Severity {
        match self.differing(rule) {
            _ if self.is_strict => Severity::Error,
            Some(severity) => severity,
            None => found.unwrap_or(rule.severity),
        }
    }
}
