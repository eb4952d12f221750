//! What messages and blocks can be.

/// What a message says of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `system`
    System,
    /// `tool`: a harness's own form; the API knows no such role.
    Tool,
    /// `developer`: another API's word for `system`.
    Developer,
    /// Any other word.
    Unknown,
    /// No string.
    NoText,
}

impl Role {
    /// The role of this name.
    #[must_use]
    pub fn named(name: &str) -> Role {
        match name {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            "tool" => Role::Tool,
            "developer" => Role::Developer,
            _ => Role::Unknown,
        }
    }
}

/// Whose turn a message belongs to. Unknown roles are placed by what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where results stand.
    User,
    /// Where calls stand.
    Assistant,
    /// Where neither stands.
    System,
    /// A system message with a directive and no content: allowed anywhere, seen by no rule.
    Nowhere,
}

/// The shape of a message's `content`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A list of blocks.
    Blocks,
    /// A string. It is recorded as one text block, unless it is empty.
    Text,
    /// The key is absent.
    Missing,
    /// Something else.
    Malformed,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `text`
    Text,
    /// `image`, `document`
    Media,
    /// `search_result`, `container_upload`
    Attachment,
    /// `thinking`, `redacted_thinking`
    Thinking,
    /// `tool_use`: a client call.
    ToolUse,
    /// `tool_result`: its answer.
    ToolResult,
    /// `server_tool_use`
    ServerToolUse,
    /// Any type that ends in `_tool_result` but the client's and MCP's.
    ServerToolResult,
    /// `mcp_tool_use`
    McpToolUse,
    /// `mcp_tool_result`
    McpToolResult,
    /// `compaction`: a summary in place of what stands before it.
    Compaction,
    /// `fallback`: another model went on from here.
    Fallback,
    /// `connector_text`
    Connector,
    /// `tool_addition`, `tool_removal`
    ToolChange,
    /// A type of the API of which no rule says anything: `mcp_tool_listing`, …
    Other,
    /// A type that belongs to another API: `image_url`, `function_call`, …
    Foreign,
    /// A type that is not known here; the API may have grown.
    Unknown,
    /// An object without a `type`, or with one that is no string.
    Untyped,
    /// Not an object at all.
    NoObject,
}

impl Kind {
    /// The kind of a block whose `type` is `name`.
    ///
    /// Source: the block types of the Messages API and its betas, as of 2026-11.
    #[must_use]
    pub fn named(name: &str) -> Kind {
        match name {
            "text" => Kind::Text,
            "tool_use" => Kind::ToolUse,
            "tool_result" => Kind::ToolResult,
            "thinking" | "redacted_thinking" => Kind::Thinking,
            "image" | "document" => Kind::Media,
            "search_result" | "container_upload" => Kind::Attachment,
            "server_tool_use" => Kind::ServerToolUse,
            "mcp_tool_use" => Kind::McpToolUse,
            "mcp_tool_result" => Kind::McpToolResult,
            "compaction" => Kind::Compaction,
            "fallback" => Kind::Fallback,
            "connector_text" => Kind::Connector,
            "tool_addition" | "tool_removal" => Kind::ToolChange,
            "mcp_tool_listing" | "mid_conv_system" => Kind::Other,
            "image_url"
            | "input_text"
            | "output_text"
            | "input_image"
            | "input_file"
            | "input_audio"
            | "refusal"
            | "reasoning"
            | "function"
            | "function_call"
            | "function_call_output"
            | "tool_call"
            | "tool_calls"
            | "toolUse"
            | "toolResult" => Kind::Foreign,
            _ if name.ends_with("_tool_result") => Kind::ServerToolResult,
            _ => Kind::Unknown,
        }
    }

    /// A call, whoever runs it.
    #[must_use]
    pub fn is_call(self) -> bool {
        self == Kind::ToolUse || self.is_server_call()
    }

    /// A result, whoever gave it.
    #[must_use]
    pub fn is_result(self) -> bool {
        self == Kind::ToolResult || self.is_server_result()
    }

    /// A call that the server runs.
    #[must_use]
    pub fn is_server_call(self) -> bool {
        matches!(self, Kind::ServerToolUse | Kind::McpToolUse)
    }

    /// Whether its id must be one that the server gave. MCP's need not.
    #[must_use]
    pub fn has_server_id(self) -> bool {
        matches!(self, Kind::ServerToolUse | Kind::ServerToolResult)
    }

    /// A type that the API does not take, or that is not known here.
    #[must_use]
    pub fn has_odd_type(self) -> bool {
        matches!(self, Kind::Foreign | Kind::Unknown)
    }

    /// What only users send: media, and what is attached.
    #[must_use]
    pub fn is_sent(self) -> bool {
        matches!(self, Kind::Media | Kind::Attachment)
    }

    /// A block that makes the content of its turn more than results.
    #[must_use]
    pub fn stands_beside(self) -> bool {
        !self.is_call() && !self.is_result() && !matches!(self, Kind::Untyped | Kind::NoObject)
    }

    /// A result that the server gave.
    #[must_use]
    pub fn is_server_result(self) -> bool {
        matches!(self, Kind::ServerToolResult | Kind::McpToolResult)
    }
}

/// What a block inside a result's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// `text`
    Text,
    /// `image`
    Image,
    /// `document`
    Document,
    /// `search_result`
    Search,
    /// `tool_reference`
    Reference,
    /// `browser_state`
    BrowserState,
    /// A type of this or of another API that results do not hold; or no object with a type.
    Refused,
    /// A type that is not known here.
    Unknown,
}

impl Nested {
    /// The kind of a nested block whose `type` is `name`.
    #[must_use]
    pub fn named(name: &str) -> Nested {
        match name {
            "text" => Nested::Text,
            "image" => Nested::Image,
            "document" => Nested::Document,
            "search_result" => Nested::Search,
            "tool_reference" => Nested::Reference,
            "browser_state" => Nested::BrowserState,
            _ if Kind::named(name) == Kind::Unknown => Nested::Unknown,
            _ => Nested::Refused,
        }
    }
}

/// What a message says in `clear_at`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClearAt {
    /// Nothing: it has none, or null.
    #[default]
    Absent,
    /// `never`
    Never,
    /// `next_user_message`
    NextUserMessage,
    /// Something else.
    Unknown,
}

impl ClearAt {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> ClearAt {
        match name {
            "never" => ClearAt::Never,
            "next_user_message" => ClearAt::NextUserMessage,
            _ => ClearAt::Unknown,
        }
    }
}
