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
    /// A further name that the sentence uses, `{word}`.
    pub word: Symbol,
    /// What the server would say.
    pub(crate) server: Wording,
}

/// A text of the server that is another rule's, or is about another place.
#[derive(Clone, Debug)]
pub(crate) struct ServerText {
    template: &'static str,
    place: Place,
    /// The ids that it lists, if it lists more than the violation's own.
    ids: Vec<Symbol>,
}

/// So many ids of a text are shown: one text is told for each of its calls.
const MOST_IDS: usize = 16;

impl ServerText {
    /// One that lists the violation's id alone.
    #[must_use]
    pub(crate) fn new(template: &'static str, place: Place) -> ServerText {
        ServerText { template, place, ids: Vec::new() }
    }

    /// The same text with these ids, or the first of them.
    #[must_use]
    pub(crate) fn listing(self, ids: impl Iterator<Item = Symbol>) -> ServerText {
        ServerText { ids: ids.take(MOST_IDS + 1).collect(), ..self }
    }
}

/// What the server says to a finding. Few say more than a number: there are many findings.
#[derive(Clone, Debug)]
pub(crate) enum Wording {
    /// The rule's own [text](Rule::server) of this number, about the finding's place.
    Own(usize),
    Other(Box<ServerText>),
    Unknown,
}

/// The texts of a report, each as [`texts::shown`] gives it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'a> {
    /// The [id](Violation::id).
    pub id: Option<&'a str>,
    /// The name of the [subject](Violation::subject).
    pub name: Option<&'a str>,
    /// The [word](Violation::word).
    pub word: Option<&'a str>,
    /// The [ids](Violation::server_ids) that the server's text lists.
    pub ids: &'a [&'a str],
}

impl Violation {
    /// The sentence.
    #[must_use]
    pub fn text(&self, words: Words<'_>) -> String {
        texts::fill(self.says, |key| {
            let value = match key {
                "id" => words.id.map(str::to_owned),
                "name" => words.name.map(str::to_owned),
                "of_name" => words.name.map(|name| format!(" of '{name}'")),
                "word" => words.word.map(str::to_owned),
                "related" => self.related.first().map(Place::to_string),
                _ => None,
            };
            value.unwrap_or_default()
        })
    }

    /// The ids that the server's text lists, if they are more than the violation's own.
    #[must_use]
    pub fn server_ids(&self) -> &[Symbol] {
        match &self.server {
            Wording::Other(text) => &text.ids,
            _ => &[],
        }
    }

    /// What the server would say, if its text is known. Its own index may be one off.
    #[must_use]
    pub fn server_text(&self, words: Words<'_>) -> Option<String> {
        let (template, place) = match &self.server {
            Wording::Own(number) => (*self.rule.server.get(*number)?, self.place),
            Wording::Other(text) => (text.template, text.place),
            Wording::Unknown => return None,
        };
        let name = words.word.or(words.name).unwrap_or("tool");
        let own = [words.id.unwrap_or_default()];
        let ids = if words.ids.is_empty() { own.as_slice() } else { words.ids };
        Some(texts::fill(template, |key| match key {
            "place" | "at" => place.to_wire(),
            "type_at" => format!("{}.type", place.to_wire()),
            "message" => Place { block: None, ..place }.to_wire(),
            "list" => Place::LIST.to_wire(),
            "ids" => match ids.get(..MOST_IDS) {
                Some(first) if ids.len() > MOST_IDS => format!("{}, ...", first.join(", ")),
                _ => ids.join(", "),
            },
            "count" => ids.len().to_string(),
            _ => name.strip_suffix("_tool_result").unwrap_or(name).to_owned(),
        }))
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

impl Report {
    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> usize {
        let is_error = |found: &&Violation| found.severity == Severity::Error;
        self.violations.iter().filter(is_error).count()
    }
}

/// What one rule says of one place; the check adds the rule and the severity.
#[derive(Clone, Debug)]
pub struct Finding {
    pub(crate) place: Place,
    pub(crate) id: Symbol,
    pub(crate) related: Vec<Place>,
    pub(crate) says: &'static str,
    pub(crate) subject: Option<u32>,
    pub(crate) word: Symbol,
    pub(crate) server: Wording,
    pub(crate) severity: Option<Severity>,
}

impl Finding {
    /// At any place.
    #[must_use]
    pub fn at(place: Place, says: &'static str) -> Finding {
        let (id, related, word) = (Symbol::NONE, Vec::new(), Symbol::NONE);
        Finding {
            place,
            id,
            related,
            says,
            subject: None,
            word,
            server: Wording::Own(0),
            severity: None,
        }
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

    /// With a further name for its sentence.
    #[must_use]
    pub fn word(self, word: Symbol) -> Finding {
        Finding { word, ..self }
    }

    /// The server has more than one text for the rule: this is the one for it.
    #[must_use]
    pub fn in_words(self, server: usize) -> Finding {
        Finding { server: Wording::Own(server), ..self }
    }

    /// The server has another rule's text for it, or names another place.
    #[must_use]
    pub(crate) fn in_words_of(self, text: ServerText) -> Finding {
        Finding { server: Wording::Other(Box::new(text)), ..self }
    }

    /// What the server says to it is not known.
    #[must_use]
    pub fn in_unknown_words(self) -> Finding {
        Finding { server: Wording::Unknown, ..self }
    }

    /// A warning, if that is all that can be said; else of the rule's severity.
    #[must_use]
    pub fn certain_if(self, is_certain: bool) -> Finding {
        if is_certain { self } else { self.only_a_warning() }
    }

    /// Of another severity than the rule's.
    #[must_use]
    pub fn only_a_warning(self) -> Finding {
        Finding { severity: Some(Severity::Warning), ..self }
    }
}
