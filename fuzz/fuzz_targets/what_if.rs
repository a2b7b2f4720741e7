//! Any text, and what people ask with other words and numbers in it, is a change of a system that
//! can be bounded then, or an error that can be shown. Nothing panics.
#![no_main]

mod patched;
mod systems;

use std::sync::LazyLock;

use hemiola_analysis::{System, WhatIf};
use hemiola_insight::{Findings, side_by_side};
use libfuzzer_sys::fuzz_target;
use patched::patched;

static SYSTEM: LazyLock<(System, Findings)> = LazyLock::new(|| {
    let system = System::from_toml(systems::TOML, "system.toml").expect("it is right");
    let findings = Findings::of_system(&system);
    (system, findings)
});

const QUESTIONS: [&str; 12] = [
    "cores = 4",
    "detect takes 2x",
    "motion takes 80 %",
    "walk takes 1 ms .. 3 ms",
    "alarm every 20 ms",
    "brake offset 5 ms",
    "seen to braked deadline 40 ms",
    "front priority 70",
    "motion workers 3",
    "back on core 1",
    "motion on cores 0 1, motion on all cores",
    "cores = 1, motion priority 50, speak takes 0 ms",
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let bytes = match QUESTIONS.get(usize::from(*choice) % (QUESTIONS.len() + 2)) {
        Some(question) => patched(question.as_bytes(), rest),
        None => rest.to_vec(),
    };
    let text = String::from_utf8_lossy(&bytes);
    let change = match text.parse::<WhatIf>() {
        Ok(change) => change,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let (system, now) = &*SYSTEM;
    match change.applied_to(system) {
        Ok(changed) => {
            changed.check().expect("a change makes a system of a system");
            let changed = Findings::of_system(&changed);
            assert!(!side_by_side(now, &[(change.text(), changed)]).is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
