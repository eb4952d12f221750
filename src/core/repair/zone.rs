//! What stands behind an assistant turn: results first, then what the user said besides.

use super::draft::Sheet;
use super::job::Job;
use super::piece::{Piece, Source};
use super::results::swapped;
use super::spans::Span;
use super::{Action, Mender};
use crate::exchange::Call;
use crate::history::{Kind, Marks, Role, Side, Symbol};
use crate::rule::Rule;
use crate::rules::{
    content_beside_open_server_call, content_beside_programmatic_result, misplaced_system_message,
};

/// What could not stay where it was, and goes to a later place.
#[derive(Default)]
pub(super) struct Carry {
    /// What a user said while a server call was open, and the edit that says so.
    said: Vec<(Piece, Option<usize>)>,
    /// System messages before any user's.
    pub(super) systems: Vec<Sheet>,
    /// How many messages of the new list are known to be the assistant's, from its head on.
    pub(super) assistants: usize,
    /// Where results went since then, in case there is no later place.
    shelves: Vec<Shelf>,
}

/// A message of results, in the new list.
#[derive(Clone, Copy)]
struct Shelf {
    at: usize,
    /// Whether one of the results may hold text only.
    is_plain: bool,
}

impl Carry {
    /// Whether the next exchange has to take something.
    pub(super) fn is_waiting(&self) -> bool {
        !self.said.is_empty() || !self.systems.is_empty()
    }
}

/// The messages of a zone while it is put together.
#[derive(Default)]
pub(super) struct Parts {
    /// Results that answer calls of the turn.
    pub(super) results: Vec<Piece>,
    /// The user's messages, with what they hold besides, and whether that is anything.
    users: Vec<(Sheet, Vec<Piece>)>,
    pub(super) has_rest: bool,
    /// The system's, and how many of the user's stand before each.
    pub(super) systems: Vec<(Sheet, usize)>,
}

impl Mender<'_> {
    /// Put together what stands behind a turn.
    pub(super) fn assemble_zone(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        calls: &[Call],
        old: &mut [Option<Sheet>],
        new: &mut Vec<Sheet>,
        carry: &mut Carry,
    ) {
        let mut parts = self.parts(job, span, old);
        let missing = self.missing_results(job, span, calls);
        parts.results.extend(missing);
        let is_held = span.is_held && !parts.results.is_empty();
        let first = new.len();
        if is_held {
            self.hold(span, &mut parts, carry);
            let at = self.place_results(&mut parts, Vec::new(), new);
            let mut calls = span.facts.calls.iter();
            let has_toolset = calls.any(|call| job.current.toolset(call.block).is_some());
            let is_plain = has_toolset || span.facts.is_programmatic();
            carry.shelves.push(Shelf { at, is_plain });
        } else {
            carry.shelves.clear();
            let said = std::mem::take(&mut carry.said).into_iter().map(|(piece, _)| piece);
            self.place_results(&mut parts, said.collect(), new);
        }
        self.place_systems(parts, first, new, carry);
    }

    /// Sort what stands in a zone.
    fn parts(&mut self, job: &mut Job<'_>, span: &Span, old: &mut [Option<Sheet>]) -> Parts {
        let mut parts = Parts::default();
        let mut answers = span.facts.answers.iter().peekable();
        let swapped = swapped(job, span);
        for message in span.zone.clone() {
            let Some(sheet) = old[message as usize].take() else { continue };
            let side = job.current.messages[message as usize].side;
            if side != Side::User {
                let sheet = self.closed(sheet);
                parts.systems.push((sheet, parts.users.len()));
                continue;
            }
            let mut rest = Vec::new();
            for block in job.current.blocks_of(message) {
                while answers.peek().is_some_and(|answer| answer.block < block) {
                    answers.next();
                }
                let answer = answers.peek().filter(|answer| answer.block == block).copied();
                if job.matches.call_of.contains_key(&block) {
                    continue; // it goes to its call, which may stand elsewhere
                }
                let Some(piece) = job.take(block) else { continue };
                if piece.kind() == Kind::ToolResult {
                    rest.extend(self.sort_result(job, span, answer, &swapped, piece, &mut parts));
                } else {
                    rest.push(piece);
                }
            }
            parts.has_rest |= !rest.is_empty();
            parts.users.push((sheet, rest));
        }
        parts
    }

    /// A message as it is, if nothing of it was changed.
    fn closed(&self, mut sheet: Sheet) -> Sheet {
        if sheet.pieces.as_ref().is_some_and(|pieces| self.is_same(&sheet, pieces)) {
            sheet.pieces = None;
        }
        sheet
    }

    /// While the server works, the user's turn may hold results only: the rest waits.
    fn hold(&mut self, span: &Span, parts: &mut Parts, carry: &mut Carry) {
        let rule: &'static Rule = if span.facts.is_programmatic() {
            &content_beside_programmatic_result::RULE
        } else {
            &content_beside_open_server_call::RULE
        };
        for (_, rest) in &mut parts.users {
            for piece in std::mem::take(rest) {
                let says = "it waits until the server's turn is whole";
                let edit = self.edits.len();
                self.note(&piece, rule, Action::Move, true, says);
                carry.said.push((piece, Some(edit)));
            }
        }
    }

    /// Results first, in the first message that holds anything, if turns are joined; what was
    /// carried here right behind them. Returns where in the new list that message is.
    fn place_results(
        &mut self,
        parts: &mut Parts,
        said: Vec<Piece>,
        new: &mut Vec<Sheet>,
    ) -> usize {
        let Parts { results, users, .. } = parts;
        let mut results = std::mem::take(results);
        results.extend(said);
        if users.is_empty() && !results.is_empty() {
            new.push(Sheet::new(Role::User, results));
            return new.len() - 1;
        }
        let mut placed = new.len();
        let holds = |(sheet, _): &(Sheet, _)| !sheet.is_empty(self.history);
        let home = users.iter().position(holds).filter(|_| self.options.joins()).unwrap_or(0);
        for (at, (mut sheet, rest)) in users.drain(..).enumerate() {
            let mut pieces = Vec::new();
            if at == home {
                placed = new.len();
                pieces = std::mem::take(&mut results);
            }
            let was_empty = sheet.is_empty(self.history);
            pieces.extend(rest);
            if pieces.is_empty() && !was_empty {
                continue;
            }
            sheet.pieces = (!self.is_same(&sheet, &pieces)).then_some(pieces);
            new.push(sheet);
        }
        placed
    }

    /// What found no later place: what was said becomes part of a result, and the system's messages
    /// become the user's, since there is none that they could follow.
    pub(super) fn end_carry(&mut self, carry: Carry, new: &mut Vec<Sheet>) {
        let rule = &misplaced_system_message::RULE;
        let mut recast = carry.systems;
        for sheet in &mut recast {
            let says = "the message becomes the user's: there is none that it could follow";
            self.note_at(sheet.origin, rule, Action::Recast, false, says);
            sheet.open(self.history);
            sheet.role = Role::User;
        }
        let shift = recast.len();
        new.splice(0..0, recast);
        if carry.said.is_empty() {
            return;
        }
        let all_are = |kinds: &[Kind]| carry.said.iter().all(|it| kinds.contains(&it.0.kind()));
        let (is_text, is_media) = (all_are(&[Kind::Text]), all_are(&[Kind::Text, Kind::Media]));
        let fits = |shelf: &Shelf| is_text || is_media && !shelf.is_plain;
        let mut shelves: Vec<_> = carry.shelves.into_iter().rev().collect();
        // The last that takes it as it is; if none does, the last one takes what it says.
        shelves.sort_by_key(|shelf| !fits(shelf));
        let found = shelves.iter().find_map(|shelf| {
            let pieces = new.get_mut(shelf.at + shift)?.open(self.history);
            let result = pieces.iter().rposition(|piece| {
                piece.kind() == Kind::ToolResult && !piece.block.marks.meets(Marks::SEARCHES)
            });
            Some((*shelf, result?))
        });
        let Some((home, result)) = found else {
            let said = carry.said.into_iter().map(|(piece, _)| piece).collect();
            return new.push(Sheet::new(Role::User, said));
        };
        let takes_all = fits(&home);
        let mut folded = Vec::with_capacity(carry.said.len());
        for (mut piece, edit) in carry.said {
            let edit = edit.map(|edit| &mut self.edits[edit]);
            let mut says = "nothing may follow: it becomes part of the result";
            if !takes_all
                && piece.kind() != Kind::Text
                && let Some(block) = piece.origin()
            {
                piece = Piece::made(Source::AsText(block), Kind::Text, Symbol::NONE);
                says = "nothing may follow: what it says becomes part of the result";
            }
            if let Some(edit) = edit {
                edit.says = says;
                if matches!(piece.source, Source::AsText(_)) {
                    (edit.action, edit.is_safe) = (Action::Quote, false);
                }
            }
            folded.push(piece);
        }
        let result = &mut new[home.at + shift].open(self.history)[result];
        let cured = Marks::PLACEHOLDER.with(Marks::MADE_UP).with(Marks::EMPTY_ERROR);
        result.block.marks.remove(cured);
        result.folded.extend(folded);
    }
}
