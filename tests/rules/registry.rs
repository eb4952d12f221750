//! The laws of the registry.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

use toolpair::{ENDPOINTS, Options, RULES, Severity, check, json};

#[test]
fn codes_are_sorted_and_unique_and_of_one_form() {
    let codes: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
    let is_code = |code: &&str| {
        code.len() == 5
            && code.strip_prefix("TP").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
    };
    assert!(codes.iter().all(is_code), "{codes:?}");
}

#[test]
fn a_file_is_named_after_its_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut slugs: Vec<_> = RULES.iter().map(|rule| rule.slug.replace('-', "_")).collect();
    slugs.sort();
    assert_eq!(files, slugs);
}

#[test]
fn an_example_breaks_its_rule_and_no_other() {
    for rule in RULES {
        let (history, _) = json::read(rule.example.as_bytes()).unwrap();
        let report = check(&history, Options::new(&ENDPOINTS[0]));
        let found: Vec<_> = report.violations.iter().map(|found| found.rule.slug).collect();
        assert!(found.contains(&rule.slug), "{} is not found in its example", rule.slug);
        assert!(found.iter().all(|slug| *slug == rule.slug), "{}: {found:?}", rule.slug);
        assert!(report.violations.iter().all(|found| found.severity == rule.severity));
    }
}

#[test]
fn ignoring_a_rule_silences_it_alone() {
    for rule in RULES {
        let (history, _) = json::read(rule.example.as_bytes()).unwrap();
        for name in [rule.code, rule.slug] {
            let mut options = Options::new(&ENDPOINTS[0]);
            assert!(options.ignore(name));
            assert!(check(&history, options).violations.is_empty(), "{name}");
        }
    }
    assert!(!Options::new(&ENDPOINTS[0]).ignore("no-such-rule"));
}

#[test]
fn a_strict_endpoint_knows_no_warning() {
    let strict = ENDPOINTS.iter().find(|endpoint| endpoint.is_strict).unwrap();
    for rule in RULES.iter().filter(|rule| rule.severity == Severity::Warning) {
        let (history, _) = json::read(rule.example.as_bytes()).unwrap();
        let report = check(&history, Options::new(strict));
        let severities: Vec<_> = report.violations.iter().map(|found| found.severity).collect();
        assert!(severities.contains(&Severity::Error), "{}", rule.slug);
        assert!(!severities.contains(&Severity::Warning), "{}", rule.slug);
    }
}

#[test]
fn endpoints_name_rules_that_exist() {
    for slug in ENDPOINTS.iter().flat_map(|endpoint| endpoint.errors) {
        assert!(RULES.iter().any(|rule| rule.slug == *slug), "{slug}");
    }
}

#[test]
fn the_servers_texts_explain_their_own_rule() {
    for rule in RULES {
        for template in rule.server {
            let text = toolpair::texts::fill(template, |key| {
                match key {
                    "place" | "at" => "messages.3.content.1",
                    "ids" => "toolu_A, toolu_B",
                    "count" => "1",
                    "kind" => "web_search",
                    "role" => "bogus",
                    _ => "x",
                }
                .to_owned()
            });
            let found = toolpair::explain(&text);
            let found = found.unwrap_or_else(|| panic!("not recognised: {text}"));
            assert_eq!(found.rule.slug, rule.slug, "{text}");
            if template.contains("{ids}") {
                assert_eq!(found.ids, ["toolu_A", "toolu_B"], "{text}");
            }
            if template.starts_with("{place}") || template.starts_with("{at}") {
                assert_eq!(found.place.unwrap().to_string(), "messages[3].content[1]", "{text}");
            }
        }
    }
}
