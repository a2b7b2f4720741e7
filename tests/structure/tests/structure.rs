//! The rules that hold for every crate, without exceptions.
#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::LazyLock;

use hemiola_structure::{Architecture, Crate, House, Module};

static HOUSE: LazyLock<House> = LazyLock::new(|| House::here().unwrap_or_else(|error| panic!("{error}")));

/// The number of modules in the largest circle that is accepted.
const LARGEST_CIRCLE: usize = 2;

#[test]
fn no_circle_of_modules_has_more_than_two_rooms() {
    let found = complaints(|one| {
        let circles = one.graph.circles().into_iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
        circles.map(|circle| format!("{} ({})", circle.join(", "), circle.len())).collect()
    });
    assert_eq!(
        found, "",
        "\nsee `cargo run -p hemiola-structure -- --arrows`; move what both sides need into a module below them\n{found}"
    );
}

#[test]
fn no_crate_needs_one_that_stands_below_it() {
    let architecture = Architecture::read(&HOUSE.root).unwrap_or_else(|error| panic!("{error}"));
    let up = architecture.arrows_up(&HOUSE);
    assert!(up.is_empty(), "who needs whom, against the order of the table in ARCHITECTURE.md: {up:?}");
}

#[test]
fn atomics_come_from_sync_rs_only() {
    let found = complaints(|one| {
        // Robots and examples are programs of users, who take the standard library's.
        let is_ours = ["crates", "bench"].iter().any(|folder| Path::new(&one.folder).starts_with(folder));
        if is_ours { files(one.atomics_past_sync()) } else { Vec::new() }
    });
    assert_eq!(found, "", "\nimport them from `crate::sync`, so that loom can replace them\n{found}");
}

#[test]
fn a_file_with_unsafe_says_so_and_why_at_its_top() {
    let found = complaints(|one| files(one.unsafe_without_expectation()));
    assert_eq!(found, "", "\nadd `#![expect(unsafe_code, reason = \"..\")]`, or do without\n{found}");
}

#[test]
fn every_crate_denies_unsafe() {
    let found = complaints(|one| {
        let complaint = || "its root has neither `#![forbid(unsafe_code)]` nor `#![deny(unsafe_code)]`".to_owned();
        (!one.denies_unsafe()).then(complaint).into_iter().collect()
    });
    assert_eq!(found, "", "\n{found}");
}

/// The check sees what it is for: crates, what they need, and what their modules hold.
#[test]
fn the_check_reads_this_workspace() {
    let runtime =
        HOUSE.crates.iter().find(|one| one.name == "hemiola-runtime").expect("it is a crate of this workspace");
    assert!(runtime.needs.contains(&"hemiola-model".to_owned()));
    assert!(runtime.with_unsafe().count() > 0);
    assert!(runtime.modules.len() > 20);
    assert!(runtime.graph.arrows.values().any(|targets| targets.len() > 2));
}

fn files(modules: Vec<&Module>) -> Vec<String> {
    modules.iter().map(|module| module.file.display().to_string()).collect()
}

fn complaints(of: impl Fn(&Crate) -> Vec<String>) -> String {
    let complaint = |one: &Crate| {
        let found = of(one);
        (!found.is_empty()).then(|| format!("{}:\n  {}\n", one.name, found.join("\n  ")))
    };
    HOUSE.crates.iter().filter_map(complaint).collect()
}
