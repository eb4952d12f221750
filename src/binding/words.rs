//! The words that nearly every block and message uses, told apart without reading them.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use toolpair::{Kind, Role};

const ROLES: [&str; 3] = ["user", "assistant", "system"];
const KINDS: [&str; 5] = ["text", "tool_use", "tool_result", "thinking", "server_tool_use"];

/// A word as a string object, how long it is, and what it means.
struct Word<T> {
    object: Py<PyString>,
    length: usize,
    meaning: T,
}

/// What is known of strings in this process.
pub(crate) struct Words {
    roles: Vec<Word<Role>>,
    kinds: Vec<Word<Kind>>,
    isascii: Py<PyAny>,
}

impl Words {
    /// Made once for each interpreter.
    pub(crate) fn get(py: Python<'_>) -> PyResult<&Words> {
        static WORDS: PyOnceLock<Words> = PyOnceLock::new();
        WORDS.get_or_try_init(py, || {
            let isascii = py.get_type::<PyString>().getattr("isascii")?.unbind();
            let (roles, kinds) = (words(py, &ROLES, Role::named), words(py, &KINDS, Kind::named));
            Ok(Words { roles, kinds, isascii })
        })
    }

    /// The role that an exact `str` names.
    #[inline]
    pub(crate) fn role(&self, text: &Bound<'_, PyString>) -> PyResult<Role> {
        match known(&self.roles, text)? {
            Some(role) => Ok(role),
            None => Ok(self.ascii(text)?.map_or(Role::Unknown, Role::named)),
        }
    }

    /// The kind of block that an exact `str` names.
    #[inline]
    pub(crate) fn kind(&self, text: &Bound<'_, PyString>) -> PyResult<Kind> {
        match known(&self.kinds, text)? {
            Some(kind) => Ok(kind),
            None => Ok(self.ascii(text)?.map_or(Kind::Unknown, Kind::named)),
        }
    }

    /// The characters of an ASCII string. Of any other, `to_str` would keep a second copy in it.
    #[inline]
    pub(crate) fn ascii<'a>(&self, text: &'a Bound<'_, PyString>) -> PyResult<Option<&'a str>> {
        let is_ascii = self.isascii.bind(text.py()).call1((text,))?.is_truthy()?;
        if is_ascii { text.to_str().map(Some) } else { Ok(None) }
    }
}

/// Whether two exact `str` are equal. Literals of a program are one object each.
#[inline]
pub(crate) fn is_same(one: &Bound<'_, PyString>, other: &Bound<'_, PyString>) -> bool {
    one.is(other) || one.as_any().eq(other).unwrap_or(false)
}

fn words<T>(py: Python<'_>, texts: &[&str], meaning: fn(&str) -> T) -> Vec<Word<T>> {
    let word = |text: &&str| Word {
        object: PyString::intern(py, text).unbind(),
        length: text.len(),
        meaning: meaning(text),
    };
    texts.iter().map(word).collect()
}

/// A string tells its length for nothing, and few words are of one length.
#[inline]
fn known<T: Copy>(words: &[Word<T>], text: &Bound<'_, PyString>) -> PyResult<Option<T>> {
    let length = text.code_point_len()?;
    let fits =
        |word: &&Word<T>| word.length == length && is_same(word.object.bind(text.py()), text);
    Ok(words.iter().find(fits).map(|word| word.meaning))
}
