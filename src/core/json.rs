//! JSON bytes to a history: texts are borrowed, and what no rule needs is skipped over unread.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess};

use crate::history::{Content, History, Kind, Role, Symbol};
use crate::ids::IdShape;
use crate::location::Place;
use crate::loose::{Loose, Wanted};
use crate::recorder::{Id, Recorder};

/// Why bytes are no history.
#[derive(Debug)]
pub enum ReadError {
    /// They are no JSON.
    Json(serde_json::Error),
    /// This message is no object with a role.
    NoMessage(Place),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Json(error) => write!(f, "not a JSON list of messages: {error}"),
            ReadError::NoMessage(place) => write!(f, "{place} is no object with a role"),
        }
    }
}

impl std::error::Error for ReadError {}

/// The texts that a history left in the bytes.
#[derive(Debug, Default)]
pub struct JsonTexts<'a> {
    ids: Vec<Cow<'a, str>>,
    names: HashMap<u32, Cow<'a, str>>,
    roles: HashMap<u32, Cow<'a, str>>,
    symbols: HashMap<Cow<'a, str>, Symbol>,
}

impl JsonTexts<'_> {
    /// An id.
    #[must_use]
    pub fn id(&self, id: Symbol) -> Option<&str> {
        self.ids.get(id.index()).map(AsRef::as_ref)
    }

    /// The tool's name of a call, or the `type` of an odd block.
    #[must_use]
    pub fn name(&self, block: u32) -> Option<&str> {
        self.names.get(&block).map(AsRef::as_ref)
    }

    /// The odd role of a message.
    #[must_use]
    pub fn role(&self, message: u32) -> Option<&str> {
        self.roles.get(&message).map(AsRef::as_ref)
    }
}

impl<'a> JsonTexts<'a> {
    fn intern(&mut self, id: Cow<'a, str>) -> Id {
        let shape = IdShape::of(id.as_bytes());
        let next = Symbol(self.ids.len() as u32);
        let symbol = *self.symbols.entry(id).or_insert_with_key(|id| {
            self.ids.push(id.clone());
            next
        });
        Id { symbol, shape }
    }
}

/// Read a `messages` list.
///
/// # Errors
/// If the bytes are no JSON list, or an entry is no object with a role.
pub fn read(bytes: &[u8]) -> Result<(History, JsonTexts<'_>), ReadError> {
    let messages: Vec<Loose<RawMessage<'_>>> =
        serde_json::from_slice(bytes).map_err(ReadError::Json)?;
    let mut recorder = Recorder::with_capacity(messages.len());
    let mut texts = JsonTexts::default();
    for (index, message) in messages.into_iter().enumerate() {
        let index = index as u32;
        let no_message = || ReadError::NoMessage(Place::message(index));
        let Loose::Right(RawMessage { role, content, output_config }) = message else {
            return Err(no_message());
        };
        let role = match role.ok_or_else(no_message)? {
            Loose::Right(RawText(role)) => record_role(role, index, &mut texts),
            Loose::Wrong => {
                texts.roles.insert(index, Cow::Borrowed("another JSON value"));
                Role::NoText
            }
        };
        recorder.begin(role);
        let content = match content {
            None => Content::Missing,
            Some(Loose::Wrong) => Content::Malformed,
            Some(Loose::Right(RawContent::Text { is_empty })) => {
                if !is_empty {
                    recorder.string();
                }
                Content::Text
            }
            Some(Loose::Right(RawContent::Blocks(blocks))) => {
                for block in blocks {
                    record_block(block, &mut recorder, &mut texts);
                }
                Content::Blocks
            }
        };
        recorder.end(content, output_config.is_some());
    }
    Ok((recorder.finish(), texts))
}

fn record_role<'a>(role: Cow<'a, str>, message: u32, texts: &mut JsonTexts<'a>) -> Role {
    let known = Role::named(&role);
    if known == Role::Unknown {
        texts.roles.insert(message, role);
    }
    known
}

fn record_block<'a>(
    block: Loose<RawBlock<'a>>,
    recorder: &mut Recorder,
    texts: &mut JsonTexts<'a>,
) {
    let Loose::Right(block) = block else { return recorder.plain(Kind::NoObject) };
    let Some(Loose::Right(RawText(name))) = block.kind else {
        return recorder.plain(Kind::Untyped);
    };
    let kind = Kind::named(&name);
    let at = recorder.next_block();
    if kind.is_call() {
        let has_name = matches!(block.name, Some(Loose::Right(_)));
        if let Some(Loose::Right(RawText(name))) = block.name {
            texts.names.insert(at, name);
        }
        let has_input = matches!(block.input, Some(Loose::Right(Object)));
        recorder.call(kind, text(block.id).map(|id| texts.intern(id)), has_name, has_input);
    } else if kind.is_result() {
        recorder.result(kind, text(block.tool_use_id).map(|id| texts.intern(id)));
    } else {
        if kind.has_odd_type() {
            texts.names.insert(at, name);
        }
        return recorder.plain(kind);
    }
    let toolset = text(block.toolset_name).map(|name| texts.intern(name).symbol);
    let caller = match block.caller {
        Some(Loose::Right(RawCaller { tool_id })) if kind.is_call() => {
            text(tool_id).map(|id| texts.intern(id))
        }
        _ => None,
    };
    if toolset.is_some() || caller.is_some() {
        recorder.detail(toolset.unwrap_or(Symbol::NONE), caller);
    }
}

fn text(value: Option<Loose<RawText<'_>>>) -> Option<Cow<'_, str>> {
    match value {
        Some(Loose::Right(RawText(text))) => Some(text),
        _ => None,
    }
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    /// A `null` is a role, if not a known one; its absence makes this no message.
    #[serde(borrow, default, deserialize_with = "present")]
    role: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    content: Option<Loose<RawContent<'a>>>,
    output_config: Option<IgnoredAny>,
}

fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<Loose<RawText<'a>>>, D::Error> {
    Loose::deserialize(value).map(Some)
}

#[derive(Deserialize)]
struct RawBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    id: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    tool_use_id: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    name: Option<Loose<RawText<'a>>>,
    input: Option<Loose<Object>>,
    #[serde(borrow)]
    toolset_name: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    caller: Option<Loose<RawCaller<'a>>>,
}

#[derive(Deserialize)]
struct RawCaller<'a> {
    #[serde(borrow)]
    tool_id: Option<Loose<RawText<'a>>>,
}

enum RawContent<'a> {
    Text { is_empty: bool },
    Blocks(Vec<Loose<RawBlock<'a>>>),
}

struct RawText<'a>(Cow<'a, str>);

struct Object;

macro_rules! wanted_from_map {
    ($($raw:ident)*) => {
        $(impl<'de: 'a, 'a> Wanted<'de> for $raw<'a> {
            fn from_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
                $raw::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(Some)
            }
        })*
    };
}

wanted_from_map! { RawMessage RawBlock RawCaller }

impl<'de> Wanted<'de> for Object {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Some(Object))
    }
}

impl<'de: 'a, 'a> Wanted<'de> for RawText<'a> {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawText(text))
    }
}

impl<'de: 'a, 'a> Wanted<'de> for RawContent<'a> {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawContent::Text { is_empty: text.is_empty() })
    }
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = list.next_element()? {
            blocks.push(block);
        }
        Ok(Some(RawContent::Blocks(blocks)))
    }
}
