//! Thinking: dropped whole or not at all in the latest assistant turn, and never moved.

use std::collections::BTreeSet;
use std::ops::Range;

use super::shapes::Todo;
use super::{Action, Mender};
use crate::history::{History, Kind, Role, Side};
use crate::rule::Rule;

impl Mender<'_> {
    /// A thinking block goes. In the latest assistant turn all of its thinking goes with it.
    pub(super) fn drop_thinking(
        &mut self,
        current: &History,
        sheet: usize,
        block: usize,
        rule: &'static Rule,
        todo: &mut Todo,
    ) {
        let mut dropped = vec![(sheet, block)];
        // Once one of them went, all of them did.
        if todo.latest.contains(&sheet) && !todo.gone.contains(&(sheet, block)) {
            dropped.extend(todo.latest.clone().flat_map(|at| thinking_in(current, at)));
        }
        for (sheet, block) in dropped {
            if todo.gone.insert((sheet, block)) {
                self.note_block(sheet, block, rule, Action::Drop, false, "the thinking goes");
            }
        }
    }

    /// All thinking behind the first change goes: it is bound to what is no longer there. Whether
    /// there was any.
    pub(super) fn strip_thinking(&mut self) -> bool {
        let Some(first) = self.first_changed() else { return false };
        let Some(rule) = self.edits.first().map(|edit| edit.rule) else { return false };
        let current = self.written();
        let thinking = (first..self.sheets.len()).filter(|&at| current.messages[at].thinks);
        let gone: BTreeSet<_> = thinking.flat_map(|at| thinking_in(&current, at)).collect();
        for &(sheet, block) in &gone {
            let says = "thinking after a change goes: it is bound to what stood before it";
            self.note_block(sheet, block, rule, Action::Drop, false, says);
        }
        self.drop_pieces(&gone, BTreeSet::new());
        !gone.is_empty()
    }
}

/// The messages of the latest assistant turn.
pub(super) fn latest_turn(current: &History) -> Range<usize> {
    let side = |at: usize| current.messages[at].side;
    let last = (0..current.messages.len()).rev().find(|&at| side(at) == Side::Assistant);
    let Some(last) = last else { return 0..0 };
    let is_in = |at: &usize| matches!(side(*at), Side::Assistant | Side::Nowhere);
    let before = (0..last).rev().take_while(is_in).count();
    last - before..last + 1
}

fn thinking_in(current: &History, sheet: usize) -> impl Iterator<Item = (usize, usize)> {
    let is_assistant = current.messages[sheet].role == Role::Assistant;
    let blocks = current.blocks_of(sheet as u32).enumerate();
    blocks
        .filter(move |(_, at)| is_assistant && current.block(*at).kind == Kind::Thinking)
        .map(move |(within, _)| (sheet, within))
}
