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
    too_many_messages
    unknown_role
    malformed_content
    unknown_member
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
    tools_not_declared
    toolset_name_mismatch
    orphan_server_tool_result
    server_tool_use_without_result
    content_beside_open_server_call
    open_server_tool_not_declared
    malformed_server_tool_id
    unknown_server_tool
    client_result_for_server_tool
    server_block_in_wrong_role
    content_beside_programmatic_result
    advisor_tool_not_declared
    mcp_tool_use_without_result
    malformed_tool_use_id
    malformed_tool_name
    empty_user_turn
    empty_assistant_message
    empty_text_block
    whitespace_text_block
    cache_control_on_empty_text
    trailing_whitespace
    assistant_prefill
    first_message_not_user
    roles_do_not_alternate
    system_role_not_supported
    misplaced_system_message
    malformed_system_message
    misplaced_clear_at
    misplaced_tool_change
    block_in_wrong_role
    thinking_missing_before_tool_use
    thinking_not_first
    thinking_when_disabled
    thinking_block_last
    adjacent_thinking_blocks
    malformed_thinking_block
    cache_control_on_thinking
    blocks_before_fallback
    empty_error_result
    block_not_allowed_in_result
    mixed_search_results
    unknown_tool_reference
    too_many_cache_breakpoints
    malformed_toolset_result
    empty_compaction
    compaction_not_first
}
