//! Where the system's messages may stand: behind a user's turn and before the assistant's.

use super::draft::Sheet;
use super::zone::{Carry, Parts};
use super::{Action, Mender};
use crate::history::Role;
use crate::rules::misplaced_system_message;

impl Mender<'_> {
    /// System messages stand behind a user's turn and before the assistant's. `first`: where the
    /// zone begins in the new list.
    pub(super) fn place_systems(
        &mut self,
        parts: Parts,
        first: usize,
        new: &mut Vec<Sheet>,
        carry: &mut Carry,
    ) {
        let users = new.len() - first;
        let mut systems = std::mem::take(&mut carry.systems);
        let carried = systems.len();
        for (sheet, before) in parts.systems {
            if before < users {
                self.note_system(&sheet, "the system's message goes after the user's");
            }
            systems.push(sheet);
        }
        let is_of_turn =
            |&at: &usize| new[at].role == Role::Assistant || new[at].is_directive(self.history);
        let known = carry.assistants.min(first);
        let count = (known..first).rev().take_while(is_of_turn).count();
        let at = if count == first - known { 0 } else { first - count };
        if at == 0 {
            carry.assistants = first;
        }
        let last = new[at..first].iter().rfind(|sheet| sheet.role == Role::Assistant);
        if users > 0 || last.is_some_and(|last| self.ends_in_server_result(last)) {
            for sheet in &systems[..carried] {
                self.note_system(sheet, "the system's message goes after the next turn");
            }
            new.extend(systems);
        } else if at > 0 {
            for sheet in &systems {
                self.note_system(sheet, "the system's message goes before the assistant's turn");
            }
            new.splice(at..at, systems);
        } else {
            carry.systems = systems;
        }
    }

    fn note_system(&mut self, sheet: &Sheet, says: &'static str) {
        self.note_at(sheet.origin, &misplaced_system_message::RULE, Action::Move, true, says);
    }

    fn ends_in_server_result(&self, sheet: &Sheet) -> bool {
        let pieces = sheet.all_pieces(self.history);
        pieces.last().is_some_and(|piece| piece.kind().is_server_result())
    }
}
