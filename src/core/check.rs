//! A history in, a report out; at once, or message by message.

use std::collections::HashMap;

use crate::endpoint::Endpoint;
use crate::exchange::Signs;
use crate::history::{History, Marks, Role};
use crate::location::Place;
use crate::rule::{Check, Rule, Scene};
use crate::rules::{
    RULES, orphan_tool_result, pending_tool_use, tool_use_without_result, unknown_role,
};
use crate::violation::{Finding, Report, Violation};
use crate::walk::Walk;

/// How a history is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// By whom.
    endpoint: &'static Endpoint,
    /// The codes of rules that are left out.
    ignored: Vec<&'static str>,
}

impl Options {
    /// All rules, as this endpoint applies them.
    #[must_use]
    pub fn new(endpoint: &'static Endpoint) -> Options {
        Options { endpoint, ignored: Vec::new() }
    }

    /// The rules that are asked. Results that answer nothing are looked for in any case, since
    /// calls tell of them; what is ignored is left out of the report.
    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let is_asked =
            |rule: &Rule| !self.ignores(rule) || rule.code == orphan_tool_result::RULE.code;
        RULES.iter().copied().filter(move |rule| is_asked(rule))
    }

    fn ignores(&self, rule: &Rule) -> bool {
        self.ignored.contains(&rule.code)
    }

    /// Calls that wait for their results at the very end are fine.
    pub fn allow_pending(&mut self) {
        self.ignore(pending_tool_use::RULE.slug);
    }

    /// Leave a rule out, by its code or slug. False if there is none of that name.
    pub fn ignore(&mut self, name: &str) -> bool {
        let rule = RULES.iter().find(|rule| rule.is_named(name));
        self.ignored.extend(rule.map(|rule| rule.code));
        rule.is_some()
    }
}

/// Judges a history that may still grow.
///
/// [`advance`](Checker::advance) visits each message once; what lies in finished exchanges is
/// settled. [`report`](Checker::report) adds what the running exchange would be if it ended here.
#[derive(Clone, Debug)]
pub struct Checker {
    options: Options,
    walk: Walk,
    taken: u32,
    settled: Vec<Violation>,
    findings: Vec<Finding>,
}

/// Judge a whole history.
#[must_use]
pub fn check(history: &History, options: Options) -> Report {
    let mut checker = Checker::new(options);
    checker.advance(history);
    checker.report(history)
}

/// The calls at the very end that nobody has answered yet, as blocks.
#[must_use]
pub fn pending_calls(history: &History) -> Vec<u32> {
    let mut walk = Walk::new(true);
    for message in 0..history.messages.len() as u32 {
        if walk.is_ended_by(history, message) {
            walk.next_exchange();
        }
        walk.take(history, message);
    }
    pending(Scene { history, exchange: &walk.as_if_ended(), is_last: true })
}

impl Checker {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(options: Options) -> Checker {
        let walk = Walk::new(options.endpoint.joins);
        Checker { options, walk, taken: 0, settled: Vec::new(), findings: Vec::new() }
    }

    /// Take in the messages that were recorded since the last time.
    pub fn advance(&mut self, history: &History) {
        for message in self.taken..history.messages.len() as u32 {
            if self.walk.is_ended_by(history, message) {
                let exchange = self.walk.as_if_ended();
                let scene = Scene { history, exchange: &exchange, is_last: false };
                let found = judge_exchange(&self.options, scene, &mut self.findings);
                self.settled.extend(found);
                self.walk.next_exchange();
            }
            if history.messages[message as usize].marks.meets(Marks::ODD) {
                self.judge_message(history, message);
            }
            self.walk.take(history, message);
        }
        self.taken = history.messages.len() as u32;
    }

    /// The report, if nothing more comes.
    #[must_use]
    pub fn report(&self, history: &History) -> Report {
        let mut violations = self.settled.clone();
        let mut findings = Vec::new();
        let exchange = self.walk.as_if_ended();
        let scene = Scene { history, exchange: &exchange, is_last: true };
        violations.extend(judge_exchange(&self.options, scene, &mut findings));
        for rule in self.options.rules() {
            if let Check::List(check) = rule.check {
                check(history, &mut findings);
                violations.extend(judged(&self.options, history, rule, &mut findings));
            }
        }
        link_late_results(&mut violations);
        violations.retain(|found| !self.options.ignores(found.rule));
        violations.sort_by_key(|violation| (violation.place, violation.rule.code));
        Report { violations, pending: pending(scene) }
    }

    /// The calls that wait for a result, as blocks.
    #[must_use]
    pub fn pending(&self, history: &History) -> Vec<u32> {
        let exchange = self.walk.as_if_ended();
        pending(Scene { history, exchange: &exchange, is_last: true })
    }

    fn judge_message(&mut self, history: &History, message: u32) {
        let marks = history.messages[message as usize].marks;
        for rule in self.options.rules() {
            let Check::Message(reads, check) = rule.check else { continue };
            if reads.meets(marks) {
                check(history, message, &mut self.findings);
                let found = judged(&self.options, history, rule, &mut self.findings);
                self.settled.extend(found);
            }
        }
    }
}

fn pending(scene: Scene<'_>) -> Vec<u32> {
    if scene.exchange.unanswered == 0 {
        return Vec::new();
    }
    scene.open_calls(true).map(|call| call.block).collect()
}

fn judge_exchange(
    options: &Options,
    scene: Scene<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Violation> {
    let signs = scene.exchange.all_signs();
    let mut violations = Vec::new();
    if signs == Signs::NONE {
        return violations;
    }
    for rule in options.rules() {
        let Check::Exchange(reads, check) = rule.check else { continue };
        if reads.meets(signs) {
            check(&scene, findings);
            violations.extend(judged(options, scene.history, rule, findings));
        }
    }
    violations
}

/// A call without result, and a result of its id too far on: each tells of the other.
fn link_late_results(violations: &mut [Violation]) {
    let is = |found: &Violation, rule: &Rule| found.rule.code == rule.code;
    let late = violations.iter().filter(|found| is(found, &orphan_tool_result::RULE));
    let late = late.filter_map(|found| Some((*found.related.first()?, found.place)));
    let results: HashMap<Place, Place> = late.collect();
    if results.is_empty() {
        return;
    }
    for found in violations.iter_mut().filter(|found| is(found, &tool_use_without_result::RULE)) {
        if let Some(result) = results.get(&found.place) {
            found.related.push(*result);
            found.says = tool_use_without_result::SAYS_LATE;
        }
    }
}

/// What a rule found, as the endpoint sees it. A message of role `tool` is one fault: what else is
/// wrong in it does not count.
fn judged(
    options: &Options,
    history: &History,
    rule: &'static Rule,
    findings: &mut Vec<Finding>,
) -> impl Iterator<Item = Violation> {
    let is_about_role = rule.code == unknown_role::RULE.code;
    findings.drain(..).filter_map(move |found| {
        let message = found.place.message.map(|message| &history.messages[message as usize]);
        if !is_about_role && message.is_some_and(|message| message.role == Role::Tool) {
            return None;
        }
        let Finding { place, id, related, says, subject, severity } = found;
        let severity = options.endpoint.severity(rule, severity);
        Some(Violation { rule, severity, place, id, related, says, subject })
    })
}
