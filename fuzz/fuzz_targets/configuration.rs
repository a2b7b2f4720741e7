//! Any text is either a configuration or an error that can be shown, in plain and in colour;
//! nothing panics.
#![no_main]

#[path = "../../crates/hemiola-config/tests/robot/mod.rs"]
mod robot;

use std::sync::LazyLock;

use hemiola_config::{Catalog, parse};
use libfuzzer_sys::fuzz_target;

static CATALOG: LazyLock<Catalog> = LazyLock::new(robot::catalog);

fuzz_target!(|text: &str| {
    match parse(text, "robot.toml", &CATALOG) {
        Ok(loaded) => {
            let _ = (loaded.origins.to_string(), loaded.warnings.to_string(), loaded.warnings.coloured());
        }
        Err(error) => {
            let (plain, coloured) = (error.to_string(), error.coloured());
            assert!(plain.starts_with("error") || plain.contains("\nerror"), "an error without a message: {plain}");
            assert!(!coloured.is_empty());
        }
    }
});
