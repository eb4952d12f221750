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
pub fn rule_named(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code == name || rule.slug == name)
}

/// What a text means: a code, a slug, or an error text of the server, wrapped or not.
#[must_use]
pub fn explain(text: &str) -> Option<Explanation> {
    let text = text.trim();
    if let Some(rule) = rule_named(text) {
        return Some(Explanation { rule, ids: Vec::new(), place: None });
    }
    let text = plain(text);
    // The longest fixed text that is found is the most specific: wordings share parts.
    let mut best: Option<(usize, &'static Rule, Vec<String>, usize)> = None;
    for rule in RULES {
        for template in rule.server {
            let Some((weight, ids, at)) = matched(&plain(template), &text) else { continue };
            if best.as_ref().is_none_or(|best| weight > best.0) {
                best = Some((weight, rule, ids, at));
            }
        }
    }
    let (_, rule, ids, at) = best?;
    Some(Explanation { rule, ids, place: place_in(&text[..at]) })
}

/// A text as it is compared: no back-quotes, no escapes of a wrapping string, single spaces.
fn plain(text: &str) -> String {
    let quoted: String = text.chars().filter(|c| !matches!(c, '`' | '\\' | '"' | '\'')).collect();
    quoted.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a template's fixed parts stand in the text in order: their weight, the ids between
/// them, and where the part behind the place begins.
///
/// The last part may be cut off, as logs do, but not the first one.
fn matched(template: &str, text: &str) -> Option<(usize, Vec<String>, usize)> {
    let template = template.strip_prefix("{place}").unwrap_or(template);
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default();
    let (first, start) = find(text, first)?;
    let mut end = start + first;
    let mut weight = first;
    let mut ids = Vec::new();
    for part in parts {
        let (key, fixed) = part.split_once('}').unwrap_or((part, ""));
        let rest = &text[end..];
        let next = match fixed.is_empty() {
            true => rest.len(),
            false => rest.find(fixed).or_else(|| cut_off(rest, fixed)).unwrap_or(rest.len()),
        };
        if key == "ids" {
            ids.extend(ids_in(&rest[..next]));
        }
        let found = rest[next..].starts_with(fixed);
        if found {
            weight += fixed.len();
        }
        if !found && key != "ids" {
            return None;
        }
        end += next + if found { fixed.len() } else { 0 };
    }
    Some((weight, ids, start))
}

/// Where a template's first part stands, and how long it is there: with or without the colon and
/// space that follow a place.
fn find(text: &str, part: &str) -> Option<(usize, usize)> {
    let bare = part.trim_start_matches([':', ' ']);
    let start = text.find(bare.trim_end())?;
    Some((bare.trim_end().len(), start)).filter(|found| found.0 > 0)
}

/// A sentence behind the ids ends them even where the log has shortened it.
fn cut_off(rest: &str, fixed: &str) -> Option<usize> {
    rest.find(fixed.get(..2)?)
}

fn ids_in(list: &str) -> Vec<String> {
    let is_part = |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '}' | ')' | ']');
    list.split([',', ' '])
        .map(|id| id.trim_matches(is_part))
        .filter(|id| !id.is_empty())
        .take_while(|id| !matches!(*id, "with" | "Each" | "request_id:"))
        .map(str::to_owned)
        .collect()
}

/// The last `messages.N` or `messages.N.content.K` before the text of the error.
fn place_in(before: &str) -> Option<Place> {
    let start = before.rfind("messages.")? + "messages.".len();
    let mut numbers = before[start..].split(['.', ':', ' ']);
    let message = numbers.next()?.parse().ok()?;
    let block = match numbers.next() {
        Some("content") => numbers.next().and_then(|number| number.parse().ok()),
        _ => None,
    };
    Some(Place { message: Some(message), block })
}
