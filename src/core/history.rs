//! A history as the rules see it: small, flat, and independent of where it came from.
//!
//! Values only. A [`Recorder`](crate::Recorder) fills a history; nothing changes it afterwards.

use std::ops::Range;

pub use crate::kinds::{Content, Kind, Role, Side};
pub use crate::marks::Marks;

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

    /// A run of blocks.
    #[must_use]
    pub fn blocks_in(&self, run: Range<u32>) -> &[Block] {
        &self.blocks[run.start as usize..run.end as usize]
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
