//! What is at hand while exchanges are put together anew.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::draft::Sheet;
use super::match_results::Matches;
use super::piece::{Piece, Source};
use crate::exchange::Call;
use crate::history::{History, Marks, Symbol};
use crate::rule::Rule;

/// What an exchange is put together from.
pub(super) struct Job<'j> {
    pub(super) current: &'j History,
    pub(super) matches: &'j Matches,
    /// Server calls and results that can never be whole, and the rules that say so.
    pub(super) doomed: &'j BTreeMap<u32, &'static Rule>,
    /// The new ids of calls, by their blocks.
    pub(super) new_ids: &'j HashMap<u32, Symbol>,
    /// Blocks of exchanges that are put together anew, until they are used.
    pub(super) pieces: Opened,
    /// Whether real results keep the toolset that they name.
    pub(super) keeps_toolsets: bool,
}

/// Blocks of the draft that were opened, until they are used.
pub(super) struct Opened {
    /// By block, one more than the place of its piece; zero if it was not opened.
    places: Vec<u32>,
    /// The pieces, and the blocks of the history that they are.
    pieces: Vec<(Option<Piece>, Option<u32>)>,
}

impl Opened {
    pub(super) fn new(current: &History) -> Opened {
        Opened { places: vec![0; current.blocks.len()], pieces: Vec::new() }
    }

    /// The blocks of a message, as its sheet has them.
    pub(super) fn open(&mut self, history: &History, sheet: &Sheet, blocks: Range<u32>) {
        for (block, piece) in blocks.zip(sheet.all_pieces(history).into_owned()) {
            self.add(block, piece);
        }
    }

    fn add(&mut self, block: u32, piece: Piece) {
        let origin = piece.origin();
        self.pieces.push((Some(piece), origin));
        self.places[block as usize] = self.pieces.len() as u32;
    }

    fn place(&self, block: u32) -> Option<usize> {
        (self.places[block as usize] as usize).checked_sub(1)
    }

    /// The block of the history that a block of the draft is.
    pub(super) fn origin(&self, block: u32) -> Option<u32> {
        self.pieces[self.place(block)?].1
    }
}

impl Job<'_> {
    /// Take a block of the draft.
    pub(super) fn take(&mut self, block: u32) -> Option<Piece> {
        let place = self.pieces.place(block)?;
        self.pieces.pieces[place].0.take()
    }

    /// Give a result the id and the toolset of its call.
    pub(super) fn fit(&self, call: &Call, result: &mut Piece) {
        result.block.id = self.new_ids.get(&call.block).copied().unwrap_or(call.id);
        result.block.marks.remove(Marks::ODD_ID.with(Marks::BAD_ID).with(Marks::SERVER_ID));
        let is_made = matches!(result.source, Source::Missing(_));
        if is_made || !self.keeps_toolsets {
            result.belong_to(self.current.toolset(call.block));
        }
    }
}
