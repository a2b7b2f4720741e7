//! Any line behind `--set`, and lines with other words and values in them, are a configuration or
//! an error that can be shown, in plain and in colour; what was assigned is where it says. Nothing
//! panics.
#![no_main]

mod patched;
#[path = "../../crates/hemiola-config/tests/robot/mod.rs"]
mod robot;

use std::sync::LazyLock;

use hemiola_config::{Base, Catalog, LoadOptions, load};
use libfuzzer_sys::fuzz_target;
use patched::patched;

static CATALOG: LazyLock<Catalog> = LazyLock::new(robot::catalog);

const ROBOT: &str = r#"
[cycle.cognition]
trigger = "SimulatedCamera"
modules = ["BallFinder", "BallGuesser"]
[cycle.motion]
trigger = "SimulatedBody"
modules = ["nao::motion"]
deadline = "10 ms"
[providers]
BallPercept = "BallFinder"
[module.BallFinder]
threshold = 0.5
gains = [1.0, 2.0, 3.0]
[log]
file = "game.mcap"
"#;

const ASSIGNMENTS: [&str; 12] = [
    "cycle.motion.workers=2",
    "cycle.\"motion\".deadline=8 ms",
    "module.BallFinder.gains=[0.1, 0.2, 0.3]",
    "module.Walk.gait={ step = 0.1, height = 0.02 }",
    "module.Walk.style={ Fast = { speed = 2.0 } }",
    "module.Walk.gait.step=1e-3",
    "providers.BallPercept=BallGuesser",
    "source.SimulatedBody.parameters.noise=0.5",
    "log.record.BallPercept={ rate = 2.0, when = \"BallPercept.x > 1.0 and not BallPercept.y < 2\" }",
    "log.file=\"a\\\"b\"",
    "chain.ball={ from = \"SimulatedCamera\", to = \"Walk\", reaction = \"50 ms\" }",
    "analysis.period.SimulatedCamera=\"33 ms\"",
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let (first, second) = (usize::from(choice % 16), usize::from(choice / 16));
    let changed = match ASSIGNMENTS.get(first) {
        Some(assignment) => patched(assignment.as_bytes(), rest),
        None => rest.to_vec(),
    };
    let mut assignments = vec![String::from_utf8_lossy(&changed).into_owned()];
    assignments.extend(ASSIGNMENTS.get(second).map(|&assignment| assignment.to_owned()));
    let base = Base::Text { name: "robot.toml".into(), text: ROBOT.to_owned() };
    match load(&LoadOptions { assignments, ..LoadOptions::new(base) }, &CATALOG) {
        Ok(loaded) => {
            let _ = (loaded.origins.to_string(), loaded.warnings.to_string(), loaded.warnings.coloured());
            assert!(loaded.texts.len() >= 2);
        }
        Err(error) => {
            let (plain, coloured) = (error.to_string(), error.coloured());
            assert!(plain.starts_with("error") || plain.contains("\nerror"), "an error without a message: {plain}");
            assert!(!coloured.is_empty());
        }
    }
});
