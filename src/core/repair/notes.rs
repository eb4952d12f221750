//! Edits, noted where they are made: each names its place in the list as given.

use super::draft::Sheet;
use super::piece::Piece;
use super::{Action, Edit, Mender};
use crate::history::Symbol;
use crate::location::Place;
use crate::rule::Rule;

impl Mender<'_> {
    /// Note an edit of a piece.
    pub(super) fn note(
        &mut self,
        piece: &Piece,
        rule: &'static Rule,
        action: Action,
        is_safe: bool,
        says: &'static str,
    ) {
        let ((place, id), new_id) = (piece.as_given(self.history), Symbol::NONE);
        self.edits.push(Edit { place, rule, action, says, id, new_id, is_safe });
    }

    /// Note an edit of the block at a place of the draft.
    pub(super) fn note_block(
        &mut self,
        sheet: usize,
        block: usize,
        rule: &'static Rule,
        action: Action,
        is_safe: bool,
        says: &'static str,
    ) {
        let history = self.history;
        let ((place, id), new_id) = (self.piece(sheet, block).as_given(history), Symbol::NONE);
        self.edits.push(Edit { place, rule, action, says, id, new_id, is_safe });
    }

    /// Note that a block gets another id. `place` and `id`: as it was given.
    pub(super) fn note_rename(
        &mut self,
        (place, id): (Place, Symbol),
        rule: &'static Rule,
        new_id: Symbol,
        says: &'static str,
    ) {
        let (action, is_safe) = (Action::Rename, true);
        self.edits.push(Edit { place, rule, action, says, id, new_id, is_safe });
    }

    /// Note an edit of a message of the draft.
    pub(super) fn note_sheet(
        &mut self,
        sheet: usize,
        rule: &'static Rule,
        action: Action,
        is_safe: bool,
        says: &'static str,
    ) {
        let message = self.origin_of_sheet(&self.sheets[sheet]);
        self.note_at(message, rule, action, is_safe, says);
    }

    /// Note an edit of a message of the history.
    pub(super) fn note_at(
        &mut self,
        message: Option<u32>,
        rule: &'static Rule,
        action: Action,
        is_safe: bool,
        says: &'static str,
    ) {
        let place = message.map_or(Place::LIST, Place::message);
        let (id, new_id) = (Symbol::NONE, Symbol::NONE);
        self.edits.push(Edit { place, rule, action, says, id, new_id, is_safe });
    }

    /// Where a message of the draft comes from; one that was made, from what it is made of.
    pub(super) fn origin_of_sheet(&self, sheet: &Sheet) -> Option<u32> {
        let piece = sheet.pieces.iter().flatten().find_map(Piece::origin);
        sheet.origin.or(piece.map(|block| self.history.message_of(block)))
    }
}
