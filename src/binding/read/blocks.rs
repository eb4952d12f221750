//! One block of a message: what it is, and the few members that rules need.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolpair::{Kind, Name, ServerTool, Symbol, TextShape};

use super::Reader;
use super::details::text_of;
use crate::keys::{Lesson, rare};
use crate::members::{AnyMembers, Members, unreadable};

/// Something raised; and whether the error says where already.
pub(super) enum Trouble {
    Placed(PyErr),
    Unplaced(PyErr),
}

impl From<PyErr> for Trouble {
    #[cold]
    fn from(error: PyErr) -> Trouble {
        Trouble::Unplaced(error)
    }
}

impl<'py> Reader<'py> {
    #[inline]
    pub(super) fn block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        let Ok(dict) = block.cast::<PyDict>() else { return self.odd_block(block, index) };
        match self.read_block(&dict, index) {
            Ok(kind) => {
                match kind {
                    Kind::ToolUse => self.keys.learn(Lesson::Call, dict),
                    Kind::ToolResult => self.keys.learn(Lesson::Result, dict),
                    Kind::Text => self.keys.learn(Lesson::Text, dict),
                    _ => {}
                }
                Ok(())
            }
            Err(trouble) => Err(self.unreadable_block(index, trouble)),
        }
    }

    #[cold]
    fn unreadable_block(&self, index: usize, trouble: Trouble) -> PyErr {
        match trouble {
            Trouble::Placed(error) => error,
            Trouble::Unplaced(error) => unreadable(self.py, &self.place_of(index), error),
        }
    }

    pub(super) fn place_of(&self, block: usize) -> String {
        format!("{}.content[{block}]", self.place())
    }

    fn odd_block(&mut self, block: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        let read = match AnyMembers::of(&mut self.accesses, block) {
            Ok(Some(members)) => self.read_block(&members, index).map(|_| ()),
            Ok(None) => {
                self.recorder.plain(Kind::NoObject);
                Ok(())
            }
            Err(error) => Err(Trouble::from(error)),
        };
        read.map_err(|trouble| self.unreadable_block(index, trouble))
    }

    #[inline]
    fn read_block(&mut self, members: &impl Members<'py>, index: usize) -> Result<Kind, Trouble> {
        let name = members.get(&self.keys.kind)?;
        let Some(name) = text_of(name)? else {
            self.recorder.plain(Kind::Untyped);
            return Ok(Kind::Untyped);
        };
        let kind = self.words.kind(&name)?;
        let is_all = match kind {
            Kind::Text => self.text(members)?,
            Kind::ToolResult => self.result(members, index)?,
            Kind::ServerToolResult | Kind::McpToolResult => {
                self.server_result(kind, &name, members)?
            }
            _ if kind.is_call() => self.call(kind, members)?,
            _ => self.other(kind, &name, members)?,
        };
        if !is_all {
            self.cache_control(members, false)?;
        }
        if self.extras {
            self.note_extras_of_block(members, &name)?;
        }
        Ok(kind)
    }

    // --- what each kind has; whether that was all of its members -----------------------------------

    #[inline]
    fn text(&mut self, members: &impl Members<'py>) -> PyResult<bool> {
        let text = members.get(&self.keys.text)?;
        let text = text.as_ref().and_then(|text| text.cast::<PyString>().ok());
        let shape = text.map_or(Ok(TextShape::Empty), |text| self.words.shape(text))?;
        self.recorder.text(shape);
        if let Some(text) = text {
            self.note_end(text)?;
        }
        // type, text: nothing else
        Ok(members.count() <= 2 && text.is_some())
    }

    #[inline]
    fn call(&mut self, kind: Kind, members: &impl Members<'py>) -> PyResult<bool> {
        let id = match text_of(members.get(&self.keys.id)?)? {
            Some(id) => Some(self.texts.intern(self.words, &id)?),
            None => None,
        };
        let name = match text_of(members.get(&self.keys.name)?)? {
            Some(name) => {
                self.texts.name_block(self.recorder.next_block(), &name);
                let is_servers = kind == Kind::ServerToolUse;
                let tool = if is_servers {
                    self.words.read_word(&name, ServerTool::named)?
                } else {
                    ServerTool::Unknown
                };
                Name::Given(name.code_point_len()?, tool)
            }
            None => Name::Missing,
        };
        let has_input = match members.get(&self.keys.input)? {
            Some(input) => self.is_object(&input)?,
            None => false,
        };
        self.recorder.call(kind, id, name, has_input);
        // type, id, name, input: nothing else
        let is_whole = id.is_some() && name != Name::Missing && has_input;
        let is_all = members.count() <= 4 && is_whole;
        if !is_all {
            self.call_detail(members)?;
        }
        Ok(is_all)
    }

    #[inline(never)]
    fn other(
        &mut self,
        kind: Kind,
        name: &Bound<'py, PyString>,
        members: &impl Members<'py>,
    ) -> PyResult<bool> {
        match kind {
            Kind::Thinking => return self.thinking(name, members),
            Kind::Compaction => {
                let content = members.get(&self.keys.content)?;
                let text = content.as_ref().and_then(|content| content.cast::<PyString>().ok());
                let length = text.map(PyStringMethods::code_point_len).transpose()?;
                self.recorder.compaction(length == Some(0));
            }
            Kind::ToolChange => {
                let tool = self.changed_tool(members)?;
                self.recorder.tool_change(tool);
            }
            _ => {
                if kind.has_odd_type() {
                    self.texts.name_block(self.recorder.next_block(), name);
                }
                self.recorder.plain(kind);
            }
        }
        // type: nothing else
        Ok(members.count() <= 1)
    }

    fn thinking(
        &mut self,
        name: &Bound<'py, PyString>,
        members: &impl Members<'py>,
    ) -> PyResult<bool> {
        let is_text = |member: &Bound<'py, PyString>| {
            Ok::<_, PyErr>(members.get(member)?.is_some_and(|it| it.is_instance_of::<PyString>()))
        };
        let py = self.py;
        let is_redacted = name.code_point_len()? > "thinking".len();
        let is_whole = if is_redacted {
            is_text(rare::data(py))?
        } else {
            is_text(rare::thinking(py))? && is_text(rare::signature(py))?
        };
        self.recorder.thinking(is_redacted, is_whole);
        // type, thinking, signature; or type, data: nothing else
        Ok(is_whole && members.count() <= if is_redacted { 2 } else { 3 })
    }

    /// The tool that a change of tools is about.
    fn changed_tool(&mut self, members: &impl Members<'py>) -> PyResult<Symbol> {
        let Some(tool) = members.get(rare::tool(self.py))? else { return Ok(Symbol::NONE) };
        let Some(tool) = AnyMembers::of(&mut self.accesses, &tool)? else {
            return Ok(Symbol::NONE);
        };
        let name = tool.get(&self.keys.name)?.filter(|name| !name.is_none());
        let name = match name {
            Some(name) => Some(name),
            None => tool.get(rare::tool_name(self.py))?,
        };
        self.symbol(name)
    }
}
