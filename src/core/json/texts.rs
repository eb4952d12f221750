//! What a reader of JSON leaves behind: the texts, borrowed, and why bytes are no history.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::history::Symbol;
use crate::ids::{Id, IdShape};
use crate::location::Place;

/// Why bytes are no history.
#[derive(Debug)]
pub enum ReadError {
    /// They are no JSON.
    Json(serde_json::Error),
    /// They are no object with a list of messages.
    NoRequest,
    /// This message is no object with a role.
    NoMessage(Place),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Json(error) => write!(f, "not valid JSON: {error}"),
            ReadError::NoRequest => {
                write!(f, "a request must be an object with a list of messages")
            }
            ReadError::NoMessage(place) => write!(f, "{place} is no object with a role"),
        }
    }
}

impl std::error::Error for ReadError {}

/// The texts that a history left in the bytes.
#[derive(Debug, Default)]
pub struct JsonTexts<'a> {
    ids: Vec<Cow<'a, str>>,
    pub(super) names: HashMap<u32, Cow<'a, str>>,
    pub(super) roles: HashMap<u32, Cow<'a, str>>,
    symbols: HashMap<Cow<'a, str>, Symbol>,
}

impl JsonTexts<'_> {
    /// An id, or another text that has a symbol.
    #[must_use]
    pub fn id(&self, id: Symbol) -> Option<&str> {
        self.ids.get(id.index()).map(AsRef::as_ref)
    }

    /// The symbol of an id.
    #[must_use]
    pub fn symbol(&self, id: &str) -> Option<Symbol> {
        self.symbols.get(id).copied()
    }

    /// The tool's name of a call, or the `type` of an odd block.
    #[must_use]
    pub fn name(&self, block: u32) -> Option<&str> {
        self.names.get(&block).map(AsRef::as_ref)
    }

    /// The odd role of a message.
    #[must_use]
    pub fn role(&self, message: u32) -> Option<&str> {
        self.roles.get(&message).map(AsRef::as_ref)
    }
}

impl<'a> JsonTexts<'a> {
    pub(super) fn intern(&mut self, id: Cow<'a, str>) -> Id {
        let shape = IdShape::of(id.as_bytes());
        let next = Symbol(self.ids.len() as u32);
        let symbol = *self.symbols.entry(id).or_insert_with_key(|id| {
            self.ids.push(id.clone());
            next
        });
        Id { symbol, shape }
    }
}
