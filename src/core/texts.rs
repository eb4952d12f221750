//! Sentences: their places filled in, and foreign texts made fit to stand in them.

use std::fmt::Write;

/// The most characters of a foreign text that a sentence shows.
pub const SHOWN: usize = 80;

/// A foreign text as a report shows it: on one line, in ASCII, of bounded length; so it can be
/// printed anywhere, and cannot move the cursor or turn the writing round.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == SHOWN {
            shown.push_str("...");
            break;
        }
        let code = character as u32;
        // Writing to a string cannot fail.
        let _ = match character {
            ' '..='~' => write!(shown, "{character}"),
            '\t' => write!(shown, "\\t"),
            '\n' => write!(shown, "\\n"),
            '\r' => write!(shown, "\\r"),
            _ if code <= 0xff => write!(shown, "\\x{code:02x}"),
            _ if code <= 0xffff => write!(shown, "\\u{code:04x}"),
            _ => write!(shown, "\\U{code:08x}"),
        };
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

#[cfg(test)]
mod tests {
    use super::{SHOWN, fill, shown};

    #[test]
    fn a_foreign_text_is_one_short_line_of_ascii() {
        assert_eq!(shown("toolu_1"), "toolu_1");
        assert_eq!(shown("a\0\n\u{e9}\u{202e}\u{1f600}"), "a\\x00\\n\\xe9\\u202e\\U0001f600");
        assert_eq!(shown(&"x".repeat(SHOWN)), "x".repeat(SHOWN));
        assert_eq!(shown(&"x".repeat(SHOWN + 1)), format!("{}...", "x".repeat(SHOWN)));
    }

    #[test]
    fn places_are_filled_in_order() {
        assert_eq!(fill("a {b} c{d}", str::to_uppercase), "a B cD");
        assert_eq!(fill("plain", |_| String::new()), "plain");
    }
}
