//! What stands behind an assistant turn: results first, then what the user said besides.

use super::draft::{Piece, Sheet};
use super::pairing::Job;
use super::results::swapped;
use super::spans::Span;
use super::{Action, Mender};
use crate::exchange::Call;
use crate::history::{Kind, Marks, Role, Side};
use crate::rule::Rule;
use crate::rules::{
    content_beside_open_server_call, content_beside_programmatic_result, misplaced_system_message,
};

/// What could not stay where it was, and goes to a later place.
#[derive(Default)]
pub(super) struct Carry {
    /// What a user said while a server call was open.
    said: Vec<Piece>,
    /// System messages before any user's.
    pub(super) systems: Vec<Sheet>,
    /// How many messages of the new list are known to be the assistant's, from its head on.
    pub(super) assistants: usize,
    /// The edits that say so of it.
    notes: Vec<usize>,
    /// Where the last results went, in case there is no later place.
    last_results: Option<usize>,
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
        let mut said = std::mem::take(&mut carry.said);
        carry.notes.clear();
        if is_held {
            self.hold(span, &mut parts, &mut said, carry);
        }
        let first = new.len();
        self.place_results(&mut parts, said, new);
        if first < new.len() && is_held {
            carry.last_results = Some(first);
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
    fn hold(&mut self, span: &Span, parts: &mut Parts, said: &mut Vec<Piece>, carry: &mut Carry) {
        let rule: &'static Rule = if span.facts.is_programmatic() {
            &content_beside_programmatic_result::RULE
        } else {
            &content_beside_open_server_call::RULE
        };
        carry.said.append(said);
        for (_, rest) in &mut parts.users {
            for piece in std::mem::take(rest) {
                let says = "it waits until the server's turn is whole";
                carry.notes.push(self.edits.len());
                self.note(&piece, rule, Action::Move, true, says);
                carry.said.push(piece);
            }
        }
    }

    /// Results first, in the first message; what was carried here right behind them.
    fn place_results(&mut self, parts: &mut Parts, said: Vec<Piece>, new: &mut Vec<Sheet>) {
        let Parts { results, users, .. } = parts;
        let mut results = std::mem::take(results);
        results.extend(said);
        if users.is_empty() && !results.is_empty() {
            new.push(Sheet::new(Role::User, results));
            return;
        }
        for (mut sheet, rest) in users.drain(..) {
            let mut pieces = std::mem::take(&mut results);
            let was_empty = sheet.is_empty(self.history);
            pieces.extend(rest);
            if pieces.is_empty() && !was_empty {
                continue;
            }
            sheet.pieces = (!self.is_same(&sheet, &pieces)).then_some(pieces);
            new.push(sheet);
        }
    }

    /// What found no later place: what was said becomes part of the last result, and the system's
    /// messages become the user's, since there is none that they could follow.
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
        let results = carry.last_results.map(|at| new[at + shift].open(self.history));
        let is_plain = |piece: &&mut Piece| {
            piece.kind() == Kind::ToolResult && !piece.block.marks.meets(Marks::SEARCHES)
        };
        match results.and_then(|pieces| pieces.iter_mut().rfind(is_plain)) {
            Some(result) => {
                let cured = Marks::PLACEHOLDER.with(Marks::MADE_UP).with(Marks::EMPTY_ERROR);
                result.block.marks.remove(cured);
                result.folded.extend(carry.said);
                for note in carry.notes {
                    self.edits[note].says = "nothing may follow: it becomes part of the result";
                }
            }
            None => new.push(Sheet::new(Role::User, carry.said)),
        }
    }
}
