//! Cache markers that are too many, or live too long for their place.

use super::draft::Changes;
use super::shapes::Todo;
use super::{Action, Mender};
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
        let others = &self.options.context().breakpoints;
        let count = current.breakpoints.len() + others.before as usize;
        let count = count + usize::from(others.automatic.is_some());
        let here = current.blocks_of(sheet as u32).start + block as u32;
        let excess = count.saturating_sub(4);
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
