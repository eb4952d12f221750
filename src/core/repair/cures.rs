//! Faults of one block that one change of it cures.

use super::piece::Changes;
use crate::history::{Kind, Marks};

/// A change of one block that cures it.
pub(super) struct Cure {
    pub(super) slug: &'static str,
    /// Which marks the block has that is cured so; any, if none are named.
    of: Marks,
    pub(super) change: Changes,
    /// The marks that go with it.
    pub(super) cured: Marks,
    pub(super) is_safe: bool,
    pub(super) says: &'static str,
}

impl Cure {
    pub(super) fn fits(&self, marks: Marks, kind: Kind) -> bool {
        let is_result = self.change != Changes::PLAIN || kind == Kind::ToolResult;
        is_result && (self.of == Marks::NONE || marks.meets(self.of))
    }
}

/// The marks of a result whose content becomes one text.
const PLAIN: Marks = Marks::NOT_PLAIN
    .with(Marks::NESTED_REFUSED)
    .with(Marks::NESTED_UNKNOWN)
    .with(Marks::MIXED_SEARCH)
    .with(Marks::ODD_TOOLSET)
    .with(Marks::REFERS);

pub(super) const SEARCHES: Cure = Cure {
    slug: "mixed-search-results",
    of: Marks::NONE,
    change: Changes::SEARCHES,
    cured: Marks::MIXED_SEARCH,
    is_safe: true,
    says: "what is not a search result goes after the results",
};

#[rustfmt::skip]
pub(super) const CURES: &[Cure] = &[
    Cure {
        slug: "malformed-tool-block", of: Marks::BAD_INPUT, change: Changes::INPUT,
        cured: Marks::BAD_INPUT, is_safe: false, says: "its input becomes an object",
    },
    Cure {
        slug: "malformed-tool-block", of: Marks::BAD_CONTENT, change: Changes::PLAIN,
        cured: Marks::BAD_CONTENT, is_safe: true, says: "its content becomes a text",
    },
    Cure {
        slug: "empty-error-result", of: Marks::NONE, change: Changes::FILLED,
        cured: Marks::EMPTY_ERROR, is_safe: true, says: "it gets a text",
    },
    Cure {
        slug: "block-not-allowed-in-result", of: Marks::NONE, change: Changes::FLAT,
        cured: Marks::NESTED_REFUSED.with(Marks::NESTED_UNKNOWN), is_safe: true,
        says: "what it may not hold becomes text in it",
    },
    Cure {
        slug: "malformed-toolset-result", of: Marks::NONE, change: Changes::PLAIN,
        cured: PLAIN, is_safe: false, says: "its content becomes a text",
    },
    Cure {
        slug: "content-beside-programmatic-result", of: Marks::NONE, change: Changes::PLAIN,
        cured: PLAIN, is_safe: false, says: "its content becomes a text",
    },
    Cure {
        slug: "cache-control-on-thinking", of: Marks::NONE, change: Changes::NO_CACHE,
        cured: Marks::NONE, is_safe: true, says: "its cache_control goes",
    },
    Cure {
        slug: "unknown-member", of: Marks::NONE, change: Changes::NO_EXTRAS,
        cured: Marks::NONE, is_safe: false,
        says: "members that blocks of its kind do not have are dropped",
    },
];
