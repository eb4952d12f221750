//! Results: of the client, with what stands in them, and of the server.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use toolpair::{
    Answered, Content, Kind, LONGEST_MADE_UP, Nested, PLACEHOLDER, ServerTool, Symbol, is_made_up,
};

use super::blocks::Trouble;
use super::details::text_of;
use super::{Reader, changed};
use crate::keys::rare;
use crate::members::{AnyMembers, Members, unreadable};
use crate::sequences::elements;

impl<'py> Reader<'py> {
    /// A client's result. Whether that was all of its members.
    #[inline]
    pub(super) fn result(
        &mut self,
        members: &impl Members<'py>,
        index: usize,
    ) -> Result<bool, Trouble> {
        let id = match text_of(members.get(&self.keys.tool_use_id)?)? {
            Some(id) => Some(self.texts.intern_result(self.words, &id)?),
            None => None,
        };
        self.recorder.result(Kind::ToolResult, id, ServerTool::Unknown);
        let content = members.get(&self.keys.content)?;
        // type, tool_use_id, content: nothing else
        let is_all = members.count() <= 3 && id.is_some() && content.is_some();
        // Of a text alone there is nothing to say.
        let is_plain =
            is_all && content.as_ref().is_some_and(PyAnyMethods::is_instance_of::<PyString>);
        if !is_plain {
            self.answer(members, content.as_ref(), is_all, index)?;
        }
        Ok(is_all)
    }

    #[inline(never)]
    fn answer(
        &mut self,
        members: &impl Members<'py>,
        content: Option<&Bound<'py, PyAny>>,
        is_all: bool,
        index: usize,
    ) -> Result<(), Trouble> {
        let (mut toolset, mut is_error) = (Symbol::NONE, false);
        if !is_all {
            toolset = self.toolset(members)?;
            let flag = members.get(rare::is_error(self.py))?;
            is_error =
                flag.is_some_and(|flag| flag.cast::<PyBool>().is_ok_and(PyBoolMethods::is_true));
        }
        if toolset.is_some() {
            self.recorder.detail(toolset, None);
        }
        let mut answered = self.answer_content(content, is_error, index)?;
        answered.is_error = is_error;
        self.recorder.answered(&answered, toolset.is_some());
        Ok(())
    }

    fn answer_content(
        &mut self,
        content: Option<&Bound<'py, PyAny>>,
        is_error: bool,
        index: usize,
    ) -> Result<Answered, Trouble> {
        let Some(content) = content.filter(|content| !content.is_none()) else {
            return Ok(Answered::of(Content::Missing));
        };
        if let Ok(text) = content.cast::<PyString>() {
            let mut answered = Answered::of(Content::Text);
            let length = text.code_point_len()?;
            answered.is_empty = length == 0;
            if is_error
                && length <= LONGEST_MADE_UP
                && let Some(text) = text_of(Some(content.clone()))?
            {
                (answered.is_made_up, answered.is_placeholder) =
                    self.words.read(&text, |text| (is_made_up(text), text == PLACEHOLDER))?;
            }
            return Ok(answered);
        }
        let mut answered = Answered::of(Content::Blocks);
        if let Ok(list) = content.cast::<PyList>() {
            let length = list.len();
            for (within, block) in list.iter().enumerate() {
                let read = self.nested(&block, &mut answered);
                read.map_err(|error| self.unreadable_nested(index, within, error))?;
            }
            if list.len() != length {
                let place = self.place_of(index);
                return Err(Trouble::Placed(changed(&format!("{place}.content"))));
            }
            return Ok(answered);
        }
        let blocks = elements(content, &format!("{}.content", self.place_of(index)));
        let Some(blocks) = blocks.map_err(Trouble::Placed)? else {
            return Ok(Answered::of(Content::Malformed));
        };
        for (within, block) in blocks.iter_borrowed().enumerate() {
            let read = self.nested(&block, &mut answered);
            read.map_err(|error| self.unreadable_nested(index, within, error))?;
        }
        Ok(answered)
    }

    #[cold]
    fn unreadable_nested(&self, index: usize, within: usize, error: PyErr) -> Trouble {
        let place = format!("{}.content[{within}]", self.place_of(index));
        Trouble::Placed(unreadable(self.py, &place, error))
    }

    /// A block inside a result.
    fn nested(&mut self, block: &Bound<'py, PyAny>, answered: &mut Answered) -> PyResult<()> {
        if let Ok(dict) = block.cast::<PyDict>() {
            return self.read_nested(&dict, answered);
        }
        if let Some(members) = AnyMembers::of(&mut self.accesses, block)? {
            return self.read_nested(&members, answered);
        }
        answered.nested(Nested::Refused);
        Ok(())
    }

    fn read_nested(
        &mut self,
        members: &impl Members<'py>,
        answered: &mut Answered,
    ) -> PyResult<()> {
        let nested = match text_of(members.get(&self.keys.kind)?)? {
            Some(name) => self.words.nested(&name)?,
            None => Nested::Refused,
        };
        answered.nested(nested);
        // type, text: nothing else
        if nested == Nested::Text && members.count() <= 2 {
            return Ok(());
        }
        if nested == Nested::Reference {
            let name = members.get(rare::tool_name(self.py))?;
            let tool = self.symbol(name)?;
            if tool.is_some() {
                self.recorder.refers(tool);
            }
        }
        self.cache_control(members, true)
    }

    /// A server's result. Whether that was all of its members.
    pub(super) fn server_result(
        &mut self,
        kind: Kind,
        name: &Bound<'py, PyString>,
        members: &impl Members<'py>,
    ) -> PyResult<bool> {
        let id = members.get(&self.keys.tool_use_id)?;
        let id = self.id(id)?;
        let tool = self.words.read_word(name, ServerTool::of_result)?;
        self.texts.name_block(self.recorder.next_block(), name);
        self.recorder.result(kind, id, tool);
        // type, tool_use_id: nothing else
        Ok(members.count() <= 2 && id.is_some())
    }
}
