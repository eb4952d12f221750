//! How a reader writes a history down: message by message, block by block.

mod copy;
mod tools;

use std::collections::BTreeSet;

use crate::history::{
    Block, Breakpoint, ClearAt, Content, Extra, History, Kind, Marks, Message, Reference, Role,
    ServerTool, Side, Symbol,
};

/// What a text is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextShape {
    /// It has no character, or is absent.
    Empty,
    /// It is white space, all of it.
    Blank,
    /// It says something.
    Full,
}

/// The `name` of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Absent, or no string.
    Missing,
    /// So many characters; and the server tool of that name.
    Given(usize, ServerTool),
}

/// The most characters of a call's name.
const LONGEST_NAME: usize = 200;

/// Fills a [`History`].
///
/// For each message: [`begin`](Recorder::begin), its blocks in order, [`end`](Recorder::end).
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    history: History,
    role: Option<Role>,
    message: Running,
}

/// What is known of the running message.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    marks: Marks,
    clear_at: ClearAt,
    thinks: bool,
    speaks: bool,
    holds_call: bool,
    has_results: bool,
    /// The first block that a system message must not hold, if it is not the wrong role's fault.
    has_unsystematic: bool,
    has_blank: bool,
    /// One past the last `fallback`.
    fallback_end: Option<u32>,
}

impl Recorder {
    /// An empty history with room for a number of messages.
    #[must_use]
    pub fn with_capacity(messages: usize) -> Recorder {
        let mut recorder = Recorder::default();
        recorder.history.messages.reserve(messages);
        recorder.history.blocks.reserve(messages);
        recorder
    }

    /// What was recorded so far: all that was ended.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What was recorded.
    #[must_use]
    pub fn finish(self) -> History {
        self.history
    }

    /// The index that the next block will have.
    #[must_use]
    pub fn next_block(&self) -> u32 {
        self.history.blocks.len() as u32
    }

    /// A message begins.
    #[inline]
    pub fn begin(&mut self, role: Role) {
        self.role = Some(role);
        self.message = Running::default();
    }

    /// The running message says when it is to be cleared.
    pub fn clear_at(&mut self, clear_at: ClearAt) {
        self.message.clear_at = clear_at;
        self.message.marks.add_if(clear_at != ClearAt::Absent, Marks::ODD_FORM);
    }

    /// The running message, of role `tool`, names the call that it answers beside its text.
    pub fn tool_message(&mut self, call: Symbol) {
        let message = self.history.messages.len() as u32;
        self.history.tool_messages.push((message, call));
    }

    /// A text block.
    #[inline]
    pub fn text(&mut self, shape: TextShape) {
        self.message.speaks = true;
        let marks = match shape {
            TextShape::Full => Marks::NONE,
            TextShape::Empty => Marks::EMPTY_TEXT,
            TextShape::Blank => Marks::BLANK_TEXT,
        };
        self.message.has_blank |= shape != TextShape::Full;
        self.push(Kind::Text, marks, Symbol::NONE);
    }

    /// The message's content is this one string, which is not empty.
    #[inline]
    pub fn string(&mut self, shape: TextShape) {
        self.message.speaks = true;
        let blank = if shape == TextShape::Blank { Marks::BLANK_TEXT } else { Marks::NONE };
        self.message.has_blank |= shape == TextShape::Blank;
        self.push(Kind::Text, Marks::STRING.with(blank), Symbol::NONE);
    }

    /// A thinking block. `is_whole`: it has all that must come with it.
    pub fn thinking(&mut self, is_redacted: bool, is_whole: bool) {
        let message = &mut self.message;
        let mut marks = Marks::NONE;
        let is_late = message.speaks && !message.thinks && self.role == Some(Role::Assistant);
        marks.add_if(is_late, Marks::LATE_THINKING);
        marks.add_if(is_redacted, Marks::REDACTED);
        marks.add_if(!is_whole, Marks::BAD_THINKING);
        marks.add_if(self.role == Some(Role::User), Marks::UNLIKE_ROLE);
        message.thinks = true;
        message.has_unsystematic = true;
        self.push(Kind::Thinking, marks, Symbol::NONE);
    }

    /// A summary. `is_empty`: it has no character, which is not the same as being null.
    pub fn compaction(&mut self, is_empty: bool) {
        self.message.has_unsystematic = true;
        self.history.compactions.push(self.next_block());
        let marks = if is_empty { Marks::EMPTY_TEXT } else { Marks::NONE };
        self.push(Kind::Compaction, marks, Symbol::NONE);
    }

    /// A block that tells which tools there are from here on.
    pub fn tool_change(&mut self, tool: Symbol) {
        self.history.references.push(Reference { block: self.next_block(), name: tool });
        self.push(Kind::ToolChange, Marks::REFERS, Symbol::NONE);
    }

    /// A block of any other kind that neither calls nor answers.
    #[inline]
    pub fn plain(&mut self, kind: Kind) {
        let is_odd = matches!(kind, Kind::Foreign | Kind::Unknown | Kind::Untyped | Kind::NoObject);
        let mut marks = if is_odd { Marks::ODD_TYPE } else { Marks::NONE };
        let is_unlike = kind.is_sent() && self.role == Some(Role::Assistant);
        marks.add_if(is_unlike, Marks::UNLIKE_ROLE);
        if kind == Kind::Fallback {
            self.message.fallback_end = Some(self.next_block() + 1);
        }
        self.message.has_unsystematic |= !is_odd;
        self.push(kind, marks, Symbol::NONE);
    }

    /// The block just recorded has a `cache_control`, or one inside it has.
    pub fn cached(&mut self, is_long: bool, is_nested: bool) {
        let Some(block) = self.next_block().checked_sub(1) else { return };
        self.history.breakpoints.push(Breakpoint { block, is_long, is_nested });
        if let Some(block) = self.history.blocks.last_mut()
            && !is_nested
        {
            block.marks.add(Marks::CACHED);
            self.message.marks.add(Marks::CACHED);
        }
    }

    /// The running message, or the block just recorded, has a member that its kind has not.
    pub fn extra(&mut self, name: Symbol, of_block: bool) {
        let message = self.history.messages.len() as u32;
        let block = of_block.then(|| self.next_block().saturating_sub(1));
        self.history.extras.push(Extra { message, block, name });
    }

    /// The message ends. `directive`: it has an `output_config`.
    #[inline]
    pub fn end(&mut self, content: Content, directive: bool) {
        let Some(role) = self.role.take() else { return };
        let end = self.next_block();
        let start = self.history.messages.last().map_or(0, |message| message.end);
        let running = self.message;
        let mut marks = running.marks;
        let is_said = matches!(content, Content::Blocks | Content::Text);
        let is_empty = start == end && is_said;
        let side = match role {
            Role::Assistant => Side::Assistant,
            Role::System if directive && content == Content::Blocks && is_empty => Side::Nowhere,
            Role::System | Role::Developer => Side::System,
            Role::Unknown | Role::NoText if running.holds_call => Side::Assistant,
            Role::User | Role::Tool | Role::Unknown | Role::NoText => Side::User,
        };
        let is_odd_role = !matches!(role, Role::User | Role::Assistant | Role::System);
        marks.add_if(is_odd_role || !is_said, Marks::ODD_FORM);
        let message = self.history.messages.len() as u32;
        if is_empty && side != Side::Nowhere {
            self.history.empties.push(message);
        }
        if side == Side::System && role == Role::System {
            self.history.systems.push(message);
            let is_odd = is_empty || running.has_unsystematic || running.has_blank;
            marks.add_if(is_odd, Marks::ODD_SYSTEM);
        }
        if running.thinks && role == Role::Assistant {
            let blocks = self.history.blocks_in(start..end).iter().rev();
            let mut in_role = blocks.filter(|block| !block.marks.meets(Marks::WRONG_ROLE));
            if in_role.next().is_some_and(|block| block.kind == Kind::Thinking) {
                self.history.thought_ends.push(message);
            }
        }
        if let Some(fallback_end) = running.fallback_end.filter(|_| role == Role::Assistant) {
            marks.add(self.mark_before_fallback(start, fallback_end));
        }
        let extras = self.history.extras.partition_point(|extra| extra.message < message);
        self.history.extras[extras..].sort_by_key(|extra| extra.block);
        let Running { clear_at, thinks, has_results, .. } = running;
        self.history.messages.push(Message {
            role,
            side,
            content,
            marks,
            has_directive: directive,
            clear_at,
            thinks,
            has_results,
            end,
        });
    }

    /// The text just recorded ends in white space.
    pub fn ends_in_space(&mut self) {
        self.history.space_ends.extend(self.next_block().checked_sub(1));
    }

    fn must_not_hold(&self, kind: Kind) -> bool {
        match self.role {
            Some(Role::User) => kind != Kind::ToolResult,
            Some(Role::Assistant) => kind == Kind::ToolResult,
            Some(Role::System) => true,
            _ => false,
        }
    }

    #[inline]
    fn push(&mut self, kind: Kind, marks: Marks, id: Symbol) {
        self.push_tool(kind, ServerTool::Unknown, marks, id);
    }

    #[inline]
    fn push_tool(&mut self, kind: Kind, tool: ServerTool, marks: Marks, id: Symbol) {
        self.message.marks.add(marks);
        if marks.meets(Marks::BLANK_TEXT) {
            self.history.blanks.push(self.next_block());
        }
        self.history.blocks.push(Block { kind, tool, marks, id });
    }

    /// Mark what may not stand before the last `fallback` of the message.
    #[cold]
    fn mark_before_fallback(&mut self, start: u32, end: u32) -> Marks {
        let blocks = &mut self.history.blocks[start as usize..end as usize];
        let answered: BTreeSet<_> =
            blocks.iter().filter(|b| b.kind.is_server_result()).map(|b| b.id).collect();
        let mut marks = Marks::NONE;
        for block in blocks {
            let goes = match block.kind {
                Kind::Thinking | Kind::Connector | Kind::ToolUse => true,
                Kind::ServerToolUse => !answered.contains(&block.id),
                _ => false,
            };
            if goes {
                block.marks.add(Marks::BEFORE_FALLBACK);
                marks.add(Marks::BEFORE_FALLBACK);
            }
        }
        marks
    }
}
