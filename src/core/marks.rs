//! What is odd or special about a block or a message.

/// A set of single-bit facts. Used for what a rule needs and what a history holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u16);

impl Marks {
    /// Nothing.
    pub const NONE: Marks = Marks(0);
    /// The id breaks the pattern of its kind.
    pub const ODD_ID: Marks = Marks(1);
    /// `caller.tool_id` breaks the pattern of server ids.
    pub const ODD_CALLER: Marks = Marks(1 << 1);
    /// The id begins like a server call's.
    pub const SERVER_ID: Marks = Marks(1 << 2);
    /// The id is absent or no string.
    pub const BAD_ID: Marks = Marks(1 << 3);
    /// `name` is absent or no string.
    pub const BAD_NAME: Marks = Marks(1 << 4);
    /// `input` is absent or no object.
    pub const BAD_INPUT: Marks = Marks(1 << 5);
    /// A tool block that its message's role must not hold.
    pub const WRONG_ROLE: Marks = Marks(1 << 6);
    /// The block is the message's string.
    pub const STRING: Marks = Marks(1 << 7);
    /// The block has a [`Detail`](crate::history::Detail).
    pub const DETAIL: Marks = Marks(1 << 8);
    /// A block of a type that the API does not take, or that is not known here.
    pub const ODD_TYPE: Marks = Marks(1 << 9);
    /// A message whose content is absent or of no known shape.
    pub const ODD_CONTENT: Marks = Marks(1 << 10);
    /// A message whose role the API does not take.
    pub const ODD_ROLE: Marks = Marks(1 << 11);

    /// What a rule over messages may read.
    pub const ODD: Marks = Marks::ODD_ID
        .with(Marks::ODD_CALLER)
        .with(Marks::ODD_TYPE)
        .with(Marks::ODD_CONTENT)
        .with(Marks::ODD_ROLE)
        .with(Marks::WRONG_ROLE)
        .with(Marks::MALFORMED);

    /// What keeps a tool block from being whole.
    pub const MALFORMED: Marks = Marks::BAD_ID.with(Marks::BAD_NAME).with(Marks::BAD_INPUT);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, more: Marks) -> Marks {
        Marks(self.0 | more.0)
    }

    /// Whether the sets share a fact.
    #[must_use]
    pub const fn meets(self, other: Marks) -> bool {
        self.0 & other.0 != 0
    }

    /// Add to the set.
    pub fn add(&mut self, more: Marks) {
        self.0 |= more.0;
    }
}
