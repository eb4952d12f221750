//! The draft, exchange by exchange: an assistant turn, and all up to the next one.

use std::ops::Range;

use crate::exchange::{Call, Exchange, Fate};
use crate::history::{History, Kind, Marks, Side};
use crate::walk::Walk;

/// One exchange of the draft.
pub(super) struct Span {
    /// The assistant's messages; empty before the first of them.
    pub(super) turn: Range<u32>,
    /// What stands behind them.
    pub(super) zone: Range<u32>,
    /// Who answers whom.
    pub(super) facts: Exchange,
    /// The server calls of its turn that the server might still finish, as blocks.
    open: Vec<u32>,
    /// Whether it is to be put together anew.
    pub(super) is_dirty: bool,
    /// Whether the list ends with it.
    pub(super) is_last: bool,
    /// Whether the server goes on behind it: nothing but results may stand in its zone.
    pub(super) is_held: bool,
}

impl Span {
    /// Its messages.
    pub(super) fn messages(&self) -> Range<u32> {
        self.turn.start..self.zone.end
    }

    /// Whether server calls may be open behind its turn and the results that follow.
    fn may_be_held(&self) -> bool {
        let mixed = self.facts.has_open_here && !self.facts.calls.is_empty();
        let goes_on = self.facts.fate() != Fate::Dead || !self.facts.running_code().is_empty();
        (mixed || self.facts.is_programmatic()) && goes_on
    }

    /// Whether something stands in it, with nothing behind it, that cannot become part of a
    /// result: text and media can, but not of search results; for code that waits, text alone.
    fn must_not_fold(&self, history: &History) -> bool {
        if !self.is_last || self.facts.beside.is_none() {
            return false;
        }
        let blocks = self.zone.clone().flat_map(|message| history.blocks_of(message));
        let mut kinds = blocks.map(|block| history.block(block).kind);
        let mut calls = self.facts.calls.iter();
        let has_toolset = calls.any(|call| history.toolset(call.block).is_some());
        let is_stiff = |kind: Kind| match kind {
            Kind::Text => false,
            Kind::Media => self.facts.is_programmatic() || has_toolset,
            kind => kind.stands_beside(),
        };
        let is_plain = |call: &Call| {
            let marks = call.answer.map(|block| history.block(block).marks);
            marks.is_none_or(|marks| !marks.meets(Marks::SEARCHES))
        };
        kinds.any(is_stiff) || !self.facts.calls.iter().any(is_plain)
    }

    /// The server calls that are open behind its turn, as far as something stands beside them.
    pub(super) fn open_server_calls(&self) -> impl Iterator<Item = u32> {
        let callers = self.facts.made.iter().map(|made| made.caller);
        callers.chain(self.open.iter().copied())
    }
}

/// The exchanges of a history.
pub(super) fn spans(history: &History, joins: bool) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut walk = Walk::new(joins);
    let (mut start, mut zone) = (0, None);
    let total = history.messages.len() as u32;
    for message in 0..total {
        let side = history.messages[message as usize].side;
        if walk.is_ended_by(history, message) {
            spans.push(span(&walk, start, zone, message));
            walk.next_exchange();
            (start, zone) = (message, None);
        }
        if side == Side::User || side == Side::System {
            zone.get_or_insert(message);
        }
        walk.take(history, message);
    }
    let mut last = span(&walk, start, zone, total);
    last.is_last = true;
    spans.push(last);
    for at in 0..spans.len() {
        let goes_on = spans.get(at + 1).is_none_or(|next| {
            let is_earlier = |&(from, _): &(u32, u32)| history.message_of(from) < next.turn.start;
            next.facts.ties.iter().any(is_earlier)
        });
        spans[at].is_held = spans[at].may_be_held() && goes_on && !spans[at].must_not_fold(history);
    }
    spans
}

fn span(walk: &Walk, start: u32, zone: Option<u32>, end: u32) -> Span {
    let zone = zone.unwrap_or(end);
    let facts = walk.as_if_ended().into_owned();
    let open = walk.open_server_calls().filter(|call| !call.is_mcp);
    Span {
        turn: start..zone,
        zone: zone..end,
        open: open.map(|call| call.block).collect(),
        facts,
        is_dirty: false,
        is_last: false,
        is_held: false,
    }
}

/// The span that holds a message.
pub(super) fn span_of(spans: &[Span], message: u32) -> usize {
    spans.partition_point(|span| span.zone.end <= message).min(spans.len() - 1)
}
