//! Ids, and which characters they may hold.

use crate::history::Symbol;

/// An id as a reader hands it over.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    /// Equal for equal ids.
    pub symbol: Symbol,
    /// What its characters are like.
    pub shape: IdShape,
}

/// What the patterns of the API say of an id. One byte: it travels with every id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdShape(u8);

/// What the ids of server calls begin with.
pub(crate) const SERVER_PREFIX: &str = "srvtoolu_";

/// How many bytes are looked at in one go: without a branch for each byte, which on random ids is
/// mispredicted at many times the cost of the look, and always as many, so that the compiler uses
/// wide registers. Most ids fit in one part.
const WIDTH: usize = 32;

fn is_word_or_hyphen(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-')
}

impl IdShape {
    /// The shape of an id's bytes. What is not ASCII is in no pattern.
    #[must_use]
    pub fn of(id: &[u8]) -> IdShape {
        let (mut illegal, mut hyphens) = (0, 0);
        for part in id.chunks(WIDTH) {
            let mut bytes = [b'a'; WIDTH];
            bytes[..part.len()].copy_from_slice(part);
            for byte in bytes {
                illegal |= u8::from(!is_word_or_hyphen(byte));
                hyphens |= u8::from(byte == b'-');
            }
        }
        let (is_legal, has_hyphen) = (illegal == 0, hyphens != 0);
        let is_plain = is_legal && !id.is_empty();
        let has_prefix = id.starts_with(SERVER_PREFIX.as_bytes());
        let is_server = has_prefix && is_legal && !has_hyphen && id.len() > SERVER_PREFIX.len();
        IdShape(u8::from(is_plain) | u8::from(has_prefix) << 1 | u8::from(is_server) << 2)
    }

    /// `^[a-zA-Z0-9_-]+$`, as client and MCP ids must be.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.0 & 1 != 0
    }

    /// Begins with `srvtoolu_`.
    #[must_use]
    pub fn has_server_prefix(self) -> bool {
        self.0 & 2 != 0
    }

    /// `^srvtoolu_[a-zA-Z0-9_]+$`, as server ids must be.
    #[must_use]
    pub fn is_server(self) -> bool {
        self.0 & 4 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::IdShape;

    #[test]
    fn a_pattern_says_of_each_byte_what_it_says() {
        for byte in 0..=u8::MAX {
            let character = char::from(byte);
            let word = character.is_ascii_alphanumeric() || character == '_';
            assert_eq!(IdShape::of(&[byte]).is_plain(), word || character == '-', "{byte}");
            let server = [b"srvtoolu_".as_slice(), &[byte]].concat();
            assert_eq!(IdShape::of(&server).is_server(), word, "{byte}");
            assert!(IdShape::of(&server).has_server_prefix());
        }
    }

    #[test]
    fn nothing_is_no_id() {
        assert!(!IdShape::of(b"").is_plain());
        assert!(!IdShape::of(b"srvtoolu_").is_server());
        assert!(IdShape::of(b"srvtoolu_").is_plain());
    }
}
