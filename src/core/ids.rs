//! Which characters an id may hold.

/// What the patterns of the API say of an id. One byte: it travels with every id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdShape(u8);

const HYPHEN: u8 = 1;
const FORBIDDEN: u8 = 2;
const PREFIX: &[u8] = b"srvtoolu_";

/// One look-up a byte: branches on random ids are mispredicted, at twenty times the cost.
const CLASSES: [u8; 256] = {
    let mut classes = [FORBIDDEN; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        if character.is_ascii_alphanumeric() || character == b'_' {
            classes[byte] = 0;
        } else if character == b'-' {
            classes[byte] = HYPHEN;
        }
        byte += 1;
    }
    classes
};

impl IdShape {
    /// The shape of an id's bytes. What is not ASCII is in no pattern.
    #[must_use]
    pub fn of(id: &[u8]) -> IdShape {
        let classes = id.iter().fold(0, |seen, &byte| seen | CLASSES[byte as usize]);
        let is_plain = classes & FORBIDDEN == 0 && !id.is_empty();
        let has_prefix = id.starts_with(PREFIX);
        let is_server = has_prefix && classes == 0 && id.len() > PREFIX.len();
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
