//! Comments and documentation are read beside code on half a screen: they wrap at 100 columns.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use hemiola_structure::House;

const WIDTH: usize = 100;

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
