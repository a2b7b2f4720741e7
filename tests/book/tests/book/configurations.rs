//! Tests that listings of TOML are configurations: their keys, types and values, and the names of
//! what robots of this crate have. The comment above a listing says which file it is a part of, if
//! that is not `robot.toml`: `<!-- system.toml -->`.

use std::fs;

use hemiola::configuration::{Catalog, ConfigError, LoadOptions, load};
use hemiola_analysis::System;
use hemiola_config::{Base, Component};

use crate::page::{Block, book};

#[test]
fn listings_of_toml_are_configurations() {
    let mut problems = Vec::new();
    for page in book() {
        for block in page.blocks().iter().filter(|block| block.language == "toml") {
            if let Err(problem) = read(block) {
                problems.push(format!("{}:{}: {problem}", page.place(), block.line));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn read(block: &Block) -> Result<(), String> {
    match block.remark.as_str() {
        // Its crate reads the whole file.
        copied if copied.starts_with("from ") => Ok(()),
        "Cargo.toml" => block.text.parse::<toml::Table>().map(drop).map_err(|error| error.to_string()),
        "system.toml" => System::from_toml(&block.text, "system.toml").map(drop).map_err(|error| error.to_string()),
        "an overlay" => robot(&base(""), Some(&block.text)),
        _ => robot(&base(&block.text), None),
    }
}

fn robot(base: &str, overlay: Option<&str>) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overlay.toml");
    fs::write(&path, overlay.unwrap_or_default()).unwrap();
    let base = Base::Text { name: "robot.toml".into(), text: base.into() };
    let overlays = vec![path.display().to_string()];
    match load(&LoadOptions { overlays, ..LoadOptions::new(base) }, &catalog()) {
        Ok(_) => Ok(()),
        Err(ConfigError::Invalid(found)) => Err(found.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The cycles of the robots that the book is about.
const CYCLES: &[&str] = &["motion", "cognition", "hand"];

/// Returns a listing as a whole robot.toml: with the cycles that it names and does not define.
fn base(listing: &str) -> String {
    let missing = CYCLES.iter().filter(|cycle| !listing.contains(&format!("[cycle.{cycle}]")));
    let missing = missing.map(|cycle| format!("\n[cycle.{cycle}]\nrate = 10.0\nmodules = []\n"));
    listing.to_owned() + &missing.collect::<String>()
}

/// Returns what this crate has, and what robots that the book only speaks of have.
fn catalog() -> Catalog {
    let mut catalog = Catalog::linked();
    let source = |name: &str, provides: &str| Component::new(name, "robot").providing([provides]);
    let module = |name: &str, provides: &str| Component::new(name, "robot").providing([provides]);
    catalog.sources.extend([
        source("Cameras", "UpperImage"),
        source("World", "Wall"),
        source("Wheels", "Encoders"),
        source("LegBus", "LegState"),
    ]);
    catalog.modules.extend([module("NeuralBallFinder", "BallPercept"), module("WhistleReaction", "Reaction")]);
    for component in catalog.modules.iter().chain(&catalog.sources) {
        catalog.representations.extend(component.provides.iter().cloned());
    }
    catalog.topics.extend(["WhistleHeard", "Odometry", "Goal", "TeamMessage", "Map", "DebugImage"].map(str::to_owned));
    catalog.services.extend(["SaveMap", "Reset"].map(str::to_owned));
    catalog.representations.extend(["GameState", "TorsoPose", "InertialData"].map(str::to_owned));
    catalog
}

#[test]
fn an_unknown_key_of_a_listing_is_a_problem() {
    let block = |remark: &str, text: &str| Block { line: 1, language: "toml".into(), remark: remark.into(), text: text.into() };
    let problem = read(&block("", "[cycle.motion]\nraet = 10.0\n")).unwrap_err();
    assert!(problem.contains("did you mean `rate`?"), "{problem}");
    let problem = read(&block("an overlay", "[process.vision]\ncycle = ['cognition']\n")).unwrap_err();
    assert!(problem.contains("did you mean `cycles`?"), "{problem}");
    let problem = read(&block("system.toml", "cores = 2\n[[cycel]]\nname = 'vision'\n")).unwrap_err();
    assert!(problem.contains("cycel"), "{problem}");
}
