//! The words that nearly every block and message uses, told apart without reading them; and what
//! else is asked of strings without a copy of them.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PySlice, PyString};
use toolpair::{Kind, Nested, Role, TextShape};

const ROLES: [&str; 3] = ["user", "assistant", "system"];
const KINDS: [&str; 5] = ["text", "tool_use", "tool_result", "thinking", "server_tool_use"];

/// As many characters as the longest end that is known.
const END: isize = "_tool_result".len().cast_signed();

/// A word as a string object, how long it is, and what it means.
struct Word<T> {
    object: Py<PyString>,
    length: usize,
    meaning: T,
}

/// What is known of strings in this process. The methods are those of `str` itself: they run no
/// code of a subclass.
pub(crate) struct Words {
    roles: Vec<Word<Role>>,
    kinds: Vec<Word<Kind>>,
    isascii: Py<PyAny>,
    isspace: Py<PyAny>,
    getitem: Py<PyAny>,
}

impl Words {
    /// Made once for each interpreter.
    pub(crate) fn get(py: Python<'_>) -> PyResult<&Words> {
        static WORDS: PyOnceLock<Words> = PyOnceLock::new();
        WORDS.get_or_try_init(py, || {
            let str = py.get_type::<PyString>();
            let method = |name| str.getattr(name).map(Bound::unbind);
            Ok(Words {
                roles: words(py, &ROLES, Role::named),
                kinds: words(py, &KINDS, Kind::named),
                isascii: method("isascii")?,
                isspace: method("isspace")?,
                getitem: method("__getitem__")?,
            })
        })
    }

    /// The role that an exact `str` names.
    #[inline]
    pub(crate) fn role(&self, text: &Bound<'_, PyString>) -> PyResult<Role> {
        match known(&self.roles, text)? {
            Some(role) => Ok(role),
            None => self.read_word(text, Role::named),
        }
    }

    /// The kind of block that an exact `str` names.
    #[inline]
    pub(crate) fn kind(&self, text: &Bound<'_, PyString>) -> PyResult<Kind> {
        match known(&self.kinds, text)? {
            Some(kind) => Ok(kind),
            None => self.read_word(text, Kind::named),
        }
    }

    /// The kind of block inside a result that an exact `str` names.
    #[inline]
    pub(crate) fn nested(&self, text: &Bound<'_, PyString>) -> PyResult<Nested> {
        match known(&self.kinds, text)? {
            Some(Kind::Text) => Ok(Nested::Text),
            _ => self.read_word(text, Nested::named),
        }
    }

    /// What the characters of an exact `str` mean, all of them.
    #[inline]
    pub(crate) fn read<T>(
        &self,
        text: &Bound<'_, PyString>,
        meaning: impl FnOnce(&str) -> T,
    ) -> PyResult<T> {
        match self.ascii(text)? {
            Some(text) => Ok(meaning(text)),
            None => Ok(meaning(&copied(text)?)),
        }
    }

    /// What the characters of an exact `str` mean, if they are to be a word that is known here. All
    /// of those are ASCII; of what is not, the end is all that can mean something.
    #[inline]
    pub(crate) fn read_word<T>(
        &self,
        text: &Bound<'_, PyString>,
        meaning: impl FnOnce(&str) -> T,
    ) -> PyResult<T> {
        match self.ascii(text)? {
            Some(text) => Ok(meaning(text)),
            None => Ok(meaning(&self.end_of(text)?)),
        }
    }

    /// A few characters of a long text stand for all of them.
    #[cold]
    fn end_of(&self, text: &Bound<'_, PyString>) -> PyResult<String> {
        let end = PySlice::new(text.py(), -END, isize::MAX, 1);
        let end = self.getitem.bind(text.py()).call1((text, end))?;
        Ok(format!("\u{fffd}{}", copied(end.cast()?)?))
    }

    /// The characters of an ASCII string. Of any other, `to_str` would keep a second copy in it.
    #[inline]
    pub(crate) fn ascii<'a>(&self, text: &'a Bound<'_, PyString>) -> PyResult<Option<&'a str>> {
        let is_ascii = self.isascii.bind(text.py()).call1((text,))?.is_truthy()?;
        if is_ascii { text.to_str().map(Some) } else { Ok(None) }
    }

    /// What a text is like. It is looked at up to the first character that is no white space.
    #[inline]
    pub(crate) fn shape(&self, text: &Bound<'_, PyString>) -> PyResult<TextShape> {
        Ok(if text.code_point_len()? == 0 {
            TextShape::Empty
        } else if self.is_blank(text)? {
            TextShape::Blank
        } else {
            TextShape::Full
        })
    }

    /// Whether a text ends in white space: one character is looked at.
    pub(crate) fn ends_in_space(&self, text: &Bound<'_, PyString>) -> PyResult<bool> {
        if text.code_point_len()? == 0 {
            return Ok(false);
        }
        let last = self.getitem.bind(text.py()).call1((text, -1))?;
        self.is_blank(last.cast::<PyString>()?)
    }

    #[inline]
    fn is_blank(&self, text: &Bound<'_, PyString>) -> PyResult<bool> {
        self.isspace.bind(text.py()).call1((text,))?.is_truthy()
    }
}

/// A copy of the characters of any exact `str`. Those that UTF-8 cannot hold come out as question marks.
#[cold]
pub(crate) fn copied(text: &Bound<'_, PyString>) -> PyResult<String> {
    let bytes = text.call_method1(intern!(text.py(), "encode"), ("utf-8", "replace"))?;
    Ok(String::from_utf8_lossy(bytes.cast::<PyBytes>()?.as_bytes()).into_owned())
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

/// The literals of a program are the words themselves. Any other string tells its length for
/// nothing, and few words are of one length.
#[inline]
fn known<T: Copy>(words: &[Word<T>], text: &Bound<'_, PyString>) -> PyResult<Option<T>> {
    if let Some(word) = words.iter().find(|word| word.object.is(text)) {
        return Ok(Some(word.meaning));
    }
    let length = text.code_point_len()?;
    let fits =
        |word: &&Word<T>| word.length == length && is_same(word.object.bind(text.py()), text);
    Ok(words.iter().find(fits).map(|word| word.meaning))
}
