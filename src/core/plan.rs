//! What a trim would do: which messages go, and why others must stay.

use std::ops::Range;

/// Why a message stays that the wish alone would not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A system message at the head.
    System,
    /// The first user message without results.
    Task,
    /// The user message that the first kept step answers.
    Opener,
    /// The turn at the asked place is kept whole.
    Turn,
    /// The step at the asked place is kept whole.
    Step,
    /// A server call is open at the asked place.
    ServerCall,
    /// A server call at the asked place makes client calls.
    ProgrammaticCall,
    /// A tool loop begins with thinking, and must.
    Thinking,
}

impl Reason {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reason::System => "system",
            Reason::Task => "task",
            Reason::Opener => "opener",
            Reason::Turn => "turn",
            Reason::Step => "step",
            Reason::ServerCall => "server-call",
            Reason::ProgrammaticCall => "programmatic-call",
            Reason::Thinking => "thinking",
        }
    }

    /// The sentence for it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Reason::System => "system messages at the head always stay",
            Reason::Task => "the task, the first user message without results, is to stay",
            Reason::Opener => "the prompt that the first kept step answers",
            Reason::Turn => "a turn is not cut in two",
            Reason::Step => "a cut after it would part calls from their results",
            Reason::ServerCall => "a cut after it would part a server call from its result",
            Reason::ProgrammaticCall => {
                "a cut after it would part a server call from the client calls that it makes"
            }
            Reason::Thinking => {
                "a cut after it would leave the running tool loop without the thinking before it"
            }
        }
    }
}

/// A message that stays although it lies before the asked place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its index.
    pub message: u32,
    /// Why.
    pub reason: Reason,
}

/// The edits that make a history shorter: runs of messages to drop.
#[derive(Clone, Debug, Default)]
pub struct TrimPlan {
    /// How many messages the history has.
    pub total: u32,
    /// What goes, in order; the runs neither touch nor overlap.
    pub drops: Vec<Range<u32>>,
    /// How many messages stay, system messages at the head not counted.
    pub reached: u32,
    /// What stays before the asked place.
    pub reasons: Vec<Kept>,
    /// Whether thinking blocks stand behind the first change.
    pub thinking_after: bool,
    /// Whether the first message after the system messages is a user message.
    pub starts_with_user: bool,
}

impl TrimPlan {
    /// What stays, in order.
    pub fn kept(&self) -> impl Iterator<Item = Range<u32>> {
        let starts = std::iter::once(0).chain(self.drops.iter().map(|drop| drop.end));
        let ends = self.drops.iter().map(|drop| drop.start).chain(std::iter::once(self.total));
        starts.zip(ends).map(|(start, end)| start..end).filter(|run| !run.is_empty())
    }

    /// The first message that the new list does not share with the old one at its place.
    #[must_use]
    pub fn first_changed(&self) -> Option<u32> {
        self.drops.first().map(|drop| drop.start)
    }
}
