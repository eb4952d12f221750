//! What a loop forgot: calls that no later result names, wherever and in whatever role it stands.

use crate::history::{History, Kind, Symbol};

/// The ids of client calls without result, each once, in the order of their first calls.
///
/// A result claims the earliest unclaimed call of its id before it. This is not what the API
/// demands: distance and role do not matter.
#[must_use]
pub fn unpaired(history: &History) -> Vec<Symbol> {
    let mut unclaimed: Vec<u32> = Vec::new();
    let mut called: Vec<Symbol> = Vec::new();
    let mut was_called: Vec<bool> = Vec::new();
    for block in history.blocks.iter().filter(|block| block.id.is_some()) {
        let id = block.id.index();
        if id >= unclaimed.len() {
            unclaimed.resize(id + 1, 0);
            was_called.resize(id + 1, false);
        }
        match block.kind {
            Kind::ToolUse => {
                unclaimed[id] += 1;
                if !std::mem::replace(&mut was_called[id], true) {
                    called.push(block.id);
                }
            }
            Kind::ToolResult => unclaimed[id] = unclaimed[id].saturating_sub(1),
            _ => {}
        }
    }
    called.retain(|id| unclaimed[id.index()] > 0);
    called
}
