//! New ids, each like the one it stands for, and like no other.

use std::collections::{HashMap, HashSet};

use crate::history::Symbol;
use crate::ids::{IdShape, SERVER_PREFIX};

/// The texts of a history's ids.
pub trait IdTexts {
    /// How many symbols there are.
    fn symbols(&self) -> u32;

    /// The text of an id. What cannot be written in Unicode may be anything.
    fn text(&self, id: Symbol) -> Option<String>;

    /// The odd role of a message, as it is written.
    fn role(&self, message: u32) -> Option<String>;

    /// Whether some id has this text.
    fn knows(&self, text: &str) -> bool;
}

/// Ids that a repair made.
pub(super) struct Ids<'a> {
    texts: &'a dyn IdTexts,
    minted: Vec<String>,
    taken: HashSet<String>,
    /// The next number for a text.
    next: HashMap<String, u32>,
}

/// What an id becomes that has no character which ids may have.
const BARE: &str = "toolu_repaired";

impl<'a> Ids<'a> {
    pub(super) fn new(texts: &'a dyn IdTexts) -> Ids<'a> {
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

    /// Whether the odd role of a message is another word for the assistant's.
    pub(super) fn is_like_assistant(&self, message: u32) -> bool {
        self.role_is_among(message, &["assistant", "ai", "model", "bot"])
    }

    /// Whether the odd role of a message is another word for the user's.
    pub(super) fn is_like_user(&self, message: u32) -> bool {
        self.role_is_among(message, &["user", "human"])
    }

    fn role_is_among(&self, message: u32, words: &[&str]) -> bool {
        let role = self.texts.role(message);
        role.is_some_and(|role| words.iter().any(|word| role.eq_ignore_ascii_case(word)))
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
