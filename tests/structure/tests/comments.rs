//! Comments and documentation are read beside code on half a screen: they wrap at 100 columns. A
//! summary is understood without the line above it: it begins with a verb or a noun, never with a
//! word that makes it a fragment.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use hemiola_structure::House;

const WIDTH: usize = 100;

/// The words that make a fragment of a summary that begins with them, such as `Whether it runs.`
const FRAGMENTS: [&str; 24] = [
    "And", "As", "But", "By", "How", "If", "It", "Its", "Not", "Of", "Or", "Per", "Than", "They", "This", "Those",
    "To", "What", "When", "Where", "Whether", "Which", "Who", "Why",
];

#[test]
fn comments_wrap() {
    let house = House::here().unwrap_or_else(|error| panic!("{error}"));
    let mut wide = Vec::new();
    for file in house.crates.iter().flat_map(|one| sources(&house.root.join(&one.folder))) {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let lines = wide_comments(&text).into_iter();
        wide.extend(lines.map(|line| format!("{}:{line}", file.display())));
    }
    assert!(wide.is_empty(), "comments wider than {WIDTH} columns:\n{}", wide.join("\n"));
}

#[test]
fn what_cannot_be_wrapped_may_be_wide() {
    let long = "word ".repeat(25);
    assert_eq!(wide_comments(&format!("let x = 1;\n    // {long}\n/// {long}\n")), [2, 3]);
    assert_eq!(wide_comments(&format!("/// ```\n/// {long}\n/// ```\n/// {long}")), [4], "code in a comment");
    assert_eq!(wide_comments(&format!("//! | {long} | table |\n//! [name]: {}", "x".repeat(120))), [0; 0]);
    assert_eq!(wide_comments(&format!("let text = \"{long}\";")), [0; 0], "no comment");
}

#[test]
fn summaries_are_no_fragments() {
    let house = House::here().unwrap_or_else(|error| panic!("{error}"));
    let mut fragments = Vec::new();
    for file in house.crates.iter().flat_map(|one| sources(&house.root.join(&one.folder).join("src"))) {
        if is_for_tests(&file) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let found = fragments_in(&text).into_iter();
        fragments.extend(found.map(|(line, summary)| format!("{}:{line}: {summary}", file.display())));
    }
    assert!(fragments.is_empty(), "summaries that are fragments:\n{}", fragments.join("\n"));
}

#[test]
fn only_the_first_line_of_documentation_is_a_summary() {
    let text = "/// Returns it.\n///\n/// If there is none, nothing.\nfn a() {}\n// If so.\n/// Whether it runs.\n";
    assert_eq!(fragments_in(text), [(6, "Whether it runs.")]);
    assert_eq!(fragments_in("//! What it promises.\n/// Italic.\n"), [(1, "What it promises.")]);
    assert_eq!(fragments_in("/// ```\n/// If\n/// ```\n    /// Notes.\n"), []);
}

/// Returns the lines, from 1, at which a summary begins that is a fragment, with their text.
fn fragments_in(text: &str) -> Vec<(usize, &str)> {
    let mut before = None;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
        let kind = ["//!", "///"].into_iter().find(|kind| line.starts_with(kind));
        if let Some(kind) = kind.filter(|_| kind != before) {
            let summary = line[kind.len()..].trim_start();
            let first = summary.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
            if FRAGMENTS.contains(&first) {
                found.push((number, summary));
            }
        }
        before = kind;
    }
    found
}

/// Returns whether a file is only compiled for tests, by its path.
fn is_for_tests(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// The numbers of the lines, from 1, that hold a comment and are too wide. Code in comments, tables
/// and single words, such as addresses, cannot be wrapped.
fn wide_comments(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut wide = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            is_code = false;
            continue;
        };
        let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment).trim_start_matches(' ');
        if comment.starts_with("```") {
            is_code = !is_code;
        }
        let words = comment.split_whitespace().filter(|word| !["-", "*"].contains(word)).count();
        let is_definition = comment.starts_with('[') && words == 2 && comment.contains("]: ");
        if !is_code && !comment.starts_with('|') && words > 1 && !is_definition && line.chars().count() > WIDTH {
            wide.push(number + 1);
        }
    }
    wide
}

/// All files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                found.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
