//! What the core does not keep: how ids, names and roles read. Asked for only when one is shown.

use std::fmt::Write;

/// Implemented by what a reader leaves behind.
pub trait Texts {
    /// An id.
    fn id(&self, id: crate::Symbol) -> Option<String>;
    /// The tool's name of a call, or the `type` of an odd block.
    fn name(&self, block: u32) -> Option<String>;
    /// The odd role of a message.
    fn role(&self, message: u32) -> Option<String>;
}

/// The most characters of a foreign text that a sentence shows.
const SHOWN: usize = 80;

/// A foreign text as a sentence shows it: one line, printable, of bounded length.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == SHOWN {
            shown.push('…');
            break;
        }
        if character.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Fill the `{key}` places of a sentence.
#[must_use]
pub fn fill(sentence: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((key, after)) = behind.split_once('}') else { break };
        filled.push_str(&value(key));
        rest = after;
    }
    filled.push_str(rest);
    filled
}
