//! The laws of the registry.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

use toolpair::{
    ENDPOINTS, Endpoint, Options, RULES, Report, Rule, Severity, When, Words, check, json,
};

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

/// An example as JSON: `[...] * N` is the list so many times over, and any list is a request's.
fn written_out(example: &str) -> String {
    let list = match example.rsplit_once("] * ") {
        None => example.to_owned(),
        Some((list, times)) => {
            let messages = list.strip_prefix('[').unwrap();
            format!("[{}]", vec![messages; times.parse().unwrap()].join(","))
        }
    };
    if list.starts_with('[') { format!(r#"{{"messages": {list}}}"#) } else { list }
}

/// What is found in a rule's example, if the rule is on.
fn report_on(rule: &Rule, endpoint: &'static Endpoint, ignored: Option<&str>) -> Report {
    let body = written_out(rule.example);
    let (request, texts) = json::read_request_with_extras(body.as_bytes()).unwrap();
    let mut options = Options::new(endpoint).with_context(request.context);
    assert!(options.select(rule.slug));
    if let Some(name) = ignored {
        assert!(options.ignore(name));
    }
    let report = check(&request.history, options);
    for found in &report.violations {
        let name = found.subject.and_then(|block| texts.name(block));
        let words = Words { id: texts.id(found.id), name, word: texts.id(found.word), ids: &[] };
        let text = found.text(words);
        assert!(!text.is_empty() && !text.contains(['{', '}']) && text.is_ascii(), "{text:?}");
        assert!(!text.ends_with('.'), "{text:?}");
        let said = found.server_text(words).unwrap_or_default();
        assert!(!said.contains('{') || rule.server.is_empty(), "{said:?}");
    }
    report
}

#[test]
fn an_example_breaks_its_rule_and_no_other() {
    for rule in RULES {
        let report = report_on(rule, &ENDPOINTS[0], None);
        let found: Vec<_> = report.violations.iter().map(|found| found.rule.slug).collect();
        assert!(found.contains(&rule.slug), "{} is not found in its example", rule.slug);
        assert!(found.iter().all(|slug| *slug == rule.slug), "{}: {found:?}", rule.slug);
        assert!(report.violations.iter().all(|found| found.severity == rule.severity));
    }
}

#[test]
fn a_rule_is_off_unless_it_is_selected_or_the_endpoint_has_it() {
    for rule in RULES.iter().filter(|rule| rule.when == When::Selected) {
        let body = written_out(rule.example);
        let (request, _) = json::read_request_with_extras(body.as_bytes()).unwrap();
        let options = Options::new(&ENDPOINTS[0]).with_context(request.context);
        assert!(check(&request.history, options).violations.is_empty(), "{}", rule.slug);
    }
}

#[test]
fn ignoring_a_rule_silences_it_alone() {
    for rule in RULES {
        for name in [rule.code, rule.slug] {
            let report = report_on(rule, &ENDPOINTS[0], Some(name));
            assert!(report.violations.is_empty(), "{name}");
        }
    }
    assert!(!Options::new(&ENDPOINTS[0]).ignore("no-such-rule"));
    assert!(!Options::new(&ENDPOINTS[0]).select("no-such-rule"));
}

#[test]
fn a_strict_endpoint_knows_no_warning() {
    let strict = ENDPOINTS.iter().find(|endpoint| endpoint.is_strict).unwrap();
    for rule in RULES.iter().filter(|rule| rule.severity == Severity::Warning) {
        let report = report_on(rule, strict, None);
        let severities: Vec<_> = report.violations.iter().map(|found| found.severity).collect();
        assert!(severities.contains(&Severity::Error), "{}", rule.slug);
        assert!(!severities.contains(&Severity::Warning), "{}", rule.slug);
    }
}

#[test]
fn endpoints_and_rules_name_rules_that_exist() {
    let exists = |slug: &str| RULES.iter().any(|rule| rule.slug == slug);
    for (slug, _) in ENDPOINTS.iter().flat_map(|endpoint| endpoint.differs) {
        assert!(exists(slug), "{slug}");
    }
    for slug in RULES.iter().flat_map(|rule| rule.yields_to) {
        assert!(exists(slug), "{slug}");
    }
}

#[test]
fn the_servers_texts_explain_their_own_rule() {
    for rule in RULES {
        for template in rule.server {
            let text = toolpair::texts::fill(template, |key| {
                match key {
                    "place" | "at" => "messages.3.content.1",
                    "type_at" => "messages.3.content.1.type",
                    "message" => "messages.3",
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
            if template.contains("{place}") || template.contains("{at}") {
                assert_eq!(found.place.unwrap().to_string(), "messages[3].content[1]", "{text}");
            }
        }
    }
}
