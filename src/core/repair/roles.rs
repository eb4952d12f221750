//! Whose message it is: messages recast, split by the roles that their blocks need, or joined.

use super::draft::{Piece, Sheet, Source};
use super::shapes::Todo;
use super::{Action, Mender};
use crate::history::{History, Kind, Marks, Role, Side};
use crate::rule::Rule;

impl Mender<'_> {
    pub(super) fn recast(
        &mut self,
        sheet: usize,
        to: Role,
        rule: &'static Rule,
        says: &'static str,
    ) {
        self.sheets[sheet].open(self.history);
        self.sheets[sheet].role = to;
        self.note_sheet(sheet, rule, Action::Recast, false, says);
    }

    pub(super) fn recast_unknown(&mut self, current: &History, sheet: usize, rule: &'static Rule) {
        let message = current.messages[sheet];
        let origin = self.sheets[sheet].origin.unwrap_or_default();
        let answers = self.history.tool_messages.binary_search_by_key(&origin, |it| it.0);
        if message.role == Role::Tool
            && !message.has_results
            && let Ok(found) = answers
        {
            let id = self.history.tool_messages[found].1;
            let mut piece = Piece::made(Source::ToolMessage(origin), Kind::ToolResult, id);
            piece.block.marks.add_if(!self.ids.shape(id).is_plain(), Marks::ODD_ID);
            self.sheets[sheet].pieces = Some(vec![piece]);
            self.sheets[sheet].role = Role::User;
            let says = "the message becomes the user's, and its content a result";
            return self.note_sheet(sheet, rule, Action::Recast, true, says);
        }
        let (to, says) = match (message.role, message.side) {
            (Role::Developer, _) => (Role::System, "the message becomes the system's"),
            (_, Side::Assistant) => (Role::Assistant, "the message becomes the assistant's"),
            _ => (Role::User, "the message becomes the user's"),
        };
        self.recast(sheet, to, rule, says);
    }

    /// Messages are split or joined, or they and their blocks go: one of these in a round. From
    /// the end on, so that what lies before keeps its place.
    pub(super) fn split_and_join(&mut self, todo: &mut Todo) {
        for (&sheet, rule) in todo.split.iter().rev() {
            self.split(sheet, rule);
        }
        for (&sheet, rule) in todo.joined.iter().rev() {
            let says = "the message is joined with the one before it";
            self.note_sheet(sheet, rule, Action::Join, true, says);
            let mut joined = self.sheets.remove(sheet);
            let pieces = std::mem::take(joined.open(self.history));
            self.sheets[sheet - 1].open(self.history).extend(pieces);
        }
        self.drop_pieces(&todo.gone, std::mem::take(&mut todo.gone_sheets));
    }

    /// One message becomes as many as its blocks need roles.
    pub(super) fn split(&mut self, sheet: usize, rule: &'static Rule) {
        let own = self.sheets[sheet].role;
        let pieces = std::mem::take(self.sheets[sheet].open(self.history));
        let mut parts: Vec<(Role, Vec<Piece>)> = Vec::new();
        for piece in pieces {
            if piece.kind() == Kind::Thinking && own != Role::Assistant {
                self.note(&piece, rule, Action::Drop, false, "the thinking goes");
                continue;
            }
            let needed = match piece.kind() {
                Kind::ToolResult => Role::User,
                Kind::Media if own == Role::Assistant => Role::User,
                kind if kind.is_call() || kind.is_result() => Role::Assistant,
                _ => own,
            };
            match parts.last_mut() {
                Some((last, pieces)) if *last == needed => pieces.push(piece),
                _ => parts.push((needed, vec![piece])),
            }
        }
        if parts.is_empty() {
            self.sheets.remove(sheet);
            return;
        }
        let says = if parts.len() == 1 {
            "the message gets the role that its blocks need"
        } else {
            "the message is split by the roles that its blocks need"
        };
        let action = if parts.len() == 1 { Action::Recast } else { Action::Split };
        self.note_sheet(sheet, rule, action, false, says);
        let origin = self.sheets[sheet].origin;
        let mut first = parts.iter().position(|(role, _)| *role == own).unwrap_or(0);
        let sheets = parts.into_iter().map(|(role, pieces)| {
            let is_first = first == 0;
            first = first.wrapping_sub(1);
            Sheet { origin: origin.filter(|_| is_first), ..Sheet::new(role, pieces) }
        });
        let sheets: Vec<_> = sheets.collect();
        self.sheets.splice(sheet..=sheet, sheets);
    }
}
