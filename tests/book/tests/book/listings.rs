//! Tests that listings of Rust come from code that is compiled and tested, and that those of TOML
//! can be parsed.

use std::fs;
use std::path::Path;

use crate::page::{Block, Page, book, included, root};

#[test]
fn listings_are_included_from_code_that_is_compiled() {
    let problems = book().into_iter().flat_map(|page| {
        let blocks = page.blocks().into_iter().filter(|block| block.language.starts_with("rust"));
        blocks.filter_map(|block| problem(&page, &block)).collect::<Vec<_>>()
    });
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns what is wrong with a block that includes files.
fn problem(page: &Page, block: &Block) -> Option<String> {
    let mut lines = block.text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let place = format!("{}:{}", page.name(), block.line);
    if lines.peek().is_none_or(|line| included(line).is_none()) {
        return Some(format!("{place}: include it from a crate of the workspace: {{{{#include FILE:ANCHOR}}}}"));
    }
    lines.find_map(|line| {
        let Some((file, part)) = included(line) else { return Some(format!("{place}: `{line}` is not included")) };
        let path = page.path.with_file_name(file);
        let Ok(text) = fs::read_to_string(&path) else { return Some(format!("{place}: there is no {file}")) };
        // The templates of `hemiola new` are members of the workspace below another name.
        let in_crate = |folder: &Path| ["Cargo.toml", "manifest.toml"].iter().any(|name| folder.join(name).exists());
        let is_compiled =
            file.ends_with(".toml") || path.parent().is_some_and(|folder| folder.ancestors().any(in_crate));
        let is_there = part.is_none_or(|part| has_part(&text, part));
        (!is_compiled || !is_there).then(|| format!("{place}: {file} has no {}", part.unwrap_or("crate")))
    })
}

/// Returns whether a text has the part between two marks, `ANCHOR: name` and `ANCHOR_END: name`, or
/// between two lines. These must begin and end whole items, so that changes are noticed.
fn has_part(text: &str, part: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let Some((from, to)) = part.split_once(':') else {
        let has = |mark: &str| lines.iter().any(|line| *line == format!("// {mark}: {part}"));
        return has("ANCHOR") && has("ANCHOR_END");
    };
    let (Ok(from), Ok(to)) = (from.parse::<usize>(), to.parse::<usize>()) else { return false };
    let is_gap = |number: usize| lines.get(number.wrapping_sub(1)).is_none_or(|line| line.is_empty());
    is_gap(from - 1) && !is_gap(from) && !is_gap(to) && is_gap(to + 1)
}

/// README.md is read where nothing can be included, so its listing is a copy.
#[test]
fn the_readme_shows_code_that_is_compiled() {
    let readme = Page::read(&root().join("README.md"));
    let example = fs::read_to_string(root().join("crates/hemiola/examples/hello.rs")).unwrap();
    let listings: Vec<_> = readme.blocks().into_iter().filter(|block| block.language == "rust").collect();
    assert!(!listings.is_empty(), "README.md shows code");
    for listing in listings {
        assert!(example.contains(&listing.text), "README.md:{}: copy it from examples/hello.rs", listing.line);
    }
}

#[test]
fn listings_of_toml_can_be_read() {
    for page in book() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            if block.text.lines().next().is_some_and(|line| included(line).is_some()) {
                assert_eq!(problem(&page, block), None);
                continue;
            }
            let result = block.text.parse::<toml::Table>();
            assert!(result.is_ok(), "{}:{}: {}", page.name(), block.line, result.unwrap_err());
        }
    }
}
