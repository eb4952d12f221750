//! What a rule is.

use crate::exchange::{Call, Exchange, Signs};
use crate::history::{History, Marks};
use crate::violation::{Finding, Severity};

/// One thing that the API refuses, or may refuse.
#[derive(Debug)]
pub struct Rule {
    /// `TP` and three digits; never used again for another rule.
    pub code: &'static str,
    /// The name. A contract.
    pub slug: &'static str,
    /// On the default endpoint.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub what: &'static str,
    /// Why it is refused, and how it comes about.
    pub why: &'static str,
    /// How to mend it.
    pub mend: &'static str,
    /// A history that breaks this rule and no other.
    pub example: &'static str,
    /// Where the rule is known from.
    pub source: &'static str,
    /// The server's texts for it, seen or by their form, newest first. What varies stands in
    /// braces: `{place}` and `{at}` are places, the latter one that must be there to tell the text
    /// from those on other parts of a request; `{ids}` are ids.
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

/// How a rule is found, and what must have been noticed before it is asked at all.
#[derive(Debug)]
pub enum Check {
    /// Once, over the whole list.
    List(fn(&History, &mut Vec<Finding>)),
    /// In a message that has one of these marks.
    Message(Marks, fn(&History, u32, &mut Vec<Finding>)),
    /// In an exchange that has one of these signs.
    Exchange(Signs, fn(&Scene<'_>, &mut Vec<Finding>)),
}

/// What a rule over an exchange sees.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The history.
    pub history: &'a History,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// Whether nothing comes after it.
    pub is_last: bool,
}

impl Scene<'_> {
    /// Whether an open call does not miss its result, but waits for it: nothing but results
    /// stands behind it, and nothing comes after.
    #[must_use]
    pub fn is_pending(&self, call: &Call) -> bool {
        let may_go_on = self.exchange.beside.is_none() && !self.exchange.has_system;
        self.is_last && may_go_on && call.message >= self.exchange.answerable_from
    }

    /// The calls without result: those that wait for it, or those that miss it.
    pub fn open_calls(&self, pending: bool) -> impl Iterator<Item = &Call> {
        let open = self.exchange.calls.iter().filter(|call| call.is_open());
        open.filter(move |call| self.is_pending(call) == pending)
    }
}
