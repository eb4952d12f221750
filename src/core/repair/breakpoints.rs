//! Cache markers that are too many, or live too long for their place.

use super::piece::Changes;
use super::shapes::Todo;
use super::{Action, Mender};
use crate::context::Breakpoints;
use crate::history::{History, Marks};
use crate::rule::Rule;

impl Mender<'_> {
    /// Markers go until there are as many as may be, the earliest first; or this one, which lives
    /// too long for its place.
    pub(super) fn drop_breakpoints(
        &mut self,
        current: &History,
        sheet: usize,
        block: usize,
        rule: &'static Rule,
        todo: &mut Todo,
    ) {
        let count = current.breakpoints.len() + self.options.context().breakpoints.count();
        let here = current.blocks_of(sheet as u32).start + block as u32;
        let excess = count.saturating_sub(Breakpoints::MOST);
        if excess > current.breakpoints.len() {
            return; // there are too many outside the messages
        }
        if excess > 0 && std::mem::replace(&mut todo.has_dropped_breakpoints, true) {
            return;
        }
        let mut gone: Vec<_> = current.breakpoints.iter().take(excess).map(|it| it.block).collect();
        if excess == 0 {
            gone.push(here);
        }
        gone.dedup();
        for block in gone {
            let sheet = current.message_of(block);
            let within = (block - current.blocks_of(sheet).start) as usize;
            let piece = self.piece(sheet as usize, within);
            piece.change(Changes::NO_CACHE, Marks::NONE);
            piece.change(Changes::NO_NESTED_CACHE, Marks::NONE);
            let says = "its cache_control goes";
            self.note_block(sheet as usize, within, rule, Action::Change, true, says);
        }
    }
}
