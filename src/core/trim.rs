//! A history to a shorter one that breaks nothing.
//!
//! A cut lies on an *edge*: before a user turn without results, or before an assistant turn, then
//! with its opener in front. An edge that a pair crosses is none.

use std::fmt;

use crate::edges::{Edge, Edges};
use crate::endpoint::Endpoint;
use crate::history::{History, Role, Side};
use crate::plan::{Kept, Reason, TrimPlan};
use crate::rules::thinking_missing_before_tool_use::{calls_first, opening};

/// What is wished for.
#[derive(Clone, Copy, Debug)]
pub struct Trim {
    /// Keep at least this many of the newest messages, and little more. Beside `max_messages` it
    /// is a floor.
    pub keep_recent: Option<u32>,
    /// Keep at most this many messages, all counted.
    pub max_messages: Option<u32>,
    /// Keep the first user message without results.
    pub keep_task: bool,
    /// Who decides what is legal.
    pub endpoint: &'static Endpoint,
    /// Whether the request enables thinking: then a tool loop that runs must begin with some.
    pub thinks: bool,
}

/// No list of the wished size is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The smallest `max_messages` that can be met.
    pub smallest: u32,
    /// The floor that was to be kept, too.
    pub keep_recent: Option<u32>,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Impossible { smallest, keep_recent } = self;
        write!(f, "max_messages must be at least {smallest} here: ")?;
        match keep_recent.filter(|&keep| keep > 0) {
            Some(keep) => write!(f, "the newest {keep} messages, cut where it is legal, and")?,
            None => write!(f, "the newest step and")?,
        }
        write!(f, " what must stay beside need that many")
    }
}

/// Plan a trim.
///
/// # Errors
/// If `max_messages` cannot be met with what must stay and the newest step.
pub fn trim(history: &History, wish: Trim) -> Result<TrimPlan, Impossible> {
    let total = history.messages.len() as u32;
    let edges = Edges::find(history, wish.endpoint);
    let task = edges.task.filter(|_| wish.keep_task);
    let loop_at = wish.thinks.then(|| opening(history, wish.endpoint)).flatten();
    let thinks_at = loop_at.filter(|&at| !calls_first(history, wish.endpoint, at));
    let layout = Layout { history, edges: &edges, task, endpoint: wish.endpoint, thinks_at };
    let asked = wish.keep_recent.map(|keep| total.saturating_sub(keep).max(edges.head));
    let floor = asked.and_then(|place| edges.cut_near(place, |edge| layout.takes(edge)));
    let cut = match wish.max_messages {
        None => floor,
        Some(most) => layout
            .earliest_within(most, floor)
            .map_err(|smallest| Impossible { smallest, keep_recent: wish.keep_recent })?,
    };
    // What a cap has room for beyond the floor needs no reason.
    let asked = asked.filter(|_| cut == floor);
    let cut = cut.unwrap_or(Edge::bare(edges.head));
    Ok(layout.plan(cut, asked.unwrap_or(cut.at)))
}

/// What stands where, once a cut is chosen.
struct Layout<'a> {
    history: &'a History,
    edges: &'a Edges,
    task: Option<u32>,
    endpoint: &'static Endpoint,
    /// The turn that opens a tool loop with the thinking that it must begin with.
    thinks_at: Option<u32>,
}

impl Layout<'_> {
    /// Whether a cut may lie here with the task in front: not before a user's turn, where that
    /// may not follow another.
    fn takes(&self, cut: Edge) -> bool {
        let has_task = self.task.is_some_and(|task| task < cut.at);
        let may_follow = !self.endpoint.alternates() || !has_task || cut.opener.is_some();
        may_follow && !self.forgets_thinking(cut)
    }

    /// Whether a tool loop that runs would begin with calls, and not with the thinking before them.
    fn forgets_thinking(&self, cut: Edge) -> bool {
        let is_of_assistant =
            |&at: &u32| self.history.messages[at as usize].side == Side::Assistant;
        self.thinks_at.is_some_and(|opening| opening < cut.at) && {
            let total = self.history.messages.len() as u32;
            let first = (cut.at..total).find(is_of_assistant);
            first.is_some_and(|first| calls_first(self.history, self.endpoint, first))
        }
    }

    /// The messages in front of the cut that stay, system messages at the head not counted.
    fn in_front(&self, cut: Edge) -> impl Iterator<Item = Kept> {
        let task = self.task.filter(|&task| task < cut.at);
        // Where users' messages may not follow each other, the task stands for the opener.
        let is_one_enough = self.endpoint.alternates() && task.is_some();
        let opener = cut.opener.filter(|&opener| task != Some(opener) && !is_one_enough);
        let task = task.map(|message| Kept { message, reason: Reason::Task });
        let opener = opener.map(|message| Kept { message, reason: Reason::Opener });
        task.into_iter().chain(opener)
    }

    fn size(&self, cut: Edge) -> u32 {
        let total = self.history.messages.len() as u32;
        self.edges.head + self.in_front(cut).count() as u32 + total - cut.at
    }

    /// The cut that keeps most, within a cap and not later than the floor's; or the smallest cap
    /// that has one.
    fn earliest_within(&self, most: u32, floor: Option<Edge>) -> Result<Option<Edge>, u32> {
        let legal = self.edges.legal.iter().copied().filter(|edge| self.takes(*edge));
        let legal = legal.filter(|edge| floor.is_none_or(|floor| edge.at <= floor.at));
        let fits = legal.clone().find(|&edge| self.size(edge) <= most);
        if fits.is_some() {
            return Ok(fits);
        }
        let total = self.history.messages.len() as u32;
        let smallest = legal.map(|edge| self.size(edge)).min().unwrap_or(total);
        if smallest <= most { Ok(None) } else { Err(smallest) }
    }

    fn plan(&self, cut: Edge, asked: u32) -> TrimPlan {
        let head = self.edges.head;
        let total = self.history.messages.len() as u32;
        let mut drops = Vec::new();
        let mut from = head;
        for kept in self.in_front(cut) {
            if from < kept.message {
                drops.push(from..kept.message);
            }
            from = kept.message + 1;
        }
        if from < cut.at {
            drops.push(from..cut.at);
        }
        let mut nearer = self.edges.legal.iter().rev().filter(|edge| edge.at <= asked);
        let is_refused = |edge: &&Edge| edge.at > cut.at && self.forgets_thinking(**edge);
        let why = match nearer.next().filter(is_refused) {
            Some(_) => Reason::Thinking,
            None => self.edges.why(cut, asked),
        };
        let system = (0..head).map(|message| Kept { message, reason: Reason::System });
        let behind = (cut.at..asked).map(|message| Kept { message, reason: why });
        let reasons = system.chain(self.in_front(cut)).chain(behind).collect();
        let mut plan = TrimPlan { total, drops, reasons, ..TrimPlan::default() };
        plan.reached = plan.kept().map(|run| run.end - run.start).sum::<u32>() - head;
        let first = plan.kept().flatten().find(|&message| message >= head);
        plan.starts_with_user =
            first.is_some_and(|first| self.history.messages[first as usize].role == Role::User);
        plan.thinking_after = self.thinks_behind(&plan);
        plan
    }

    fn thinks_behind(&self, plan: &TrimPlan) -> bool {
        let Some(changed) = plan.first_changed() else { return false };
        let mut behind = plan.kept().flatten().filter(|&message| message > changed);
        behind.any(|message| self.history.messages[message as usize].thinks)
    }
}
