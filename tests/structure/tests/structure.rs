//! What must hold of every crate, but for what `exceptions.toml` still tolerates.
#![forbid(unsafe_code)]

use std::sync::LazyLock;

use hemiola_structure::{Architecture, Crate, Exceptions, House, Module};

static HOUSE: LazyLock<House> = LazyLock::new(|| House::here().unwrap_or_else(|error| panic!("{error}")));
static EXCEPTIONS: LazyLock<Exceptions> =
    LazyLock::new(|| Exceptions::read().unwrap_or_else(|error| panic!("{error}")));

/// The largest circle of modules that needs no exception.
const LARGEST_CIRCLE: usize = 2;

#[test]
fn no_circle_of_modules_has_more_than_two_rooms() {
    let found = complaints(|one| {
        let circles: Vec<Vec<String>> =
            one.graph.circles().into_iter().filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
        let tolerated = EXCEPTIONS.of(&one.name).circles;
        let excess = circles.len() > tolerated.len()
            || circles.iter().zip(&tolerated).any(|(circle, size)| circle.len() > *size);
        let told = circles.iter().map(|circle| format!("{} ({})", circle.join(", "), circle.len()));
        excess.then(|| told.collect())
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
        // Programs for people and for benchmarks are no library: nobody runs them under loom.
        let library = one.folder.starts_with("crates/");
        exceeding(one.atomics_past_sync(), if library { EXCEPTIONS.of(&one.name).atomics } else { usize::MAX })
    });
    assert_eq!(found, "", "\nimport them from `crate::sync`, so that loom can replace them\n{found}");
}

#[test]
fn a_file_with_unsafe_says_so_and_why_at_its_top() {
    let found =
        complaints(|one| exceeding(one.unsafe_without_expectation(), EXCEPTIONS.of(&one.name).unexpected_unsafe));
    assert_eq!(found, "", "\nadd `#![expect(unsafe_code, reason = \"..\")]`, or do without\n{found}");
}

#[test]
fn every_crate_denies_unsafe() {
    let found = complaints(|one| {
        let missing = !one.denies_unsafe() && !EXCEPTIONS.of(&one.name).unsafe_not_denied;
        missing.then(|| vec!["its root has neither `#![forbid(unsafe_code)]` nor `#![deny(unsafe_code)]`".to_owned()])
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

fn exceeding(files: Vec<&Module>, tolerated: usize) -> Option<Vec<String>> {
    (files.len() > tolerated).then(|| files.iter().map(|module| module.file.display().to_string()).collect())
}

fn complaints(of: impl Fn(&Crate) -> Option<Vec<String>>) -> String {
    let lines = HOUSE.crates.iter().filter_map(|one| Some(format!("{}:\n  {}\n", one.name, of(one)?.join("\n  "))));
    lines.collect()
}
