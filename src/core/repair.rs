//! A broken history to a whole one, by edits that lose nothing in silence.
//!
//! What the endpoint refuses is mended; what is only warned of stays, but for ids that are used
//! twice. Each round judges the history as it is by then. It mends what lies inside messages, or
//! else what lies between them: calls, results, and what stands beside them. Edits can break other
//! rules, so there are rounds until nothing is left, or nothing that can be mended.

mod breakpoints;
mod cures;
mod draft;
mod faults;
mod ids;
mod job;
mod match_results;
mod messages;
mod notes;
mod pairing;
mod piece;
mod plan;
mod renames;
mod results;
mod roles;
mod shapes;
mod spans;
mod stage;
mod systems;
mod texts;
mod thinking;
mod turn;
mod zone;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::check::check;
use crate::history::{History, Kind, Role, Symbol};
use crate::options::Options;
use crate::rules::duplicate_tool_use_id;
use crate::violation::{Report, Severity, Violation};
pub use draft::Sheet;
use ids::Ids;
pub use piece::{Changes, Piece, Source};
pub use plan::{Action, Edit, Missing, Orphans, Repair, RepairPlan, Stripping};
use stage::Stage;
pub use texts::RepairTexts;

/// More rounds than any history was seen to need.
const ROUNDS: u32 = 12;

/// Plan a repair.
///
/// # Errors
/// If there is nothing to mend: the report on the history as it is.
pub fn repair(
    history: &History,
    texts: &dyn RepairTexts,
    options: &Options,
    wish: Repair,
) -> Result<RepairPlan, Report> {
    let broken = check(history, options.clone());
    if !broken.violations.iter().any(is_to_be_mended) {
        return Err(broken);
    }
    let mut mender = Mender::new(history, texts, options, wish);
    let (mut current, mut report) = mender.mend(broken);
    if mender.sheets.is_empty() && !history.messages.is_empty() {
        // Nothing would be left to send: better the words of what answers nothing.
        let wish = Repair { orphans: Orphans::Text, missing: Missing::Placeholder, ..wish };
        mender = Mender::new(history, texts, options, wish);
        (current, report) = mender.mend(check(history, options.clone()));
    }
    if wish.thinking != Stripping::Keep {
        let before = mender.state();
        if mender.strip_thinking() {
            let written = mender.written();
            let checked = check(&written, options.clone());
            let stripped = mender.mend_rounds(Cow::Owned(written), checked);
            let is_worse = stripped.1.errors() > report.errors();
            if wish.thinking == Stripping::StripIfLegal && is_worse {
                mender.restore(before);
            } else {
                (current, report) = stripped;
            }
        }
    }
    Ok(mender.finish(current, report))
}

/// Whether a repair looks at it: the endpoint refuses it, or may refuse it and a new id is no loss.
fn is_to_be_mended(found: &Violation) -> bool {
    found.severity == Severity::Error || *found.rule == duplicate_tool_use_id::RULE
}

/// A repair under way.
struct Mender<'a> {
    history: &'a History,
    texts: &'a dyn RepairTexts,
    options: &'a Options,
    wish: Repair,
    ids: Ids<'a>,
    sheets: Vec<Sheet>,
    edits: Vec<Edit>,
}

impl<'a> Mender<'a> {
    fn new(
        history: &'a History,
        texts: &'a dyn RepairTexts,
        options: &'a Options,
        wish: Repair,
    ) -> Mender<'a> {
        let total = history.messages.len() as u32;
        let sheets = (0..total).map(|message| Sheet::kept(history, message)).collect();
        let ids = Ids::new(texts);
        Mender { history, texts, options, wish, ids, sheets, edits: Vec::new() }
    }

    fn mend(&mut self, report: Report) -> (History, Report) {
        self.mend_rounds(Cow::Borrowed(self.history), report)
    }

    /// Mend, round by round. `current`: the draft as the rules see it.
    fn mend_rounds(
        &mut self,
        mut current: Cow<'_, History>,
        mut report: Report,
    ) -> (History, Report) {
        let mut last = draft::fingerprint(&self.sheets);
        for _ in 0..ROUNDS {
            let found: Vec<_> =
                report.violations.iter().filter(|found| is_to_be_mended(found)).collect();
            if found.is_empty() {
                break;
            }
            let before = self.edits.len();
            let of = |stage| found.iter().copied().filter(move |found| Stage::of(found) == stage);
            self.mend_shapes(&current, of(Stage::Roles));
            if self.edits.len() == before {
                self.mend_shapes(&current, of(Stage::Rest));
            }
            if self.edits.len() == before {
                self.mend_pairing(&current, &found);
            }
            if self.edits.len() == before {
                self.mend_shapes(&current, of(Stage::Order));
            }
            let state = draft::fingerprint(&self.sheets);
            if state == last {
                // Nothing came of it, and nothing will.
                self.edits.truncate(before);
                break;
            }
            last = state;
            current = Cow::Owned(self.written());
            report = check(&current, self.options.clone());
        }
        (current.into_owned(), report)
    }

    /// The draft and its edits, to return to.
    fn state(&self) -> (Vec<Sheet>, usize) {
        (self.sheets.clone(), self.edits.len())
    }

    fn restore(&mut self, (sheets, edits): (Vec<Sheet>, usize)) {
        self.sheets = sheets;
        self.edits.truncate(edits);
    }

    /// The draft, as the rules see it.
    fn written(&self) -> History {
        draft::written(self.history, &self.sheets)
    }

    /// The first place where the draft does not have the message that the history has.
    fn first_changed(&self) -> Option<usize> {
        let count = self.sheets.len().max(self.history.messages.len());
        (0..count).find(|&at| !self.sheets.get(at).is_some_and(|sheet| sheet.stands_at(at)))
    }

    fn finish(self, current: History, report: Report) -> RepairPlan {
        let first_changed = self.first_changed().map(|at| at as u32);
        let Mender { history, ids, sheets, mut edits, .. } = self;
        edits.sort_by_key(|edit| edit.place);
        let mut origins = Vec::with_capacity(current.blocks.len());
        for sheet in &sheets {
            origins.extend(sheet.origins(history));
        }
        let thinking_after = first_changed.is_some_and(|first| {
            current.messages.iter().skip(first as usize).any(|message| message.thinks)
        });
        RepairPlan {
            edits,
            sheets,
            new_ids: ids.minted(),
            remaining: report,
            history: current,
            origins,
            first_changed,
            thinking_after,
        }
    }

    /// A block of the draft, to be changed.
    fn piece(&mut self, sheet: usize, block: usize) -> &mut Piece {
        &mut self.sheets[sheet].open(self.history)[block]
    }

    /// Drop pieces of the draft, by message and block, and whole messages; those that are left
    /// with nothing go, too.
    fn drop_pieces(&mut self, gone: &BTreeSet<(usize, usize)>, mut sheets: BTreeSet<usize>) {
        let mut touched: Vec<_> = gone.iter().map(|(sheet, _)| *sheet).collect();
        touched.dedup();
        for sheet in touched {
            let pieces = self.sheets[sheet].open(self.history);
            retain_at(pieces, |at| !gone.contains(&(sheet, at)));
            if pieces.is_empty() {
                sheets.insert(sheet);
            }
        }
        self.drop_sheets(&sheets);
    }

    /// Drop messages of the draft. A request must have one: if all go, another takes their place.
    fn drop_sheets(&mut self, gone: &BTreeSet<usize>) {
        if gone.is_empty() {
            return;
        }
        if gone.len() >= self.sheets.len() {
            let words = Source::Words("(This message was empty.)");
            let piece = Piece::made(words, Kind::Text, Symbol::NONE);
            self.sheets = vec![Sheet::new(Role::User, vec![piece])];
            if let Some(rule) = self.edits.last().map(|edit| edit.rule) {
                let says = "a user message is put in: none would be left";
                self.note_at(Some(0), rule, Action::Insert, false, says);
            }
            return;
        }
        retain_at(&mut self.sheets, |at| !gone.contains(&at));
    }
}

/// Keep the entries at the places that stay.
fn retain_at<T>(list: &mut Vec<T>, stays: impl Fn(usize) -> bool) {
    let mut places = 0..;
    list.retain(|_| places.next().is_some_and(&stays));
}
