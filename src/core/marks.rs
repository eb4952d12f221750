//! What is odd or special about a block or a message.

/// A set of single-bit facts. Used for what a rule needs and what a history holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u32);

macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident = $bit:literal,)*) => {
        impl Marks {
            /// Nothing.
            pub const NONE: Marks = Marks(0);
            $($(#[$doc])* pub const $name: Marks = Marks(1 << $bit);)*
        }
    };
}

marks! {
    /// The id breaks the pattern of its kind.
    ODD_ID = 0,
    /// `caller.tool_id` breaks the pattern of server ids.
    ODD_CALLER = 1,
    /// The id begins like a server call's.
    SERVER_ID = 2,
    /// The id is absent or no string.
    BAD_ID = 3,
    /// `name` is absent or no string.
    BAD_NAME = 4,
    /// `input` is absent or no object.
    BAD_INPUT = 5,
    /// A result's `content` is neither a string nor a list.
    BAD_CONTENT = 6,
    /// A tool block that its message's role must not hold.
    WRONG_ROLE = 7,
    /// The block is the message's string.
    STRING = 8,
    /// The block has a [`Detail`](crate::history::Detail).
    DETAIL = 9,
    /// A block of a type that the API does not take, or that is not known here.
    ODD_TYPE = 10,
    /// A text or a summary of no character.
    EMPTY_TEXT = 11,
    /// A text of white space and nothing else.
    BLANK_TEXT = 12,
    /// `cache_control` is set on the block itself.
    CACHED = 13,
    /// A client call's `name` is empty or too long, or a server call's none of the server's.
    ODD_NAME = 14,
    /// A result that some repair made up.
    MADE_UP = 15,
    /// Thinking without what must come with it.
    BAD_THINKING = 16,
    /// Thinking that is redacted.
    REDACTED = 17,
    /// Thinking behind a text or a client call, and the first of its message.
    LATE_THINKING = 18,
    /// A result that is an error and says nothing.
    EMPTY_ERROR = 19,
    /// A result holds a block that the API does not take there.
    NESTED_REFUSED = 20,
    /// A result holds a block of a type that is not known here.
    NESTED_UNKNOWN = 21,
    /// A result holds search results and something else.
    MIXED_SEARCH = 22,
    /// A result holds more than text.
    NOT_PLAIN = 23,
    /// A toolset's result holds what such results may not.
    ODD_TOOLSET = 24,
    /// A result that holds search results.
    SEARCHES = 25,
    /// A block that pairs with nothing, in a role that must not hold it.
    UNLIKE_ROLE = 26,
    /// The block stands before a `fallback`, and may not.
    BEFORE_FALLBACK = 27,
    /// The block refers to a tool, or changes which there are.
    REFERS = 28,
    /// A result that this repair made up.
    PLACEHOLDER = 29,
    /// A message whose role, content or `clear_at` is odd.
    ODD_FORM = 30,
    /// A system message with something that the API refuses in one.
    ODD_SYSTEM = 31,
}

impl Marks {
    /// What keeps a tool block from being whole.
    pub const MALFORMED: Marks =
        Marks::BAD_ID.with(Marks::BAD_NAME).with(Marks::BAD_INPUT).with(Marks::BAD_CONTENT);

    /// What depends on where a block stands.
    pub const POSITIONAL: Marks = Marks::WRONG_ROLE
        .with(Marks::STRING)
        .with(Marks::DETAIL)
        .with(Marks::LATE_THINKING)
        .with(Marks::UNLIKE_ROLE)
        .with(Marks::BEFORE_FALLBACK)
        .with(Marks::CACHED);

    /// What is no fault, whatever rules are asked.
    const HARMLESS: Marks = Marks::STRING
        .with(Marks::DETAIL)
        .with(Marks::SERVER_ID)
        .with(Marks::CACHED)
        .with(Marks::REDACTED)
        .with(Marks::SEARCHES)
        .with(Marks::MADE_UP)
        .with(Marks::PLACEHOLDER);

    /// What a rule over messages may read.
    pub const ODD: Marks = Marks(!Marks::HARMLESS.0);

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

    /// Add to the set, if something is so.
    pub fn add_if(&mut self, is_so: bool, more: Marks) {
        self.0 |= if is_so { more.0 } else { 0 };
    }

    /// Take out of the set.
    pub fn remove(&mut self, less: Marks) {
        self.0 &= !less.0;
    }
}
