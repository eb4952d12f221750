//! What was recorded before, recorded again: elsewhere, or changed.

use std::ops::Range;

use super::Recorder;
use crate::history::{
    Block, Breakpoint, Detail, Extra, History, Kind, Marks, Message, Misplaced, Reference, Role,
    Symbol,
};

impl Recorder {
    /// Append another recorder's messages, whose ids have the given symbols here.
    pub fn append(&mut self, other: &History, symbols: &[Symbol]) {
        let here = |symbol: Symbol| if symbol.is_some() { symbols[symbol.index()] } else { symbol };
        self.append_run(other, 0..other.messages.len() as u32, here);
    }

    /// Append some of another recorder's messages.
    pub(crate) fn append_run(
        &mut self,
        other: &History,
        run: Range<u32>,
        here: impl Fn(Symbol) -> Symbol,
    ) {
        if run.is_empty() {
            return;
        }
        let first = other.blocks_of(run.start).start;
        let blocks = first..other.blocks_of(run.end - 1).end;
        let block = self.next_block().wrapping_sub(first);
        let moved = |at: u32| at.wrapping_add(block);
        let message = (self.history.messages.len() as u32).wrapping_sub(run.start);
        let shifted = |at: u32| at.wrapping_add(message);
        let history = &mut self.history;
        let messages = &other.messages[run.start as usize..run.end as usize];
        history.messages.extend(messages.iter().map(|it| Message { end: moved(it.end), ..*it }));
        let own = other.blocks_in(blocks.clone());
        history.blocks.extend(own.iter().map(|it| Block { id: here(it.id), ..*it }));
        history.details.extend(part(&other.details, |it| it.block, &blocks).iter().map(|it| {
            let (toolset, caller) = (here(it.toolset), here(it.caller));
            Detail { block: moved(it.block), toolset, caller }
        }));
        history.misplaced.extend(part(&other.misplaced, |it| it.block, &blocks).iter().map(|it| {
            let (toolset, caller) = (here(it.toolset), here(it.caller));
            Misplaced { block: moved(it.block), toolset, caller, ..*it }
        }));
        history.empties.extend(part(&other.empties, |it| *it, &run).iter().map(|it| shifted(*it)));
        let blanks = part(&other.blanks, |it| *it, &blocks);
        history.blanks.extend(blanks.iter().map(|it| moved(*it)));
        history.systems.extend(part(&other.systems, |it| *it, &run).iter().map(|it| shifted(*it)));
        let ends = part(&other.thought_ends, |it| *it, &run);
        history.thought_ends.extend(ends.iter().map(|it| shifted(*it)));
        let compactions = part(&other.compactions, |it| *it, &blocks);
        history.compactions.extend(compactions.iter().map(|it| moved(*it)));
        let references = part(&other.references, |it| it.block, &blocks).iter();
        history
            .references
            .extend(references.map(|it| Reference { block: moved(it.block), name: here(it.name) }));
        let breakpoints = part(&other.breakpoints, |it| it.block, &blocks).iter();
        history
            .breakpoints
            .extend(breakpoints.map(|it| Breakpoint { block: moved(it.block), ..*it }));
        history.extras.extend(part(&other.extras, |it| it.message, &run).iter().map(|it| Extra {
            message: shifted(it.message),
            block: it.block.map(moved),
            name: here(it.name),
        }));
        let tool_messages = part(&other.tool_messages, |it| it.0, &run).iter();
        history.tool_messages.extend(tool_messages.map(|it| (shifted(it.0), here(it.1))));
        history.server_tools.add_all(other.server_tools);
        let ends = part(&other.space_ends, |it| *it, &blocks);
        history.space_ends.extend(ends.iter().map(|it| moved(*it)));
    }

    /// A block that was recorded before, perhaps in another place or role.
    pub(crate) fn again(&mut self, block: Block, toolset: Symbol, caller: Symbol) {
        let Block { kind, tool, mut marks, id } = block;
        marks.remove(Marks::POSITIONAL);
        let message = &mut self.message;
        let is_blank = kind == Kind::Text && marks.meets(Marks::EMPTY_TEXT.with(Marks::BLANK_TEXT));
        message.has_blank |= is_blank;
        message.holds_call |= kind.is_call();
        match kind {
            Kind::Thinking => {
                let is_late =
                    message.speaks && !message.thinks && self.role == Some(Role::Assistant);
                marks.add_if(is_late, Marks::LATE_THINKING);
                marks.add_if(self.role == Some(Role::User), Marks::UNLIKE_ROLE);
                message.thinks = true;
            }
            Kind::Media | Kind::Attachment => {
                marks.add_if(self.role == Some(Role::Assistant), Marks::UNLIKE_ROLE);
            }
            Kind::Compaction => self.history.compactions.push(self.history.blocks.len() as u32),
            Kind::Fallback => message.fallback_end = Some(self.history.blocks.len() as u32 + 1),
            _ => {}
        }
        message.speaks |= matches!(kind, Kind::Text | Kind::ToolUse);
        message.has_unsystematic |= !matches!(kind, Kind::Text | Kind::ToolChange)
            && !kind.is_call()
            && !kind.is_result()
            && !marks.meets(Marks::ODD_TYPE);
        let is_misplaced = self.must_not_hold(kind);
        self.message.has_results |= kind == Kind::ToolResult && !is_misplaced;
        self.history.server_tools.add(tool);
        if (kind.is_call() || kind.is_result()) && is_misplaced {
            let block = self.next_block();
            self.history.misplaced.push(Misplaced { block, marks, tool, toolset, caller });
            return self.push(kind, Marks::WRONG_ROLE, id);
        }
        self.push_tool(kind, tool, marks, id);
        if toolset.is_some() || caller.is_some() {
            let block = self.next_block() - 1;
            self.mark_last(Marks::DETAIL);
            self.history.details.push(Detail { block, toolset, caller });
        }
    }

    /// The block just recorded again refers to this tool.
    pub(crate) fn refers_again(&mut self, tool: Symbol) {
        self.history.references.push(Reference { block: self.next_block() - 1, name: tool });
    }
}

/// The entries of a sorted list whose key lies in a range.
fn part<'a, T>(sorted: &'a [T], key: impl Fn(&T) -> u32, range: &Range<u32>) -> &'a [T] {
    let start = sorted.partition_point(|entry| key(entry) < range.start);
    let end = sorted.partition_point(|entry| key(entry) < range.end);
    &sorted[start..end]
}
