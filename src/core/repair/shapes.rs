//! What lies inside messages: members, texts, thinking.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::cures::{CURES, Cure, SEARCHES};
use super::piece::{Changes, Piece, Source};
use super::renames::Giver;
use super::thinking::latest_turn;
use super::{Action, Mender};
use crate::history::{History, Kind, Marks, Role, Symbol};
use crate::rule::Rule;
use crate::rules::compaction_not_first;
use crate::violation::Violation;

/// What is to be done to whole messages once all faults were looked at.
#[derive(Default)]
pub(super) struct Todo {
    /// Blocks that go, by message and block.
    pub(super) gone: BTreeSet<(usize, usize)>,
    /// The latest assistant turn.
    pub(super) latest: Range<usize>,
    /// Messages that go.
    pub(super) gone_sheets: BTreeSet<usize>,
    /// Messages to split by the roles that their blocks need.
    pub(super) split: BTreeMap<usize, &'static Rule>,
    /// Messages to join with the one before them.
    pub(super) joined: BTreeMap<usize, &'static Rule>,
    /// Ids of server calls and of MCP calls that become others.
    pub(super) renamed: BTreeSet<Symbol>,
    pub(super) renamed_mcp: BTreeSet<Symbol>,
    /// Whether markers went already.
    pub(super) has_dropped_breakpoints: bool,
    /// Server calls that become texts, and their results with them.
    pub(super) quoted: BTreeSet<Symbol>,
}

/// The words of a user message that stands for what is not there.
const BEGINNING: &str = "(The beginning of this conversation is missing.)";
const GO_ON: &str = "Continue.";

impl Mender<'_> {
    /// Mend what is wrong inside messages. `current`: the draft as the rules see it.
    pub(super) fn mend_shapes<'v>(
        &mut self,
        current: &History,
        found: impl Iterator<Item = &'v Violation>,
    ) {
        let mut todo = Todo { latest: latest_turn(current), ..Todo::default() };
        let (mut begins_alone, mut ends_alone) = (None, None);
        for found in found {
            let Some(sheet) = found.place.message.map(|message| message as usize) else { continue };
            match found.rule.slug {
                "first-message-not-user" if self.begins_in_compaction(current) => {}
                "first-message-not-user" => begins_alone = Some((sheet, found.rule)),
                "assistant-prefill" => ends_alone = Some(found.rule),
                _ => match found.place.block {
                    None => self.mend_message(current, sheet, found, &mut todo),
                    Some(block) => {
                        self.mend_block(current, sheet, block as usize, found, &mut todo);
                    }
                },
            }
        }
        self.rename_ids(current, Giver::Server, &todo.renamed);
        self.rename_ids(current, Giver::Mcp, &todo.renamed_mcp);
        self.quote(current, &todo.quoted);
        self.split_and_join(&mut todo);
        if !todo.joined.is_empty() {
            return; // places have moved: the rest waits for the next round
        }
        if let Some(rule) = ends_alone {
            let says = "a user message is put after it: 'Continue.'";
            self.put_in(self.sheets.len(), GO_ON, rule, says);
        }
        if let Some((at, rule)) = begins_alone {
            let says = "a user message is put before it: '(The beginning of this conversation is \
                        missing.)'";
            self.put_in(at, BEGINNING, rule, says);
        }
    }

    /// Whether the first block is a compaction that must stay the first.
    fn begins_in_compaction(&self, current: &History) -> bool {
        current.compactions.first() == Some(&0)
            && compaction_not_first::is_made_on_demand(&self.options.context)
    }

    fn mend_block(
        &mut self,
        current: &History,
        sheet: usize,
        block: usize,
        found: &Violation,
        todo: &mut Todo,
    ) {
        let rule = found.rule;
        let at = current.blocks_of(sheet as u32).start + block as u32;
        let facts = current.block(at);
        match rule.slug {
            "tool-block-in-wrong-role" | "server-block-in-wrong-role" | "block-in-wrong-role" => {
                todo.split.insert(sheet, rule);
            }
            "malformed-tool-block" if facts.marks.meets(Marks::BAD_ID) && facts.kind.is_call() => {
                self.give_id(sheet, block, rule);
            }
            "mixed-search-results" => {
                self.change(sheet, block, &SEARCHES, rule);
                let source = Source::Others(self.origin_of(sheet, block));
                let others = Piece::made(source, Kind::Text, Symbol::NONE);
                self.sheets[sheet].open(self.history).push(others);
            }
            "too-many-cache-breakpoints" => {
                self.drop_breakpoints(current, sheet, block, rule, todo);
            }
            "toolset-name-mismatch" => {
                let call = found.related.first().and_then(|place| block_at(current, *place));
                let toolset = call.map_or(Symbol::NONE, |call| current.toolset(call));
                self.piece(sheet, block).belong_to(toolset);
                let says = "its toolset_name becomes that of its call";
                self.note_block(sheet, block, rule, Action::Change, true, says);
            }
            "trailing-whitespace" => self.strip(current, sheet, block, rule, todo),
            "malformed-server-tool-id" => {
                let odd_id = facts.marks.meets(Marks::ODD_ID);
                let caller = current.detail(at).map_or(Symbol::NONE, |detail| detail.caller);
                let id = if odd_id { facts.id } else { caller };
                if id.is_some() {
                    todo.renamed.insert(id);
                }
            }
            "malformed-tool-use-id"
                if matches!(facts.kind, Kind::McpToolUse | Kind::McpToolResult) =>
            {
                todo.renamed_mcp.insert(facts.id);
            }
            "unknown-server-tool" => {
                todo.quoted.insert(facts.id);
            }
            "malformed-system-message" if facts.kind != Kind::Text => {
                self.recast(sheet, Role::User, rule, "the message becomes the user's");
            }
            "thinking-block-last"
            | "malformed-thinking-block"
            | "thinking-when-disabled"
            | "thinking-not-first"
            | "adjacent-thinking-blocks"
                if facts.kind == Kind::Thinking =>
            {
                self.drop_thinking(current, sheet, block, rule, todo);
            }
            "malformed-system-message"
            | "empty-text-block"
            | "whitespace-text-block"
            | "cache-control-on-empty-text"
            | "empty-compaction" => {
                self.drop_block(sheet, block, rule, true, "it says nothing, and goes", todo);
            }
            "misplaced-tool-change" | "blocks-before-fallback" => {
                self.drop_block(sheet, block, rule, false, "it goes", todo);
            }
            // That it names no toolset, or another one, was mended just now.
            "malformed-toolset-result"
                if self.piece(sheet, block).toolset != current.toolset(at) => {}
            slug => {
                let cure = |cure: &&Cure| cure.slug == slug && cure.fits(facts.marks, facts.kind);
                if let Some(cure) = CURES.iter().find(cure) {
                    self.change(sheet, block, cure, rule);
                }
            }
        }
    }

    /// Change a block as the table says.
    fn change(&mut self, sheet: usize, block: usize, cure: &Cure, rule: &'static Rule) {
        let piece = self.piece(sheet, block);
        if piece.changes.hold(cure.change) {
            return;
        }
        piece.change(cure.change, cure.cured);
        self.note_block(sheet, block, rule, Action::Change, cure.is_safe, cure.says);
    }

    fn drop_block(
        &mut self,
        sheet: usize,
        block: usize,
        rule: &'static Rule,
        is_safe: bool,
        says: &'static str,
        todo: &mut Todo,
    ) {
        if todo.gone.insert((sheet, block)) {
            self.note_block(sheet, block, rule, Action::Drop, is_safe, says);
        }
    }

    /// The block of the history that a piece is.
    fn origin_of(&mut self, sheet: usize, block: usize) -> u32 {
        self.piece(sheet, block).origin().unwrap_or_default()
    }

    pub(super) fn strip(
        &mut self,
        current: &History,
        sheet: usize,
        block: usize,
        rule: &'static Rule,
        todo: &mut Todo,
    ) {
        let at = current.blocks_of(sheet as u32).start + block as u32;
        if current.block(at).marks.meets(Marks::BLANK_TEXT.with(Marks::EMPTY_TEXT)) {
            return self.drop_block(sheet, block, rule, true, "it says nothing, and goes", todo);
        }
        self.piece(sheet, block).change(Changes::STRIPPED, Marks::NONE);
        let says = "white space at its end goes";
        self.note_block(sheet, block, rule, Action::Change, true, says);
    }
}

/// The block at a place.
fn block_at(history: &History, place: crate::location::Place) -> Option<u32> {
    let message = place.message?;
    Some(history.blocks_of(message).start + place.block?)
}
