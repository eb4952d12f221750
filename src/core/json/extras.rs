//! Members that no message or block of its kind has: a second look, for who asks.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::JsonTexts;
use crate::history::{Extra, History};
use crate::members;

/// Note them in a history that was read from the same bytes.
pub(super) fn read(bytes: &[u8], history: &mut History, texts: &mut JsonTexts<'_>) {
    let Ok(request) = serde_json::from_slice::<Value>(bytes) else { return };
    let Some(messages) = request.get("messages").and_then(Value::as_array) else { return };
    for (index, message) in messages.iter().enumerate() {
        let index = index as u32;
        let Value::Object(members) = message else { continue };
        let is_system = members.get("role").is_some_and(|role| role == "system");
        let mut note = |member: &str, block| {
            let name = texts.intern(Cow::Owned(member.to_owned())).symbol;
            history.extras.push(Extra { message: index, block, name });
        };
        for member in members.keys().filter(|member| !members::message_has(is_system, member)) {
            note(member, None);
        }
        let blocks = members.get("content").and_then(Value::as_array);
        for (within, block) in blocks.into_iter().flatten().enumerate() {
            let Value::Object(block) = block else { continue };
            for member in unknown_members(block) {
                note(member, Some(within as u32));
            }
        }
    }
    // Blocks were counted within their messages.
    let starts: Vec<_> =
        history.extras.iter().map(|extra| history.blocks_of(extra.message).start).collect();
    for (extra, start) in history.extras.iter_mut().zip(starts) {
        extra.block = extra.block.map(|within| start + within);
    }
}

fn unknown_members(block: &Map<String, Value>) -> impl Iterator<Item = &String> {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    let known = members::of_block(kind);
    let is_unknown =
        move |member: &&String| known.is_some_and(|known| !known.contains(&member.as_str()));
    block.keys().filter(|member| *member != "type").filter(is_unknown)
}
