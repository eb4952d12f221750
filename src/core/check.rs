//! A history in, a report out; at once, or message by message.

use std::collections::{HashMap, HashSet};

use crate::context::Context;
use crate::exchange::{Exchange, OpenCall, Signs};
use crate::history::{History, Marks, Role};
use crate::location::Place;
use crate::options::{Asked, Options};
use crate::rule::{Check, Rule, Scene, Whole};
use crate::rules::{orphan_tool_result, tool_use_without_result, unknown_role};
use crate::violation::{Finding, Report, Violation};
use crate::walk::Walk;

/// Judges a history that may still grow.
///
/// [`advance`](Checker::advance) visits each message once; what lies in finished exchanges is
/// settled. [`report`](Checker::report) adds what the running exchange would be if it ended here.
#[derive(Clone, Debug)]
pub struct Checker {
    options: Options,
    asked: Asked,
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
    pending(&walk.as_if_ended())
}

impl Checker {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(options: Options) -> Checker {
        let (walk, asked) = (Walk::new(options.endpoint.joins), options.asked());
        Checker { options, asked, walk, taken: 0, settled: Vec::new(), findings: Vec::new() }
    }

    /// What is known of the rest of the request.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.options.context()
    }

    /// Take in the messages that were recorded since the last time.
    pub fn advance(&mut self, history: &History) {
        for message in self.taken..history.messages.len() as u32 {
            if self.walk.is_ended_by(history, message) {
                let exchange = self.walk.as_if_ended();
                let mut found = std::mem::take(&mut self.findings);
                let scene = self.scene(history, &exchange, false, &[]);
                let violations = self.judge_exchange(scene, &mut found);
                self.settled.extend(violations);
                self.findings = found;
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
        let resumed = self.resumed(&exchange);
        let scene = self.scene(history, &exchange, true, &resumed);
        violations.extend(self.judge_exchange(scene, &mut findings));
        let whole = self.whole(history);
        for rule in self.asked.lists.rules() {
            if let Check::List(check) = rule.check {
                check(&whole, &mut findings);
                violations.extend(judged(&self.options, history, rule, &mut findings));
            }
        }
        let pending = pending(&exchange);
        if !violations.is_empty() {
            link_late_results(&mut violations);
            yield_to_others(&mut violations);
            violations.retain(|found| !self.options.ignores(found.rule));
            violations.sort_by_key(|violation| (violation.place, violation.rule.code));
        }
        Report { violations, pending }
    }

    /// The calls that wait for a result, as blocks.
    #[must_use]
    pub fn pending(&self) -> Vec<u32> {
        pending(&self.walk.as_if_ended())
    }

    /// At the end of the list, the calls that the server may still finish.
    fn resumed(&self, exchange: &Exchange) -> Vec<OpenCall> {
        if exchange.signs.meets(Signs::SERVER_OPEN) {
            self.walk.open_server_calls().collect()
        } else {
            Vec::new()
        }
    }

    fn whole<'a>(&'a self, history: &'a History) -> Whole<'a> {
        Whole { history, context: &self.options.context, endpoint: self.options.endpoint }
    }

    fn scene<'a>(
        &'a self,
        history: &'a History,
        exchange: &'a Exchange,
        is_last: bool,
        resumed: &'a [OpenCall],
    ) -> Scene<'a> {
        Scene { history, context: &self.options.context, exchange, is_last, resumed }
    }

    fn judge_message(&mut self, history: &History, message: u32) {
        let marks = history.messages[message as usize].marks;
        let mut findings = std::mem::take(&mut self.findings);
        for rule in self.asked.messages.rules() {
            let Check::Message(reads, check) = rule.check else { continue };
            if reads.meets(marks) {
                check(&self.whole(history), message, &mut findings);
                let found = judged(&self.options, history, rule, &mut findings);
                self.settled.extend(found);
            }
        }
        self.findings = findings;
    }

    fn judge_exchange(&self, scene: Scene<'_>, findings: &mut Vec<Finding>) -> Vec<Violation> {
        let signs = scene.exchange.all_signs();
        let mut violations = Vec::new();
        if signs == Signs::NONE {
            return violations;
        }
        for rule in self.asked.exchanges.rules() {
            let Check::Exchange(reads, check) = rule.check else { continue };
            if reads.meets(signs) {
                check(&scene, findings);
                violations.extend(judged(&self.options, scene.history, rule, findings));
            }
        }
        violations
    }
}

fn pending(exchange: &Exchange) -> Vec<u32> {
    if exchange.unanswered == 0 {
        return Vec::new();
    }
    let waiting = exchange.calls.iter().filter(|call| call.is_open() && exchange.may_wait(call));
    waiting.map(|call| call.block).collect()
}

/// A call without result, and a result of its id too far on: each tells of the other.
fn link_late_results(violations: &mut [Violation]) {
    let late = violations.iter().filter(|found| *found.rule == orphan_tool_result::RULE);
    let late = late.filter_map(|found| Some((*found.related.first()?, found.place)));
    let results: HashMap<Place, Place> = late.collect();
    if results.is_empty() {
        return;
    }
    let missing = violations.iter_mut().filter(|it| *it.rule == tool_use_without_result::RULE);
    for found in missing {
        if let Some(result) = results.get(&found.place) {
            found.related.push(*result);
            found.says = tool_use_without_result::SAYS_LATE;
        }
    }
}

/// One fault is told once: where two rules speak of it, one of them yields.
fn yield_to_others(violations: &mut Vec<Violation>) {
    let spoken: HashSet<_> =
        violations.iter().map(|found| (found.rule.slug, found.place.message)).collect();
    violations.retain(|found| {
        let mut others = found.rule.yields_to.iter();
        !others.any(|slug| spoken.contains(&(*slug, found.place.message)))
    });
}

/// What a rule found, as the endpoint sees it. A message of role `tool` is one fault: what else is
/// wrong in it does not count.
fn judged(
    options: &Options,
    history: &History,
    rule: &'static Rule,
    findings: &mut Vec<Finding>,
) -> impl Iterator<Item = Violation> {
    let is_about_role = *rule == unknown_role::RULE;
    findings.drain(..).filter_map(move |found| {
        let message = found.place.message.map(|message| &history.messages[message as usize]);
        if !is_about_role && message.is_some_and(|message| message.role == Role::Tool) {
            return None;
        }
        let severity = options.endpoint.severity(rule, found.severity);
        let Finding { place, id, related, says, subject, word, server, .. } = found;
        Some(Violation { rule, severity, place, id, related, says, subject, word, server })
    })
}
