//! What is wrong with a message as a whole, and messages that are put in.

use super::draft::Sheet;
use super::piece::{Piece, Source};
use super::shapes::Todo;
use super::{Action, Mender};
use crate::history::{Content, History, Kind, Role, Side, Symbol};
use crate::rule::Rule;
use crate::violation::Violation;

impl Mender<'_> {
    /// Put a user's message in.
    pub(super) fn put_in(
        &mut self,
        at: usize,
        words: &'static str,
        rule: &'static Rule,
        says: &'static str,
    ) {
        let piece = Piece::made(Source::Words(words), Kind::Text, Symbol::NONE);
        let beside = at.min(self.sheets.len().saturating_sub(1));
        self.note_sheet(beside, rule, Action::Insert, false, says);
        self.sheets.insert(at, Sheet::new(Role::User, vec![piece]));
    }

    /// Mend a fault that names no block of its message.
    pub(super) fn mend_message(
        &mut self,
        current: &History,
        sheet: usize,
        found: &Violation,
        todo: &mut Todo,
    ) {
        let rule = found.rule;
        let message = current.messages[sheet];
        match rule.slug {
            "unknown-role" => self.recast_unknown(current, sheet, rule),
            "system-role-not-supported" => {
                self.recast(sheet, Role::User, rule, "the message becomes the user's");
            }
            "malformed-system-message" | "whitespace-text-block" | "empty-assistant-message" => {
                let says = "the message says nothing, and goes";
                self.note_sheet(sheet, rule, Action::Drop, true, says);
                todo.gone_sheets.insert(sheet);
            }
            "empty-user-turn" => {
                // Where messages are not joined, each is a turn of its own.
                let most = if self.options.joins() { current.messages.len() } else { 1 };
                let run = current.messages[sheet..].iter().take(most).take_while(|message| {
                    message.side == Side::Nowhere || message.side == Side::User
                });
                for at in sheet..sheet + run.count() {
                    let is_empty = current.blocks_of(at as u32).is_empty();
                    if is_empty && current.messages[at].side == Side::User {
                        let says = "the message holds nothing, and goes";
                        self.note_sheet(at, rule, Action::Drop, true, says);
                        todo.gone_sheets.insert(at);
                    }
                }
            }
            "misplaced-clear-at" => {
                self.sheets[sheet].no_clear_at = true;
                self.note_sheet(sheet, rule, Action::Change, false, "its clear_at goes");
            }
            "unknown-member" => {
                self.sheets[sheet].no_extras = true;
                let says = "members that messages do not have are dropped";
                self.note_sheet(sheet, rule, Action::Change, false, says);
            }
            "roles-do-not-alternate" => {
                todo.joined.insert(sheet, rule);
            }
            // A string: it has no block to name.
            "trailing-whitespace" if message.content == Content::Text => {
                self.strip(current, sheet, 0, rule, todo);
            }
            _ => {}
        }
    }
}
