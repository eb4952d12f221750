//! How a reader writes a history down: message by message, block by block.

use crate::history::{Block, Content, Detail, History, Kind, Marks, Message, Role, Side, Symbol};
use crate::ids::IdShape;

/// An id as a reader hands it over.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    /// Equal for equal ids.
    pub symbol: Symbol,
    /// What its characters are like.
    pub shape: IdShape,
}

/// Fills a [`History`].
///
/// For each message: [`begin`](Recorder::begin), its blocks in order, [`end`](Recorder::end).
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    history: History,
    role: Option<Role>,
    marks: Marks,
    thinks: bool,
    holds_call: bool,
    has_results: bool,
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
        self.marks = Marks::NONE;
        self.thinks = false;
        self.holds_call = false;
        self.has_results = false;
    }

    /// A block that neither calls nor answers.
    #[inline]
    pub fn plain(&mut self, kind: Kind) {
        let marks = match kind {
            Kind::Foreign | Kind::Unknown | Kind::Untyped | Kind::NoObject => Marks::ODD_TYPE,
            _ => Marks::NONE,
        };
        self.thinks |= kind == Kind::Thinking;
        self.push(kind, marks, Symbol::NONE);
    }

    /// The message's content is this one string, which is not empty.
    #[inline]
    pub fn string(&mut self) {
        self.push(Kind::Text, Marks::STRING, Symbol::NONE);
    }

    /// A call: of the client, of the server, or of MCP.
    #[inline]
    pub fn call(&mut self, kind: Kind, id: Option<Id>, has_name: bool, has_input: bool) {
        self.holds_call = true;
        if self.must_not_hold(kind) {
            return self.misplaced(kind, id);
        }
        let (mut marks, symbol) = judge_id(kind, id);
        if !has_name {
            marks.add(Marks::BAD_NAME);
        }
        if !has_input {
            marks.add(Marks::BAD_INPUT);
        }
        self.push(kind, marks, symbol);
    }

    /// A result: of the client, of the server, or of MCP.
    #[inline]
    pub fn result(&mut self, kind: Kind, id: Option<Id>) {
        if self.must_not_hold(kind) {
            return self.misplaced(kind, id);
        }
        self.has_results |= kind == Kind::ToolResult;
        let (marks, symbol) = judge_id(kind, id);
        self.push(kind, marks, symbol);
    }

    /// What the call or result just recorded carries besides.
    pub fn detail(&mut self, toolset: Symbol, caller: Option<Id>) {
        let Some(block) = self.history.blocks.last_mut() else { return };
        if block.marks.meets(Marks::WRONG_ROLE) {
            return;
        }
        block.marks.add(Marks::DETAIL);
        if caller.is_some_and(|id| !id.shape.is_server()) {
            block.marks.add(Marks::ODD_CALLER);
            self.marks.add(Marks::ODD_CALLER);
        }
        let caller = caller.map_or(Symbol::NONE, |id| id.symbol);
        let block = self.history.blocks.len() as u32 - 1;
        self.history.details.push(Detail { block, toolset, caller });
    }

    /// The message ends. `directive`: it has an `output_config`.
    #[inline]
    pub fn end(&mut self, content: Content, directive: bool) {
        let Some(role) = self.role.take() else { return };
        let end = self.next_block();
        let start = self.history.messages.last().map_or(0, |message| message.end);
        let side = match role {
            Role::Assistant => Side::Assistant,
            Role::System if directive && content == Content::Blocks && start == end => {
                Side::Nowhere
            }
            Role::System | Role::Developer => Side::System,
            Role::Unknown | Role::NoText if self.holds_call => Side::Assistant,
            Role::User | Role::Tool | Role::Unknown | Role::NoText => Side::User,
        };
        if !matches!(role, Role::User | Role::Assistant | Role::System) {
            self.marks.add(Marks::ODD_ROLE);
        }
        if matches!(content, Content::Missing | Content::Malformed) {
            self.marks.add(Marks::ODD_CONTENT);
        }
        let Recorder { marks, thinks, has_results, .. } = *self;
        let message = Message { role, side, content, marks, thinks, has_results, end };
        self.history.messages.push(message);
    }

    /// Append another recorder's messages, whose ids have the given symbols here.
    pub fn append(&mut self, other: &History, symbols: &[Symbol]) {
        let here = |symbol: Symbol| if symbol.is_some() { symbols[symbol.index()] } else { symbol };
        let offset = self.next_block();
        let moved = |message: &Message| Message { end: message.end + offset, ..*message };
        self.history.messages.extend(other.messages.iter().map(moved));
        self.history.blocks.extend(other.blocks.iter().map(|b| Block { id: here(b.id), ..*b }));
        self.history.details.extend(other.details.iter().map(|detail| Detail {
            block: detail.block + offset,
            toolset: here(detail.toolset),
            caller: here(detail.caller),
        }));
    }

    fn must_not_hold(&self, kind: Kind) -> bool {
        match self.role {
            Some(Role::User) => kind != Kind::ToolResult,
            Some(Role::Assistant) => kind == Kind::ToolResult,
            Some(Role::System) => true,
            _ => false,
        }
    }

    /// A block in the wrong role is one fault: what else is odd about it does not count.
    fn misplaced(&mut self, kind: Kind, id: Option<Id>) {
        self.push(kind, Marks::WRONG_ROLE, id.map_or(Symbol::NONE, |id| id.symbol));
    }

    #[inline]
    fn push(&mut self, kind: Kind, marks: Marks, id: Symbol) {
        self.marks.add(marks);
        self.history.blocks.push(Block { kind, marks, id });
    }
}

/// The marks of an id in a block of this kind, and its symbol if it can pair.
#[inline]
fn judge_id(kind: Kind, id: Option<Id>) -> (Marks, Symbol) {
    let Some(Id { symbol, shape }) = id else { return (Marks::BAD_ID, Symbol::NONE) };
    let fits = if kind.has_server_id() { shape.is_server() } else { shape.is_plain() };
    let mut marks = if fits { Marks::NONE } else { Marks::ODD_ID };
    if shape.has_server_prefix() {
        marks.add(Marks::SERVER_ID);
    }
    (marks, symbol)
}
