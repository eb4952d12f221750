//! The names of members, as the string objects by which they are looked up.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::words::is_same;

/// A kind of dict that teaches keys, the first of it in a document.
#[derive(Clone, Copy)]
pub(crate) enum Lesson {
    Message = 1,
    Call = 2,
    Result = 4,
    Text = 8,
}

macro_rules! keys {
    ($($field:ident = $name:literal,)*) => {
        /// A look-up by the very object that is the key needs no comparison. Literals of a program
        /// are such objects; `json.loads` makes its own, one for each name in a document. So the
        /// first blocks of a document teach its keys. Any other key is found all the same.
        pub(crate) struct Keys<'py> {
            $(pub(crate) $field: Bound<'py, PyString>,)*
            lessons: u8,
        }

        impl<'py> Keys<'py> {
            /// The keys of a program, for a document that may teach its own.
            pub(crate) fn new(py: Python<'py>, learns: bool) -> Keys<'py> {
                let lessons = if learns { 0 } else { u8::MAX };
                Keys { $($field: pyo3::intern!(py, $name).clone(),)* lessons }
            }

            /// The names that nearly every document has.
            fn common(py: Python<'py>) -> Vec<&'py Bound<'py, PyString>> {
                vec![$(pyo3::intern!(py, $name)),*]
            }

            /// Take over the keys of a message or block, once a lesson.
            #[inline]
            pub(crate) fn learn(&mut self, lesson: Lesson, taught_by: &Bound<'py, PyDict>) {
                if self.lessons & lesson as u8 == 0 {
                    self.lessons |= lesson as u8;
                    self.take_over(taught_by);
                }
            }

            #[cold]
            fn take_over(&mut self, taught_by: &Bound<'py, PyDict>) {
                for key in taught_by.keys() {
                    let Ok(key) = key.cast_into_exact::<PyString>() else { continue };
                    for slot in [$(&mut self.$field),*] {
                        if is_same(slot, &key) {
                            *slot = key.clone();
                        }
                    }
                }
            }
        }
    };
}

keys! {
    role = "role",
    content = "content",
    kind = "type",
    text = "text",
    id = "id",
    name = "name",
    input = "input",
    tool_use_id = "tool_use_id",
}

macro_rules! rare {
    ($($name:ident)*) => {
        /// Names that are looked up less often: the literals of a program.
        pub(crate) mod rare {
            use pyo3::prelude::*;
            use pyo3::types::PyString;

            $(pub(crate) fn $name(py: Python<'_>) -> &Bound<'_, PyString> {
                pyo3::intern!(py, stringify!($name))
            })*

            pub(super) fn all(py: Python<'_>) -> Vec<&Bound<'_, PyString>> {
                vec![$($name(py)),*]
            }
        }
    };
}

rare! {
    cache_control caller clear_at data is_error output_config signature thinking tool tool_call_id
    tool_id tool_name toolset_name ttl
}

/// All names of members of messages, of blocks, and of what stands in them.
pub(crate) fn names(py: Python<'_>) -> impl Iterator<Item = &Bound<'_, PyString>> {
    Keys::common(py).into_iter().chain(rare::all(py))
}
