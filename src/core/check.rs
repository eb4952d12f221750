//! A history in, a report out; at once, or message by message.

use crate::endpoint::Endpoint;
use crate::exchange::Signs;
use crate::history::{History, Marks};
use crate::rule::{Check, Rule, Scene};
use crate::rules::RULES;
use crate::violation::{Finding, Report, Violation};
use crate::walk::Walk;

/// How a history is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// By whom.
    pub endpoint: &'static Endpoint,
    /// Rules that are left out, by their index in [`RULES`].
    pub ignored: Vec<bool>,
}

impl Options {
    /// All rules, as this endpoint applies them.
    #[must_use]
    pub fn new(endpoint: &'static Endpoint) -> Options {
        Options { endpoint, ignored: vec![false; RULES.len()] }
    }

    /// Leave a rule out, by its code or slug. False if there is none of that name.
    pub fn ignore(&mut self, name: &str) -> bool {
        let index = RULES.iter().position(|rule| rule.slug == name || rule.code == name);
        index.map(|index| self.ignored[index] = true).is_some()
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
                let exchange = self.walk.exchange();
                if exchange.signs != Signs::NONE || exchange.unanswered > 0 {
                    let scene = Scene { history, exchange: &exchange, is_last: false };
                    let found = judge_exchange(&self.options, scene, &mut self.findings);
                    self.settled.extend(found);
                }
                self.walk.next_exchange();
            }
            if history.messages[message as usize].marks != Marks::NONE {
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
        let exchange = self.walk.exchange();
        let scene = Scene { history, exchange: &exchange, is_last: true };
        if exchange.signs != Signs::NONE || exchange.unanswered > 0 {
            violations.extend(judge_exchange(&self.options, scene, &mut findings));
        }
        for (rule, ignored) in RULES.iter().zip(&self.options.ignored) {
            if let (Check::List(check), false) = (&rule.check, ignored) {
                check(history, &mut findings);
                let endpoint = self.options.endpoint;
                violations.extend(findings.drain(..).map(|found| judged(endpoint, rule, found)));
            }
        }
        violations.sort_by_key(|violation| (violation.place, violation.rule.code));
        Report { violations, pending: pending(scene) }
    }

    /// The calls that wait for a result, as blocks.
    #[must_use]
    pub fn pending(&self, history: &History) -> Vec<u32> {
        let exchange = self.walk.exchange();
        pending(Scene { history, exchange: &exchange, is_last: true })
    }

    fn judge_message(&mut self, history: &History, message: u32) {
        let marks = history.messages[message as usize].marks;
        for (rule, ignored) in RULES.iter().zip(&self.options.ignored) {
            let Check::Message(reads, check) = rule.check else { continue };
            if *ignored || !reads.meets(marks) {
                continue;
            }
            check(history, message, &mut self.findings);
            let endpoint = self.options.endpoint;
            let found = self.findings.drain(..).map(|found| judged(endpoint, rule, found));
            self.settled.extend(found);
        }
    }
}

fn pending(scene: Scene<'_>) -> Vec<u32> {
    if !scene.is_pending() {
        return Vec::new();
    }
    let open = scene.exchange.calls.iter().filter(|call| call.is_open());
    open.map(|call| call.block).collect()
}

fn judge_exchange(
    options: &Options,
    scene: Scene<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Violation> {
    let mut signs = scene.exchange.signs;
    if scene.exchange.unanswered > 0 {
        signs.add(Signs::UNANSWERED);
    }
    let mut violations = Vec::new();
    for (rule, ignored) in RULES.iter().zip(&options.ignored) {
        let Check::Exchange(reads, check) = rule.check else { continue };
        if *ignored || !reads.meets(signs) {
            continue;
        }
        check(&scene, findings);
        let found = findings.drain(..);
        violations.extend(found.map(|found| judged(options.endpoint, rule, found)));
    }
    violations
}

fn judged(endpoint: &Endpoint, rule: &'static Rule, found: Finding) -> Violation {
    let Finding { place, id, related, says, subject, severity } = found;
    let severity = endpoint.severity(rule, severity);
    Violation { rule, severity, place, id, related, says, subject }
}
