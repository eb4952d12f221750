//! The registry: one line a rule, sorted by code.

use crate::rule::Rule;

macro_rules! rules {
    ($($module:ident)*) => {
        $(pub(crate) mod $module;)*

        /// Every rule, sorted by code.
        pub static RULES: &[&Rule] = &[$(&$module::RULE),*];
    };
}

rules! {
    empty_history
    unknown_role
    malformed_content
    malformed_tool_block
    tool_use_without_result
    tool_result_not_first
    orphan_tool_result
    duplicate_tool_result
    duplicate_tool_use_id
    tool_block_in_wrong_role
    pending_tool_use
    message_between_use_and_result
    split_tool_results
    content_after_tool_use
    toolset_name_mismatch
    orphan_server_tool_result
    server_tool_use_without_result
    content_beside_open_server_call
    malformed_server_tool_id
    client_result_for_server_tool
    server_block_in_wrong_role
    mcp_tool_use_without_result
    malformed_tool_use_id
}
