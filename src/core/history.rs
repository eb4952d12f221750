//! A history as the rules see it: small, flat, and independent of where it came from.
//!
//! Values only. A [`Recorder`](crate::Recorder) fills a history; nothing changes it afterwards.

use std::ops::Range;

/// An id that a reader has seen, as a number: equal ids have equal symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// No id, or one that cannot be used: absent, or not a string.
    pub const NONE: Symbol = Symbol(u32::MAX);

    /// Whether there is an id.
    #[must_use]
    pub fn is_some(self) -> bool {
        self != Symbol::NONE
    }

    /// The symbol as an index into a table of ids.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a message says of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Any other word, or no word at all.
    Unknown,
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
    /// `image`, `document`, `search_result`, `container_upload`
    Media,
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
    /// A type of the API that pairs with nothing: `compaction`, `fallback`, `tool_addition`, …
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
            "image" | "document" | "search_result" | "container_upload" => Kind::Media,
            "server_tool_use" => Kind::ServerToolUse,
            "mcp_tool_use" => Kind::McpToolUse,
            "mcp_tool_result" => Kind::McpToolResult,
            "compaction" | "fallback" | "connector_text" | "mcp_tool_listing"
            | "mid_conv_system" | "tool_addition" | "tool_removal" => Kind::Other,
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

    /// A result that the server gave.
    #[must_use]
    pub fn is_server_result(self) -> bool {
        matches!(self, Kind::ServerToolResult | Kind::McpToolResult)
    }
}

/// A set of single-bit facts. Used for what a rule needs and what a history holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u16);

impl Marks {
    /// Nothing.
    pub const NONE: Marks = Marks(0);
    /// The id breaks the pattern of its kind.
    pub const ODD_ID: Marks = Marks(1);
    /// `caller.tool_id` breaks the pattern of server ids.
    pub const ODD_CALLER: Marks = Marks(1 << 1);
    /// The id begins like a server call's.
    pub const SERVER_ID: Marks = Marks(1 << 2);
    /// The id is absent or no string.
    pub const BAD_ID: Marks = Marks(1 << 3);
    /// `name` is absent or no string.
    pub const BAD_NAME: Marks = Marks(1 << 4);
    /// `input` is absent or no object.
    pub const BAD_INPUT: Marks = Marks(1 << 5);
    /// A tool block that its message's role must not hold.
    pub const WRONG_ROLE: Marks = Marks(1 << 6);
    /// The block is the message's string.
    pub const STRING: Marks = Marks(1 << 7);
    /// The block has a [`Detail`].
    pub const DETAIL: Marks = Marks(1 << 8);
    /// A block of a type that the API does not take, or that is not known here.
    pub const ODD_TYPE: Marks = Marks(1 << 9);
    /// A message whose content is absent or of no known shape.
    pub const ODD_CONTENT: Marks = Marks(1 << 10);
    /// A message whose role the API does not take.
    pub const ODD_ROLE: Marks = Marks(1 << 11);

    /// What keeps a tool block from being whole.
    pub const MALFORMED: Marks = Marks::BAD_ID.with(Marks::BAD_NAME).with(Marks::BAD_INPUT);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, more: Marks) -> Marks {
        Marks(self.0 | more.0)
    }

    /// Whether the sets share a fact.
    #[must_use]
    pub const fn meets(self, other: Marks) -> bool {
        self.0 & other.0 != 0
    }

    /// Add to the set.
    pub fn add(&mut self, more: Marks) {
        self.0 |= more.0;
    }
}

/// One entry of a message's content.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// What is odd or special about it.
    pub marks: Marks,
    /// The id of a call, or of the call that a result answers.
    pub id: Symbol,
}

/// What few blocks carry.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// The block, as an index into [`History::blocks`].
    pub block: u32,
    /// `toolset_name`
    pub toolset: Symbol,
    /// `caller.tool_id`: the server call that made this client call.
    pub caller: Symbol,
}

/// One entry of the list.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// As written.
    pub role: Role,
    /// As understood.
    pub side: Side,
    /// The shape of its content.
    pub content: Content,
    /// The marks of its blocks together, and its own.
    pub marks: Marks,
    /// Whether it holds a thinking block.
    pub thinks: bool,
    /// Whether it holds a `tool_result`.
    pub has_results: bool,
    /// One past its last block.
    pub end: u32,
}

/// A `messages` list, flat.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// In list order.
    pub messages: Vec<Message>,
    /// All messages' blocks, one after another.
    pub blocks: Vec<Block>,
    /// Sorted by block.
    pub details: Vec<Detail>,
}

impl History {
    /// The blocks of a message, as indices into [`History::blocks`].
    #[must_use]
    pub fn blocks_of(&self, message: u32) -> Range<u32> {
        let start = match message {
            0 => 0,
            _ => self.messages[message as usize - 1].end,
        };
        start..self.messages[message as usize].end
    }

    /// The message that holds a block.
    #[must_use]
    pub fn message_of(&self, block: u32) -> u32 {
        self.messages.partition_point(|message| message.end <= block) as u32
    }

    /// A block by its index.
    #[must_use]
    pub fn block(&self, block: u32) -> Block {
        self.blocks[block as usize]
    }

    /// The rarer members of a block.
    #[must_use]
    pub fn detail(&self, block: u32) -> Option<&Detail> {
        if !self.block(block).marks.meets(Marks::DETAIL) {
            return None;
        }
        let found = self.details.binary_search_by_key(&block, |detail| detail.block);
        found.ok().map(|index| &self.details[index])
    }

    /// The toolset that a call or a result names.
    #[must_use]
    pub fn toolset(&self, block: u32) -> Symbol {
        self.detail(block).map_or(Symbol::NONE, |detail| detail.toolset)
    }
}
