//! One walk over a history, exchange by exchange.
//!
//! Each message is visited once, when it comes. What later exchanges need of earlier ones is kept
//! by id; so a history may grow while it is walked, at a cost that does not grow with it.

mod turn;
mod zone;

use std::borrow::Cow;

use crate::called::Called;
use crate::exchange::{Exchange, Fate, OpenCall, Signs};
use crate::history::{History, Side};
use crate::servers::Servers;
use turn::{Turn, close_gap};
use zone::Zone;

/// The state between messages.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
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

impl Walk {
    /// A walk that has seen nothing. `joins`: adjacent messages of one role are one turn.
    #[must_use]
    pub(crate) fn new(joins: bool) -> Walk {
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

    /// The running exchange, as it is if nothing more comes: its turn ended, its fate known.
    #[must_use]
    pub(crate) fn as_if_ended(&self) -> Cow<'_, Exchange> {
        let is_whole = self.zone.has_begun && !self.exchange.signs.meets(Signs::SERVER_OPEN);
        if is_whole {
            return Cow::Borrowed(&self.exchange);
        }
        let (mut exchange, mut turn) = (self.exchange.clone(), self.turn);
        if !self.zone.has_begun {
            note_end(&mut turn, &self.servers, &mut exchange);
        }
        match exchange.fate() {
            Fate::Open => {}
            Fate::OpenBeside(_) => {
                let mut here = self.servers.open_of(self.number);
                exchange.open.extend(here.find(|call| !call.is_mcp));
            }
            Fate::Dead => {
                let running = exchange.running_code();
                let open = self.servers.all_open();
                exchange.open.extend(open.filter(|call| !running.contains(&call.id)));
            }
        }
        Cow::Owned(exchange)
    }

    /// The calls of the running turn that the server may still finish, if nothing more comes.
    ///
    /// One of an earlier turn that is still open was left out by the server when it spoke again:
    /// it will not come, though it is no fault either.
    pub(crate) fn open_server_calls(&self) -> impl Iterator<Item = OpenCall> {
        let stays = self.exchange.fate() != Fate::Dead;
        let running = self.exchange.running_code();
        let open = self.servers.open_of(self.number);
        open.filter(move |call| stays || running.contains(&call.id))
    }

    /// Whether this message ends the running exchange: the assistant speaks again.
    #[must_use]
    pub(crate) fn is_ended_by(&self, history: &History, message: u32) -> bool {
        self.zone.has_begun && history.messages[message as usize].side == Side::Assistant
    }

    /// Take the next message into the running exchange.
    pub(crate) fn take(&mut self, history: &History, message: u32) {
        match history.messages[message as usize].side {
            Side::Assistant => self.take_turn(history, message),
            Side::User => self.take_zone(history, message),
            Side::System => {
                self.end_turn();
                if self.joins && self.zone.turns == 1 && self.zone.first_results.is_some() {
                    // The turn before it held results: what else it held is no intruder.
                    self.zone.other_message = None;
                }
                self.exchange.has_system = true;
                self.zone.turns += 1;
                self.zone.is_in_turn = false;
                self.zone.other_message.get_or_insert(message);
            }
            Side::Nowhere => {}
        }
    }

    /// No more assistant messages come into this exchange.
    fn end_turn(&mut self) {
        if self.zone.has_begun {
            return;
        }
        self.zone.has_begun = true;
        note_end(&mut self.turn, &self.servers, &mut self.exchange);
    }

    /// The running exchange is over: remember what later ones need, and begin another.
    pub(crate) fn next_exchange(&mut self) {
        self.end_turn();
        self.called.settle(&self.exchange.calls);
        if self.servers.has_open() && self.exchange.fate() == Fate::Dead {
            self.servers.end_all_but(&self.exchange.running_code());
        }
        self.servers.settle();
        self.turn_messages.clear();
        self.number += 1;
        self.exchange.clear();
        self.turn = Turn::default();
        self.zone = Zone::default();
    }
}

/// The assistant turn has ended: so has what stands behind its last call.
fn note_end(turn: &mut Turn, servers: &Servers, exchange: &mut Exchange) {
    close_gap(turn, exchange);
    exchange.made.retain_mut(|made| {
        let caller = servers.open_call(made.caller_id);
        made.caller = caller.unwrap_or(made.caller);
        caller.is_some()
    });
    if servers.has_open() {
        exchange.has_open_here = servers.has_open_here();
        exchange.signs.add(Signs::SERVER_OPEN);
    }
}
