//! Which characters an id may hold.

/// What the patterns of the API say of an id. One byte: it travels with every id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdShape(u8);

const PREFIX: &[u8] = b"srvtoolu_";

impl IdShape {
    /// The shape of an id's bytes. What is not ASCII is in no pattern.
    #[must_use]
    pub fn of(id: &[u8]) -> IdShape {
        // Without a branch for a byte: those on random ids are mispredicted, at many times the
        // cost, and without them the compiler looks at sixteen bytes at once.
        let (mut is_legal, mut has_hyphen) = (true, false);
        for &byte in id {
            is_legal &= matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-');
            has_hyphen |= byte == b'-';
        }
        let is_plain = is_legal && !id.is_empty();
        let has_prefix = id.starts_with(PREFIX);
        let is_server = has_prefix && is_legal && !has_hyphen && id.len() > PREFIX.len();
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
