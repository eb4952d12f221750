//! Calls that lack a result, and results that lack a call: which belong together after all.

use std::collections::{HashMap, HashSet};

use super::spans::Span;
use crate::exchange::{Call, Target};
use crate::history::{History, Kind, Marks, Symbol};

/// What was found for each call that has no result where it must stand.
pub(super) struct Matches {
    /// The result of a call, by the call's block.
    pub(super) result_of: HashMap<u32, u32>,
    /// The call of a result, by the result's block.
    pub(super) call_of: HashMap<u32, u32>,
}

/// Results and calls of one id that are looking for each other.
#[derive(Default)]
struct Waiting {
    calls: Vec<u32>,
    results: Vec<u32>,
}

/// Match them, by id: a result belongs to the nearest call before it, else to one behind it. Calls
/// of which `is_left_alone` says so match nothing.
pub(super) fn match_results(
    history: &History,
    spans: &[Span],
    is_left_alone: impl Fn(&Span, &Call) -> bool,
) -> Matches {
    let mut waiting: HashMap<Symbol, Waiting> = HashMap::new();
    let mut found = Matches { result_of: HashMap::new(), call_of: HashMap::new() };
    for span in spans {
        let is_made_up = |block: u32| history.block(block).marks.meets(Marks::MADE_UP);
        // A made-up result gives way to a real one beside it, or to one further on.
        let beside: HashSet<_> = span
            .facts
            .answers
            .iter()
            .filter_map(|answer| match answer.target {
                Target::Again(first) if !is_made_up(answer.block) => Some(first),
                _ => None,
            })
            .collect();
        let gives_way = |block: u32| is_made_up(block) && !beside.contains(&block);
        let lacks = |call: &&Call| call.answer.is_none_or(gives_way);
        for call in span.facts.calls.iter().filter(lacks) {
            if !is_left_alone(span, call) {
                waiting.entry(call.id).or_default().calls.push(call.block);
            }
        }
        for answer in &span.facts.answers {
            // A further result for one call may be that of an earlier one.
            let is_spare = match answer.target {
                Target::Nothing(_) => false,
                Target::Again(first) if !is_made_up(first) && !is_made_up(answer.block) => true,
                Target::Again(_) | Target::Call(_) | Target::Server => continue,
            };
            let waiting = waiting.entry(history.block(answer.block).id).or_default();
            match waiting.calls.pop() {
                Some(call) => found.add(call, answer.block),
                None if is_spare => {}
                None => waiting.results.push(answer.block),
            }
        }
        join_nameless(history, span, &mut waiting, &mut found);
    }
    for waiting in waiting.into_values() {
        for (call, result) in waiting.calls.into_iter().zip(waiting.results) {
            found.add(call, result);
        }
    }
    found
}

/// Results without an id are those of the open calls before them, if there are as many.
fn join_nameless(
    history: &History,
    span: &Span,
    waiting: &mut HashMap<Symbol, Waiting>,
    found: &mut Matches,
) {
    let blocks = span.zone.clone().flat_map(|message| history.blocks_of(message));
    let is_nameless = |at: &u32| {
        let block = history.block(*at);
        block.kind == Kind::ToolResult && !block.id.is_some()
    };
    let nameless: Vec<_> = blocks.filter(is_nameless).collect();
    if nameless.is_empty() {
        return;
    }
    let open = span.facts.calls.iter().filter(|call| call.answer.is_none());
    let open: Vec<_> = open.filter(|call| !found.result_of.contains_key(&call.block)).collect();
    if open.len() != nameless.len() {
        return;
    }
    let ids: HashSet<_> = open.iter().map(|call| call.id).collect();
    for (call, result) in open.into_iter().zip(nameless) {
        found.add(call.block, result);
    }
    for id in ids {
        if let Some(waiting) = waiting.get_mut(&id) {
            waiting.calls.retain(|call| !found.result_of.contains_key(call));
        }
    }
}

impl Matches {
    fn add(&mut self, call: u32, result: u32) {
        self.result_of.insert(call, result);
        self.call_of.insert(result, call);
    }
}
