//! JSON values that may be of a wanted shape, or of any other.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value of the wanted shape, or anything else, which is skipped.
pub(crate) enum Loose<T> {
    Right(T),
    Wrong,
}

impl<T> Loose<T> {
    pub(crate) fn right(self) -> Option<T> {
        match self {
            Loose::Right(value) => Some(value),
            Loose::Wrong => None,
        }
    }
}

/// How a wanted shape is read, by the kind of JSON value.
pub(crate) trait Wanted<'de>: Sized {
    fn from_text(_: Cow<'de, str>) -> Option<Self> {
        None
    }
    fn from_bool(_: bool) -> Option<Self> {
        None
    }
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<'de, T: Wanted<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Wanted<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = Loose<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "any JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(loose(T::from_bool(value)))
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose::Wrong)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose::Wrong)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose::Wrong)
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Wrong)
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(loose(T::from_text(Cow::Borrowed(text))))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(loose(T::from_text(Cow::Owned(text.to_owned()))))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::from_map(map).map(loose)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::from_list(list).map(loose)
    }
}

fn loose<T>(value: Option<T>) -> Loose<T> {
    value.map_or(Loose::Wrong, Loose::Right)
}
