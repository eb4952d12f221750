//! What a check found: one place where a rule is broken, and all of them together.

use crate::history::{History, Symbol};
use crate::location::Place;
use crate::rule::Rule;
use crate::texts;

/// How much a violation matters to an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The endpoint refuses the request.
    Error,
    /// Sources disagree, or other endpoints refuse.
    Warning,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One place where a rule is broken.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// As the endpoint sees it.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// The call that it is about.
    pub id: Symbol,
    /// Other places that belong to it.
    pub related: Vec<Place>,
    /// The sentence, with `{id}`, `{name}`, `{of_name}` and `{related}` still to be filled in.
    pub says: &'static str,
    /// The block whose tool's name or type the sentence uses; if none, the message's role.
    pub subject: Option<u32>,
}

impl Violation {
    /// The sentence. `id` is the call's, `name` the [subject](Violation::subject)'s, both as
    /// [`texts::shown`] gives them.
    #[must_use]
    pub fn text(&self, id: Option<&str>, name: Option<&str>) -> String {
        texts::fill(self.says, |key| {
            let value = match key {
                "id" => id.map(str::to_owned),
                "name" => name.map(str::to_owned),
                "of_name" => name.map(|name| format!(" of '{name}'")),
                "related" => self.related.first().map(Place::to_string),
                _ => None,
            };
            value.unwrap_or_default()
        })
    }
}

/// All that is wrong with a history, in the order of the list.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Sorted by place, then by code.
    pub violations: Vec<Violation>,
    /// Calls at the very end that nobody has answered yet, as blocks.
    pub pending: Vec<u32>,
}

/// What one rule says of one place; the check adds the rule and the severity.
#[derive(Clone, Debug)]
pub struct Finding {
    pub(crate) place: Place,
    pub(crate) id: Symbol,
    pub(crate) related: Vec<Place>,
    pub(crate) says: &'static str,
    pub(crate) subject: Option<u32>,
    pub(crate) severity: Option<Severity>,
}

impl Finding {
    /// At any place.
    #[must_use]
    pub fn at(place: Place, says: &'static str) -> Finding {
        let (id, related, subject, severity) = (Symbol::NONE, Vec::new(), None, None);
        Finding { place, id, related, says, subject, severity }
    }

    /// At a block; its id and its name are the violation's.
    #[must_use]
    pub fn at_block(history: &History, block: u32, says: &'static str) -> Finding {
        Finding::at(Place::block(history, block), says).about(history, block)
    }

    /// About the call or result in this block: its id and its name.
    #[must_use]
    pub fn about(self, history: &History, block: u32) -> Finding {
        Finding { id: history.block(block).id, subject: Some(block), ..self }
    }

    /// Another place that belongs to it.
    #[must_use]
    pub fn related(mut self, history: &History, block: u32) -> Finding {
        self.related.push(Place::block(history, block));
        self
    }

    /// Of another severity than the rule's.
    #[must_use]
    pub fn only_a_warning(self) -> Finding {
        Finding { severity: Some(Severity::Warning), ..self }
    }
}
