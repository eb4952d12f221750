//! A block while a history is mended: where it comes from, and what is changed about it.

use crate::history::{Block, History, Kind, Marks, ServerTool, Symbol};
use crate::location::Place;

/// Where a piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// This block of the history.
    Block(u32),
    /// A result for this call, which has none.
    Missing(u32),
    /// The result that this message of role `tool` is.
    ToolMessage(u32),
    /// This block, as a text: a result that answers nothing, or a block that no one may send.
    AsText(u32),
    /// What this result holds beside search results.
    Others(u32),
    /// These words.
    Words(&'static str),
}

/// What is changed about a piece, beside its ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Changes(pub u16);

impl Changes {
    /// Its own `cache_control` goes.
    pub const NO_CACHE: Changes = Changes(1);
    /// The `cache_control`s inside it go.
    pub const NO_NESTED_CACHE: Changes = Changes(1 << 1);
    /// Its `input` becomes an object.
    pub const INPUT: Changes = Changes(1 << 2);
    /// White space at its end goes.
    pub const STRIPPED: Changes = Changes(1 << 3);
    /// Blocks inside it that results may not hold become texts.
    pub const FLAT: Changes = Changes(1 << 4);
    /// All inside it becomes text.
    pub const PLAIN: Changes = Changes(1 << 5);
    /// It gets a text.
    pub const FILLED: Changes = Changes(1 << 6);
    /// Members that blocks of its kind do not have are dropped.
    pub const NO_EXTRAS: Changes = Changes(1 << 7);
    /// What is not a search result goes.
    pub const SEARCHES: Changes = Changes(1 << 8);

    /// Those that change what a result holds.
    const CONTENT: Changes = Changes(Changes::FLAT.0 | Changes::PLAIN.0 | Changes::SEARCHES.0);

    /// Whether this change is among them.
    #[must_use]
    pub fn hold(self, change: Changes) -> bool {
        self.0 & change.0 != 0
    }

    fn add(&mut self, change: Changes) {
        self.0 |= change.0;
    }
}

/// A block of the mended history.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Where it comes from.
    pub source: Source,
    /// What it is by now.
    pub block: Block,
    /// `toolset_name` by now.
    pub toolset: Symbol,
    /// `caller.tool_id` by now.
    pub caller: Symbol,
    /// What else is changed.
    pub changes: Changes,
    /// Pieces that become part of its content.
    pub folded: Vec<Piece>,
}

impl Piece {
    /// A block as it is.
    pub(super) fn of(history: &History, block: u32) -> Piece {
        let mut facts = history.block(block);
        if let Some(hidden) = history.misplaced(block) {
            facts.marks = hidden.marks;
            facts.tool = hidden.tool;
        }
        let (_, toolset, caller) = history.pairing_of(block);
        Piece {
            source: Source::Block(block),
            block: facts,
            toolset,
            caller,
            changes: Changes::default(),
            folded: Vec::new(),
        }
    }

    /// A piece that was no block of this kind before.
    pub(super) fn made(source: Source, kind: Kind, id: Symbol) -> Piece {
        let block = Block { kind, tool: ServerTool::Unknown, marks: Marks::NONE, id };
        let (toolset, caller) = (Symbol::NONE, Symbol::NONE);
        Piece { source, block, toolset, caller, changes: Changes::default(), folded: Vec::new() }
    }

    /// What it is by now.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.block.kind
    }

    /// Change it, and forget the marks that go with what was changed.
    pub(super) fn change(&mut self, change: Changes, cured: Marks) {
        self.changes.add(change);
        self.block.marks.remove(cured);
    }

    /// Name another toolset. Without one, what a toolset gives is not asked.
    pub(super) fn belong_to(&mut self, toolset: Symbol) {
        self.toolset = toolset;
        if !toolset.is_some() {
            self.block.marks.remove(Marks::ODD_TOOLSET);
        }
    }

    /// Whether it is this block of the history, and nothing of it was changed.
    #[must_use]
    pub fn is_untouched(&self, history: &History, block: u32) -> bool {
        self.source == Source::Block(block)
            && self.changes == Changes::default()
            && self.folded.is_empty()
            && (self.block.id, self.toolset, self.caller) == history.pairing_of(block)
    }

    /// Whether pieces are the blocks of this message of the history, and nothing of them was
    /// changed.
    #[must_use]
    pub fn are_untouched(pieces: &[Piece], history: &History, message: u32) -> bool {
        let blocks = history.blocks_of(message);
        blocks.len() == pieces.len()
            && blocks.zip(pieces).all(|(block, piece)| piece.is_untouched(history, block))
    }

    /// Whether what it will hold is all known.
    pub(super) fn is_sure(&self, history: &History, makes_results: bool) -> bool {
        let known = match self.source {
            Source::Block(block) => history.pairing_of(block).1 == self.toolset,
            Source::Missing(_) => !makes_results,
            Source::Words(_) => true,
            Source::ToolMessage(_) | Source::AsText(_) | Source::Others(_) => false,
        };
        known && self.folded.is_empty() && !self.changes.hold(Changes::CONTENT)
    }

    /// The block of the history that it is, or was.
    pub(super) fn origin(&self) -> Option<u32> {
        match self.source {
            Source::Block(block) | Source::AsText(block) | Source::Others(block) => Some(block),
            Source::Missing(call) => Some(call),
            Source::ToolMessage(_) | Source::Words(_) => None,
        }
    }

    /// Where it stood in the list as given, and the id that it had there.
    pub(super) fn as_given(&self, history: &History) -> (Place, Symbol) {
        let place = match self.source {
            Source::ToolMessage(message) => Place::message(message),
            _ => self.origin().map_or(Place::LIST, |block| Place::block(history, block)),
        };
        let id = match self.source {
            Source::Block(at) | Source::AsText(at) | Source::Missing(at) => history.block(at).id,
            _ => self.block.id,
        };
        (place, id)
    }
}
