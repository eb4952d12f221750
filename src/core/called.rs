//! Client calls by their ids: which a result may answer, and which were called before.

use std::collections::HashMap;

use crate::exchange::{Call, Reuse};
use crate::history::Symbol;

/// What is known of an id. Kept small: there is one for each id of a history.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Its latest call in a finished exchange.
    earlier: Option<u32>,
    /// Whether such a call went unanswered.
    was_lost: bool,
    /// The exchange that calls it now, and its first call there that may take a result.
    exchange: u32,
    slot: u32,
}

/// The ids of all calls that were walked. Slots are indices into the running exchange's calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Called {
    known: Vec<Known>,
    /// Calls of one id in the running exchange: the next, and for the first the last.
    next_twin: HashMap<u32, u32>,
    last_twin: HashMap<u32, u32>,
}

impl Called {
    /// A call takes the next slot: results of its id may answer it.
    pub(crate) fn arm(&mut self, id: Symbol, exchange: u32, calls: &[Call]) -> Reuse {
        let slot = calls.len() as u32;
        let known = self.know(id);
        if known.exchange != exchange {
            known.exchange = exchange;
            known.slot = slot;
            return match known.earlier {
                None => Reuse::No,
                Some(call) if known.was_lost => Reuse::Unanswered(call),
                Some(call) => Reuse::Answered(call),
            };
        }
        let first = known.slot;
        let last = self.last_twin.insert(first, slot).unwrap_or(first);
        self.next_twin.insert(last, slot);
        Reuse::Twin(calls[first as usize].block)
    }

    /// The call that a result of this id may answer, or the last of them if all are answered.
    pub(crate) fn slot(&mut self, id: Symbol, exchange: u32, calls: &[Call]) -> Option<u32> {
        let known = self.know(id);
        if known.exchange != exchange {
            return None;
        }
        let mut slot = known.slot;
        while calls[slot as usize].answer.is_some()
            && let Some(&next) = self.next_twin.get(&slot)
        {
            slot = next;
        }
        self.know(id).slot = slot;
        Some(slot)
    }

    /// The latest call of an id in a finished exchange.
    pub(crate) fn earlier(&self, id: Symbol) -> Option<u32> {
        self.known.get(id.index()).and_then(|known| known.earlier)
    }

    /// An exchange with these calls is over.
    pub(crate) fn settle(&mut self, calls: &[Call]) {
        for call in calls {
            let known = self.know(call.id);
            known.earlier = Some(call.block);
            known.was_lost |= call.is_open();
        }
        if !self.next_twin.is_empty() {
            self.next_twin.clear();
            self.last_twin.clear();
        }
    }

    #[inline]
    fn know(&mut self, id: Symbol) -> &mut Known {
        if id.index() >= self.known.len() {
            self.known.resize(id.index() + 1, Known::default());
        }
        &mut self.known[id.index()]
    }
}
