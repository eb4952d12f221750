//! The rest of a request, as far as rules need it. What is not of the expected shape is not known:
//! an SDK's sentinel for "not given", say.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolpair::{Container, Context, Thinking};

use super::details::text_of;
use super::{Reader, Wish};
use crate::keys::rare;
use crate::members::{AnyMembers, Members, unreadable};
use crate::sequences::{elements, type_name};
use crate::texts::PyTexts;

/// Read a mapping of a request's members. `name`: what errors call it. The texts hold the names of
/// tools, for the messages to go on with.
pub(crate) fn read_context(
    request: &Bound<'_, PyAny>,
    name: &'static str,
) -> PyResult<(Context, PyTexts)> {
    let reader = Reader::new(request.py(), 0, Wish::default())?;
    let mut reader = ContextReader { reader, name, context: Context::default() };
    reader.read(request)?;
    Ok((reader.context, reader.reader.texts))
}

struct ContextReader<'py> {
    reader: Reader<'py>,
    name: &'static str,
    context: Context,
}

/// What there is where a list may be.
#[derive(PartialEq, Eq)]
enum Given {
    Nothing,
    Null,
    List,
}

/// How a member is read, or an element of one.
type Read<'py> = fn(&mut ContextReader<'py>, &Bound<'py, PyAny>) -> PyResult<()>;

impl<'py> ContextReader<'py> {
    fn read(&mut self, request: &Bound<'py, PyAny>) -> PyResult<()> {
        let members = AnyMembers::of(&mut self.reader.accesses, request);
        let members = members.map_err(|error| unreadable(request.py(), self.name, error))?;
        let Some(members) = members.filter(AnyMembers::is_mapping) else {
            let (name, kind) = (self.name, type_name(request));
            let text = format!("{name} must be a mapping of a request's members, not {kind}");
            return Err(PyTypeError::new_err(text));
        };
        self.one(&members, "model", Self::model)?;
        self.one(&members, "thinking", Self::thinking)?;
        self.one(&members, "container", Self::container)?;
        self.one(&members, "cache_control", Self::cache_control)?;
        self.one(&members, "extra_headers", Self::headers)?;
        self.each(&members, "system", Self::system_text)?;
        if self.each(&members, "betas", Self::beta)? == Given::List {
            self.context.betas.get_or_insert_default();
        }
        if self.each(&members, "tools", Self::tool)? != Given::Nothing {
            self.context.tools.get_or_insert_default();
        }
        Ok(())
    }

    /// Read a member, if there is one.
    fn one(&mut self, of: &AnyMembers<'_, 'py>, name: &str, read: Read<'py>) -> PyResult<()> {
        let py = self.reader.py;
        let value = of.get(&PyString::intern(py, name));
        let read = value.and_then(|value| value.map_or(Ok(()), |value| read(self, &value)));
        read.map_err(|error| unreadable(py, &format!("{}.{name}", self.name), error))
    }

    /// Read the elements of a member.
    fn each(&mut self, of: &AnyMembers<'_, 'py>, name: &str, read: Read<'py>) -> PyResult<Given> {
        let py = self.reader.py;
        let place = format!("{}.{name}", self.name);
        let list = of.get(&PyString::intern(py, name));
        let Some(list) = list.map_err(|error| unreadable(py, &place, error))? else {
            return Ok(Given::Nothing);
        };
        let Some(elements) = elements(&list, &place)? else {
            return Ok(if list.is_none() { Given::Null } else { Given::Nothing });
        };
        for (index, element) in elements.iter_borrowed().enumerate() {
            read(self, &element)
                .map_err(|error| unreadable(py, &format!("{place}[{index}]"), error))?;
        }
        Ok(Given::List)
    }

    // --- what each member says ---------------------------------------------------------------------

    fn model(&mut self, model: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Some(name) = text_of(Some(model.clone()))? {
            let context = &mut self.context;
            self.reader.words.read(&name, |name| context.set_model(name))?;
        }
        Ok(())
    }

    fn thinking(&mut self, thinking: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some(members) = AnyMembers::of(&mut self.reader.accesses, thinking)? else {
            return Ok(());
        };
        if let Some(mode) = text_of(members.get(&self.reader.keys.kind)?)? {
            self.context.thinking = self.reader.words.read_word(&mode, Thinking::named)?;
        }
        Ok(())
    }

    fn container(&mut self, container: &Bound<'py, PyAny>) -> PyResult<()> {
        let is_given = match AnyMembers::of(&mut self.reader.accesses, container)? {
            Some(members) => {
                members.is_mapping() || text_of(members.get(&self.reader.keys.id)?)?.is_some()
            }
            None => !container.is_none(),
        };
        if is_given {
            self.context.container = Some(Container::Given);
        } else if container.is_none() {
            self.context.container = Some(Container::Null);
        }
        Ok(())
    }

    fn cache_control(&mut self, control: &Bound<'py, PyAny>) -> PyResult<()> {
        self.context.breakpoints.automatic = self.reader.lasts_long(control)?;
        Ok(())
    }

    fn headers(&mut self, headers: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some(members) = AnyMembers::of(&mut self.reader.accesses, headers)? else {
            return Ok(());
        };
        let name = PyString::intern(self.reader.py, "anthropic-beta");
        if let Some(betas) = members.get(&name)? {
            self.beta(&betas)?;
        }
        Ok(())
    }

    fn beta(&mut self, beta: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Some(names) = text_of(Some(beta.clone()))? {
            let context = &mut self.context;
            self.reader.words.read(&names, |names| context.add_betas(names))?;
        }
        Ok(())
    }

    fn system_text(&mut self, text: &Bound<'py, PyAny>) -> PyResult<()> {
        match AnyMembers::of(&mut self.reader.accesses, text)? {
            Some(members) => self.breakpoint(&members),
            None => Ok(()),
        }
    }

    fn tool(&mut self, tool: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some(members) = AnyMembers::of(&mut self.reader.accesses, tool)? else {
            return Ok(());
        };
        let name = members.get(&self.reader.keys.name)?;
        let name = self.reader.symbol(name)?;
        let name = name.is_some().then_some(name);
        let tools = self.context.tools.get_or_insert_default();
        match text_of(members.get(&self.reader.keys.kind)?)? {
            Some(kind) => {
                self.reader.words.read_word(&kind, |kind| tools.declare(name, Some(kind)))?;
            }
            None => tools.declare(name, None),
        }
        self.breakpoint(&members)
    }

    /// A `cache_control` in `tools` or `system`.
    fn breakpoint(&mut self, members: &AnyMembers<'_, 'py>) -> PyResult<()> {
        let Some(control) = members.get(rare::cache_control(self.reader.py))? else {
            return Ok(());
        };
        if let Some(is_long) = self.reader.lasts_long(&control)? {
            self.context.breakpoints.add(is_long);
        }
        Ok(())
    }
}
