//! What the rest of a request says that rules about its messages need.

use std::collections::BTreeSet;

use crate::history::{ServerTool, ServerTools, Symbol};
use crate::models::Model;
use crate::texts;

/// The rest of a request, as far as it is known. What is not known is no fault.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// `model`
    pub model: Option<Model>,
    /// Its name, as [`texts::shown`] gives it.
    pub model_name: Option<String>,
    /// `thinking`
    pub thinking: Option<Thinking>,
    /// `tools`
    pub tools: Option<Tools>,
    /// The names in `betas` and in the `anthropic-beta` header.
    pub betas: Option<Vec<String>>,
    /// `container`
    pub container: Option<Container>,
    /// The `cache_control`s outside the messages.
    pub breakpoints: Breakpoints,
}

/// What `thinking` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// `enabled`, with a budget: manual mode.
    Enabled,
    /// `adaptive`
    Adaptive,
    /// `disabled`
    Disabled,
}

impl Thinking {
    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Thinking> {
        match name {
            "enabled" => Some(Thinking::Enabled),
            "adaptive" => Some(Thinking::Adaptive),
            "disabled" => Some(Thinking::Disabled),
            _ => None,
        }
    }
}

/// Whether a container is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// It is null.
    Null,
    /// It is.
    Given,
}

/// What is declared in `tools`.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Their names, by the history's symbols.
    pub names: BTreeSet<Symbol>,
    /// Those that the server runs.
    pub server: ServerTools,
    /// How many there are.
    pub count: u32,
}

impl Tools {
    /// A declaration: its name, and its `type` if it has one.
    pub fn declare(&mut self, name: Option<Symbol>, kind: Option<&str>) {
        self.count += 1;
        self.names.extend(name);
        let tool = kind.map(ServerTool::declared).unwrap_or_default();
        if tool != ServerTool::Unknown {
            self.server.add(tool);
        }
    }

    /// Whether none of them has this name. Where one tells no name, as a toolset of MCP, it may
    /// bring any.
    #[must_use]
    pub fn lacks(&self, name: Symbol) -> bool {
        name.is_some() && self.names.len() >= self.count as usize && !self.names.contains(&name)
    }

    /// Whether a tool that the server runs is none of them.
    #[must_use]
    pub fn lacks_server_tool(&self, tool: ServerTool) -> bool {
        tool != ServerTool::Unknown && !self.server.holds(tool)
    }
}

/// Places outside the messages up to which the request is cached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breakpoints {
    /// Those in `tools` and `system`.
    pub before: u32,
    /// Whether one of them lives for less than an hour.
    pub has_short: bool,
    /// That of the request itself, which caches what it ends with; and whether it lives an hour.
    pub automatic: Option<bool>,
}

impl Breakpoints {
    /// The most markers of a request, with those in its messages.
    pub const MOST: usize = 4;

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.before as usize + usize::from(self.automatic.is_some())
    }

    /// One in `tools` or `system`.
    pub fn add(&mut self, is_long: bool) {
        self.before += 1;
        self.has_short |= !is_long;
    }
}

impl Context {
    /// Whether a beta is known to be on.
    #[must_use]
    pub fn has_beta(&self, name: &str) -> bool {
        self.betas.iter().flatten().any(|beta| beta == name)
    }

    /// Whether the model binds thinking to what precedes it, if it is known which model it is.
    #[must_use]
    pub fn binds_thinking(&self) -> Option<bool> {
        self.model.filter(|model| model.is_known).map(|model| model.binds_thinking)
    }

    /// The names in an `anthropic-beta` header.
    pub fn add_betas(&mut self, header: &str) {
        let names = header.split(',').map(str::trim).filter(|name| !name.is_empty());
        self.betas.get_or_insert_default().extend(names.map(str::to_owned));
    }

    /// The model, by its name.
    pub fn set_model(&mut self, name: &str) {
        self.model = Some(Model::named(name));
        self.model_name = Some(texts::shown(name));
    }

    /// Whether the model's name tells nothing.
    #[must_use]
    pub fn is_model_unknown(&self) -> bool {
        self.model.is_some_and(|model| !model.is_known)
    }

    /// What is to be said of the request before any fault, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let unknown = self.model_name.iter().filter(|_| self.is_model_unknown());
        let note = |name: &String| {
            format!(
                "model '{name}' is not known to toolpair: rules that depend on it judge as for \
                 the newest models, and only warn"
            )
        };
        unknown.map(note).collect()
    }
}
