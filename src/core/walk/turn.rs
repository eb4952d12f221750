//! The assistant's half of an exchange: calls, and what stands behind them.

use super::Walk;
use crate::exchange::{Call, Exchange, Gap, Made, Reuse, Signs};
use crate::history::{Block, History, Kind, Marks};

/// What is running in an assistant turn: its last message, its latest call, and the first blocks
/// behind that call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    pub(super) last_message: u32,
    pub(super) call: Option<u32>,
    pub(super) gap_first: Option<u32>,
    pub(super) gap_offending: Option<u32>,
}

impl Walk {
    pub(super) fn take_turn(&mut self, history: &History, message: u32) {
        if !self.joins {
            close_gap(&mut self.turn, &mut self.exchange);
            self.turn.call = None;
            self.turn_messages.push(message);
            self.exchange.answerable_from = message;
        }
        self.turn.last_message = message;
        let blocks = history.blocks_of(message);
        for (index, &block) in blocks.clone().zip(history.blocks_in(blocks)) {
            match block.kind {
                Kind::ToolUse if block.id.is_some() => {
                    close_gap(&mut self.turn, &mut self.exchange);
                    self.add_call(history, block, index, message);
                }
                Kind::Text | Kind::Media | Kind::Attachment => self.widen_gap(index, true),
                Kind::Thinking => self.widen_gap(index, false),
                kind if kind.is_server_call() => {
                    self.widen_gap(index, true);
                    if block.id.is_some() {
                        self.servers.add_call(block, index, self.number);
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
            self.add_detail(history, index, slot);
        }
        self.turn.call = Some(slot);
        let call = Call { block: index, message, id: block.id, answer: None, reuse };
        self.exchange.calls.push(call);
    }

    fn add_detail(&mut self, history: &History, index: u32, slot: u32) {
        let Some(detail) = history.detail(index) else { return };
        if detail.toolset.is_some() {
            self.exchange.signs.add(Signs::TOOLSET);
        }
        if let Some(caller) = self.servers.open_call(detail.caller) {
            self.exchange.made.push(Made { call: slot, caller, caller_id: detail.caller });
            self.exchange.signs.add(Signs::PROGRAMMATIC);
            self.exchange.ties.push((caller, index));
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
        match self.servers.close(block.id, self.number) {
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
}

/// The content behind the latest call has ended.
pub(super) fn close_gap(turn: &mut Turn, exchange: &mut Exchange) {
    let first = turn.gap_first.take();
    let offending = turn.gap_offending.take();
    if let (Some(call), Some(first), Some(offending)) = (turn.call, first, offending) {
        exchange.gaps.push(Gap { call, first, offending });
        exchange.signs.add(Signs::GAP);
    }
}
