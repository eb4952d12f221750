//! A whole request: a mapping with messages, or its JSON.

use std::cell::RefCell;
use std::collections::HashMap;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use toolpair::json::{self, JsonTexts, ReadError};
use toolpair::{Options, Symbol};

use crate::accesses::Accesses;
use crate::members::{AnyMembers, Members, unreadable};
use crate::options::options;
use crate::read::{self, Wish};
use crate::sequences::type_name;
use crate::texts::Texts;
use crate::words::Words;
use crate::write;

type Part<'py> = Option<Bound<'py, PyDict>>;

/// Check a request. None if there is nothing to report.
#[pyfunction]
pub(crate) fn check_request<'py>(
    request: &Bound<'py, PyAny>,
    endpoint: &Bound<'py, PyAny>,
    ignore: &Bound<'py, PyAny>,
    select: &Bound<'py, PyAny>,
    allow_pending: &Bound<'py, PyAny>,
) -> PyResult<Part<'py>> {
    let py = request.py();
    let options = options(endpoint, ignore, select, allow_pending)?;
    if let Ok(bytes) = request.cast::<PyBytes>() {
        return check_json(py, bytes.as_bytes(), options);
    }
    if let Ok(bytes) = request.cast::<PyByteArray>() {
        return check_json(py, &bytes.to_vec(), options);
    }
    if let Ok(text) = request.cast_exact::<PyString>()
        && let Some(ascii) = Words::get(py)?.ascii(text)?
    {
        return check_json(py, ascii.as_bytes(), options);
    }
    if let Ok(text) = request.cast::<PyString>() {
        return check_json(py, encoded(text)?.as_bytes(), options);
    }
    check_mapping(request, options)
}

/// The UTF-8 of a text, and no copy left in it. A subclass's own `encode` is not asked.
fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let encode = py.get_type::<PyString>().getattr(intern!(py, "encode"))?;
    let bytes = encode.call1((text, "utf-8")).map_err(|error| {
        let refused = PyValueError::new_err("not valid JSON: it holds lone surrogates");
        refused.set_cause(py, Some(error));
        refused
    });
    Ok(bytes?.cast_into()?)
}

fn check_json<'py>(py: Python<'py>, bytes: &[u8], options: Options) -> PyResult<Part<'py>> {
    let read =
        if options.wants_extras() { json::read_request_with_extras } else { json::read_request };
    // Other threads may run meanwhile: nothing of Python's is touched.
    let read = py.detach(|| read(bytes));
    let (request, texts) = read.map_err(|error| match error {
        ReadError::Json(_) => PyValueError::new_err(error.to_string()),
        ReadError::NoRequest | ReadError::NoMessage(_) => PyTypeError::new_err(error.to_string()),
    })?;
    let notes = request.context.notes();
    let report = toolpair::check(&request.history, options.with_context(request.context));
    let texts = JsonStrings { texts, made: RefCell::default() };
    write::report(py, write::take(py, report, &request.history, &texts, notes))
}

fn check_mapping<'py>(request: &Bound<'py, PyAny>, options: Options) -> PyResult<Part<'py>> {
    let py = request.py();
    let refused = |why: &str| {
        let kind = type_name(request);
        let text = format!("a request must be a mapping with messages, or JSON: {kind} {why}");
        PyTypeError::new_err(text)
    };
    let mut accesses = Accesses::default();
    let placed = |error| unreadable(py, "request", error);
    let members = AnyMembers::of(&mut accesses, request).map_err(placed)?;
    let members = members.filter(AnyMembers::is_mapping).ok_or_else(|| refused("is neither"))?;
    let messages = members.get(intern!(py, "messages")).map_err(placed)?;
    let messages = messages.ok_or_else(|| refused("has no messages"))?;
    let (context, texts) = read::read_context(request, "request")?;
    let wish = Wish { texts, extras: options.wants_extras(), ..Wish::default() };
    let (history, texts) = read::read_messages(&messages, wish)?;
    let notes = context.notes();
    let report = toolpair::check(&history, options.with_context(context));
    write::report(py, write::take(py, report, &history, &texts, notes))
}

/// The texts that a history left in JSON, as Python strings; an id is made once.
struct JsonStrings<'a> {
    texts: JsonTexts<'a>,
    made: RefCell<HashMap<u32, Py<PyString>>>,
}

impl Texts for JsonStrings<'_> {
    fn id(&self, py: Python<'_>, id: Symbol) -> Option<Py<PyString>> {
        let text = self.texts.id(id)?;
        let mut made = self.made.borrow_mut();
        let string = made.entry(id.0).or_insert_with(|| PyString::new(py, text).unbind());
        Some(string.clone_ref(py))
    }

    fn name(&self, py: Python<'_>, block: u32) -> Option<Py<PyString>> {
        self.texts.name(block).map(|text| PyString::new(py, text).unbind())
    }

    fn role(&self, py: Python<'_>, message: u32) -> Option<Py<PyString>> {
        self.texts.role(message).map(|text| PyString::new(py, text).unbind())
    }
}
