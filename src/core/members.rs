//! Which members messages and blocks have.

/// The members of a message.
///
/// Source: the SDK's types of requests, as of 2026-11.
pub const OF_MESSAGE: &[&str] = &["role", "content"];

/// What a system message may have besides.
const OF_SYSTEM: &[&str] = &["output_config", "clear_at"];

/// The members of a block by its `type`, beside `type` itself.
///
/// Source: the SDK's types of requests, as of 2026-11.
#[rustfmt::skip]
const OF_BLOCKS: &[(&str, &[&str])] = &[
    ("text", &["text", "citations", "cache_control"]),
    ("image", &["source", "transformations", "cache_control"]),
    ("document", &["source", "title", "context", "citations", "cache_control"]),
    ("search_result", &["source", "title", "content", "citations", "cache_control"]),
    ("container_upload", &["file_id", "cache_control"]),
    // A marker on thinking has a rule of its own.
    ("thinking", &["thinking", "signature", "cache_control"]),
    ("redacted_thinking", &["data", "cache_control"]),
    ("tool_use", &["id", "name", "input", "caller", "toolset_name", "cache_control"]),
    ("tool_result", &["tool_use_id", "content", "is_error", "toolset_name", "cache_control"]),
    ("server_tool_use", &["id", "name", "input", "caller", "cache_control"]),
    ("mcp_tool_use", &["id", "name", "server_name", "input", "cache_control"]),
    ("mcp_tool_result", &["tool_use_id", "content", "is_error", "cache_control"]),
    ("web_search_tool_result", &["tool_use_id", "content", "caller", "cache_control"]),
    ("web_fetch_tool_result", &["tool_use_id", "content", "caller", "cache_control"]),
    ("code_execution_tool_result", &["tool_use_id", "content", "cache_control"]),
    ("bash_code_execution_tool_result", &["tool_use_id", "content", "cache_control"]),
    ("text_editor_code_execution_tool_result", &["tool_use_id", "content", "cache_control"]),
    ("tool_search_tool_result", &["tool_use_id", "content", "cache_control"]),
    ("advisor_tool_result", &["tool_use_id", "content", "cache_control"]),
    ("compaction", &["content", "encrypted_content", "signature", "tool_changes", "cache_control"]),
    ("fallback", &["from", "to", "trigger"]),
    ("tool_addition", &["tool", "cache_control"]),
    ("tool_removal", &["tool", "cache_control"]),
];

/// Whether a message of this role has a member of this name.
#[must_use]
pub fn message_has(is_system: bool, member: &str) -> bool {
    // Where `clear_at` may stand is a rule of its own.
    OF_MESSAGE.contains(&member) || member == "clear_at" || is_system && OF_SYSTEM.contains(&member)
}

/// The members of a block of this `type`; none if the type is not known.
#[must_use]
pub fn of_block(kind: &str) -> Option<&'static [&'static str]> {
    OF_BLOCKS.iter().find(|(name, _)| *name == kind).map(|(_, members)| *members)
}
