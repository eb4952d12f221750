//! One walk over a history, exchange by exchange.
//!
//! Each message is visited once, when it comes. What later exchanges need of earlier ones is kept
//! by id; so a history may grow while it is walked, at a cost that does not grow with it.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::exchange::{Answer, Call, Exchange, Fate, Gap, OpenCall, Signs, Standing, Target};
use crate::history::{Block, History, Kind, Marks, Side, Symbol};

/// What is known of a client call's id from all that was walked. Kept small: one for each id.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Its latest call in a finished exchange.
    earlier: Option<u32>,
    /// Whether such a call went unanswered.
    lost: bool,
    /// The exchange that calls it now, and its first call there that may take a result.
    armed_in: u32,
    slot: u32,
}

/// What is known of a server call's id.
#[derive(Clone, Copy, Debug)]
struct ServerCall {
    /// The latest call, the exchange and the chain of open calls that it stands in.
    block: u32,
    exchange: u32,
    chain: u32,
    is_open: bool,
}

/// The state between messages.
#[derive(Clone, Debug)]
pub struct Walk {
    joins: bool,
    known: Vec<Known>,
    servers: HashMap<u32, ServerCall>,
    exchange: Exchange,
    /// Numbers exchanges and runs of open server calls. Zero is never current.
    number: u32,
    chain: u32,
    carried: Vec<OpenCall>,
    turn: Turn,
    zone: Zone,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    has_begun: bool,
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
            known: Vec::new(),
            servers: HashMap::new(),
            exchange: Exchange::default(),
            number: 1,
            chain: 1,
            carried: Vec::new(),
            turn: Turn::default(),
            zone: Zone::default(),
        }
    }

    /// The running exchange, as it stands if nothing more comes.
    #[must_use]
    pub fn exchange(&self) -> Cow<'_, Exchange> {
        if self.zone.has_begun {
            return Cow::Borrowed(&self.exchange);
        }
        let (mut exchange, mut turn) = (self.exchange.clone(), self.turn);
        close_gap(&mut turn, &mut exchange);
        self.list_open(&mut exchange);
        Cow::Owned(exchange)
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
        close_gap(&mut self.turn, &mut self.exchange);
        let mut exchange = std::mem::take(&mut self.exchange);
        self.list_open(&mut exchange);
        self.exchange = exchange;
    }

    /// Write down which server calls are open, now that the turn has ended.
    fn list_open(&self, exchange: &mut Exchange) {
        let is_open = |call: &&OpenCall| {
            let known = self.servers.get(&call.id.0);
            known.is_some_and(|known| known.is_open && known.block == call.block)
        };
        exchange.open.extend(self.carried.iter().filter(is_open));
        if !exchange.open.is_empty() {
            exchange.signs.add(Signs::SERVER_OPEN);
        }
    }

    /// The running exchange is over: remember what later ones need, and begin another.
    pub fn next_exchange(&mut self) {
        self.end_turn();
        for call in &self.exchange.calls {
            let known = &mut self.known[call.id.index()];
            known.earlier = Some(call.block);
            known.lost |= call.is_open();
        }
        let stays = self.exchange.fate() != Fate::Dead;
        self.carried.clear();
        for call in &self.exchange.open {
            if stays {
                self.carried.push(*call);
            } else if let Some(known) = self.servers.get_mut(&call.id.0) {
                known.is_open = false;
            }
        }
        if self.carried.is_empty() {
            self.chain += 1;
        }
        self.number += 1;
        self.exchange.clear();
        self.turn = Turn::default();
        self.zone = Zone::default();
    }

    fn take_turn(&mut self, history: &History, message: u32) {
        if !self.joins && self.turn.has_begun {
            close_gap(&mut self.turn, &mut self.exchange);
            self.turn.call = None;
        }
        self.turn.has_begun = true;
        self.turn.last_message = message;
        for index in history.blocks_of(message) {
            let block = history.block(index);
            match block.kind {
                Kind::ToolUse if block.id.is_some() => {
                    close_gap(&mut self.turn, &mut self.exchange);
                    self.add_call(history, block, index, message);
                }
                Kind::Text | Kind::Media => self.widen_gap(index, true),
                Kind::Thinking => self.widen_gap(index, false),
                kind if kind.is_server_call() => {
                    self.widen_gap(index, true);
                    self.open_server_call(block, index);
                }
                kind if kind.is_server_result() => {
                    self.widen_gap(index, true);
                    self.close_server_call(history, block, index, message);
                }
                _ => {}
            }
        }
    }

    fn add_call(&mut self, history: &History, block: Block, index: u32, message: u32) {
        let slot = self.exchange.calls.len() as u32;
        let known = know(&mut self.known, block.id);
        let (mut twin_of, mut earlier) = (None, known.earlier);
        if known.armed_in == self.number {
            let first = known.slot as usize;
            let last = self.exchange.calls[first].last_twin as usize;
            twin_of = Some(self.exchange.calls[first].block);
            earlier = None;
            self.exchange.calls[last].next_twin = Some(slot);
            self.exchange.calls[first].last_twin = slot;
        } else {
            known.armed_in = self.number;
            known.slot = slot;
            self.exchange.unanswered += 1;
        }
        if twin_of.is_some() || earlier.is_some() {
            self.exchange.signs.add(Signs::REUSED_ID);
        }
        let earlier_lost = earlier.is_some() && known.lost;
        if let Some(detail) = history.detail(index) {
            if detail.toolset.is_some() {
                self.exchange.signs.add(Signs::TOOLSET);
            }
            if let Some(caller) = self.servers.get(&detail.caller.0).filter(|call| call.is_open) {
                self.exchange.is_programmatic = true;
                self.exchange.ties.push((caller.block, index));
            }
        }
        self.turn.call = Some(slot);
        let call = Call {
            block: index,
            message,
            id: block.id,
            answer: None,
            twin_of,
            next_twin: None,
            last_twin: slot,
            earlier,
            earlier_lost,
        };
        self.exchange.calls.push(call);
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

    fn open_server_call(&mut self, block: Block, index: u32) {
        if !block.id.is_some() {
            return;
        }
        let id = block.id.0;
        if self.servers.get(&id).is_some_and(|known| known.is_open) {
            return;
        }
        let (exchange, chain) = (self.number, self.chain);
        self.servers.insert(id, ServerCall { block: index, exchange, chain, is_open: true });
        let is_mcp = block.kind == Kind::McpToolUse;
        self.carried.push(OpenCall { block: index, id: block.id, is_mcp });
    }

    fn close_server_call(&mut self, history: &History, block: Block, index: u32, message: u32) {
        if !block.id.is_some() {
            return;
        }
        let chain = self.chain;
        match self.servers.get_mut(&block.id.0).filter(|known| known.chain == chain) {
            Some(known) => {
                known.is_open = false;
                if known.block < history.blocks_of(message).start {
                    self.exchange.ties.push((known.block, index));
                }
            }
            None => {
                self.exchange.server_orphans.push(index);
                self.exchange.signs.add(Signs::SERVER_ORPHAN);
            }
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
        for index in blocks.clone() {
            let block = history.block(index);
            match block.kind {
                Kind::ToolResult => self.add_answer(history, block, index, message),
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

    fn add_answer(&mut self, history: &History, block: Block, index: u32, message: u32) {
        let is_leading = self.zone.beside.is_none();
        let first_results = *self.zone.first_results.get_or_insert(message);
        if is_leading && self.zone.turns == 1 {
            self.exchange.is_led = true;
        }
        if !block.id.is_some() {
            return;
        }
        let known = know(&mut self.known, block.id);
        let mut standing = Standing::Leading;
        let target = if known.armed_in == self.number {
            let mut slot = known.slot as usize;
            while self.exchange.calls[slot].answer.is_some()
                && let Some(next) = self.exchange.calls[slot].next_twin
            {
                slot = next as usize;
            }
            known.slot = slot as u32;
            let call = &mut self.exchange.calls[slot];
            if let Some(answer) = call.answer {
                self.exchange.signs.add(Signs::AGAIN);
                Target::Again(answer)
            } else {
                call.answer = Some(index);
                if call.twin_of.is_none() {
                    self.exchange.unanswered -= 1;
                }
                let from = call.message;
                standing = self.standing(history, from, message, first_results);
                Target::Call(slot as u32)
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
        let number = self.number;
        let current = |call: &&ServerCall| call.is_open || call.exchange == number;
        if let Some(call) = self.servers.get(&block.id.0).filter(current) {
            self.exchange.ties.push((call.block, index));
            return true;
        }
        block.marks.meets(Marks::SERVER_ID)
    }

    /// Where a result stands that answers a call of message `from`.
    fn standing(&self, history: &History, from: u32, message: u32, first: u32) -> Standing {
        if !self.joins && from != self.turn.last_message {
            return Standing::Beyond(next_visible(history, from));
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

/// The next message that a rule sees.
fn next_visible(history: &History, message: u32) -> u32 {
    let behind = &history.messages[message as usize + 1..];
    let skipped = behind.iter().take_while(|message| message.side == Side::Nowhere).count();
    message + 1 + skipped as u32
}

/// What is known of an id; room is made for ids that are new.
fn know(known: &mut Vec<Known>, id: Symbol) -> &mut Known {
    if id.index() >= known.len() {
        known.resize(id.index() + 1, Known::default());
    }
    &mut known[id.index()]
}
