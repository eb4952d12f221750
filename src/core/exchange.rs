//! An exchange: an assistant turn, and all that follows it until the assistant speaks again.
//!
//! Who answers whom is decided inside one exchange, by these facts, which rules read.
//! Before the first assistant turn stands an exchange whose turn is empty. Words of this house:
//!
//! - *zone*: the messages behind the turn;
//! - *gap*: content between a call and the next one, or the end of the turn;
//! - *twin*: a call whose id stands before it in the same turn;
//! - *tie*: two blocks that no cut may part, beyond calls and their results.

use std::collections::HashSet;

use crate::history::Symbol;

/// A client call of the turn.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Its block.
    pub block: u32,
    /// Its message.
    pub message: u32,
    /// Its id.
    pub id: Symbol,
    /// The block of the result that answers it.
    pub answer: Option<u32>,
    /// Whether its id was used before.
    pub reuse: Reuse,
}

impl Call {
    /// Whether it demands a result and has none. A twin demands none: its twin is the fault.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && !self.is_twin()
    }

    /// Whether its id stands twice in its turn, and this is not the first of them.
    #[must_use]
    pub fn is_twin(&self) -> bool {
        matches!(self.reuse, Reuse::Twin(_))
    }
}

/// Whether a call's id was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// It was not.
    No,
    /// By this block of the same turn.
    Twin(u32),
    /// By this block of an earlier turn; all calls of this id were answered where they stand.
    Answered(u32),
    /// By this block of an earlier turn; some call of this id was not answered where it stands.
    Unanswered(u32),
}

/// What a result answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A call of the turn, as an index into the calls.
    Call(u32),
    /// A call of the turn that was answered already, by this block.
    Again(u32),
    /// A call that the server runs, or an id that only the server gives.
    Server,
    /// Nothing in the turn before it; but perhaps this block, the latest call of its id.
    Nothing(Option<u32>),
}

/// Where a result that answers a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In the leading run of the next turn.
    Leading,
    /// In that run, but in a later message of it.
    Split,
    /// In the next turn, behind this block, which is no result.
    Behind(u32),
    /// Behind this message, which holds something else.
    Beyond(u32),
}

/// A result of the zone behind the turn.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Its block.
    pub block: u32,
    /// Its message.
    pub message: u32,
    /// What it answers.
    pub target: Target,
    /// Where it stands, if it answers a call.
    pub standing: Standing,
}

/// Content behind a call in its own turn.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// The call before it, as an index into the calls.
    pub call: u32,
    /// Its first block.
    pub first: u32,
    /// Its first block that may not stand there.
    pub offending: u32,
}

/// A call of the server or of MCP that has no result yet.
#[derive(Clone, Copy, Debug)]
pub struct OpenCall {
    /// Its block.
    pub block: u32,
    /// Its id.
    pub id: Symbol,
    /// Whether MCP runs it.
    pub is_mcp: bool,
}

/// A client call that code of the server made.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// The call, as an index into the calls.
    pub call: u32,
    /// The block of the server call whose code made it.
    pub caller: u32,
    /// The id of that.
    pub caller_id: Symbol,
}

/// What becomes of server calls that are open when the assistant turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The server may still finish them.
    Open,
    /// They may go on, but for this block that stands beside the results.
    OpenBeside(u32),
    /// What follows has closed the turn: they can never be finished.
    Dead,
}

/// What a walk over an exchange noticed. A rule runs only where its signs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs(pub u16);

impl Signs {
    /// Nothing but answered calls.
    pub const NONE: Signs = Signs(0);
    /// A call without result.
    pub const UNANSWERED: Signs = Signs(1);
    /// A result for nothing.
    pub const ORPHAN: Signs = Signs(1 << 1);
    /// A second result.
    pub const AGAIN: Signs = Signs(1 << 2);
    /// A second call of one id.
    pub const REUSED_ID: Signs = Signs(1 << 3);
    /// A result behind another block.
    pub const BEHIND: Signs = Signs(1 << 4);
    /// A result behind another message.
    pub const BEYOND: Signs = Signs(1 << 5);
    /// Results in more than one message.
    pub const SPLIT: Signs = Signs(1 << 6);
    /// Content behind a call.
    pub const GAP: Signs = Signs(1 << 7);
    /// A call or an answer that names a toolset.
    pub const TOOLSET: Signs = Signs(1 << 8);
    /// A client result for a server call.
    pub const SERVER_ANSWERED: Signs = Signs(1 << 9);
    /// A server result without its call.
    pub const SERVER_ORPHAN: Signs = Signs(1 << 10);
    /// A server call that is open when the turn ends.
    pub const SERVER_OPEN: Signs = Signs(1 << 11);
    /// A client call that an open server call made.
    pub const PROGRAMMATIC: Signs = Signs(1 << 12);

    /// Whether the sets share a sign.
    #[must_use]
    pub const fn meets(self, other: Signs) -> bool {
        self.0 & other.0 != 0
    }

    /// Add to the set.
    pub fn add(&mut self, more: Signs) {
        self.0 |= more.0;
    }
}

/// The facts of one exchange.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Client calls, in order.
    pub calls: Vec<Call>,
    /// Results behind the turn, in order.
    pub answers: Vec<Answer>,
    /// Content behind calls.
    pub gaps: Vec<Gap>,
    /// Client calls that code of the server made, if that runs when the turn ends.
    pub made: Vec<Made>,
    /// Server calls without result, as far as that is a fault: all that are open, of whatever
    /// turn, if they are dead; the first of this turn if something stands beside. Filled in only
    /// by [`Walk::as_if_ended`](crate::walk::Walk::as_if_ended).
    pub open: Vec<OpenCall>,
    /// Whether a call of this turn is open when it ends that the API runs itself, not MCP.
    pub has_open_here: bool,
    /// Server results whose call does not stand before them.
    pub server_orphans: Vec<u32>,
    /// Pairs of blocks in different messages that belong together beyond calls and answers.
    pub ties: Vec<(u32, u32)>,
    /// The first message of the turn whose calls may be answered behind it: where messages of one
    /// role are not joined, only the last one's may.
    pub answerable_from: u32,
    /// How many calls are open.
    pub unanswered: u32,
    /// The first block behind the turn that is no result.
    pub beside: Option<u32>,
    /// Whether a system message stands behind the turn.
    pub has_system: bool,
    /// Whether a result leads the first user turn behind it.
    pub is_led: bool,
    /// What was noticed, but for [`Signs::UNANSWERED`].
    pub signs: Signs,
}

impl Exchange {
    /// What was noticed, once the turn has ended.
    #[must_use]
    pub fn all_signs(&self) -> Signs {
        let mut signs = self.signs;
        if self.unanswered > 0 {
            signs.add(Signs::UNANSWERED);
        }
        signs
    }

    /// What becomes of the server calls that are open, but for those whose
    /// [code goes on](Exchange::running_code).
    #[must_use]
    pub fn fate(&self) -> Fate {
        match self.beside {
            Some(block) if !self.signs.meets(Signs::BEHIND) => {
                let is_mixed = !self.calls.is_empty() && self.has_open_here;
                if is_mixed && self.is_led { Fate::OpenBeside(block) } else { Fate::Dead }
            }
            _ => Fate::Open,
        }
    }

    /// Whether code of the server made a call, and runs when the turn ends.
    #[must_use]
    pub fn is_programmatic(&self) -> bool {
        !self.made.is_empty()
    }

    /// The ids of the server calls that stay open whatever stands beside the results: their code
    /// made a call, and gets its answer. More than that is a fault of its own.
    #[must_use]
    pub fn running_code(&self) -> HashSet<Symbol> {
        let goes_on = |made: &&Made| self.is_led || self.is_answered(made);
        self.made.iter().filter(goes_on).map(|made| made.caller_id).collect()
    }

    /// Whether a call that the server's code made has its result.
    #[must_use]
    pub fn is_answered(&self, made: &Made) -> bool {
        self.calls[made.call as usize].answer.is_some()
    }

    /// Whether an open call may still get its result, if the list goes on.
    #[must_use]
    pub fn may_wait(&self, call: &Call) -> bool {
        self.beside.is_none() && !self.has_system && call.message >= self.answerable_from
    }

    /// The call that a result answers.
    #[must_use]
    pub fn call_of(&self, answer: &Answer) -> Option<&Call> {
        match answer.target {
            Target::Call(call) => Some(&self.calls[call as usize]),
            _ => None,
        }
    }

    /// Forget all facts, and keep the room they took.
    pub(crate) fn clear(&mut self) {
        self.calls.clear();
        self.answers.clear();
        self.gaps.clear();
        self.made.clear();
        self.open.clear();
        self.server_orphans.clear();
        self.ties.clear();
        self.has_open_here = false;
        self.answerable_from = 0;
        self.unanswered = 0;
        self.beside = None;
        self.has_system = false;
        self.is_led = false;
        self.signs = Signs::NONE;
    }
}
