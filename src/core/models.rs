//! What a model takes, by the family in its name.

/// What a model takes in `messages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Whether its name told which it is. If not, it is taken for one of the newest.
    pub is_known: bool,
    /// Whether the list may end in the assistant's words.
    pub takes_prefill: bool,
    /// Whether `system` is a role in the list.
    pub takes_system: Support,
    /// Whether its thinking is bound to all that stands before it.
    pub binds_thinking: bool,
}

/// Whether a model takes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does.
    Yes,
    /// Sources disagree.
    Unsure,
    /// It does not.
    No,
}

/// A major and a minor version.
type Version = (u8, u8);

/// From which version on a family's models have which ways.
struct Family {
    name: &'static str,
    no_prefill_from: Version,
    system_from: Version,
    /// A version before that of which sources disagree.
    system_unsure: Option<Version>,
    binds_from: Version,
}

/// As documented and measured by 2026-11.
///
/// Source: documentation of prefill, of system messages in a conversation and of thinking blocks;
/// live probes; recorded requests.
#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    Family { name: "haiku", no_prefill_from: (4, 6), system_from: (5, 5), system_unsure: None, binds_from: (5, 5) },
    Family { name: "sonnet", no_prefill_from: (4, 6), system_from: (5, 5), system_unsure: Some((5, 0)), binds_from: (5, 5) },
    Family { name: "opus", no_prefill_from: (4, 6), system_from: (4, 8), system_unsure: None, binds_from: (5, 5) },
    Family { name: "fable", no_prefill_from: (0, 0), system_from: (5, 0), system_unsure: None, binds_from: (5, 1) },
    Family { name: "mythos", no_prefill_from: (0, 0), system_from: (5, 0), system_unsure: None, binds_from: (5, 1) },
    Family { name: "instant", no_prefill_from: (9, 9), system_from: (9, 9), system_unsure: None, binds_from: (9, 9) },
];

impl Model {
    /// The newest generation, for names that tell nothing.
    const NEWEST: Model = Model {
        is_known: false,
        takes_prefill: false,
        takes_system: Support::Yes,
        binds_thinking: true,
    };

    /// A preview has no number yet: no prefill, and the rest as before its release.
    const PREVIEW: Model = Model {
        is_known: true,
        takes_prefill: false,
        takes_system: Support::No,
        binds_thinking: false,
    };

    /// The model of this name, as it is written for any host: `claude-sonnet-4-5`,
    /// `us.anthropic.claude-opus-4-1-20250805-v1:0`, `claude-3-5-haiku@20241022`.
    #[must_use]
    pub fn named(name: &str) -> Model {
        let Some((_, name)) = name.split_once("claude-") else { return Model::NEWEST };
        let words: Vec<_> = name.split(['-', '@', ':', '.', '_', '/']).collect();
        let family = FAMILIES.iter().find(|family| words.contains(&family.name));
        let Some(family) = family else { return Model::old_or_newest(&words) };
        let Some(version) = version(&words) else {
            return if words.contains(&"preview") { Model::PREVIEW } else { Model::NEWEST };
        };
        let takes_system = match family.system_unsure {
            Some(unsure) if unsure == version => Support::Unsure,
            _ if version >= family.system_from => Support::Yes,
            _ => Support::No,
        };
        Model {
            is_known: true,
            takes_prefill: version < family.no_prefill_from,
            takes_system,
            binds_thinking: version >= family.binds_from,
        }
    }

    /// `claude-2.1` and the like have no family.
    fn old_or_newest(words: &[&str]) -> Model {
        match version(words) {
            Some(version) if version < (3, 0) => Model {
                is_known: true,
                takes_prefill: true,
                takes_system: Support::No,
                binds_thinking: false,
            },
            _ => Model::NEWEST,
        }
    }
}

/// The first number, and the one behind it if it is one; a date is none.
fn version(words: &[&str]) -> Option<Version> {
    let number = |word: &&str| word.parse::<u8>().ok().filter(|_| word.len() <= 2);
    let at = words.iter().position(|word| number(word).is_some())?;
    let major = number(&words[at])?;
    let minor = words.get(at + 1).and_then(number).unwrap_or(0);
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::{Model, Support};

    #[test]
    fn a_model_is_known_by_the_name_that_any_host_gives_it() {
        for name in [
            "claude-sonnet-4-5",
            "claude-sonnet-4-5-20250929",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5@20250929",
            "anthropic/claude-sonnet-4.5",
            "claude-3-5-sonnet-20241022",
            "claude-3-7-sonnet-latest",
            "claude-opus-4@20250514",
            "claude-2.1",
            "claude-instant-1.2",
        ] {
            let model = Model::named(name);
            assert!(model.is_known, "{name}");
            assert!(model.takes_prefill, "{name}");
            assert_eq!(model.takes_system, Support::No, "{name}");
            assert!(!model.binds_thinking, "{name}");
        }
    }

    #[test]
    fn newer_models_have_newer_ways() {
        let ways = |name| {
            let model = Model::named(name);
            assert!(model.is_known, "{name}");
            (model.takes_prefill, model.takes_system, model.binds_thinking)
        };
        assert_eq!(ways("claude-opus-4-6"), (false, Support::No, false));
        assert_eq!(ways("claude-opus-4-8"), (false, Support::Yes, false));
        assert_eq!(ways("claude-sonnet-5"), (false, Support::Unsure, false));
        assert_eq!(ways("claude-sonnet-5-5"), (false, Support::Yes, true));
        assert_eq!(ways("claude-haiku-5-5-20261001"), (false, Support::Yes, true));
        assert_eq!(ways("claude-fable-5"), (false, Support::Yes, false));
        assert_eq!(ways("anthropic.claude-mythos-5-1-v1:0"), (false, Support::Yes, true));
        assert_eq!(ways("claude-mythos-preview"), (false, Support::No, false));
    }

    #[test]
    fn any_other_is_taken_for_one_of_the_newest() {
        for name in ["", "gpt-5", "claude-", "claude-saga-7", "claude-opus", "deepseek-chat"] {
            assert!(!Model::named(name).is_known, "{name}");
            assert!(!Model::named(name).takes_prefill, "{name}");
        }
    }
}
