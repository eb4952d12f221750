//! A history as the rules see it: small, flat, and independent of where it came from.
//!
//! Values only. A [`Recorder`](crate::Recorder) fills a history; nothing changes it afterwards.

use std::ops::Range;

pub use crate::kinds::{ClearAt, Content, Kind, Nested, Role, Side};
pub use crate::marks::Marks;
pub use crate::tools::{ServerTool, ServerTools};

/// An id that a reader has seen, as a number: equal ids have equal symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// One entry of a message's content.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// The server tool that it calls, or whose result it is.
    pub tool: ServerTool,
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

/// What a block would be like that stands in the wrong role, if it stood in the right one.
#[derive(Clone, Copy, Debug)]
pub struct Misplaced {
    /// The block, as an index into [`History::blocks`].
    pub block: u32,
    /// Its marks, but that of the wrong role.
    pub marks: Marks,
    /// Its server tool.
    pub tool: ServerTool,
    /// `toolset_name`
    pub toolset: Symbol,
    /// `caller.tool_id`
    pub caller: Symbol,
}

/// A tool that a block names: a `tool_reference` in a result, or in a change of tools.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The block, as an index into [`History::blocks`].
    pub block: u32,
    /// The tool's name.
    pub name: Symbol,
}

/// A `cache_control` of a block, or of one inside a result.
#[derive(Clone, Copy, Debug)]
pub struct Breakpoint {
    /// The block, as an index into [`History::blocks`].
    pub block: u32,
    /// Whether it is to live for an hour.
    pub is_long: bool,
    /// Whether it stands on a block inside this one.
    pub is_nested: bool,
}

/// A member that no message or block of its kind has.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// The message.
    pub message: u32,
    /// The block that has it, as an index into [`History::blocks`]; none for the message itself.
    pub block: Option<u32>,
    /// The member's name.
    pub name: Symbol,
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
    /// Whether it has an `output_config`.
    pub has_directive: bool,
    /// When it is to be cleared.
    pub clear_at: ClearAt,
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
    /// Messages of content that holds nothing, in order.
    pub empties: Vec<u32>,
    /// Texts of white space and nothing else, as blocks, in order.
    pub blanks: Vec<u32>,
    /// System messages that say something, or should, in order.
    pub systems: Vec<u32>,
    /// Assistant messages whose last block is thinking, in order.
    pub thought_ends: Vec<u32>,
    /// Compaction blocks, in order.
    pub compactions: Vec<u32>,
    /// Sorted by block.
    pub references: Vec<Reference>,
    /// In order.
    pub breakpoints: Vec<Breakpoint>,
    /// Sorted by message, then by block; filled in only where they were asked for.
    pub extras: Vec<Extra>,
    /// Sorted by block. No rule looks at it.
    pub misplaced: Vec<Misplaced>,
    /// Messages of role `tool` that name the call that they answer beside their text, in order.
    pub tool_messages: Vec<(u32, Symbol)>,
    /// The server tools whose blocks it holds.
    pub server_tools: ServerTools,
    /// Texts that end in white space, in order. Those of the last message are here, others where
    /// they were asked for: a repair may leave them last.
    pub space_ends: Vec<u32>,
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

    /// A run of blocks.
    #[must_use]
    pub fn blocks_in(&self, run: Range<u32>) -> &[Block] {
        &self.blocks[run.start as usize..run.end as usize]
    }

    /// The last block of a message, but for those in the wrong role.
    #[must_use]
    pub fn last_block(&self, message: u32) -> Option<u32> {
        let is_wrong = |block: u32| self.block(block).marks.meets(Marks::WRONG_ROLE);
        self.blocks_of(message).rev().find(|&block| !is_wrong(block))
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

    /// The message before one, past those that no rule sees.
    #[must_use]
    pub fn before(&self, message: u32) -> Option<u32> {
        (0..message).rev().find(|&at| self.messages[at as usize].side != Side::Nowhere)
    }

    /// The message behind one, past those that no rule sees.
    #[must_use]
    pub fn behind(&self, message: u32) -> Option<u32> {
        let end = self.messages.len() as u32;
        (message + 1..end).find(|&at| self.messages[at as usize].side != Side::Nowhere)
    }

    /// Whether a message has content, with nothing in it.
    #[must_use]
    pub fn says_nothing(&self, message: u32) -> bool {
        let content = self.messages[message as usize].content;
        matches!(content, Content::Blocks | Content::Text) && self.blocks_of(message).is_empty()
    }

    /// The tools that the blocks of a message name.
    #[must_use]
    pub fn references_in(&self, message: u32) -> &[Reference] {
        let blocks = self.blocks_of(message);
        let start = self.references.partition_point(|reference| reference.block < blocks.start);
        let end = self.references.partition_point(|reference| reference.block < blocks.end);
        &self.references[start..end]
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

    /// The id, the toolset and the caller of a block, whatever role it stands in.
    #[must_use]
    pub fn pairing_of(&self, block: u32) -> (Symbol, Symbol, Symbol) {
        let id = self.block(block).id;
        if let Some(hidden) = self.misplaced(block) {
            return (id, hidden.toolset, hidden.caller);
        }
        let detail = self.detail(block);
        let caller = detail.map_or(Symbol::NONE, |detail| detail.caller);
        (id, self.toolset(block), caller)
    }

    /// What a block in the wrong role is like.
    #[must_use]
    pub fn misplaced(&self, block: u32) -> Option<&Misplaced> {
        if !self.block(block).marks.meets(Marks::WRONG_ROLE) {
            return None;
        }
        let found = self.misplaced.binary_search_by_key(&block, |misplaced| misplaced.block);
        found.ok().map(|index| &self.misplaced[index])
    }

    /// The `cache_control`s of a block and of those inside it.
    #[must_use]
    pub fn breakpoints_of(&self, block: u32) -> &[Breakpoint] {
        run(&self.breakpoints, |at| at.block, block)
    }

    /// The tools that a block names.
    #[must_use]
    pub fn references_of(&self, block: u32) -> &[Reference] {
        run(&self.references, |reference| reference.block, block)
    }

    /// The members of a block that its kind has not.
    pub fn extras_of_block(&self, block: u32) -> impl Iterator<Item = &Extra> {
        let extras = self.extras_in(self.message_of(block));
        let start = extras.partition_point(|extra| extra.block < Some(block));
        extras[start..].iter().take_while(move |extra| extra.block == Some(block))
    }

    /// The members of a message that no message has.
    pub fn extras_of_message(&self, message: u32) -> impl Iterator<Item = &Extra> {
        self.extras_in(message).iter().filter(|extra| extra.block.is_none())
    }

    fn extras_in(&self, message: u32) -> &[Extra] {
        run(&self.extras, |extra| extra.message, message)
    }
}

/// The entries of one key in a list that is sorted by it.
fn run<T>(sorted: &[T], key: impl Fn(&T) -> u32, wanted: u32) -> &[T] {
    let start = sorted.partition_point(|entry| key(entry) < wanted);
    let length = sorted[start..].partition_point(|entry| key(entry) == wanted);
    &sorted[start..start + length]
}
