//! Tests that listings come from code that is compiled and tested, as those of Rust must, and those
//! of TOML may.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::page::{Block, Page, book, root};

#[test]
fn listings_are_copies_of_code_that_is_compiled() {
    let problems = book().into_iter().flat_map(|page| {
        let blocks = page.blocks().into_iter().filter(|block| block.language.starts_with("rust"));
        blocks.filter_map(|block| problem(&page, &block)).collect::<Vec<_>>()
    });
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns what is wrong with a block that shows parts of files, as the comment above it says:
/// `<!-- from FILE:PART, FILE:PART -->`. The book is read in the repository as well, where nothing
/// can be included.
fn problem(page: &Page, block: &Block) -> Option<String> {
    let place = format!("{}:{}", page.name(), block.line);
    let Some(parts) = block.remark.strip_prefix("from ") else {
        return Some(format!("{place}: show code of a crate of the workspace: <!-- from FILE:ANCHOR --> above it"));
    };
    let parts: Result<Vec<_>, _> = parts.split(", ").map(|part| shown(page, part)).collect();
    match parts {
        Err(problem) => Some(format!("{place}: {problem}")),
        Ok(parts) if parts.join("\n") == block.text => None,
        Ok(parts) => Some(format!("{place}: {} is now\n{}", block.remark, parts.join("\n"))),
    }
}

/// Returns the text of a part of a file, `FILE`, `FILE:ANCHOR` or `FILE:LINE:LINE`.
fn shown(page: &Page, part: &str) -> Result<String, String> {
    let (file, part) = part.split_once(':').map_or((part, None), |(file, part)| (file, Some(part)));
    let path = page.path.with_file_name(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    // The templates of `hemiola new` are members of the workspace below another name.
    let in_crate = |folder: &Path| ["Cargo.toml", "manifest.toml"].iter().any(|name| folder.join(name).exists());
    let is_compiled = file.ends_with(".toml") || path.parent().is_some_and(|folder| folder.ancestors().any(in_crate));
    if !is_compiled {
        return Err(format!("{file} is in no crate"));
    }
    let lines: Vec<&str> = text.lines().collect();
    let range = part.map_or(Some(0..lines.len()), |part| range_of(&lines, part));
    let range = range.ok_or_else(|| format!("{file} has no {}", part.unwrap_or_default()))?;
    let is_mark = |line: &str| line.trim().starts_with("// ANCHOR");
    Ok(lines[range].iter().filter(|line| !is_mark(line)).map(|line| format!("{line}\n")).collect())
}

/// Returns the lines between two marks, `ANCHOR: name` and `ANCHOR_END: name`, or those with two
/// numbers, which must begin and end whole items.
fn range_of(lines: &[&str], part: &str) -> Option<Range<usize>> {
    let Some((from, to)) = part.split_once(':') else {
        let find = |mark: &str| lines.iter().position(|line| line.trim() == format!("// {mark}: {part}"));
        return Some(find("ANCHOR")? + 1..find("ANCHOR_END")?);
    };
    let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
    let is_gap = |number: usize| lines.get(number.wrapping_sub(1)).is_none_or(|line| line.trim().is_empty());
    (is_gap(from - 1) && !is_gap(from) && !is_gap(to) && is_gap(to + 1)).then_some(from - 1..to)
}

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
fn listings_of_toml_that_come_from_a_file_are_copies() {
    let problems = book().into_iter().flat_map(|page| {
        let copied = |block: &Block| block.language == "toml" && block.remark.starts_with("from ");
        let blocks = page.blocks().into_iter().filter(copied);
        blocks.filter_map(|block| problem(&page, &block)).collect::<Vec<_>>()
    });
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
