//! Calls that the server runs, and how they stay open from turn to turn.

use std::collections::{HashMap, HashSet};

use crate::exchange::OpenCall;
use crate::history::{Block, Kind, Symbol};

/// The latest server call of an id. Any server result of the id closes it: whether call and
/// result are of one tool is not asked here.
#[derive(Clone, Copy, Debug)]
struct ServerCall {
    block: u32,
    is_mcp: bool,
    /// The exchange that it stands in, and the one that closed it.
    exchange: u32,
    closed_in: Option<u32>,
    is_open: bool,
}

/// All server calls that were walked, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers {
    calls: HashMap<u32, ServerCall>,
    /// The calls since none was open, in order; some may have been closed.
    running: Vec<OpenCall>,
    /// How many of them are open.
    open: u32,
    /// How many of the running turn are open that the API runs itself, not MCP.
    open_here: u32,
}

impl Servers {
    /// A call. It takes over an id that is open already: one fault of an id is enough.
    pub(crate) fn add_call(&mut self, block: Block, index: u32, exchange: u32) {
        let is_mcp = block.kind == Kind::McpToolUse;
        let call = ServerCall { block: index, is_mcp, exchange, closed_in: None, is_open: true };
        if let Some(taken_over) = self.calls.insert(block.id.0, call)
            && taken_over.is_open
        {
            self.count_closed(taken_over, exchange);
        }
        self.running.push(OpenCall { block: index, id: block.id, is_mcp });
        self.open += 1;
        self.open_here += u32::from(!is_mcp);
    }

    /// A result: its call, if that is open, or was until this exchange.
    pub(crate) fn close(&mut self, id: Symbol, exchange: u32) -> Option<u32> {
        let call = self.calls.get_mut(&id.0)?;
        let before = *call;
        if before.is_open {
            call.is_open = false;
            call.closed_in = Some(exchange);
            self.count_closed(before, exchange);
            return Some(before.block);
        }
        (before.closed_in == Some(exchange)).then_some(before.block)
    }

    /// The open call of an id.
    pub(crate) fn open_call(&self, id: Symbol) -> Option<u32> {
        self.calls.get(&id.0).filter(|call| call.is_open).map(|call| call.block)
    }

    /// The call of an id that is open, or that stands in this exchange.
    pub(crate) fn current_call(&self, id: Symbol, exchange: u32) -> Option<u32> {
        let is_current = |call: &&ServerCall| call.is_open || call.exchange == exchange;
        self.calls.get(&id.0).filter(is_current).map(|call| call.block)
    }

    /// Whether any call is open.
    pub(crate) fn has_open(&self) -> bool {
        self.open > 0
    }

    /// Whether a call of the running turn is open that the API runs itself, not MCP.
    pub(crate) fn has_open_here(&self) -> bool {
        self.open_here > 0
    }

    /// The calls that are open, in order.
    pub(crate) fn all_open(&self) -> impl Iterator<Item = OpenCall> {
        let is_open = |call: &&OpenCall| self.open_call(call.id) == Some(call.block);
        self.running.iter().filter(is_open).copied()
    }

    /// The calls of one exchange that are open, in order.
    pub(crate) fn open_of(&self, exchange: u32) -> impl Iterator<Item = OpenCall> {
        // They stand at the end; what is before them may be long.
        let stands_in = move |call: &&OpenCall| {
            self.calls.get(&call.id.0).is_some_and(|known| known.exchange == exchange)
        };
        let start = self.running.iter().rev().take_while(stands_in).count();
        let here = &self.running[self.running.len() - start..];
        here.iter().filter(|call| self.open_call(call.id) == Some(call.block)).copied()
    }

    /// What is open can never get a result, but for the calls of these ids.
    pub(crate) fn end_all_but(&mut self, kept: &HashSet<Symbol>) {
        let mut running = std::mem::take(&mut self.running);
        for call in running.iter().filter(|call| !kept.contains(&call.id)) {
            if let Some(call) = self.calls.get_mut(&call.id.0) {
                call.is_open = false;
            }
        }
        running.retain(|call| self.open_call(call.id) == Some(call.block));
        self.open = running.len() as u32;
        self.running = running;
    }

    /// An exchange is over.
    pub(crate) fn settle(&mut self) {
        if self.open == 0 {
            self.running.clear();
        }
        self.open_here = 0;
    }

    fn count_closed(&mut self, call: ServerCall, exchange: u32) {
        self.open -= 1;
        self.open_here -= u32::from(!call.is_mcp && call.exchange == exchange);
    }
}
