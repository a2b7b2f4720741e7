//! Any text, and a system with some changes, as TOML or JSON, is a system of which everything is
//! bounded or has a reason why not, or problems with their places; what is written again is the
//! same system. Nothing panics.
#![no_main]

mod patched;
mod systems;

use hemiola_analysis::{Analysis, System, assignment, sensitivity};
use hemiola_insight::{Findings, as_json, table};
use libfuzzer_sys::fuzz_target;
use patched::patched;

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let is_json = choice % 2 == 1;
    let bytes = match (choice % 8, is_json) {
        (0 | 1, _) => rest.to_vec(),
        (_, false) => patched(systems::TOML.as_bytes(), rest),
        (_, true) => patched(systems::JSON.as_bytes(), rest),
    };
    let text = String::from_utf8_lossy(&bytes);
    let read = if is_json { System::from_json(&text) } else { System::from_toml(&text, "system.toml") };
    let system = match read {
        Ok(system) => system,
        Err(problems) => return assert!(!problems.to_string().is_empty()),
    };
    let written = system.to_toml();
    assert_eq!(System::from_toml(&written, "written.toml").expect("what was written can be read"), system, "{written}");
    let findings = Findings::of_system(&system);
    let relief = sensitivity::relief(&system, &findings.analysis);
    assert!(!table(&findings).is_empty());
    serde_json::to_string(&as_json(&findings, &system, &relief)).expect("findings are JSON");
    if let Some(&work) = system.work().first() {
        _ = sensitivity::room(&system, work);
    }
    if let Ok(assigned) = assignment::with_executors(&system) {
        assigned.check().expect("what is assigned is a system");
        _ = Analysis::of(&assigned);
    }
});
