//! What lies between messages: calls and results, and what stands beside them.
//!
//! Exchanges without a fault stay as they are. Any other is put together anew: the assistant's
//! turn, the results of its calls, and what the user said besides.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::draft::Sheet;
use super::faults::{is_about_pairing, is_about_server, is_beside_server};
use super::job::{Job, Opened};
use super::match_results::match_results;
use super::piece::{Piece, Source};
use super::spans::{Span, span_of, spans};
use super::zone::Carry;
use super::{Action, Mender, Missing};
use crate::exchange::{Call, Reuse};
use crate::history::{History, Kind, Marks, Role, Symbol};
use crate::rule::Rule;
use crate::rules::{
    duplicate_tool_use_id, malformed_tool_use_id, pending_tool_use, tool_use_without_result,
    toolset_name_mismatch,
};
use crate::violation::Violation;

impl Mender<'_> {
    /// Mend what is wrong between messages. `current`: the draft as the rules see it.
    pub(super) fn mend_pairing(&mut self, current: &History, found: &[&Violation]) {
        let mut spans = spans(current, self.options.joins());
        let matches = match_results(current, &spans, |span, call| self.is_left_waiting(span, call));
        let doomed = doom(current, &mut spans, found);
        for (&call, &result) in &matches.result_of {
            for block in [call, result] {
                let span = span_of(&spans, current.message_of(block));
                spans[span].is_dirty = true;
            }
        }
        if !spans.iter().any(|span| span.is_dirty) {
            return;
        }
        self.forget_callers(current, &doomed);
        let new_ids = self.rename_calls(current, &spans);
        let pieces = self.open_spans(current, &spans);
        let (matches, doomed, new_ids) = (&matches, &doomed, &new_ids);
        let keeps_toolsets = self.options.ignores(&toolset_name_mismatch::RULE);
        let mut job = Job { current, matches, doomed, new_ids, pieces, keeps_toolsets };
        let mut old: Vec<_> = std::mem::take(&mut self.sheets).into_iter().map(Some).collect();
        let mut new = Vec::with_capacity(old.len());
        let mut carry = Carry::default();
        for span in &spans {
            if span.is_dirty || carry.is_waiting() {
                self.ensure_open(&mut job, span, &old);
                self.assemble(&mut job, span, &mut old, &mut new, &mut carry);
            } else {
                let kept = span.messages().filter_map(|message| old[message as usize].take());
                new.extend(kept);
            }
        }
        self.end_carry(carry, &mut new);
        self.sheets = new;
    }

    /// Calls of a server call that goes were called by nobody.
    fn forget_callers(&mut self, current: &History, doomed: &BTreeMap<u32, &'static Rule>) {
        let mut gone = HashMap::new();
        for (&block, &rule) in doomed {
            if current.block(block).kind.is_server_call() {
                gone.entry(current.block(block).id).or_insert(rule);
            }
        }
        if gone.is_empty() || current.details.is_empty() {
            return;
        }
        let is_wanted =
            |at| current.detail(at).is_some_and(|detail| gone.contains_key(&detail.caller));
        self.each_piece(current, is_wanted, |mender, piece| {
            if let Some(rule) = gone.get(&piece.caller) {
                piece.caller = Symbol::NONE;
                piece.block.marks.remove(Marks::ODD_CALLER);
                let says = "its caller goes, as that server call does";
                mender.note(piece, rule, Action::Change, false, says);
            }
        });
    }

    /// New ids for calls whose id was used before, or is no legal one.
    fn rename_calls(&mut self, current: &History, spans: &[Span]) -> HashMap<u32, Symbol> {
        let mut new = HashMap::new();
        for span in spans.iter().filter(|span| span.is_dirty) {
            for call in &span.facts.calls {
                let is_odd = current.block(call.block).marks.meets(Marks::ODD_ID);
                let is_odd = is_odd && !self.options.ignores(&malformed_tool_use_id::RULE);
                let is_reused =
                    call.reuse != Reuse::No && !self.options.ignores(&duplicate_tool_use_id::RULE);
                if is_odd || is_reused {
                    new.insert(call.block, self.ids.client(call.id));
                }
            }
        }
        new
    }

    /// The blocks of all exchanges that are put together anew.
    fn open_spans(&self, current: &History, spans: &[Span]) -> Opened {
        let mut opened = Opened::new(current);
        for message in spans.iter().filter(|span| span.is_dirty).flat_map(Span::messages) {
            let sheet = &self.sheets[message as usize];
            opened.open(self.history, sheet, current.blocks_of(message));
        }
        opened
    }

    /// The same for one that is put together anew only because something is moved into it.
    fn ensure_open(&self, job: &mut Job<'_>, span: &Span, old: &[Option<Sheet>]) {
        if span.is_dirty {
            return;
        }
        for message in span.messages() {
            if let Some(sheet) = &old[message as usize] {
                job.pieces.open(self.history, sheet, job.current.blocks_of(message));
            }
        }
    }

    /// Put one exchange together anew.
    fn assemble(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        old: &mut [Option<Sheet>],
        new: &mut Vec<Sheet>,
        carry: &mut Carry,
    ) {
        let mut calls = &span.facts.calls[..];
        for part in self.parts_of(job, span) {
            let count = calls.partition_point(|call| call.message < part.end);
            let (own, later) = calls.split_at(count);
            calls = later;
            let is_last = part.end == span.turn.end;
            self.assemble_turn(job, span, part, own, old, new);
            if is_last {
                self.assemble_zone(job, span, own, old, new, carry);
                continue;
            }
            let results = self.missing_results(job, span, own);
            if !results.is_empty() {
                new.push(Sheet::new(Role::User, results));
            }
        }
    }

    /// Whether pieces are a message of the history as it is.
    pub(super) fn is_same(&self, sheet: &Sheet, pieces: &[Piece]) -> bool {
        let Some(message) = sheet.origin else { return false };
        self.history.messages[message as usize].role == sheet.role
            && Piece::are_untouched(pieces, self.history, message)
    }

    /// Whether a call is left alone: it waits for its result, and may.
    pub(super) fn is_left_waiting(&self, span: &Span, call: &Call) -> bool {
        self.wish.allow_pending && is_pending(span, call)
    }

    /// The results of calls that have none where they must stand: found elsewhere, or made.
    pub(super) fn missing_results(
        &mut self,
        job: &mut Job<'_>,
        span: &Span,
        calls: &[Call],
    ) -> Vec<Piece> {
        let mut results = Vec::new();
        for call in calls {
            let rule = missing_rule(span, call);
            let found = job.matches.result_of.get(&call.block).copied();
            if call.answer.is_some() && found.is_none() {
                continue;
            }
            if let Some(mut piece) = found.and_then(|result| job.take(result)) {
                job.fit(call, &mut piece);
                let says = "the result goes right after its call";
                self.note(&piece, rule, Action::Move, true, says);
                results.push(piece);
                continue;
            }
            if self.is_left_waiting(span, call)
                || self.wish.missing == Missing::Drop
                || self.options.ignores(rule)
            {
                continue;
            }
            let origin = job.pieces.origin(call.block).unwrap_or(call.block);
            let mut piece = Piece::made(Source::Missing(origin), Kind::ToolResult, call.id);
            piece.block.marks = Marks::PLACEHOLDER.with(Marks::MADE_UP);
            job.fit(call, &mut piece);
            let says = "the call gets a result that says that none was recorded";
            self.note(&piece, rule, Action::Answer, true, says);
            results.push(piece);
        }
        results
    }
}

/// Mark the exchanges that are to be put together anew, and tell which server calls and results
/// can never be whole: by their blocks, the rules that say so.
fn doom(
    current: &History,
    spans: &mut [Span],
    found: &[&Violation],
) -> BTreeMap<u32, &'static Rule> {
    let mut doomed = BTreeMap::new();
    let mut closed = HashSet::new();
    for found in found {
        let Some(message) = found.place.message else { continue };
        let at = span_of(spans, message);
        spans[at].is_dirty |= is_about_pairing(found);
        let block = found.place.block.map(|within| current.blocks_of(message).start + within);
        if let Some(block) = block.filter(|_| is_about_server(found)) {
            doomed.insert(block, found.rule);
        }
        if is_beside_server(found) && !spans[at].is_held && closed.insert(at) {
            // The assistant spoke again without the server's results: they will not come.
            let open: Vec<_> = spans[at].open_server_calls().collect();
            for block in open {
                doomed.insert(block, found.rule);
                let caller = span_of(spans, current.message_of(block));
                spans[caller].is_dirty = true;
            }
        }
    }
    doomed
}

/// Whether a call waits for its result, rather than misses it.
fn is_pending(span: &Span, call: &Call) -> bool {
    span.is_last && call.is_open() && span.facts.may_wait(call)
}

pub(super) fn missing_rule(span: &Span, call: &Call) -> &'static Rule {
    if is_pending(span, call) {
        &pending_tool_use::RULE
    } else if call.is_twin() {
        &duplicate_tool_use_id::RULE
    } else {
        &tool_use_without_result::RULE
    }
}
