//! How a history is judged: by whom, beside which request, by which rules.

use std::sync::LazyLock;

use crate::context::Context;
use crate::endpoint::{ENDPOINTS, Endpoint};
use crate::explain::rule_named;
use crate::rule::{Check, Rule, When};
use crate::rules::{RULES, orphan_tool_result, pending_tool_use, unknown_member};

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

    /// Whether members that no message or block has are to be read: one rule looks at them.
    #[must_use]
    pub fn wants_extras(&self) -> bool {
        self.selects(&unknown_member::RULE)
    }

    pub(crate) fn ignores(&self, rule: &Rule) -> bool {
        self.ignored.contains(&rule.code)
    }

    /// The rules that are asked, as places in the registry.
    pub(crate) fn asked(&self) -> Asked {
        static USUAL: LazyLock<Vec<Asked>> = LazyLock::new(|| {
            ENDPOINTS.iter().map(|endpoint| Options::new(endpoint).asked_anew()).collect()
        });
        let is_usual =
            self.selected.is_empty() && self.ignored.is_empty() && self.context.betas.is_none();
        let known = ENDPOINTS.iter().position(|known| known.name == self.endpoint.name);
        match known.filter(|_| is_usual) {
            Some(known) => USUAL[known],
            None => self.asked_anew(),
        }
    }

    fn asked_anew(&self) -> Asked {
        let mut asked = Asked::default();
        for (index, rule) in RULES.iter().enumerate().filter(|(_, rule)| self.asks(rule)) {
            let of_its_kind = match rule.check {
                Check::List(_) => &mut asked.lists,
                Check::Message(..) => &mut asked.messages,
                Check::Exchange(..) => &mut asked.exchanges,
            };
            of_its_kind.0 |= 1 << index;
        }
        asked
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
    *rule == orphan_tool_result::RULE
        || RULES.iter().any(|other| other.yields_to.contains(&rule.slug))
}

/// The rules that are asked, by how they are found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) lists: RuleSet,
    pub(crate) messages: RuleSet,
    pub(crate) exchanges: RuleSet,
}

/// A set of rules, by their places in the registry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuleSet(u128);

impl RuleSet {
    /// The rules, in the order of the registry.
    pub(crate) fn rules(self) -> impl Iterator<Item = &'static Rule> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let index = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            RULES.get(index as usize).copied()
        })
    }
}
