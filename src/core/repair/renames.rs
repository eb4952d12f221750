//! Ids that become others, and server blocks that become texts, wherever they stand.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::Ids;
use super::piece::{Piece, Source};
use super::{Action, Mender};
use crate::history::{Block, History, Kind, Marks, Symbol};
use crate::rule::Rule;
use crate::rules::{malformed_server_tool_id, malformed_tool_use_id, unknown_server_tool};

/// Who gives ids that blocks of several turns share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Giver {
    /// The server that runs its own tools.
    Server,
    /// A server of MCP.
    Mcp,
}

impl Giver {
    /// Whether a block's id is one of its own.
    fn gave(self, block: Block) -> bool {
        match self {
            Giver::Server => block.kind.has_server_id() && !block.marks.meets(Marks::WRONG_ROLE),
            Giver::Mcp => matches!(block.kind, Kind::McpToolUse | Kind::McpToolResult),
        }
    }

    fn mint(self, ids: &mut Ids<'_>, old: Symbol) -> Symbol {
        match self {
            Giver::Server => ids.server(old),
            Giver::Mcp => ids.client(old),
        }
    }
}

impl Mender<'_> {
    /// Ids that break their pattern: call, results and callers get a new one alike.
    pub(super) fn rename_ids(
        &mut self,
        current: &History,
        giver: Giver,
        renamed: &BTreeSet<Symbol>,
    ) {
        if renamed.is_empty() {
            return;
        }
        let (rule, says): (&'static Rule, _) = match giver {
            Giver::Server => {
                (&malformed_server_tool_id::RULE, "the server call's id becomes {new_id}")
            }
            Giver::Mcp => (&malformed_tool_use_id::RULE, "the MCP call's id becomes {new_id}"),
        };
        let new: BTreeMap<_, _> =
            renamed.iter().map(|&old| (old, giver.mint(&mut self.ids, old))).collect();
        let of_own = |block: Block| new.get(&block.id).copied().filter(|_| giver.gave(block));
        // Only the server's own calls are callers.
        let of_caller = |id: Symbol| new.get(&id).copied().filter(|_| giver == Giver::Server);
        let is_wanted = |at| {
            let caller = current.detail(at).map_or(Symbol::NONE, |detail| detail.caller);
            of_own(current.block(at)).is_some() || of_caller(caller).is_some()
        };
        self.each_piece(current, is_wanted, |mender, piece| {
            let (id, caller) = (of_own(piece.block), of_caller(piece.caller));
            if let Some(id) = id {
                piece.block.id = id;
                piece.block.marks.remove(Marks::ODD_ID);
                piece.block.marks.add_if(giver == Giver::Server, Marks::SERVER_ID);
            }
            if let Some(caller) = caller {
                piece.caller = caller;
                piece.block.marks.remove(Marks::ODD_CALLER);
            }
            if let Some(new_id) = caller.or(id) {
                mender.note_rename(piece.as_given(mender.history), rule, new_id, says);
            }
        });
    }

    /// Server calls that no one may send become texts, and so do their results.
    pub(super) fn quote(&mut self, current: &History, quoted: &BTreeSet<Symbol>) {
        if quoted.is_empty() {
            return;
        }
        let is_wanted = |at| {
            let block = current.block(at);
            block.kind.has_server_id() && quoted.contains(&block.id)
        };
        self.each_piece(current, is_wanted, |mender, piece| {
            // Its id may be another by now: then it waits for the next round.
            if let Source::Block(block) = piece.source
                && quoted.contains(&piece.block.id)
            {
                *piece = Piece::made(Source::AsText(block), Kind::Text, Symbol::NONE);
                let rule = &unknown_server_tool::RULE;
                mender.note(piece, rule, Action::Quote, false, "it becomes a text");
            }
        });
    }

    /// Change the pieces of the draft that are wanted. `is_wanted` looks at blocks of `current`.
    pub(super) fn each_piece(
        &mut self,
        current: &History,
        is_wanted: impl Fn(u32) -> bool,
        mut change: impl FnMut(&mut Self, &mut Piece),
    ) {
        for sheet in 0..self.sheets.len() {
            let blocks = current.blocks_of(sheet as u32);
            for (within, at) in blocks.enumerate() {
                if is_wanted(at) {
                    let mut piece = self.piece(sheet, within).clone();
                    change(self, &mut piece);
                    *self.piece(sheet, within) = piece;
                }
            }
        }
    }

    /// A call without an id gets one; a result without an id may then be found to be its own.
    pub(super) fn give_id(&mut self, sheet: usize, block: usize, rule: &'static Rule) {
        let pieces = self.sheets[sheet].open(self.history);
        let is_server = pieces[block].kind() == Kind::ServerToolUse;
        // A server's result right behind its call tells which id that had.
        let behind = pieces.get(block + 1).filter(|next| next.kind().is_server_result());
        let lent = behind.map(|next| next.block.id).filter(|id| id.is_some());
        let lent = lent.filter(|_| pieces[block].kind().is_server_call());
        let id = match lent {
            Some(id) => id,
            None if is_server => self.ids.server(Symbol::NONE),
            None => self.ids.client(Symbol::NONE),
        };
        let history = self.history;
        let piece = self.piece(sheet, block);
        piece.block.id = id;
        piece.block.marks.remove(Marks::BAD_ID);
        let given = piece.as_given(history);
        self.note_rename(given, rule, id, "the call gets an id: {new_id}");
    }
}
