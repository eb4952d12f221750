//! Which characters an id may hold.

/// What the patterns of the API say of an id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdShape {
    /// `^[a-zA-Z0-9_-]+$`, as client and MCP ids must be.
    pub plain: bool,
    /// Begins with `srvtoolu_`.
    pub server_prefix: bool,
    /// `^srvtoolu_[a-zA-Z0-9_]+$`, as server ids must be.
    pub server: bool,
}

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
        let plain = classes & FORBIDDEN == 0 && !id.is_empty();
        let server_prefix = id.starts_with(PREFIX);
        let server = server_prefix && classes == 0 && id.len() > PREFIX.len();
        IdShape { plain, server_prefix, server }
    }
}
