//! A history while it is mended: messages that were not touched, and messages made of pieces.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::piece::{Changes, Piece, Source};
use crate::history::{Content, History, Role, Side};
use crate::recorder::Recorder;

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
