//! What an error means: from a code, a slug, or the server's own words.

use crate::location::Place;
use crate::rule::Rule;
use crate::rules::RULES;

/// What was found in a text.
#[derive(Debug)]
pub struct Explanation {
    /// The rule that the text is about.
    pub rule: &'static Rule,
    /// The ids in it.
    pub ids: Vec<String>,
    /// The server's place. A hint: sources show it off by one message either way.
    pub place: Option<Place>,
}

/// The rule of this code or slug.
#[must_use]
pub(crate) fn rule_named(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.is_named(name))
}

fn rule_coded(word: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.eq_ignore_ascii_case(word))
}

/// What a text means: a code, a slug, or an error text of the server, wrapped or not.
#[must_use]
pub fn explain(text: &str) -> Option<Explanation> {
    let text = text.trim();
    // A name, or a line of a report.
    if let Some(rule) = rule_named(&text.to_ascii_lowercase())
        .or_else(|| text.split([' ', ':']).find_map(rule_coded))
    {
        return Some(Explanation { rule, ids: Vec::new(), place: None });
    }
    let text = plain(text);
    let templates = RULES.iter().flat_map(|rule| rule.server.iter().map(move |text| (rule, text)));
    let matches = templates.filter_map(|(rule, template)| {
        matched(&plain(template), &text).map(|found| (found.weight, rule, found))
    });
    // Wordings share parts: the one with most fixed text is the most specific.
    let (_, rule, found) = matches.max_by_key(|(weight, ..)| *weight)?;
    let place = place_in(&text[..found.ids_at.unwrap_or(text.len())]);
    let ids = found.ids_at.map(|at| ids_in(&text[at..])).unwrap_or_default();
    Some(Explanation { rule, ids, place })
}

/// A text as it is compared: without quotes and escapes of what it was wrapped in.
fn plain(text: &str) -> String {
    let is_quote = |c: char| matches!(c, '`' | '\\' | '"' | '\'');
    let bare: String = text.chars().filter(|&c| !is_quote(c)).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// So many characters of a text tell which it was.
const ENOUGH: usize = 24;

/// Where a template fits.
struct Match {
    /// How much fixed text was found.
    weight: usize,
    /// Where its ids begin.
    ids_at: Option<usize>,
}

/// Whether a template's fixed parts stand in the text in their order. What follows the ids may be
/// cut off, as logs do.
fn matched(template: &str, text: &str) -> Option<Match> {
    let mut found = Match { weight: 0, ids_at: None };
    let mut end = 0;
    let mut rest = template;
    let mut needs_place = false;
    loop {
        let (fixed, behind) = rest.split_once('{').unwrap_or((rest, ""));
        let fixed = fixed.trim_matches([' ', ':']);
        let from = if needs_place { end.max(first_place_end(text)?) } else { end };
        match text[from..].find(fixed) {
            Some(start) => {
                found.weight += fixed.len();
                end = from + start + fixed.len();
            }
            None if found.ids_at.is_some() => return Some(found),
            None => {
                found.weight += cut_short(fixed, &text[from..])?;
                return Some(found);
            }
        }
        let Some((key, after)) = behind.split_once('}') else { break };
        if key == "ids" {
            found.ids_at = Some(end);
        }
        needs_place = key == "at";
        rest = after;
    }
    Some(found)
}

/// How much of a fixed part stands at the end of a text that was cut off there.
fn cut_short(fixed: &str, text: &str) -> Option<usize> {
    let whole = text.trim_end_matches(['.', '\u{2026}', ' ']);
    if whole.len() == text.len() {
        return None;
    }
    let head = fixed.get(..ENOUGH)?;
    let end = &whole[whole.find(head)?..];
    fixed.starts_with(end).then_some(end.len())
}

/// The ids at the front of a text, with commas between them.
fn ids_in(list: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for word in list.trim_start_matches([' ', ':']).split(' ') {
        let id = word.trim_matches([',', '.', ';', '}', ')', ']']);
        if id.is_empty() {
            break;
        }
        ids.push(id.to_owned());
        if !word.ends_with(',') || word.contains('}') {
            break;
        }
    }
    ids
}

/// Where the first `messages.N` of a text ends.
fn first_place_end(text: &str) -> Option<usize> {
    text.match_indices("messages.").find_map(|(at, word)| {
        let number = at + word.len();
        let digits = text[number..].bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then_some(number + digits)
    })
}

/// The last `messages.N` or `messages.N.content.K` of a text.
fn place_in(text: &str) -> Option<Place> {
    text.rmatch_indices("messages.").find_map(|(at, word)| {
        let mut parts = text[at + word.len()..].split(['.', ':', ' ']);
        let message = parts.next()?.parse().ok()?;
        let block = match parts.next() {
            Some("content") => parts.next().and_then(|number| number.parse().ok()),
            _ => None,
        };
        Some(Place { message: Some(message), block })
    })
}
