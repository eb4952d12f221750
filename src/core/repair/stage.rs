//! The order in which the faults inside messages are looked at.

use crate::violation::Violation;

/// When in a round a fault inside a message is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// First: it is about whose message it is.
    Roles,
    /// Then: it is about what a message holds.
    Rest,
    /// Last, behind calls and results: it is about how messages follow each other.
    Order,
}

impl Stage {
    pub(super) fn of(found: &Violation) -> Stage {
        match found.rule.slug {
            slug if ROLES.contains(&slug) => Stage::Roles,
            slug if ORDER.contains(&slug) => Stage::Order,
            _ => Stage::Rest,
        }
    }
}

const ROLES: &[&str] = &[
    "unknown-role",
    "tool-block-in-wrong-role",
    "server-block-in-wrong-role",
    "block-in-wrong-role",
    "system-role-not-supported",
];

const ORDER: &[&str] = &["roles-do-not-alternate", "first-message-not-user", "assistant-prefill"];
