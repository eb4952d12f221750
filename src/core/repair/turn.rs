//! The assistant's turn: what is left of its messages, and in which order.

use std::ops::Range;

use super::draft::Sheet;
use super::job::Job;
use super::pairing::missing_rule;
use super::piece::Piece;
use super::spans::Span;
use super::{Action, Mender, Missing};
use crate::exchange::Call;
use crate::history::{Kind, Marks};
use crate::rules::{
    content_after_tool_use, duplicate_tool_use_id, malformed_tool_use_id,
    message_between_use_and_result, orphan_server_tool_result,
};

impl Mender<'_> {
    /// An assistant turn that goes on behind a message whose calls nobody answered was two turns:
    /// their results stood between them.
    pub(super) fn parts_of(&self, job: &Job<'_>, span: &Span) -> Vec<Range<u32>> {
        let turn = span.turn.clone();
        let mut parts = Vec::new();
        let mut start = turn.start;
        if self.wish.missing == Missing::Placeholder {
            let speaks = |message: &u32| !job.current.blocks_of(*message).is_empty();
            let last = turn.clone().rev().find(speaks);
            let mut ends: Vec<_> = span
                .facts
                .calls
                .iter()
                .filter(|call| call.answer.is_none() && Some(call.message) != last)
                .filter(|call| !self.is_left_waiting(span, call))
                .map(|call| call.message + 1)
                .collect();
            ends.dedup();
            for end in ends.into_iter().filter(|end| *end < turn.end) {
                parts.push(start..end);
                start = end;
            }
        }
        parts.push(start..turn.end);
        parts
    }

    /// The assistant's messages, or those of them that are one turn.
    pub(super) fn assemble_turn(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        part: Range<u32>,
        calls: &[Call],
        old: &mut [Option<Sheet>],
        new: &mut Vec<Sheet>,
    ) {
        let mut sheets: Vec<(Sheet, Vec<Piece>)> = Vec::new();
        for message in part {
            let Some(sheet) = old[message as usize].take() else { continue };
            let blocks = job.current.blocks_of(message);
            let was_empty = blocks.is_empty();
            let mut pieces = Vec::new();
            for block in blocks {
                let Some(mut piece) = job.take(block) else { continue };
                if let Some(&rule) = job.doomed.get(&block) {
                    let says = if *rule == orphan_server_tool_result::RULE {
                        "the server's result answers nothing, and goes"
                    } else {
                        "the server's call can never get its result, and goes"
                    };
                    self.note(&piece, rule, Action::Drop, false, says);
                    continue;
                }
                if let Ok(call) = calls.binary_search_by_key(&block, |call| call.block) {
                    let call = &calls[call];
                    if self.drops(job, span, call) {
                        let rule = missing_rule(span, call);
                        let says = "the call has no result, and goes";
                        self.note(&piece, rule, Action::Drop, false, says);
                        continue;
                    }
                    self.rename(job, call, &mut piece);
                }
                pieces.push(piece);
            }
            if was_empty || !pieces.is_empty() {
                sheets.push((sheet, pieces));
            }
        }
        self.join_calls(&mut sheets);
        self.clear_behind_calls(&mut sheets);
        for (mut sheet, pieces) in sheets {
            sheet.pieces = (!self.is_same(&sheet, &pieces)).then_some(pieces);
            new.push(sheet);
        }
    }

    /// Whether a call goes because it has no result.
    fn drops(&self, job: &Job<'_>, span: &Span, call: &Call) -> bool {
        let is_open = call.answer.is_none() && !job.matches.result_of.contains_key(&call.block);
        is_open && self.wish.missing == Missing::Drop && !self.is_left_waiting(span, call)
    }

    fn rename(&mut self, job: &Job<'_>, call: &Call, piece: &mut Piece) {
        let Some(&id) = job.new_ids.get(&call.block) else { return };
        let is_odd = piece.block.marks.meets(Marks::ODD_ID);
        let rule = if is_odd { &malformed_tool_use_id::RULE } else { &duplicate_tool_use_id::RULE };
        piece.block.id = id;
        piece.block.marks.remove(Marks::ODD_ID.with(Marks::SERVER_ID));
        let says = "the id of the call and its result becomes {new_id}";
        self.note_rename(piece.as_given(self.history), rule, id, says);
    }

    /// Where messages of one role are not joined by who receives them, calls of one turn must
    /// stand in one message.
    fn join_calls(&mut self, sheets: &mut Vec<(Sheet, Vec<Piece>)>) {
        let calls = |pieces: &[Piece]| pieces.iter().any(|piece| piece.kind() == Kind::ToolUse);
        let Some(last) = sheets.len().checked_sub(1) else { return };
        let first = sheets[..last].iter().position(|(_, pieces)| calls(pieces));
        let Some(first) = first.filter(|_| !self.options.joins()) else { return };
        let rest: Vec<_> = sheets.drain(first + 1..).collect();
        for (sheet, pieces) in rest {
            let says = "the message is joined with the one before it";
            let rule = &message_between_use_and_result::RULE;
            self.note_at(sheet.origin, rule, Action::Join, true, says);
            sheets[first].1.extend(pieces);
        }
    }

    /// What stands behind a call goes before the first one of its turn; thinking stays.
    fn clear_behind_calls(&mut self, sheets: &mut Vec<(Sheet, Vec<Piece>)>) {
        if self.options.ignores(&content_after_tool_use::RULE) {
            return;
        }
        let is_call = |piece: &Piece| piece.kind() == Kind::ToolUse;
        let Some(first) = sheets.iter().position(|(_, pieces)| pieces.iter().any(is_call)) else {
            return;
        };
        let mut moved = Vec::new();
        for (number, (_, pieces)) in sheets.iter_mut().enumerate().skip(first) {
            let mut has_called = number > first;
            let mut stay = Vec::with_capacity(pieces.len());
            for piece in pieces.drain(..) {
                has_called |= is_call(&piece);
                let offends = piece.kind() == Kind::Text
                    || piece.kind().is_sent()
                    || piece.kind().is_server_call()
                    || piece.kind().is_server_result();
                if has_called && offends { moved.push(piece) } else { stay.push(piece) }
            }
            *pieces = stay;
        }
        if moved.is_empty() {
            return;
        }
        for piece in &moved {
            let says = "it goes before the first call of its turn";
            self.note(piece, &content_after_tool_use::RULE, Action::Move, true, says);
        }
        let pieces = &mut sheets[first].1;
        let at = pieces.iter().position(is_call).unwrap_or(0);
        pieces.splice(at..at, moved);
        let later = sheets.split_off(first + 1);
        sheets.extend(later.into_iter().filter(|(_, pieces)| !pieces.is_empty()));
    }
}
