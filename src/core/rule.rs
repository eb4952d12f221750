//! What a rule is.

use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::exchange::{Call, Exchange, OpenCall, Signs};
use crate::history::{History, Marks};
use crate::violation::{Finding, Severity};

/// One thing that the API refuses, or may refuse.
#[derive(Debug)]
pub struct Rule {
    /// `TP` and three digits; never used again for another rule.
    pub code: &'static str,
    /// The name. A contract.
    pub slug: &'static str,
    /// On the default endpoint, or where it is switched on.
    pub severity: Severity,
    /// Whether it is on.
    pub when: When,
    /// Slugs of rules that tell of the same fault: where one of them speaks of a message, this
    /// one is silent about it.
    pub yields_to: &'static [&'static str],
    /// What is wrong, in one sentence.
    pub what: &'static str,
    /// Why it is refused, and how it comes about.
    pub why: &'static str,
    /// How to mend it.
    pub mend: &'static str,
    /// What breaks this rule and no other: a list of messages, or a request body where the rule
    /// needs one. A list may be followed by ` * N`: so many times.
    pub example: &'static str,
    /// Where the rule is known from.
    pub source: &'static str,
    /// The server's texts for it, seen or by their form, newest first. What varies stands in
    /// braces: `{place}` and `{at}` are places, the latter one that must be there to tell the text
    /// from those on other parts of a request; `{list}` is the list itself; `{ids}` are ids.
    pub server: &'static [&'static str],
    /// How it is found.
    pub check: Check,
}

impl Rule {
    /// Whether this is its code or its slug.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.code == name || self.slug == name
    }
}

/// By their codes: no two rules have the same.
impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// When a rule is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Unless it is ignored.
    Always,
    /// Where it is selected, or the endpoint has a severity for it.
    Selected,
    /// The same; and where the request's betas are known.
    BetasKnown,
}

impl When {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            When::Always => "always",
            When::Selected => "selected",
            When::BetasKnown => "betas-known",
        }
    }
}

/// How a rule is found, and what must have been noticed before it is asked at all.
#[derive(Debug)]
pub enum Check {
    /// Once, over the whole list.
    List(fn(&Whole<'_>, &mut Vec<Finding>)),
    /// In a message that has one of these marks.
    Message(Marks, fn(&Whole<'_>, u32, &mut Vec<Finding>)),
    /// In an exchange that has one of these signs.
    Exchange(Signs, fn(&Scene<'_>, &mut Vec<Finding>)),
}

/// What a rule over the list, or over one message, sees.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// The history.
    pub history: &'a History,
    /// The rest of the request.
    pub context: &'a Context,
    /// Who will receive it.
    pub endpoint: &'static Endpoint,
}

/// What a rule over an exchange sees.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The history.
    pub history: &'a History,
    /// The rest of the request.
    pub context: &'a Context,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// Whether nothing comes after it.
    pub is_last: bool,
    /// At the end of the list, the calls that the server may still finish.
    pub resumed: &'a [OpenCall],
}

impl Scene<'_> {
    /// Whether an open call does not miss its result, but waits for it: nothing but results
    /// stands behind it, and nothing comes after.
    #[must_use]
    pub fn is_pending(&self, call: &Call) -> bool {
        self.is_last && self.exchange.may_wait(call)
    }

    /// The calls without result: those that wait for it, or those that miss it.
    pub fn open_calls(&self, pending: bool) -> impl Iterator<Item = &Call> {
        let open = self.exchange.calls.iter().filter(|call| call.is_open());
        open.filter(move |call| self.is_pending(call) == pending)
    }
}
