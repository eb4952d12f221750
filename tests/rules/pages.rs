//! Runs every page of this folder: a history or a whole request, and the report that it must give.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};

use toolpair::{Endpoint, Options, RULES, Words, check, json};

/// One `json` block of a page and the `report` block behind it.
struct Case {
    at: String,
    options: String,
    history: String,
    expected: Vec<String>,
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rules");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

fn cases(page: &Path) -> Vec<Case> {
    let text = fs::read_to_string(page).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    let mut title = "";
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            title = heading;
        }
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<_> =
            lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
        let at = format!("{}: {title}", page.file_stem().unwrap().to_string_lossy());
        if let Some(options) = info.strip_prefix("json") {
            let (history, expected) = (block.join("\n"), Vec::new());
            cases.push(Case { at, options: options.to_owned(), history, expected });
        } else if info == "report" {
            cases.last_mut().unwrap().expected = block;
        } else {
            panic!("{at}: a block of kind {info:?}");
        }
    }
    cases
}

/// A history as JSON: `[…] * N` is the list so many times over.
fn written_out(history: &str) -> String {
    let Some((list, times)) = history.rsplit_once("] * ") else { return history.to_owned() };
    let messages = list.strip_prefix('[').unwrap();
    let times = times.trim().parse().unwrap();
    format!("[{}]", vec![messages; times].join(","))
}

fn options(case: &Case) -> Options {
    let mut endpoint = "anthropic";
    let (mut ignored, mut selected, mut allow_pending) = (Vec::new(), Vec::new(), false);
    for option in case.options.split_whitespace() {
        match option.split_once('=') {
            Some(("endpoint", name)) => endpoint = name,
            Some(("ignore", name)) => ignored.push(name),
            Some(("select", name)) => selected.push(name),
            None if option == "allow_pending" => allow_pending = true,
            _ => panic!("{}: option {option:?}", case.at),
        }
    }
    let mut options = Options::new(Endpoint::named(endpoint).unwrap());
    for name in ignored {
        assert!(options.ignore(name), "{}: no rule {name}", case.at);
    }
    for name in selected {
        assert!(options.select(name), "{}: no rule {name}", case.at);
    }
    if allow_pending {
        options.allow_pending();
    }
    options
}

fn report(case: &Case) -> Vec<String> {
    let mut options = options(case);
    let mut text = written_out(&case.history);
    let (history, texts) = if text.starts_with('[') && !case.options.contains("select=") {
        json::read(text.as_bytes()).unwrap()
    } else {
        if text.starts_with('[') {
            text = format!(r#"{{"messages": {text}}}"#);
        }
        let (request, texts) = json::read_request_with_extras(text.as_bytes()).unwrap();
        options = options.with_context(request.context);
        (request.history, texts)
    };
    let report = check(&history, options);
    let lines = report.violations.iter().map(|found| {
        let name = match (found.subject, found.place.message) {
            (Some(block), _) => texts.name(block),
            (None, message) => message.and_then(|message| texts.role(message)),
        };
        let words = Words { id: texts.id(found.id), name, word: texts.id(found.word), ids: &[] };
        let text = found.text(words);
        assert!(!text.is_empty() && !text.contains(['{', '}']), "{}: {text:?}", case.at);
        let id = texts.id(found.id).filter(|id| !id.is_empty());
        let id = id.map(|id| format!(" {id}")).unwrap_or_default();
        format!("{} {} {}{id}", found.severity.name(), found.place, found.rule.slug)
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() { vec!["fine".to_owned()] } else { lines }
}

#[test]
fn every_history_gives_its_report() {
    let mut failures = Vec::new();
    for case in pages().iter().flat_map(|page| cases(page)) {
        let found = report(&case);
        if found != case.expected {
            failures.push(format!("{}\n  found {found:#?}\n  want {:#?}", case.at, case.expected));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_a_page_that_breaks_it_and_keeps_it() {
    let names: Vec<_> = RULES.iter().map(|rule| format!("{}-{}", rule.code, rule.slug)).collect();
    let pages = pages();
    let stems: Vec<_> =
        pages.iter().map(|page| page.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(stems, names);
    for (page, rule) in pages.iter().zip(RULES) {
        let reports: Vec<_> = cases(page).into_iter().map(|case| case.expected).collect();
        let breaks = |report: &&Vec<String>| {
            report.iter().any(|line| line.split(' ').any(|word| word == rule.slug))
        };
        let broken = reports.iter().filter(breaks).count();
        assert!(broken > 0, "{} is never broken on its page", rule.slug);
        assert!(broken < reports.len(), "{} is never kept on its page", rule.slug);
    }
}
