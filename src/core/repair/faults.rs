//! Which faults lie between messages.

use crate::violation::Violation;

/// A server call or result that can never be whole.
pub(super) fn is_about_server(found: &Violation) -> bool {
    matches!(
        found.rule.slug,
        "server-tool-use-without-result"
            | "mcp-tool-use-without-result"
            | "orphan-server-tool-result"
    )
}

/// More than results while the server works.
pub(super) fn is_beside_server(found: &Violation) -> bool {
    matches!(
        found.rule.slug,
        "content-beside-open-server-call" | "content-beside-programmatic-result"
    )
}

/// What the exchange is put together anew for.
pub(super) fn is_about_pairing(found: &Violation) -> bool {
    is_about_server(found)
        || is_beside_server(found)
        || matches!(
            found.rule.slug,
            "tool-use-without-result"
                | "tool-result-not-first"
                | "orphan-tool-result"
                | "duplicate-tool-result"
                | "duplicate-tool-use-id"
                | "pending-tool-use"
                | "message-between-use-and-result"
                | "split-tool-results"
                | "content-after-tool-use"
                | "client-result-for-server-tool"
                | "malformed-tool-block"
                | "malformed-tool-use-id"
                | "misplaced-system-message"
        )
}
