//! Where a history may be cut.

use crate::endpoint::Endpoint;
use crate::exchange::{Exchange, Target};
use crate::history::{History, Kind, Message, Role, Side};
use crate::plan::Reason;
use crate::walk::Walk;

/// A place where a cut may lie: the messages from `at` on stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The first message that stays.
    pub at: u32,
    /// The user message that is put in front, if the cut lies before an assistant turn.
    pub opener: Option<u32>,
}

impl Edge {
    /// An edge with nothing in front.
    #[must_use]
    pub(crate) fn bare(at: u32) -> Edge {
        Edge { at, opener: None }
    }
}

/// What binds a message to later ones.
#[derive(Clone, Copy, Debug)]
struct Bond {
    /// The last message that it is bound to.
    to: u32,
    reason: Reason,
}

/// The edges of a history.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// How many system messages lead the list.
    pub head: u32,
    /// The first user message without results.
    pub task: Option<u32>,
    /// Edges that no pair crosses, in order.
    pub legal: Vec<Edge>,
    /// Edges that a pair crosses, and what it is, in order.
    crossed: Vec<(u32, Reason)>,
    /// User turns in which results stand that all answer nothing.
    orphaned: Vec<(u32, u32)>,
    /// Edges before assistant turns that are bound to what follows, and by what, in order.
    bound: Vec<(u32, Reason)>,
}

impl Edges {
    /// Find them: one walk for what is bound, one pass for the turns.
    #[must_use]
    pub(crate) fn find(history: &History, endpoint: &Endpoint) -> Edges {
        let bonds = Bonds::find(history, endpoint);
        let messages = &history.messages;
        let is_system = |message: &&Message| matches!(message.side, Side::System | Side::Nowhere);
        let head = messages.iter().take_while(is_system).count() as u32;
        let mut edges = Edges { head, ..Edges::default() };
        let mut opener = None;
        let mut reach = Bond { to: 0, reason: Reason::Step };
        let mut at = head;
        let total = messages.len() as u32;
        while at < total {
            let run_start = at;
            at = end_of(messages, at, |side| side == Side::System);
            if at == total {
                break;
            }
            let side = messages[at as usize].side;
            let end = end_of(messages, at, |other| other == side);
            let turn = &messages[at as usize..end as usize];
            let edge = match side {
                Side::Assistant if opener.is_some() => Some(Edge { at: run_start, opener }),
                Side::Assistant => Some(Edge::bare(at)),
                _ if turn.iter().any(|message| message.has_results) => None,
                _ if !turn.iter().any(|message| message.role == Role::User) => {
                    Some(Edge { at, opener })
                }
                _ => Some(Edge::bare(at)),
            };
            if let Some(edge) = edge {
                if edge.at > head && reach.to >= edge.at {
                    edges.crossed.push((edge.at, reach.reason));
                } else {
                    edges.legal.push(edge);
                }
            } else if !bonds.answers_in(at, end) {
                edges.orphaned.push((at, end));
            }
            for message in at..end {
                if let Some(bond) = bonds.of(message).filter(|bond| bond.to > reach.to) {
                    reach = bond;
                }
                if is_opener(history, message) {
                    opener = Some(message);
                    edges.task.get_or_insert(message);
                }
            }
            if let (Some(edge), Some(reason)) = (edge, bonds.reason_in(at, end)) {
                edges.bound.push((edge.at, reason));
            }
            at = end;
        }
        edges
    }

    /// The cut for an asked place: at it or before it, and behind it only if what stands there
    /// are results that answer nothing, or if there is no other. `is_taken`: whether it may lie
    /// there.
    #[must_use]
    pub(crate) fn cut_near(&self, place: u32, is_taken: impl Fn(Edge) -> bool) -> Option<Edge> {
        let behind = self.legal.partition_point(|edge| edge.at <= place);
        let before = self.legal[..behind].iter().rev().copied().find(|&edge| is_taken(edge));
        let after = self.legal[behind..].iter().copied().find(|&edge| is_taken(edge));
        let turn = self.orphaned.partition_point(|turn| turn.1 <= place);
        let is_orphaned = self.orphaned.get(turn).is_some_and(|turn| turn.0 <= place);
        if is_orphaned { after.or(before) } else { before.or(after) }
    }

    /// Why the messages between a cut and a later asked place stay.
    #[must_use]
    pub(crate) fn why(&self, cut: Edge, asked: u32) -> Reason {
        let crossed = self.crossed.iter().rev().find(|(at, _)| *at <= asked && *at > cut.at);
        let bound = || self.bound.binary_search_by_key(&cut.at, |bound| bound.0);
        match crossed {
            Some(&(_, reason)) => reason,
            None => bound().map_or(Reason::Turn, |index| self.bound[index].1),
        }
    }
}

/// Where a run ends that begins at a message; messages that no rule sees belong to any run.
fn end_of(messages: &[Message], from: u32, is_in: impl Fn(Side) -> bool) -> u32 {
    let run = messages[from as usize..]
        .iter()
        .take_while(|message| message.side == Side::Nowhere || is_in(message.side));
    from + run.count() as u32
}

/// Whether a message can open a step: the user said something, and it is no result.
fn is_opener(history: &History, message: u32) -> bool {
    let Message { role, has_results, .. } = history.messages[message as usize];
    role == Role::User && !has_results && !history.blocks_of(message).is_empty()
}

/// What is bound to what: for each message, the last message of its pairs.
struct Bonds {
    bonds: Vec<Option<Bond>>,
    /// Messages with results that answer something.
    answering: Vec<bool>,
}

impl Bonds {
    fn find(history: &History, endpoint: &Endpoint) -> Bonds {
        let total = history.messages.len();
        let mut bonds = Bonds { bonds: vec![None; total], answering: vec![false; total] };
        let mut walk = Walk::new(endpoint.joins);
        for message in 0..total as u32 {
            if walk.is_ended_by(history, message) {
                bonds.take(history, &walk.as_if_ended());
                walk.next_exchange();
            }
            walk.take(history, message);
        }
        let last = walk.as_if_ended();
        bonds.take(history, &last);
        for call in walk.open_server_calls() {
            bonds.bind(history.message_of(call.block), u32::MAX, Reason::ServerCall);
        }
        bonds
    }

    fn take(&mut self, history: &History, exchange: &Exchange) {
        for answer in &exchange.answers {
            if matches!(answer.target, Target::Nothing(_)) {
                continue;
            }
            self.answering[answer.message as usize] = true;
            // A turn's first call stands for all of them: no edge lies inside a turn.
            if let (Target::Call(_) | Target::Again(_), Some(call)) =
                (answer.target, exchange.calls.first())
            {
                self.bind(call.message, answer.message, Reason::Step);
            }
        }
        for &(from, to) in &exchange.ties {
            let is_call = history.block(to).kind == Kind::ToolUse;
            let reason = if is_call { Reason::ProgrammaticCall } else { Reason::ServerCall };
            self.bind(history.message_of(from), history.message_of(to), reason);
        }
    }

    fn bind(&mut self, from: u32, to: u32, reason: Reason) {
        let bond = &mut self.bonds[from as usize];
        if from < to && bond.is_none_or(|bond| bond.to < to) {
            *bond = Some(Bond { to, reason });
        }
    }

    fn of(&self, message: u32) -> Option<Bond> {
        self.bonds[message as usize]
    }

    fn reason_in(&self, from: u32, to: u32) -> Option<Reason> {
        self.bonds[from as usize..to as usize].iter().flatten().map(|bond| bond.reason).next()
    }

    fn answers_in(&self, from: u32, to: u32) -> bool {
        self.answering[from as usize..to as usize].contains(&true)
    }
}
