//! JSON bytes to a history: texts are borrowed, and what no rule needs is skipped over unread.

mod context;
mod extras;
mod raw;
mod texts;

use std::borrow::Cow;

use crate::answer::{Answered, PLACEHOLDER, is_made_up};
use crate::context::Context;
use crate::history::{ClearAt, Content, History, Kind, Nested, Role, ServerTool, Symbol};
use crate::location::Place;
use crate::loose::Loose;
use crate::recorder::{Name, Recorder, TextShape};
use raw::{
    RawAnswer, RawBlock, RawCaller, RawContent, RawMessage, RawRequest, RawShape, RawText, right,
};
pub use texts::{JsonTexts, ReadError};

/// A request body that was read.
#[derive(Debug, Default)]
pub struct Request {
    /// Its messages.
    pub history: History,
    /// The rest of it.
    pub context: Context,
}

/// Read a `messages` list.
///
/// # Errors
/// If the bytes are no JSON list, or an entry is no object with a role.
pub fn read(bytes: &[u8]) -> Result<(History, JsonTexts<'_>), ReadError> {
    let messages = serde_json::from_slice(bytes).map_err(ReadError::Json)?;
    let mut reader = Reader::default();
    let history = reader.history(messages)?;
    Ok((history, reader.texts))
}

/// Read a whole request body: the messages, and what else rules need.
///
/// # Errors
/// If the bytes are no JSON object with a list of messages, or an entry is no object with a role.
pub fn read_request(bytes: &[u8]) -> Result<(Request, JsonTexts<'_>), ReadError> {
    let request: Loose<RawRequest<'_>> = serde_json::from_slice(bytes).map_err(ReadError::Json)?;
    let mut request = request.right().ok_or(ReadError::NoRequest)?;
    let messages = request.messages.take().and_then(Loose::right).ok_or(ReadError::NoRequest)?;
    let mut reader = Reader::default();
    let history = reader.history(messages.0)?;
    let context = reader.context(request);
    Ok((Request { history, context }, reader.texts))
}

/// The same, with the members that no message or block of its kind has.
///
/// # Errors
/// As [`read_request`].
pub fn read_request_with_extras(bytes: &[u8]) -> Result<(Request, JsonTexts<'_>), ReadError> {
    let (mut request, mut texts) = read_request(bytes)?;
    extras::read(bytes, &mut request.history, &mut texts);
    Ok((request, texts))
}

#[derive(Default)]
struct Reader<'a> {
    recorder: Recorder,
    texts: JsonTexts<'a>,
}

impl<'a> Reader<'a> {
    fn history(&mut self, messages: Vec<Loose<RawMessage<'a>>>) -> Result<History, ReadError> {
        self.recorder = Recorder::with_capacity(messages.len());
        for (index, message) in messages.into_iter().enumerate() {
            let index = index as u32;
            let no_message = || ReadError::NoMessage(Place::message(index));
            let message = message.right().ok_or_else(no_message)?;
            self.message(message, index).ok_or_else(no_message)?;
        }
        Ok(std::mem::take(&mut self.recorder).finish())
    }

    fn message(&mut self, message: RawMessage<'a>, index: u32) -> Option<()> {
        let role = match message.role? {
            Loose::Right(RawText(role)) => self.role(role, index),
            Loose::Wrong => {
                self.texts.roles.insert(index, Cow::Borrowed("another JSON value"));
                Role::NoText
            }
        };
        self.recorder.begin(role);
        self.recorder.clear_at(match message.clear_at {
            None => ClearAt::Absent,
            Some(Loose::Right(RawText(word))) => ClearAt::named(&word),
            Some(Loose::Wrong) => ClearAt::Unknown,
        });
        if role == Role::Tool
            && let Some(RawText(call)) = right(message.tool_call_id)
        {
            let call = self.texts.intern(call);
            self.recorder.tool_message(call.symbol);
        }
        let content = match message.content {
            None => Content::Missing,
            Some(Loose::Wrong) => Content::Malformed,
            Some(Loose::Right(RawContent::Text(RawShape { shape, is_open }))) => {
                if shape != TextShape::Empty {
                    self.recorder.string(shape);
                    if is_open {
                        self.recorder.ends_in_space();
                    }
                }
                Content::Text
            }
            Some(Loose::Right(RawContent::Blocks(blocks))) => {
                for block in blocks {
                    self.block(block);
                }
                Content::Blocks
            }
        };
        self.recorder.end(content, message.output_config.is_some());
        Some(())
    }

    fn role(&mut self, role: Cow<'a, str>, message: u32) -> Role {
        let known = Role::named(&role);
        if known == Role::Unknown {
            self.texts.roles.insert(message, role);
        }
        known
    }

    fn block(&mut self, block: Loose<RawBlock<'a>>) {
        let Some(mut block) = block.right() else {
            return self.recorder.plain(Kind::NoObject);
        };
        let Some(RawText(name)) = right(block.kind.take()) else {
            return self.recorder.plain(Kind::Untyped);
        };
        let kind = Kind::named(&name);
        let cache = right(block.cache_control.take());
        match kind {
            Kind::Text => {
                let text = right(block.text);
                self.recorder.text(text.as_ref().map_or(TextShape::Empty, |text| text.shape));
                if text.is_some_and(|text| text.is_open) {
                    self.recorder.ends_in_space();
                }
            }
            Kind::Thinking if name == "thinking" => {
                let is_whole = right(block.thinking).is_some() && right(block.signature).is_some();
                self.recorder.thinking(false, is_whole);
            }
            Kind::Thinking => self.recorder.thinking(true, right(block.data).is_some()),
            Kind::Compaction => {
                let content = right(block.content);
                let is_empty = matches!(content, Some(RawAnswer::Text(text)) if text.is_empty());
                self.recorder.compaction(is_empty);
            }
            Kind::ToolChange => {
                let tool = right(block.tool).and_then(|tool| right(tool.name.or(tool.tool_name)));
                let tool = tool.map(|RawText(name)| self.texts.intern(name).symbol);
                self.recorder.tool_change(tool.unwrap_or(Symbol::NONE));
            }
            _ if kind.is_call() => self.call(kind, block),
            _ if kind.is_result() => self.result(kind, name, block),
            _ => {
                if kind.has_odd_type() {
                    self.texts.names.insert(self.recorder.next_block(), name);
                }
                self.recorder.plain(kind);
            }
        }
        if let Some(cache) = cache {
            self.recorder.cached(cache.lives_long(), false);
        }
    }

    fn call(&mut self, kind: Kind, block: RawBlock<'a>) {
        let id = right(block.id).map(|RawText(id)| self.texts.intern(id));
        let name = match right(block.name) {
            None => Name::Missing,
            Some(RawText(name)) => {
                let given = Name::Given(name.chars().count(), ServerTool::named(&name));
                self.texts.names.insert(self.recorder.next_block(), name);
                given
            }
        };
        self.recorder.call(kind, id, name, right(block.input).is_some());
        let toolset = right(block.toolset_name).map(|RawText(name)| self.texts.intern(name).symbol);
        let caller = right(block.caller).and_then(|RawCaller { tool_id }| right(tool_id));
        let caller = caller.map(|RawText(id)| self.texts.intern(id));
        if toolset.is_some() || caller.is_some() {
            self.recorder.detail(toolset.unwrap_or(Symbol::NONE), caller);
        }
    }

    fn result(&mut self, kind: Kind, name: Cow<'a, str>, block: RawBlock<'a>) {
        let id = right(block.tool_use_id).map(|RawText(id)| self.texts.intern(id));
        let tool = ServerTool::of_result(&name);
        if kind != Kind::ToolResult {
            self.texts.names.insert(self.recorder.next_block(), name);
            return self.recorder.result(kind, id, tool);
        }
        self.recorder.result(kind, id, tool);
        let toolset = right(block.toolset_name).map(|RawText(name)| self.texts.intern(name).symbol);
        if let Some(toolset) = toolset {
            self.recorder.detail(toolset, None);
        }
        let mut answered = Answered::of(match &block.content {
            None => Content::Missing,
            Some(Loose::Wrong) => Content::Malformed,
            Some(Loose::Right(RawAnswer::Text(_))) => Content::Text,
            Some(Loose::Right(RawAnswer::Blocks(_))) => Content::Blocks,
        });
        answered.is_error = right(block.is_error).is_some();
        match right(block.content) {
            None => {}
            Some(RawAnswer::Text(text)) => {
                answered.is_empty = text.is_empty();
                answered.is_placeholder = text == PLACEHOLDER;
                answered.is_made_up = answered.is_error && is_made_up(&text);
            }
            Some(RawAnswer::Blocks(blocks)) => {
                for block in blocks {
                    let Some(block) = block.right() else {
                        answered.nested(Nested::Refused);
                        continue;
                    };
                    let nested = block.nested();
                    answered.nested(nested);
                    if let Some(RawText(tool)) = right(block.tool_name)
                        && nested == Nested::Reference
                    {
                        let tool = self.texts.intern(tool);
                        self.recorder.refers(tool.symbol);
                    }
                    if let Some(cache) = right(block.cache_control) {
                        self.recorder.cached(cache.lives_long(), true);
                    }
                }
            }
        }
        self.recorder.answered(&answered, toolset.is_some());
    }
}
