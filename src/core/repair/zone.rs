//! What stands behind an assistant turn: results first, then what the user said besides.

use std::collections::HashMap;

use super::draft::{Piece, Sheet, Source};
use super::pairing::Job;
use super::spans::Span;
use super::{Action, Mender, Orphans};
use crate::exchange::{Answer, Call, Standing, Target};
use crate::history::{Kind, Marks, Role, Side, Symbol};
use crate::rule::Rule;
use crate::rules::{
    client_result_for_server_tool, content_beside_open_server_call,
    content_beside_programmatic_result, duplicate_tool_result, malformed_tool_block,
    message_between_use_and_result, misplaced_system_message, orphan_tool_result,
    split_tool_results, tool_result_not_first,
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
    results: Vec<Piece>,
    /// The user's messages, with what they hold besides, and whether that is anything.
    users: Vec<(Sheet, Vec<Piece>)>,
    has_rest: bool,
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

    fn sort_result(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        answer: Option<&Answer>,
        swapped: &HashMap<u32, Option<u32>>,
        mut piece: Piece,
        parts: &mut Parts,
    ) -> Vec<Piece> {
        let Some(answer) = answer else {
            // It has no id, and its call was not found.
            return self.refuse(&malformed_tool_block::RULE, &piece, parts);
        };
        let slot = match (swapped.get(&answer.block).copied(), answer.target) {
            (Some(None), _) => {
                self.drop_placeholder(&piece);
                return Vec::new();
            }
            (Some(Some(call)), _) | (None, Target::Call(call)) => call,
            (None, Target::Again(_)) => {
                if piece.block.marks.meets(Marks::MADE_UP) {
                    self.drop_placeholder(&piece);
                    return Vec::new();
                }
                let says = "its call has a result already, and it goes";
                return self.refuse_saying(&duplicate_tool_result::RULE, &piece, parts, says);
            }
            (None, Target::Server) => {
                return self.refuse(&client_result_for_server_tool::RULE, &piece, parts);
            }
            (None, Target::Nothing(_)) => {
                return self.refuse(&orphan_tool_result::RULE, &piece, parts);
            }
        };
        let Some(call) = span.facts.calls.get(slot as usize) else { return Vec::new() };
        if job.matches.result_of.contains_key(&call.block) {
            self.drop_placeholder(&piece);
            return Vec::new();
        }
        job.fit(call, &mut piece);
        let moved: Option<&'static Rule> = match answer.standing {
            _ if parts.has_rest => Some(&message_between_use_and_result::RULE),
            Standing::Behind(_) => Some(&tool_result_not_first::RULE),
            Standing::Beyond(_) => Some(&message_between_use_and_result::RULE),
            Standing::Split => Some(&split_tool_results::RULE),
            Standing::Leading => None,
        };
        if let Some(rule) = moved {
            let says = "the result goes right behind its call";
            self.note(&piece, rule, Action::Move, true, says);
        }
        parts.results.push(piece);
        Vec::new()
    }

    /// A made-up result goes: the real one is there.
    fn drop_placeholder(&mut self, piece: &Piece) {
        let says = "it tells of no result, and goes: there is one";
        let is_safe = piece.block.marks.meets(Marks::PLACEHOLDER);
        self.note(piece, &duplicate_tool_result::RULE, Action::Drop, is_safe, says);
    }

    /// A result that answers nothing: it goes, or stays as a text.
    fn refuse(&mut self, rule: &'static Rule, piece: &Piece, parts: &mut Parts) -> Vec<Piece> {
        self.refuse_saying(rule, piece, parts, "it answers nothing, and goes")
    }

    fn refuse_saying(
        &mut self,
        rule: &'static Rule,
        piece: &Piece,
        parts: &mut Parts,
        says: &'static str,
    ) -> Vec<Piece> {
        if self.options.ignores(rule) {
            parts.results.push(piece.clone());
            return Vec::new();
        }
        if self.wish.orphans == Orphans::Drop {
            self.note(piece, rule, Action::Drop, false, says);
            return Vec::new();
        }
        self.note(piece, rule, Action::Quote, true, "no call needs it, and it becomes a text");
        match piece.source {
            Source::Block(block) => {
                vec![Piece::made(Source::AsText(block), Kind::Text, Symbol::NONE)]
            }
            Source::ToolMessage(message) => {
                let blocks = self.history.blocks_of(message);
                blocks.map(|block| Piece::of(self.history, block)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// While the server works, the user's turn may hold results only: the rest waits.
    fn hold(&mut self, span: &Span, parts: &mut Parts, said: &mut Vec<Piece>, carry: &mut Carry) {
        let rule: &'static Rule = if span.facts.is_programmatic {
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
            let was_empty = sheet_is_empty(&sheet, self);
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

/// Results that stand behind a worse one for the same call: by the block of either, the call
/// whose result it is, or none if it is not needed.
fn swapped(job: &Job<'_>, span: &Span) -> HashMap<u32, Option<u32>> {
    let mut swapped = HashMap::new();
    let again = |answer: &&Answer| matches!(answer.target, Target::Again(_));
    if !span.facts.answers.iter().any(|answer| again(&answer)) {
        return swapped;
    }
    let slots = span.facts.calls.iter().zip(0..);
    let slots: HashMap<_, _> =
        slots.filter_map(|(call, slot)| Some((call.answer?, slot))).collect();
    for answer in span.facts.answers.iter().filter(again) {
        let Target::Again(first) = answer.target else { continue };
        let is_made_up = |block| job.current.block(block).marks.meets(Marks::MADE_UP);
        if is_made_up(first) && !is_made_up(answer.block) && !swapped.contains_key(&first) {
            swapped.insert(first, None);
            swapped.insert(answer.block, slots.get(&first).copied());
        }
    }
    swapped
}

fn sheet_is_empty(sheet: &Sheet, mender: &Mender<'_>) -> bool {
    match (&sheet.pieces, sheet.origin) {
        (Some(pieces), _) => pieces.is_empty(),
        (None, Some(message)) => mender.history.blocks_of(message).is_empty(),
        (None, None) => true,
    }
}
