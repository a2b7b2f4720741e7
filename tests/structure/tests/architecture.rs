//! ARCHITECTURE.md says where `unsafe` stands and which crates there are; it is held to it.
#![forbid(unsafe_code)]

use hemiola_structure::{Architecture, House};

#[test]
fn architecture_md_names_every_crate() {
    let (house, architecture) = read();
    assert_eq!(architecture.unplaced(&house), [""; 0], "crates without a line in the table of crates");
}

#[test]
fn architecture_md_names_every_file_with_unsafe_and_no_other() {
    let (house, architecture) = read();
    let unlisted: Vec<String> = house.crates.iter().flat_map(|one| architecture.unlisted_unsafe(one)).collect();
    assert_eq!(unlisted, [""; 0], "files with `unsafe` that its list does not name");
    assert_eq!(architecture.listed_without_unsafe(&house), [""; 0], "entries of its list that hold no `unsafe`");
}

fn read() -> (House, Architecture) {
    let house = House::here().unwrap_or_else(|error| panic!("{error}"));
    let architecture = Architecture::read(&house.root).unwrap_or_else(|error| panic!("{error}"));
    (house, architecture)
}
