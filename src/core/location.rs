//! Where in a list: kept as numbers, written out late.

use std::fmt;

use crate::history::{History, Marks};

/// A place in the list as given: a message, and a block of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The message's index; none for the list itself.
    pub message: Option<u32>,
    /// The block's index in its message; none for the message, or for content that is a string.
    pub block: Option<u32>,
}

impl Place {
    /// The list itself.
    pub const LIST: Place = Place { message: None, block: None };

    /// A whole message.
    #[must_use]
    pub fn message(message: u32) -> Place {
        Place { message: Some(message), block: None }
    }

    /// A block, by its index into the history's blocks.
    #[must_use]
    pub fn block(history: &History, block: u32) -> Place {
        let message = history.message_of(block);
        let within = block - history.blocks_of(message).start;
        let is_string = history.block(block).marks.meets(Marks::STRING);
        Place { message: Some(message), block: (!is_string).then_some(within) }
    }

    /// As the server writes it.
    #[must_use]
    pub fn to_wire(self) -> String {
        match (self.message, self.block) {
            (None, _) => "messages".to_owned(),
            (Some(message), None) => format!("messages.{message}"),
            (Some(message), Some(block)) => format!("messages.{message}.content.{block}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message, self.block) {
            (None, _) => write!(f, "messages"),
            (Some(message), None) => write!(f, "messages[{message}]"),
            (Some(message), Some(block)) => write!(f, "messages[{message}].content[{block}]"),
        }
    }
}
