//! Results that stand behind a turn: which of them answer its calls, and what becomes of others.

use std::collections::HashMap;

use super::job::Job;
use super::piece::{Piece, Source};
use super::spans::Span;
use super::zone::Parts;
use super::{Action, Mender, Orphans};
use crate::exchange::{Answer, Standing, Target};
use crate::history::{Kind, Marks, Symbol};
use crate::rule::Rule;
use crate::rules::{
    client_result_for_server_tool, duplicate_tool_result, malformed_tool_block,
    message_between_use_and_result, orphan_tool_result, split_tool_results, tool_result_not_first,
};

/// What a result behind a turn is to its calls.
enum Verdict {
    /// It answers the call at this place among them, and stands so.
    Answers(u32, Standing),
    /// It was made up, and there is a real one.
    Spare,
    /// It answers nothing: the rule that says so, and what becomes of it where such results go.
    Refused(&'static Rule, &'static str),
}

/// What a result is. `answer`: what the exchange says of it; nothing if it has no id, and its call
/// was not found.
fn verdict(answer: Option<&Answer>, swapped: &HashMap<u32, Option<u32>>, piece: &Piece) -> Verdict {
    let says = "it answers nothing, and goes";
    let Some(answer) = answer else {
        return Verdict::Refused(&malformed_tool_block::RULE, says);
    };
    match (swapped.get(&answer.block).copied(), answer.target) {
        (Some(None), _) => Verdict::Spare,
        (Some(Some(call)), _) | (None, Target::Call(call)) => {
            Verdict::Answers(call, answer.standing)
        }
        (None, Target::Again(_)) if piece.block.marks.meets(Marks::MADE_UP) => Verdict::Spare,
        (None, Target::Again(_)) => {
            let says = "its call has a result already, and it goes";
            Verdict::Refused(&duplicate_tool_result::RULE, says)
        }
        (None, Target::Server) => Verdict::Refused(&client_result_for_server_tool::RULE, says),
        (None, Target::Nothing(_)) => Verdict::Refused(&orphan_tool_result::RULE, says),
    }
}

impl Mender<'_> {
    /// A result behind a turn goes to its call, or it goes. What is left of it is returned.
    pub(super) fn sort_result(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        answer: Option<&Answer>,
        swapped: &HashMap<u32, Option<u32>>,
        mut piece: Piece,
        parts: &mut Parts,
    ) -> Vec<Piece> {
        let (slot, standing) = match verdict(answer, swapped, &piece) {
            Verdict::Answers(slot, standing) => (slot, standing),
            Verdict::Spare => {
                self.drop_placeholder(&piece);
                return Vec::new();
            }
            Verdict::Refused(rule, says) => return self.refuse(rule, &piece, parts, says),
        };
        let Some(call) = span.facts.calls.get(slot as usize) else { return Vec::new() };
        if job.matches.result_of.contains_key(&call.block) {
            self.drop_placeholder(&piece);
            return Vec::new();
        }
        job.fit(call, &mut piece);
        let moved: Option<&'static Rule> = match standing {
            _ if parts.has_rest => Some(&message_between_use_and_result::RULE),
            Standing::Behind(_) => Some(&tool_result_not_first::RULE),
            Standing::Beyond(_) => Some(&message_between_use_and_result::RULE),
            Standing::Split => Some(&split_tool_results::RULE),
            Standing::Leading => None,
        };
        if let Some(rule) = moved {
            let says = "the result goes right after its call";
            self.note(&piece, rule, Action::Move, true, says);
        }
        parts.results.push(piece);
        Vec::new()
    }

    /// A made-up result goes: the real one is there.
    fn drop_placeholder(&mut self, piece: &Piece) {
        let says = "it was made up where no result was known, and goes: there is one";
        let is_safe = piece.block.marks.meets(Marks::PLACEHOLDER);
        self.note(piece, &duplicate_tool_result::RULE, Action::Drop, is_safe, says);
    }

    /// A result that answers nothing: it goes, or stays as a text.
    fn refuse(
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
}

/// Results that stand behind a worse one for the same call: by the block of either, the call
/// whose result it is, or none if it is not needed.
pub(super) fn swapped(job: &Job<'_>, span: &Span) -> HashMap<u32, Option<u32>> {
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
