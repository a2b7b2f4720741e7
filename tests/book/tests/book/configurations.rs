//! Tests that listings of TOML are configurations: their keys, types and values, and the names of
//! what robots of this crate have. The comment above a listing says which file it is a part of, if
//! that is not `robot.toml`: `<!-- system.toml -->`.

use std::fs;

use hemiola::configuration::{Catalog, ConfigError, LoadOptions, load};
use hemiola::data::Data;
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
        "an overlay" => robot(&base(&block.text, ""), Some(&block.text)),
        _ => robot(&base(&block.text, &block.text), None),
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

/// The cycles of the robots that the book is about, each with a module.
const CYCLES: &[(&str, &str)] = &[("motion", "Walk"), ("cognition", "NeuralBallFinder"), ("hand", "Grip")];

/// Returns a robot.toml that has `defined`, and the cycles that the listing names and that does not
/// define.
fn base(listing: &str, defined: &str) -> String {
    let is_missing = |cycle: &str| listing.contains(cycle) && !defined.contains(&format!("[cycle.{cycle}]"));
    let missing = CYCLES.iter().filter(|(cycle, _)| is_missing(cycle));
    let missing = missing.map(|(cycle, module)| format!("\n[cycle.{cycle}]\nrate = 10.0\nmodules = ['{module}']\n"));
    let missing: String = missing.collect();
    let has_cycle = defined.contains("[cycle.") || !missing.is_empty();
    format!("{defined}{missing}{}", if has_cycle { "" } else { "\n[cycle.main]\nrate = 10.0\n" })
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
        source("Body", "InertialData"),
    ]);
    catalog.modules.extend([
        module("NeuralBallFinder", "BallPercept"),
        module("WhistleReaction", "Reaction"),
        module("Walk", "Step"),
        module("Grip", "Hold"),
    ]);
    for component in catalog.modules.iter().chain(&catalog.sources) {
        catalog.representations.extend(component.provides.iter().cloned());
    }
    catalog.topics.extend(["WhistleHeard", "Odometry", "Goal", "TeamMessage", "Map", "DebugImage"].map(str::to_owned));
    catalog.services.extend(["SaveMap", "Reset"].map(str::to_owned));
    let schemas = [("GameState", GameState::data_type()), ("InertialData", InertialData::data_type())];
    let plain = ["UpperImage", "BallPercept", "TorsoPose", "Odometry"].map(|name| (name, f64::data_type()));
    for (name, schema) in schemas.into_iter().chain(plain) {
        catalog.representations.insert(name.to_owned());
        catalog = catalog.with_schema(name, schema);
    }
    catalog
}

/// What listings name of it.
#[derive(Data, Clone, Default)]
struct GameState {
    phase: Phase,
    is_penalised: bool,
}

#[derive(Data, Clone, Default)]
enum Phase {
    #[default]
    Ready,
    Playing,
}

#[derive(Data, Clone, Default)]
struct InertialData {
    gyroscope: [f64; 3],
    pitch: f64,
}

#[test]
fn an_unknown_key_of_a_listing_is_a_problem() {
    let block =
        |remark: &str, text: &str| Block { line: 1, language: "toml".into(), remark: remark.into(), text: text.into() };
    let problem = read(&block("", "[cycle.motion]\nraet = 10.0\n")).unwrap_err();
    assert!(problem.contains("did you mean `rate`?"), "{problem}");
    let problem = read(&block("an overlay", "[process.vision]\ncycle = ['cognition']\n")).unwrap_err();
    assert!(problem.contains("did you mean `cycles`?"), "{problem}");
    let problem = read(&block("system.toml", "cores = 2\n[[cycel]]\nname = 'vision'\n")).unwrap_err();
    assert!(problem.contains("cycel"), "{problem}");
}
