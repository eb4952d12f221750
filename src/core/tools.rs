//! The tools that the server runs itself.

/// A family of server tools: calls, results and declarations are matched by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServerTool {
    /// None of the known ones.
    #[default]
    Unknown,
    /// `web_search`
    WebSearch,
    /// `web_fetch`
    WebFetch,
    /// `code_execution`, with `bash_code_execution` and `text_editor_code_execution`
    CodeExecution,
    /// `tool_search_tool_regex`
    SearchRegex,
    /// `tool_search_tool_bm25`
    SearchBm25,
    /// `advisor`
    Advisor,
}

impl ServerTool {
    /// The tool that a `server_tool_use` names.
    ///
    /// Source: the SDK's type of that block, as of 2026-11.
    #[must_use]
    pub fn named(name: &str) -> ServerTool {
        match name {
            "web_search" => ServerTool::WebSearch,
            "web_fetch" => ServerTool::WebFetch,
            "code_execution" | "bash_code_execution" | "text_editor_code_execution" => {
                ServerTool::CodeExecution
            }
            "tool_search_tool_regex" => ServerTool::SearchRegex,
            "tool_search_tool_bm25" => ServerTool::SearchBm25,
            "advisor" => ServerTool::Advisor,
            _ => ServerTool::Unknown,
        }
    }

    /// The tool whose result has this `type`.
    #[must_use]
    pub fn of_result(kind: &str) -> ServerTool {
        ServerTool::named(kind.strip_suffix("_tool_result").unwrap_or_default())
    }

    /// The tool that a declaration of this `type` gives: the name and a date.
    #[must_use]
    pub fn declared(kind: &str) -> ServerTool {
        let name = kind.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        ServerTool::named(name)
    }
}

/// A set of server tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerTools(u8);

impl ServerTools {
    /// Add one.
    pub fn add(&mut self, tool: ServerTool) {
        self.0 |= 1 << tool as u8;
    }

    /// Add all of another set.
    pub fn add_all(&mut self, more: ServerTools) {
        self.0 |= more.0;
    }

    /// Whether it is among them.
    #[must_use]
    pub fn holds(self, tool: ServerTool) -> bool {
        self.0 & (1 << tool as u8) != 0
    }
}
