//! Ids that become others, and server blocks that become texts, wherever they stand.

use std::collections::BTreeMap;

use super::draft::{Piece, Source};
use super::{Action, Mender};
use crate::history::{History, Kind, Marks, Symbol};
use crate::rule::Rule;

impl Mender<'_> {
    /// Server ids are the server's own: call, results and callers get a new one alike.
    pub(super) fn rename_server_ids(
        &mut self,
        current: &History,
        renamed: &BTreeMap<Symbol, &'static Rule>,
    ) {
        if renamed.is_empty() {
            return;
        }
        let new: BTreeMap<_, _> = renamed.keys().map(|&old| (old, self.ids.server(old))).collect();
        self.each_piece(
            current,
            |current, at| {
                let block = current.block(at);
                let caller = current.detail(at).map_or(Symbol::NONE, |detail| detail.caller);
                let is_server = block.kind.has_server_id() && !block.marks.meets(Marks::WRONG_ROLE);
                is_server && new.contains_key(&block.id) || new.contains_key(&caller)
            },
            |mender, piece| {
                let (old, caller) = (piece.block.id, piece.caller);
                let mut new_id = Symbol::NONE;
                if let Some(&id) = new.get(&old).filter(|_| piece.kind().has_server_id()) {
                    piece.block.id = id;
                    piece.block.marks.remove(Marks::ODD_ID);
                    piece.block.marks.add(Marks::SERVER_ID);
                    new_id = id;
                }
                if let Some(&id) = new.get(&caller) {
                    piece.caller = id;
                    piece.block.marks.remove(Marks::ODD_CALLER);
                    new_id = id;
                }
                let rule = renamed.get(&old).or(renamed.get(&caller));
                if let Some(rule) = rule {
                    let says = "the server call's id becomes {new_id}";
                    mender.note_rename(piece.as_given(mender.history), rule, new_id, says);
                }
            },
        );
    }

    /// The same for MCP's.
    pub(super) fn rename_mcp_ids(
        &mut self,
        current: &History,
        renamed: &BTreeMap<Symbol, &'static Rule>,
    ) {
        if renamed.is_empty() {
            return;
        }
        let is_mcp = |kind| matches!(kind, Kind::McpToolUse | Kind::McpToolResult);
        let new: BTreeMap<_, _> = renamed.keys().map(|&old| (old, self.ids.client(old))).collect();
        let is_wanted = |current: &History, at: u32| {
            let block = current.block(at);
            is_mcp(block.kind) && new.contains_key(&block.id)
        };
        self.each_piece(current, is_wanted, |mender, piece| {
            let (Some(&id), Some(rule)) = (new.get(&piece.block.id), renamed.get(&piece.block.id))
            else {
                return;
            };
            piece.block.id = id;
            piece.block.marks.remove(Marks::ODD_ID);
            let says = "the MCP call's id becomes {new_id}";
            mender.note_rename(piece.as_given(mender.history), rule, id, says);
        });
    }

    /// Server calls that no one may send become texts, and so do their results.
    pub(super) fn quote(&mut self, current: &History, quoted: &BTreeMap<Symbol, &'static Rule>) {
        if quoted.is_empty() {
            return;
        }
        self.each_piece(
            current,
            |current, at| {
                let block = current.block(at);
                block.kind.has_server_id() && quoted.contains_key(&block.id)
            },
            |mender, piece| {
                let rule = quoted.get(&piece.block.id);
                let (Some(rule), Source::Block(block)) = (rule, piece.source) else { return };
                *piece = Piece::made(Source::AsText(block), Kind::Text, Symbol::NONE);
                mender.note(piece, rule, Action::Quote, false, "it becomes a text");
            },
        );
    }

    /// Change the pieces of the draft that are wanted. `is_wanted` looks at blocks of `current`.
    pub(super) fn each_piece(
        &mut self,
        current: &History,
        is_wanted: impl Fn(&History, u32) -> bool,
        mut change: impl FnMut(&mut Self, &mut Piece),
    ) {
        for sheet in 0..self.sheets.len() {
            let blocks = current.blocks_of(sheet as u32);
            for (within, at) in blocks.enumerate() {
                if is_wanted(current, at) {
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
