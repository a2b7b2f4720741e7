//! Tests that links within the repository have targets.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{Page, all_pages, book, root};

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for page in all_pages() {
        for link in page.links() {
            if link.starts_with("http") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.path.clone() } else { page.path.with_file_name(path) };
            let is_page = target.extension().is_some_and(|end| end == "md");
            let leads = target.exists() && (anchor.is_empty() || !is_page || has_anchor(&target, anchor));
            if !leads {
                dead.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

fn has_anchor(page: &Path, anchor: &str) -> bool {
    Page::read(page).anchors().iter().any(|one| one == anchor)
}

/// mdBook turns every link to `.md` into one to `.html`, even if the page is not a chapter.
#[test]
fn chapters_link_no_pages_outside_of_the_book() {
    let outside = book().into_iter().flat_map(|page| {
        let links = page.links().into_iter().filter(|link| link.starts_with("../") && link.contains(".md"));
        links.map(|link| format!("{}: {link}", page.name())).collect::<Vec<_>>()
    });
    assert_eq!(outside.collect::<Vec<_>>(), [""; 0], "link the folder, or include the page as a chapter");
}

#[test]
fn the_summary_has_every_chapter() {
    let pages = book();
    let summary = pages.iter().find(|page| page.name() == "SUMMARY.md").unwrap().links();
    let names = pages.iter().map(Page::name).filter(|name| *name != "SUMMARY.md");
    assert_eq!(names.filter(|name| !summary.iter().any(|link| link == name)).collect::<Vec<_>>(), [""; 0]);
}

/// Sources refer to pages by their path.
#[test]
fn pages_that_sources_name_are_there() {
    let folders = ["crates", "robots", "examples", "bench/src", "tests/foreign"];
    let mut missing = Vec::new();
    for file in folders.iter().flat_map(|folder| sources(&root().join(folder))) {
        let text = fs::read_to_string(&file).unwrap();
        for rest in text.split("docs/").skip(1) {
            let end = rest.find(|one: char| !one.is_alphanumeric() && !"-./".contains(one)).unwrap_or(rest.len());
            let name = rest[..end].trim_end_matches('.');
            if name.ends_with(".md") && !root().join("docs").join(name).is_file() {
                missing.push(format!("{}: docs/{name}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| match path.extension().and_then(|end| end.to_str()) {
        Some("rs" | "js" | "py" | "toml" | "md") => vec![path],
        _ if path.is_dir() && !path.is_symlink() => sources(&path),
        _ => Vec::new(),
    };
    entries.flat_map(of).collect()
}
