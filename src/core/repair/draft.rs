//! A history while it is mended: messages that were not touched, and messages made of pieces.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::history::{Block, Content, History, Kind, Marks, Role, ServerTool, Side, Symbol};
use crate::location::Place;
use crate::recorder::Recorder;

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

/// A message of the mended history.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The message that it was, whose further members it keeps.
    pub origin: Option<u32>,
    /// Its role by now.
    pub role: Role,
    /// Its blocks; none while they are those of its origin.
    pub pieces: Option<Vec<Piece>>,
    /// Whether its `clear_at` goes.
    pub no_clear_at: bool,
    /// Whether members that messages do not have are dropped.
    pub no_extras: bool,
}

impl Sheet {
    pub(super) fn kept(history: &History, message: u32) -> Sheet {
        let role = history.messages[message as usize].role;
        Sheet { origin: Some(message), role, pieces: None, no_clear_at: false, no_extras: false }
    }

    pub(super) fn new(role: Role, pieces: Vec<Piece>) -> Sheet {
        Sheet { origin: None, role, pieces: Some(pieces), no_clear_at: false, no_extras: false }
    }

    /// Whether it is its origin, untouched.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.pieces.is_none() && !self.no_clear_at && !self.no_extras
    }

    /// Whether it is the message of the history at this place, untouched.
    pub(super) fn stands_at(&self, at: usize) -> bool {
        self.is_kept() && self.origin == Some(at as u32)
    }

    /// Whether it is a directive, which may stand anywhere.
    pub(super) fn is_directive(&self, history: &History) -> bool {
        let side = self.origin.map(|message| history.messages[message as usize].side);
        self.pieces.is_none() && side == Some(Side::Nowhere)
    }

    /// Its blocks, to be changed.
    pub(super) fn open(&mut self, history: &History) -> &mut Vec<Piece> {
        let kept = self.kept_blocks(history);
        self.pieces.get_or_insert_with(|| kept.map(|block| Piece::of(history, block)).collect())
    }

    /// The blocks of the history that are still its own; none once it is made of pieces.
    fn kept_blocks(&self, history: &History) -> Range<u32> {
        match (&self.pieces, self.origin) {
            (None, Some(message)) => history.blocks_of(message),
            _ => 0..0,
        }
    }

    /// Its blocks as pieces, whether they were opened or not.
    pub(super) fn all_pieces(&self, history: &History) -> Cow<'_, [Piece]> {
        let kept = self.kept_blocks(history).map(|block| Piece::of(history, block));
        self.pieces.as_deref().map_or_else(|| kept.collect(), Cow::Borrowed)
    }

    /// For each of its blocks, the block of the history that it is or was.
    pub(super) fn origins(&self, history: &History) -> impl Iterator<Item = Option<u32>> {
        let kept = self.kept_blocks(history).map(Some);
        self.pieces.iter().flatten().map(Piece::origin).chain(kept)
    }

    /// Whether it has no blocks.
    pub(super) fn is_empty(&self, history: &History) -> bool {
        self.origins(history).next().is_none()
    }
}

/// Write a draft down as a history.
pub(super) fn written(history: &History, sheets: &[Sheet]) -> History {
    let mut recorder = Recorder::with_capacity(sheets.len());
    let mut at = 0;
    while at < sheets.len() {
        let run = run_of_kept(&sheets[at..]);
        if run > 0 {
            let first = sheets[at].origin.unwrap_or_default();
            recorder.append_run(history, first..first + run as u32, |symbol| symbol);
            at += run;
            continue;
        }
        record(history, &sheets[at], &mut recorder);
        at += 1;
    }
    recorder.finish()
}

/// How many sheets stand here that are untouched and follow each other in the history.
fn run_of_kept(sheets: &[Sheet]) -> usize {
    let first = sheets[0].origin;
    let follows = |(at, sheet): &(usize, &Sheet)| {
        sheet.is_kept() && first.is_some_and(|first| sheet.origin == Some(first + *at as u32))
    };
    sheets.iter().enumerate().take_while(follows).count()
}

fn record(history: &History, sheet: &Sheet, recorder: &mut Recorder) {
    let origin = sheet.origin.map(|message| history.messages[message as usize]);
    let pieces = sheet.all_pieces(history);
    recorder.begin(sheet.role);
    if let Some(origin) = origin.filter(|_| !sheet.no_clear_at) {
        recorder.clear_at(origin.clear_at);
    }
    for piece in &*pieces {
        recorder.again(piece.block, piece.toolset, piece.caller);
        if let Source::Block(block) = piece.source {
            let drops_own = piece.changes.hold(Changes::NO_CACHE);
            let is_flat = piece.changes.hold(Changes::PLAIN);
            let drops_nested = piece.changes.hold(Changes::NO_NESTED_CACHE) || is_flat;
            for at in history.breakpoints_of(block) {
                if !(if at.is_nested { drops_nested } else { drops_own }) {
                    recorder.cached(at.is_long, at.is_nested);
                }
            }
            for reference in history.references_of(block).iter().filter(|_| !is_flat) {
                recorder.refers_again(reference.name);
            }
            let is_open = history.space_ends.binary_search(&block).is_ok();
            if is_open && !piece.changes.hold(Changes::STRIPPED) {
                recorder.ends_in_space();
            }
            if !piece.changes.hold(Changes::NO_EXTRAS) {
                for extra in history.extras_of_block(block) {
                    recorder.extra(extra.name, true);
                }
            }
        }
    }
    if let Some(message) = sheet.origin.filter(|_| !sheet.no_extras) {
        for extra in history.extras_of_message(message) {
            recorder.extra(extra.name, false);
        }
    }
    let has_directive = origin.is_some_and(|origin| origin.has_directive);
    let shape = origin.filter(|_| sheet.pieces.is_none()).map(|origin| origin.content);
    let is_none = |shape: &Content| matches!(shape, Content::Malformed | Content::Missing);
    recorder.end(shape.filter(is_none).unwrap_or(Content::Blocks), has_directive);
}

/// A number that tells drafts apart; messages that stand as they stood add nothing to it.
pub(super) fn fingerprint(sheets: &[Sheet]) -> u64 {
    let mut state = DefaultHasher::new();
    sheets.len().hash(&mut state);
    for (at, sheet) in sheets.iter().enumerate() {
        if sheet.stands_at(at) {
            continue;
        }
        (at, sheet.origin, sheet.role, sheet.no_clear_at, sheet.no_extras).hash(&mut state);
        for piece in sheet.pieces.iter().flatten() {
            (piece.source, piece.block.id, piece.toolset, piece.caller).hash(&mut state);
            (piece.changes, piece.folded.len()).hash(&mut state);
        }
        sheet.pieces.as_ref().map(Vec::len).hash(&mut state);
    }
    state.finish()
}
