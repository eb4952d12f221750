//! The other half of an exchange: results, and what stands beside them.

use super::Walk;
use crate::exchange::{Answer, Signs, Standing, Target};
use crate::history::{Block, History, Kind, Marks};

/// What is running behind an assistant turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Zone {
    pub(super) has_begun: bool,
    /// Turns begun, of users and of the system, and whether a user's is running.
    pub(super) turns: u32,
    pub(super) is_in_turn: bool,
    /// In the running turn: its first block beside results, its first message with results.
    pub(super) beside: Option<u32>,
    pub(super) first_results: Option<u32>,
    /// The first message that holds anything but results.
    pub(super) other_message: Option<u32>,
}

impl Walk {
    pub(super) fn take_zone(&mut self, history: &History, message: u32) {
        self.end_turn();
        let blocks = history.blocks_of(message);
        if !self.joins || !self.zone.is_in_turn {
            self.zone.turns += 1;
            self.zone.is_in_turn = true;
            self.zone.beside = None;
            self.zone.first_results = None;
        }
        // A message that holds nothing joins its neighbours and vanishes, where they are joined.
        let mut holds_other = !self.joins && !history.messages[message as usize].has_results;
        for (index, &block) in blocks.clone().zip(history.blocks_in(blocks)) {
            match block.kind {
                Kind::ToolResult => self.add_answer(block, index, message),
                kind if kind.stands_beside() => {
                    holds_other = true;
                    self.zone.beside.get_or_insert(index);
                    self.exchange.beside.get_or_insert(index);
                }
                _ => {}
            }
        }
        if holds_other {
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
            Target::Nothing(self.called.earlier(block.id))
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
