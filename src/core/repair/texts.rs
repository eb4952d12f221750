//! What a repair reads of a history's texts.

use crate::history::Symbol;

/// The texts of a history, as far as a repair reads them.
pub trait RepairTexts {
    /// How many symbols there are.
    fn symbols(&self) -> u32;

    /// The text of an id. What cannot be written in Unicode may be anything.
    fn text(&self, id: Symbol) -> Option<String>;

    /// The odd role of a message, as it is written.
    fn role(&self, message: u32) -> Option<String>;

    /// Whether some id has this text.
    fn knows(&self, text: &str) -> bool;
}
