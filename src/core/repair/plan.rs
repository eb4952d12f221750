//! What is wished of a repair, and what it comes to.

use super::draft::Sheet;
use crate::context::Context;
use crate::history::{History, Symbol};
use crate::location::Place;
use crate::rule::Rule;
use crate::violation::Report;

/// What is wished for where there is a choice.
#[derive(Clone, Copy, Debug)]
pub struct Repair {
    /// What becomes of a call without result.
    pub missing: Missing,
    /// What becomes of a result without call.
    pub orphans: Orphans,
    /// What becomes of thinking behind the first change.
    pub thinking: Stripping,
    /// Calls that wait for their results at the very end are left alone.
    pub allow_pending: bool,
}

/// What becomes of a call without result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It gets one that says that there is none.
    Placeholder,
    /// It goes.
    Drop,
}

/// What becomes of a result without call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    /// It goes.
    Drop,
    /// Its content stays, as a text.
    Text,
}

/// What becomes of thinking behind the first change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stripping {
    /// It stays.
    Keep,
    /// It goes.
    Strip,
    /// It goes, unless the request cannot do without it.
    StripIfLegal,
}

impl Stripping {
    /// What fits the request: thinking goes only if its model is known to bind it.
    #[must_use]
    pub fn auto(context: &Context) -> Stripping {
        match context.binds_thinking() {
            Some(true) => Stripping::StripIfLegal,
            Some(false) | None => Stripping::Keep,
        }
    }
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A result is made for a call.
    Answer,
    /// Something goes.
    Drop,
    /// Something goes elsewhere.
    Move,
    /// An id becomes another.
    Rename,
    /// A message becomes one of another role.
    Recast,
    /// A message becomes several.
    Split,
    /// Messages become one.
    Join,
    /// Members of a block or a message change.
    Change,
    /// A block becomes a text.
    Quote,
    /// A message is put in.
    Insert,
}

impl Action {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Action::Answer => "answer",
            Action::Drop => "drop",
            Action::Move => "move",
            Action::Rename => "rename",
            Action::Recast => "recast",
            Action::Split => "split",
            Action::Join => "join",
            Action::Change => "change",
            Action::Quote => "quote",
            Action::Insert => "insert",
        }
    }
}

/// One change, and the rule that asked for it.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What it changes, in the list as given.
    pub place: Place,
    /// The rule that the history broke.
    pub rule: &'static Rule,
    /// What is done.
    pub action: Action,
    /// The sentence, with `{new_id}` still to be filled in.
    pub says: &'static str,
    /// The call that it is about.
    pub id: Symbol,
    /// The new id, if there is one.
    pub new_id: Symbol,
    /// Whether nothing real is lost, and nothing is guessed.
    pub is_safe: bool,
}

/// The edits that make a history whole, and what comes of them.
#[derive(Debug)]
pub struct RepairPlan {
    /// In the order of the list.
    pub edits: Vec<Edit>,
    /// The new list.
    pub sheets: Vec<Sheet>,
    /// Ids that were not in the history: the first has the symbol behind its last.
    pub new_ids: Vec<String>,
    /// What is still wrong with the new list.
    pub remaining: Report,
    /// The new list, as the rules see it.
    pub history: History,
    /// For each block of it, the block of the old list that it is or was.
    pub origins: Vec<Option<u32>>,
    /// The first message of the new list that is not the old one at its place.
    pub first_changed: Option<u32>,
    /// Whether thinking blocks stand behind it.
    pub thinking_after: bool,
}

impl RepairPlan {
    /// Whether the new list is no other than the rules saw it. If not, it is to be read and mended
    /// again: what was put into a result, or made a text, may hold more than was read of it.
    #[must_use]
    pub fn is_sure(&self, old: &History, makes_results: bool) -> bool {
        let pieces = self.sheets.iter().filter_map(|sheet| sheet.pieces.as_ref()).flatten();
        pieces.into_iter().all(|piece| piece.is_sure(old, makes_results))
    }

    /// Where a message of the new list and its blocks stood in the old list, as far as they did.
    pub fn origins_of(
        &self,
        old: &History,
        message: u32,
    ) -> (Option<u32>, impl Iterator<Item = Option<Place>>) {
        let blocks = self.history.blocks_of(message);
        let origins = &self.origins[blocks.start as usize..blocks.end as usize];
        let first = origins.iter().flatten().next().map(|&block| old.message_of(block));
        let places = origins.iter().map(|origin| origin.map(|block| Place::block(old, block)));
        (self.sheets[message as usize].origin.or(first), places)
    }
}
