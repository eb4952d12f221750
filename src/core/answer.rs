//! What a client's result says: its content, block by block, and whether it is an error.

use crate::history::{Content, Marks, Nested};

/// The text of a result that a repair made up: what is known, and no more.
pub const PLACEHOLDER: &str = "No result was recorded for this call. Whether the tool ran, and \
                               what effects it had, is unknown.";

/// How results that were made up speak of what is not there.
const MADE_UP: &[&str] = &[
    "no result",
    "no tool result",
    "missing tool result",
    "result missing",
    "result is missing",
    "not recorded",
    "interrupted",
    "cancelled",
    "canceled",
    "aborted",
    "placeholder",
    "synthetic",
];

/// The longest text that may be one of them, in bytes.
pub const LONGEST_MADE_UP: usize = 400;

/// Whether the text of a failed result was made up where there was none.
#[must_use]
pub fn is_made_up(text: &str) -> bool {
    if text.len() > LONGEST_MADE_UP {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    MADE_UP.iter().any(|words| lower.contains(words))
}

/// What a reader notes while it reads a result.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// The shape of its content.
    pub content: Content,
    /// Whether the content is a string of no character.
    pub is_empty: bool,
    /// Whether `is_error` is true.
    pub is_error: bool,
    /// Whether the content is [`PLACEHOLDER`].
    pub is_placeholder: bool,
    /// Whether the content is a text that [was made up](is_made_up).
    pub is_made_up: bool,
    blocks: u32,
    searches: u32,
    states: u32,
    has_media: bool,
    is_refused: bool,
    is_unknown: bool,
    is_beyond_toolset: bool,
}

impl Answered {
    /// Nothing is known of it but the shape.
    #[must_use]
    pub fn of(content: Content) -> Answered {
        Answered {
            content,
            is_empty: false,
            is_error: false,
            is_placeholder: false,
            is_made_up: false,
            blocks: 0,
            searches: 0,
            states: 0,
            has_media: false,
            is_refused: false,
            is_unknown: false,
            is_beyond_toolset: false,
        }
    }

    /// A block of its content.
    pub fn nested(&mut self, nested: Nested) {
        self.blocks += 1;
        self.has_media |= nested != Nested::Text;
        match nested {
            Nested::Text | Nested::Image => {}
            Nested::Document | Nested::Reference => self.is_beyond_toolset = true,
            Nested::Search => {
                self.searches += 1;
                self.is_beyond_toolset = true;
            }
            Nested::BrowserState => self.states += 1,
            Nested::Refused => self.is_refused = true,
            Nested::Unknown => self.is_unknown = true,
        }
    }

    /// Whether it says nothing at all.
    fn says_nothing(&self) -> bool {
        match self.content {
            Content::Missing => true,
            Content::Text => self.is_empty,
            Content::Blocks => self.blocks == 0,
            Content::Malformed => false,
        }
    }

    /// The marks of the result. `toolset`: it names one.
    pub(crate) fn marks(&self, toolset: bool) -> Marks {
        let mut marks = Marks::NONE;
        marks.add_if(self.content == Content::Malformed, Marks::BAD_CONTENT);
        marks.add_if(self.searches > 0, Marks::SEARCHES);
        marks.add_if(self.is_error && self.says_nothing(), Marks::EMPTY_ERROR);
        marks.add_if(self.is_made_up && self.is_error, Marks::MADE_UP);
        marks.add_if(self.is_placeholder && self.is_error, Marks::PLACEHOLDER);
        marks.add_if(self.is_refused, Marks::NESTED_REFUSED);
        marks.add_if(self.is_unknown, Marks::NESTED_UNKNOWN);
        marks.add_if(self.searches > 0 && self.searches < self.blocks, Marks::MIXED_SEARCH);
        marks.add_if(self.has_media, Marks::NOT_PLAIN);
        let is_odd = self.is_beyond_toolset || self.states > 1 || self.states > 0 && self.is_error;
        marks.add_if(toolset && is_odd, Marks::ODD_TOOLSET);
        marks
    }
}
