//! Calls and results, and what they carry.

use super::{LONGEST_NAME, Name, Recorder};
use crate::answer::Answered;
use crate::history::{Detail, Kind, Marks, Misplaced, ServerTool, Symbol};
use crate::ids::Id;

impl Recorder {
    /// A call: of the client, of the server, or of MCP.
    #[inline]
    pub fn call(&mut self, kind: Kind, id: Option<Id>, name: Name, has_input: bool) {
        self.message.holds_call = true;
        self.message.speaks |= kind == Kind::ToolUse;
        let (mut marks, symbol) = judge_id(kind, id);
        marks.add_if(!has_input, Marks::BAD_INPUT);
        let mut tool = ServerTool::Unknown;
        match (name, kind) {
            (Name::Missing, _) => marks.add(Marks::BAD_NAME),
            (Name::Given(length, _), Kind::ToolUse) => {
                marks.add_if(length == 0 || length > LONGEST_NAME, Marks::ODD_NAME);
            }
            (Name::Given(_, named), Kind::ServerToolUse) => {
                tool = named;
                marks.add_if(named == ServerTool::Unknown, Marks::ODD_NAME);
                if !self.must_not_hold(kind) {
                    self.history.server_tools.add(named);
                }
            }
            (Name::Given(..), _) => {}
        }
        if self.must_not_hold(kind) {
            return self.misplaced(kind, tool, marks, symbol);
        }
        self.push_tool(kind, tool, marks, symbol);
    }

    /// A result: of the client, of the server (then of which tool), or of MCP.
    #[inline]
    pub fn result(&mut self, kind: Kind, id: Option<Id>, tool: ServerTool) {
        let (marks, symbol) = judge_id(kind, id);
        if self.must_not_hold(kind) {
            return self.misplaced(kind, tool, marks, symbol);
        }
        self.message.has_results |= kind == Kind::ToolResult;
        if kind == Kind::ServerToolResult {
            self.history.server_tools.add(tool);
        }
        self.push_tool(kind, tool, marks, symbol);
    }

    /// What the client's result that was just recorded says.
    pub fn answered(&mut self, answered: &Answered, toolset: bool) {
        self.mark_last(answered.marks(toolset));
    }

    /// The result that was just recorded holds a reference to this tool. In the wrong role it is
    /// not marked as one that refers, but a repair may put it right.
    pub fn refers(&mut self, tool: Symbol) {
        self.mark_last(Marks::REFERS);
        self.refers_again(tool);
    }

    /// What the call or result just recorded carries besides.
    pub fn detail(&mut self, toolset: Symbol, caller: Option<Id>) {
        if !self.mark_last(Marks::DETAIL) {
            if let Some(misplaced) = self.history.misplaced.last_mut() {
                misplaced.toolset = toolset;
                misplaced.caller = caller.map_or(Symbol::NONE, |id| id.symbol);
                let is_odd = caller.is_some_and(|id| !id.shape.is_server());
                misplaced.marks.add_if(is_odd, Marks::ODD_CALLER);
            }
            return;
        }
        if caller.is_some_and(|id| !id.shape.is_server()) {
            self.mark_last(Marks::ODD_CALLER);
        }
        let caller = caller.map_or(Symbol::NONE, |id| id.symbol);
        let block = self.next_block() - 1;
        self.history.details.push(Detail { block, toolset, caller });
    }

    /// A block in the wrong role is one fault: what else is odd about it does not count.
    fn misplaced(&mut self, kind: Kind, tool: ServerTool, marks: Marks, id: Symbol) {
        let (block, none) = (self.next_block(), Symbol::NONE);
        self.history.misplaced.push(Misplaced { block, marks, tool, toolset: none, caller: none });
        self.push(kind, Marks::WRONG_ROLE, id);
    }

    /// Mark the block just recorded, unless it is in the wrong role.
    pub(super) fn mark_last(&mut self, marks: Marks) -> bool {
        let Some(block) = self.history.blocks.last_mut() else { return false };
        if block.marks.meets(Marks::WRONG_ROLE) {
            if let Some(misplaced) = self.history.misplaced.last_mut() {
                misplaced.marks.add(marks);
            }
            return false;
        }
        block.marks.add(marks);
        self.message.marks.add(marks);
        true
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
