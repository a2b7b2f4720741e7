//! The texts that people read when a configuration is wrong. They are part of the product: change
//! them with care.

mod robot;

use std::fmt::Write as _;

use hemiola_config::parse;
use robot::catalog;

/// The gallery: each configuration follows a line of `=`, and the text about it a line of `-`.
const GALLERY: &str = include_str!("gallery.txt");

/// A line between the parts of the gallery.
const FAULT: &str = "========================================\n";
const MESSAGE: &str = "----------------------------------------\n";

#[test]
fn every_fault_is_explained_as_in_the_gallery() {
    let mut said = String::new();
    let mut pictures = 0;
    for picture in GALLERY.split(FAULT).skip(1) {
        let (text, _) = picture.split_once(MESSAGE).expect("a text and a message");
        let message = match parse(text.trim_end(), "robot.toml", &catalog()) {
            Ok(loaded) => loaded.warnings.to_string(),
            Err(error) => error.to_string(),
        };
        writeln!(said, "{FAULT}{text}{MESSAGE}{message}").unwrap();
        pictures += 1;
    }
    assert!(pictures > 20, "the gallery shows {pictures} faults");
    let gallery = &GALLERY[GALLERY.find(FAULT).unwrap()..];
    if said != gallery {
        let difference = said.lines().zip(gallery.lines()).position(|(said, shown)| said != shown);
        let from = difference.unwrap_or_default().saturating_sub(8);
        let lines: Vec<_> = said.lines().skip(from).take(24).collect();
        panic!("the messages differ from tests/gallery.txt after its fault line {from}:\n{}", lines.join("\n"));
    }
}

#[test]
fn the_coloured_form_says_the_same() {
    for picture in GALLERY.split(FAULT).skip(1) {
        let (text, _) = picture.split_once(MESSAGE).expect("a text and a message");
        let Err(error) = parse(text.trim_end(), "robot.toml", &catalog()) else { continue };
        let coloured = error.coloured();
        assert!(coloured.contains("\u{1b}["), "no colours in {coloured}");
        let mut plain = String::new();
        for (index, part) in coloured.split("\u{1b}[").enumerate() {
            plain.push_str(if index == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
        }
        let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&plain), trimmed(&error.to_string()));
    }
}
