//! What a rule is.

use crate::exchange::{Exchange, Signs};
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
    /// The server's texts for it, newest first, with `{place}`, `{ids}`, … where they vary.
    pub server: &'static [&'static str],
    /// How it is found.
    pub check: Check,
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
    /// Whether open calls are not missing their results, but waiting for them.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.is_last && self.exchange.may_go_on()
    }
}
