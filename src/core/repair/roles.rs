//! Whose message it is: messages recast, split by the roles that their blocks need, or joined.

use super::draft::Sheet;
use super::piece::{Piece, Source};
use super::shapes::Todo;
use super::{Action, Mender};
use crate::history::{History, Kind, Marks, Role, Side};
use crate::rule::Rule;

/// Other words for the assistant and for the user, as some write them in place of their roles.
const LIKE_ASSISTANT: &[&str] = &["assistant", "ai", "model", "bot"];
const LIKE_USER: &[&str] = &["user", "human"];

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
            let mut kinds = self.history.blocks_of(origin).map(|at| self.history.block(at).kind);
            let is_refused = kinds.any(|kind| !matches!(kind, Kind::Text | Kind::Media));
            piece.block.marks.add_if(is_refused, Marks::NESTED_REFUSED);
            self.sheets[sheet].pieces = Some(vec![piece]);
            self.sheets[sheet].role = Role::User;
            let says = "the message becomes the user's, and its content a result";
            return self.note_sheet(sheet, rule, Action::Recast, true, says);
        }
        let (to, says) = match (message.role, message.side) {
            (Role::Developer, _) => (Role::System, "the message becomes the system's"),
            _ if self.role_is_among(origin, LIKE_ASSISTANT) => {
                (Role::Assistant, "the message becomes the assistant's")
            }
            (_, Side::Assistant) if !self.role_is_among(origin, LIKE_USER) => {
                (Role::Assistant, "the message becomes the assistant's")
            }
            _ => (Role::User, "the message becomes the user's"),
        };
        self.recast(sheet, to, rule, says);
    }

    /// Whether the odd role of a message is one of these words.
    fn role_is_among(&self, message: u32, words: &[&str]) -> bool {
        let role = self.texts.role(message);
        role.is_some_and(|role| words.iter().any(|word| role.eq_ignore_ascii_case(word)))
    }

    /// Messages are split or joined, or they and their blocks go: one of these in a round.
    pub(super) fn split_and_join(&mut self, todo: &mut Todo) {
        if !todo.split.is_empty() || !todo.joined.is_empty() {
            let old = std::mem::take(&mut self.sheets);
            for (at, mut sheet) in old.into_iter().enumerate() {
                if let Some(rule) = todo.split.get(&at) {
                    self.split(sheet, rule);
                } else if let (Some(rule), Some(last)) =
                    (todo.joined.get(&at), self.sheets.last_mut())
                {
                    let origin = sheet.origin;
                    let pieces = std::mem::take(sheet.open(self.history));
                    let first = pieces.iter().find_map(Piece::origin);
                    last.open(self.history).extend(pieces);
                    let place = origin.or(first.map(|block| self.history.message_of(block)));
                    let says = "the message is joined with the one before it";
                    self.note_at(place, rule, Action::Join, true, says);
                } else {
                    self.sheets.push(sheet);
                }
            }
        }
        self.drop_pieces(&todo.gone, std::mem::take(&mut todo.gone_sheets));
    }

    /// One message becomes as many as its blocks need roles.
    fn split(&mut self, mut sheet: Sheet, rule: &'static Rule) {
        let own = sheet.role;
        let place = self.origin_of_sheet(&sheet);
        let pieces = std::mem::take(sheet.open(self.history));
        let mut parts: Vec<(Role, Vec<Piece>)> = Vec::new();
        for piece in pieces {
            if piece.kind() == Kind::Thinking && own != Role::Assistant {
                self.note(&piece, rule, Action::Drop, false, "the thinking goes");
                continue;
            }
            let needed = match piece.kind() {
                Kind::ToolResult => Role::User,
                kind if kind.is_sent() && own == Role::Assistant => Role::User,
                kind if kind.is_call() || kind.is_result() => Role::Assistant,
                _ => own,
            };
            match parts.last_mut() {
                Some((last, pieces)) if *last == needed => pieces.push(piece),
                _ => parts.push((needed, vec![piece])),
            }
        }
        if parts.is_empty() {
            return;
        }
        let says = if parts.len() == 1 {
            "the message gets the role that its blocks need"
        } else {
            "the message is split by the roles that its blocks need"
        };
        let action = if parts.len() == 1 { Action::Recast } else { Action::Split };
        self.note_at(place, rule, action, false, says);
        let mut first = parts.iter().position(|(role, _)| *role == own).unwrap_or(0);
        let sheets = parts.into_iter().map(|(role, pieces)| {
            let is_first = first == 0;
            first = first.wrapping_sub(1);
            Sheet { origin: sheet.origin.filter(|_| is_first), ..Sheet::new(role, pieces) }
        });
        self.sheets.extend(sheets);
    }
}
