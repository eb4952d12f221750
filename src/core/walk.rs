//! One walk over a history, exchange by exchange.
//!
//! Each message is visited once, when it comes. What later exchanges need of earlier ones is kept
//! by id; so a history may grow while it is walked, at a cost that does not grow with it.

use std::borrow::Cow;

use crate::called::Called;
use crate::exchange::{
    Answer, Call, Exchange, Fate, Gap, OpenCall, Reuse, Signs, Standing, Target,
};
use crate::history::{Block, History, Kind, Marks, Side};
use crate::servers::Servers;

/// The state between messages.
#[derive(Clone, Debug)]
pub struct Walk {
    joins: bool,
    /// Numbers the exchanges. Zero is never current.
    number: u32,
    exchange: Exchange,
    called: Called,
    servers: Servers,
    /// The assistant messages of the running turn, where they are not joined.
    turn_messages: Vec<u32>,
    turn: Turn,
    zone: Zone,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    last_message: u32,
    call: Option<u32>,
    gap_first: Option<u32>,
    gap_offending: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Zone {
    has_begun: bool,
    /// Turns begun, of users and of the system, and whether a user's is running.
    turns: u32,
    is_in_turn: bool,
    /// In the running turn: its first block beside results, its first message with results.
    beside: Option<u32>,
    first_results: Option<u32>,
    /// The first message that holds anything but results.
    other_message: Option<u32>,
}

impl Walk {
    /// A walk that has seen nothing. `joins`: adjacent messages of one role are one turn.
    #[must_use]
    pub fn new(joins: bool) -> Walk {
        Walk {
            joins,
            number: 1,
            exchange: Exchange::default(),
            called: Called::default(),
            servers: Servers::default(),
            turn_messages: Vec::new(),
            turn: Turn::default(),
            zone: Zone::default(),
        }
    }

    /// The running exchange, as it stands if nothing more comes.
    #[must_use]
    pub fn exchange(&self) -> Cow<'_, Exchange> {
        let is_whole = self.zone.has_begun && !self.exchange.signs.meets(Signs::SERVER_OPEN);
        if is_whole {
            return Cow::Borrowed(&self.exchange);
        }
        let (mut exchange, mut turn) = (self.exchange.clone(), self.turn);
        if !self.zone.has_begun {
            end_turn(&mut turn, &self.servers, &mut exchange);
        }
        match exchange.fate() {
            Fate::Open => {}
            Fate::OpenBeside(_) => {
                exchange.open.extend(self.servers.all_open().find(|call| !call.is_mcp));
            }
            Fate::Dead => exchange.open.extend(self.servers.all_open()),
        }
        Cow::Owned(exchange)
    }

    /// The server calls that the server may still finish, if nothing more comes.
    pub fn open_server_calls(&self) -> impl Iterator<Item = OpenCall> {
        let stays = self.exchange.fate() != Fate::Dead;
        self.servers.all_open().filter(move |_| stays)
    }

    /// Whether this message ends the running exchange: the assistant speaks again.
    #[must_use]
    pub fn is_ended_by(&self, history: &History, message: u32) -> bool {
        self.zone.has_begun && history.messages[message as usize].side == Side::Assistant
    }

    /// Take the next message into the running exchange.
    pub fn take(&mut self, history: &History, message: u32) {
        match history.messages[message as usize].side {
            Side::Assistant => self.take_turn(history, message),
            Side::User => self.take_zone(history, message),
            Side::System => {
                self.end_turn();
                self.exchange.has_system = true;
                self.zone.turns += 1;
                self.zone.is_in_turn = false;
                self.zone.other_message.get_or_insert(message);
            }
            Side::Nowhere => {}
        }
    }

    /// No more assistant messages come into this exchange: close its gap, list what is open.
    fn end_turn(&mut self) {
        if self.zone.has_begun {
            return;
        }
        self.zone.has_begun = true;
        end_turn(&mut self.turn, &self.servers, &mut self.exchange);
    }

    /// The running exchange is over: remember what later ones need, and begin another.
    pub fn next_exchange(&mut self) {
        self.end_turn();
        self.called.settle(&self.exchange.calls);
        self.servers.settle(self.exchange.fate() != Fate::Dead);
        self.turn_messages.clear();
        self.number += 1;
        self.exchange.clear();
        self.turn = Turn::default();
        self.zone = Zone::default();
    }

    fn take_turn(&mut self, history: &History, message: u32) {
        if !self.joins {
            close_gap(&mut self.turn, &mut self.exchange);
            self.turn.call = None;
            self.turn_messages.push(message);
        }
        self.turn.last_message = message;
        let blocks = history.blocks_of(message);
        for (index, &block) in blocks.clone().zip(history.blocks_in(blocks)) {
            match block.kind {
                Kind::ToolUse if block.id.is_some() => {
                    close_gap(&mut self.turn, &mut self.exchange);
                    self.add_call(history, block, index, message);
                }
                Kind::Text | Kind::Media => self.widen_gap(index, true),
                Kind::Thinking => self.widen_gap(index, false),
                kind if kind.is_server_call() => {
                    self.widen_gap(index, true);
                    if block.id.is_some() {
                        self.servers.open(block, index, self.number);
                    }
                }
                kind if kind.is_server_result() => {
                    self.widen_gap(index, true);
                    if block.id.is_some() {
                        self.close_server_call(history, block, index, message);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_call(&mut self, history: &History, block: Block, index: u32, message: u32) {
        let slot = self.exchange.calls.len() as u32;
        let reuse = self.called.arm(block.id, self.number, &self.exchange.calls);
        if !matches!(reuse, Reuse::Twin(_)) {
            self.exchange.unanswered += 1;
        }
        if reuse != Reuse::No {
            self.exchange.signs.add(Signs::REUSED_ID);
        }
        if block.marks.meets(Marks::DETAIL) {
            self.add_detail(history, index);
        }
        self.turn.call = Some(slot);
        let call = Call { block: index, message, id: block.id, answer: None, reuse };
        self.exchange.calls.push(call);
    }

    fn add_detail(&mut self, history: &History, index: u32) {
        let Some(detail) = history.detail(index) else { return };
        if detail.toolset.is_some() {
            self.exchange.signs.add(Signs::TOOLSET);
        }
        if let Some(server_call) = self.servers.open_call(detail.caller) {
            self.exchange.is_programmatic = true;
            self.exchange.ties.push((server_call, index));
        }
    }

    fn widen_gap(&mut self, block: u32, offends: bool) {
        if self.turn.call.is_none() {
            return;
        }
        self.turn.gap_first.get_or_insert(block);
        if offends {
            self.turn.gap_offending.get_or_insert(block);
        }
    }

    fn close_server_call(&mut self, history: &History, block: Block, index: u32, message: u32) {
        match self.servers.close(block.id) {
            None => {
                self.exchange.server_orphans.push(index);
                self.exchange.signs.add(Signs::SERVER_ORPHAN);
            }
            Some(call) if call < history.blocks_of(message).start => {
                self.exchange.ties.push((call, index));
            }
            Some(_) => {}
        }
    }

    fn take_zone(&mut self, history: &History, message: u32) {
        self.end_turn();
        let blocks = history.blocks_of(message);
        if !self.joins || !self.zone.is_in_turn {
            self.zone.turns += 1;
            self.zone.is_in_turn = true;
            self.zone.beside = None;
            self.zone.first_results = None;
        }
        let mut holds_other = !history.messages[message as usize].has_results;
        for (index, &block) in blocks.clone().zip(history.blocks_in(blocks.clone())) {
            match block.kind {
                Kind::ToolResult => self.add_answer(block, index, message),
                Kind::Text
                | Kind::Media
                | Kind::Thinking
                | Kind::Other
                | Kind::Foreign
                | Kind::Unknown => {
                    holds_other = true;
                    self.zone.beside.get_or_insert(index);
                    self.exchange.beside.get_or_insert(index);
                }
                _ => {}
            }
        }
        // An empty message joins its neighbours and vanishes.
        if holds_other && !(self.joins && blocks.is_empty()) {
            self.zone.other_message.get_or_insert(message);
        }
    }

    fn add_answer(&mut self, block: Block, index: u32, message: u32) {
        let is_leading = self.zone.beside.is_none();
        let first_results = *self.zone.first_results.get_or_insert(message);
        if is_leading && self.zone.turns == 1 {
            self.exchange.is_led = true;
        }
        if !block.id.is_some() {
            return;
        }
        let mut standing = Standing::Leading;
        let slot = self.called.slot(block.id, self.number, &self.exchange.calls);
        let target = if let Some(slot) = slot {
            let call = &mut self.exchange.calls[slot as usize];
            if let Some(answer) = call.answer {
                self.exchange.signs.add(Signs::AGAIN);
                Target::Again(answer)
            } else {
                call.answer = Some(index);
                if !call.is_twin() {
                    self.exchange.unanswered -= 1;
                }
                let from = call.message;
                standing = self.standing(from, message, first_results);
                Target::Call(slot)
            }
        } else if self.is_server_id(block, index) {
            self.exchange.signs.add(Signs::SERVER_ANSWERED);
            Target::Server
        } else {
            self.exchange.signs.add(Signs::ORPHAN);
            Target::Nothing
        };
        self.exchange.signs.add(match standing {
            Standing::Leading => Signs::NONE,
            Standing::Split => Signs::SPLIT,
            Standing::Behind(_) => Signs::BEHIND,
            Standing::Beyond(_) => Signs::BEYOND,
        });
        if block.marks.meets(Marks::DETAIL) {
            self.exchange.signs.add(Signs::TOOLSET);
        }
        self.exchange.answers.push(Answer { block: index, message, target, standing });
    }

    /// Whether a client result names a call of this turn that the server runs, or one still open.
    fn is_server_id(&mut self, block: Block, index: u32) -> bool {
        if let Some(call) = self.servers.current_call(block.id, self.number) {
            self.exchange.ties.push((call, index));
            return true;
        }
        block.marks.meets(Marks::SERVER_ID)
    }

    /// Where a result stands that answers a call of message `from`.
    fn standing(&self, from: u32, message: u32, first: u32) -> Standing {
        if !self.joins && from != self.turn.last_message {
            let next = self.turn_messages.partition_point(|&message| message <= from);
            return Standing::Beyond(self.turn_messages[next]);
        }
        match (self.zone.turns, self.zone.beside) {
            (1, Some(block)) => Standing::Behind(block),
            (1, None) if message == first => Standing::Leading,
            (1, None) => Standing::Split,
            _ => self.zone.other_message.map_or(Standing::Split, Standing::Beyond),
        }
    }
}

/// The content behind the latest call has ended.
fn close_gap(turn: &mut Turn, exchange: &mut Exchange) {
    let first = turn.gap_first.take();
    let offending = turn.gap_offending.take();
    if let (Some(call), Some(first), Some(offending)) = (turn.call, first, offending) {
        exchange.gaps.push(Gap { call, first, offending });
        exchange.signs.add(Signs::GAP);
    }
}

/// The assistant turn has ended: so has what stands behind its last call.
fn end_turn(turn: &mut Turn, servers: &Servers, exchange: &mut Exchange) {
    close_gap(turn, exchange);
    if servers.has_open() {
        exchange.has_open_own = servers.has_open_own();
        exchange.signs.add(Signs::SERVER_OPEN);
    }
}
