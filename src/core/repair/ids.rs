//! New ids, each like the one it stands for, and like no other.

use std::collections::{HashMap, HashSet};

use super::texts::RepairTexts;
use crate::history::Symbol;
use crate::ids::{IdShape, SERVER_PREFIX};

/// Ids that a repair made.
pub(super) struct Ids<'a> {
    texts: &'a dyn RepairTexts,
    minted: Vec<String>,
    taken: HashSet<String>,
    /// The next number for a text.
    next: HashMap<String, u32>,
}

/// What an id becomes that has no character which ids may have.
const BARE: &str = "toolu_repaired";

impl<'a> Ids<'a> {
    pub(super) fn new(texts: &'a dyn RepairTexts) -> Ids<'a> {
        Ids { texts, minted: Vec::new(), taken: HashSet::new(), next: HashMap::new() }
    }

    /// A new client id in place of this one.
    pub(super) fn client(&mut self, old: Symbol) -> Symbol {
        let text = self.text(old);
        let base = legal(&text, true);
        self.mint(if base.is_empty() { BARE } else { &base })
    }

    /// A new server id in place of this one.
    pub(super) fn server(&mut self, old: Symbol) -> Symbol {
        let text = self.text(old);
        let base = legal(text.strip_prefix(SERVER_PREFIX).unwrap_or(&text), false);
        self.mint(&format!("{SERVER_PREFIX}{}", if base.is_empty() { "repaired" } else { &base }))
    }

    /// What the characters of an id are like.
    pub(super) fn shape(&self, id: Symbol) -> IdShape {
        IdShape::of(self.text(id).as_bytes())
    }

    /// The texts of the ids that were made, in order.
    pub(super) fn minted(self) -> Vec<String> {
        self.minted
    }

    fn text(&self, id: Symbol) -> String {
        match id.0.checked_sub(self.texts.symbols()) {
            Some(made) => self.minted.get(made as usize).cloned().unwrap_or_default(),
            None => self.texts.text(id).unwrap_or_default(),
        }
    }

    fn mint(&mut self, base: &str) -> Symbol {
        let number = self.next.entry(base.to_owned()).or_insert(1);
        let text = loop {
            let text = if *number == 1 { base.to_owned() } else { format!("{base}_{number}") };
            *number += 1;
            if !self.texts.knows(&text) && !self.taken.contains(&text) {
                break text;
            }
        };
        let symbol = Symbol(self.texts.symbols() + self.minted.len() as u32);
        self.taken.insert(text.clone());
        self.minted.push(text);
        symbol
    }
}

/// An id with a `_` for each character that ids may not have.
fn legal(text: &str, hyphens: bool) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || hyphens && c == '-';
    text.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
}
