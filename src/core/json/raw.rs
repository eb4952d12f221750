//! The JSON of a request, as far as it is looked at: each member of its shape, or skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess};

use crate::kinds::Nested;
use crate::loose::{Loose, Wanted};
use crate::recorder::TextShape;

/// A member that is absent, null, of another shape, or right.
pub(super) type Member<T> = Option<Loose<T>>;

/// The right value of a member, if it has one.
pub(super) fn right<T>(member: Member<T>) -> Option<T> {
    member.and_then(Loose::right)
}

/// A member that is told apart from an absent one even if it is null.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

#[expect(clippy::option_option, reason = "absent is not the same as null")]
#[derive(Deserialize)]
pub(super) struct RawRequest<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) messages: Option<Loose<RawList<RawMessage<'a>>>>,
    #[serde(borrow)]
    pub(super) model: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Member<RawTyped<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) tools: Option<Option<Loose<RawList<RawTyped<'a>>>>>,
    #[serde(default, deserialize_with = "present")]
    pub(super) container: Option<Option<IgnoredAny>>,
    #[serde(borrow)]
    pub(super) system: Member<RawList<RawTyped<'a>>>,
    #[serde(borrow)]
    pub(super) cache_control: Member<RawCache<'a>>,
    #[serde(borrow)]
    pub(super) betas: Member<RawList<RawText<'a>>>,
    #[serde(borrow)]
    pub(super) extra_headers: Member<RawHeaders<'a>>,
}

#[derive(Deserialize)]
pub(super) struct RawHeaders<'a> {
    #[serde(borrow, rename = "anthropic-beta")]
    pub(super) betas: Member<RawText<'a>>,
}

/// A tool, a system text, or what `thinking` holds.
#[derive(Deserialize)]
pub(super) struct RawTyped<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) name: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) cache_control: Member<RawCache<'a>>,
}

#[derive(Deserialize)]
pub(super) struct RawCache<'a> {
    #[serde(borrow)]
    pub(super) ttl: Member<RawText<'a>>,
}

impl RawCache<'_> {
    pub(super) fn lives_long(self) -> bool {
        right(self.ttl).is_some_and(|RawText(ttl)| ttl == "1h")
    }
}

#[derive(Deserialize)]
pub(super) struct RawMessage<'a> {
    /// A `null` is a role, if not a known one; its absence makes this no message.
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) role: Option<Loose<RawText<'a>>>,
    #[serde(borrow)]
    pub(super) content: Member<RawContent<'a>>,
    pub(super) output_config: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) clear_at: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) tool_call_id: Member<RawText<'a>>,
}

#[derive(Deserialize)]
pub(super) struct RawBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Member<RawText<'a>>,
    pub(super) text: Member<RawShape>,
    #[serde(borrow)]
    pub(super) id: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) tool_use_id: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) name: Member<RawText<'a>>,
    pub(super) input: Member<Object>,
    #[serde(borrow)]
    pub(super) content: Member<RawAnswer<'a>>,
    pub(super) is_error: Member<Flag>,
    pub(super) thinking: Member<RawShape>,
    pub(super) signature: Member<RawShape>,
    pub(super) data: Member<RawShape>,
    #[serde(borrow)]
    pub(super) tool: Member<RawTool<'a>>,
    #[serde(borrow)]
    pub(super) toolset_name: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) caller: Member<RawCaller<'a>>,
    #[serde(borrow)]
    pub(super) cache_control: Member<RawCache<'a>>,
}

#[derive(Deserialize)]
pub(super) struct RawTool<'a> {
    #[serde(borrow)]
    pub(super) name: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) tool_name: Member<RawText<'a>>,
}

#[derive(Deserialize)]
pub(super) struct RawCaller<'a> {
    #[serde(borrow)]
    pub(super) tool_id: Member<RawText<'a>>,
}

/// A block inside a result.
#[derive(Deserialize)]
pub(super) struct RawNested<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) tool_name: Member<RawText<'a>>,
    #[serde(borrow)]
    pub(super) cache_control: Member<RawCache<'a>>,
}

impl RawNested<'_> {
    pub(super) fn nested(&self) -> Nested {
        match &self.kind {
            Some(Loose::Right(RawText(kind))) => Nested::named(kind),
            _ => Nested::Refused,
        }
    }
}

pub(super) enum RawContent<'a> {
    Text(RawShape),
    Blocks(Vec<Loose<RawBlock<'a>>>),
}

/// The content of a result, or of a summary.
pub(super) enum RawAnswer<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Loose<RawNested<'a>>>),
}

pub(super) struct RawList<T>(pub(super) Vec<Loose<T>>);

pub(super) struct RawText<'a>(pub(super) Cow<'a, str>);

/// What a text is like; the text itself is not kept.
pub(super) struct RawShape {
    pub(super) shape: TextShape,
    /// Whether it ends in white space.
    pub(super) is_open: bool,
}

/// `true`, and nothing else.
pub(super) struct Flag;

pub(super) struct Object;

impl RawShape {
    fn of(text: &str) -> RawShape {
        let shape = if text.is_empty() {
            TextShape::Empty
        } else if text.chars().all(is_white) {
            TextShape::Blank
        } else {
            TextShape::Full
        };
        RawShape { shape, is_open: text.ends_with(is_white) }
    }
}

/// White space as Python, and so the server, sees it.
fn is_white(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\x1c'..='\x1f')
}

macro_rules! wanted_from_map {
    ($($raw:ident)*) => {
        $(impl<'de: 'a, 'a> Wanted<'de> for $raw<'a> {
            fn from_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
                $raw::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(Some)
            }
        })*
    };
}

wanted_from_map! {
    RawRequest RawHeaders RawTyped RawCache RawMessage RawBlock RawTool RawCaller RawNested
}

impl<'de> Wanted<'de> for Object {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Some(Object))
    }
}

impl Wanted<'_> for Flag {
    fn from_bool(value: bool) -> Option<Self> {
        value.then_some(Flag)
    }
}

impl<'de: 'a, 'a> Wanted<'de> for RawText<'a> {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawText(text))
    }
}

impl<'de> Wanted<'de> for RawShape {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawShape::of(&text))
    }
}

impl<'de, T: Wanted<'de>> Wanted<'de> for RawList<T> {
    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        Ok(Some(RawList(all(list)?)))
    }
}

impl<'de: 'a, 'a> Wanted<'de> for RawContent<'a> {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawContent::Text(RawShape::of(&text)))
    }
    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        Ok(Some(RawContent::Blocks(all(list)?)))
    }
}

impl<'de: 'a, 'a> Wanted<'de> for RawAnswer<'a> {
    fn from_text(text: Cow<'de, str>) -> Option<Self> {
        Some(RawAnswer::Text(text))
    }
    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        Ok(Some(RawAnswer::Blocks(all(list)?)))
    }
}

fn all<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(mut list: A) -> Result<Vec<T>, A::Error> {
    let mut all = Vec::new();
    while let Some(element) = list.next_element()? {
        all.push(element);
    }
    Ok(all)
}
