//! How a history is judged: by whom, beside which request, by which rules.

use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::explain::rule_named;
use crate::rule::{Rule, When};
use crate::rules::{RULES, orphan_tool_result, pending_tool_use};

/// How a history is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// By whom.
    pub(crate) endpoint: &'static Endpoint,
    /// The rest of the request.
    pub(crate) context: Context,
    /// The codes of rules that are switched on, and of those that are left out.
    selected: Vec<&'static str>,
    ignored: Vec<&'static str>,
}

impl Options {
    /// All rules, as this endpoint applies them.
    #[must_use]
    pub fn new(endpoint: &'static Endpoint) -> Options {
        let (selected, ignored) = (Vec::new(), Vec::new());
        Options { endpoint, context: Context::default(), selected, ignored }
    }

    /// The same, with what is known of the rest of the request.
    #[must_use]
    pub fn with_context(self, context: Context) -> Options {
        Options { context, ..self }
    }

    /// The rest of the request.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether adjacent messages of one role are one turn.
    #[must_use]
    pub fn joins(&self) -> bool {
        self.endpoint.joins
    }

    /// Calls that wait for their results at the very end are fine.
    pub fn allow_pending(&mut self) {
        self.ignore(pending_tool_use::RULE.slug);
    }

    /// Leave a rule out, by its code or slug. False if there is none of that name.
    pub fn ignore(&mut self, name: &str) -> bool {
        let rule = rule_named(name);
        self.ignored.extend(rule.map(|rule| rule.code));
        rule.is_some()
    }

    /// Switch a rule on that is off by default. False if there is none of that name.
    pub fn select(&mut self, name: &str) -> bool {
        let rule = rule_named(name);
        self.selected.extend(rule.map(|rule| rule.code));
        rule.is_some()
    }

    /// Whether a rule is selected.
    #[must_use]
    pub fn selects(&self, rule: &Rule) -> bool {
        self.selected.contains(&rule.code)
    }

    pub(crate) fn ignores(&self, rule: &Rule) -> bool {
        self.ignored.contains(&rule.code)
    }

    /// The rules that are asked, as places in the registry.
    pub(crate) fn asked(&self) -> Asked {
        let asks = RULES.iter().enumerate().filter(|(_, rule)| self.asks(rule));
        Asked(asks.map(|(index, _)| 1 << index).sum())
    }

    /// Whether a rule is asked. One that others look at is asked even if it is ignored; what is
    /// ignored is left out of the report.
    fn asks(&self, rule: &Rule) -> bool {
        let is_on = match rule.when {
            When::Always => true,
            When::BetasKnown if self.context.betas.is_some() => true,
            _ => self.selects(rule) || self.endpoint.differing(rule).is_some(),
        };
        is_on && (!self.ignores(rule) || others_look_at(rule))
    }
}

/// Whether another rule's findings depend on what this one finds: calls tell of late results,
/// and rules yield to each other.
fn others_look_at(rule: &Rule) -> bool {
    rule.code == orphan_tool_result::RULE.code
        || RULES.iter().any(|other| other.yields_to.contains(&rule.slug))
}

/// A set of rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked(u128);

impl Asked {
    /// The rules, in the order of the registry.
    pub(crate) fn rules(self) -> impl Iterator<Item = &'static Rule> {
        let is_asked = move |&(index, _): &(usize, &&Rule)| self.0 >> index & 1 != 0;
        RULES.iter().enumerate().filter(is_asked).map(|(_, rule)| *rule)
    }
}
