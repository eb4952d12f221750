//! Calls that the server runs, and how they stay open from turn to turn.
//!
//! Turns that share an open server call are a *chain*: a result closes a call of its own chain.

use std::collections::HashMap;

use crate::exchange::OpenCall;
use crate::history::{Block, Kind, Symbol};

/// The latest server call of an id.
#[derive(Clone, Copy, Debug)]
struct ServerCall {
    block: u32,
    /// The exchange and the chain that it stands in.
    exchange: u32,
    chain: u32,
    is_mcp: bool,
    is_open: bool,
}

/// All server calls that were walked, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers {
    calls: HashMap<u32, ServerCall>,
    /// Numbers the chains.
    chain: u32,
    /// The calls of the running chain, in order; some may have been closed.
    running: Vec<OpenCall>,
    /// How many of them are open, and how many of these the API runs itself.
    open: u32,
    open_own: u32,
}

impl Servers {
    /// A call. It takes over an id that is open already: one fault of an id is enough.
    pub(crate) fn open(&mut self, block: Block, index: u32, exchange: u32) {
        let is_mcp = block.kind == Kind::McpToolUse;
        let call = ServerCall { block: index, exchange, chain: self.chain, is_mcp, is_open: true };
        if let Some(taken_over) = self.calls.insert(block.id.0, call)
            && taken_over.is_open
        {
            self.count_closed(taken_over);
        }
        self.running.push(OpenCall { block: index, id: block.id, is_mcp });
        self.open += 1;
        self.open_own += u32::from(!is_mcp);
    }

    /// A result: its call, if that stands in the running chain.
    pub(crate) fn close(&mut self, id: Symbol) -> Option<u32> {
        let chain = self.chain;
        let call = self.calls.get_mut(&id.0).filter(|call| call.chain == chain)?;
        let before = *call;
        call.is_open = false;
        if before.is_open {
            self.count_closed(before);
        }
        Some(before.block)
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

    /// Whether a call is open that the API runs itself, not MCP.
    pub(crate) fn has_open_own(&self) -> bool {
        self.open_own > 0
    }

    /// The calls that are open, in order.
    pub(crate) fn all_open(&self) -> impl Iterator<Item = OpenCall> {
        let is_open = |call: &&OpenCall| self.open_call(call.id) == Some(call.block);
        self.running.iter().filter(is_open).copied()
    }

    /// An exchange is over: what is open stays so, or can never get a result.
    pub(crate) fn settle(&mut self, stays: bool) {
        if !stays {
            for call in &self.running {
                if let Some(call) = self.calls.get_mut(&call.id.0) {
                    call.is_open = false;
                }
            }
            (self.open, self.open_own) = (0, 0);
        }
        if self.open == 0 {
            self.running.clear();
            self.chain += 1;
        }
    }

    fn count_closed(&mut self, call: ServerCall) {
        self.open -= 1;
        self.open_own -= u32::from(!call.is_mcp);
    }
}
