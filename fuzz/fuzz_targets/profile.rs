//! Any text, and what a robot has measured with some changes, is a profile from which it is planned
//! and bounded, with what its machine takes for itself, or an error; what is written again is read
//! as the same. Nothing panics, and it stays bounded.
#![no_main]

mod patched;
mod robot;

use std::fs;
use std::sync::LazyLock;

use hemiola::Robot;
use hemiola::configuration::{Catalog, Configuration};
use hemiola_insight::{Findings, Knowledge, Origin, basis, derive, table};
use hemiola_trace::{CALIBRATIONS, ProfileHistory};
use libfuzzer_sys::fuzz_target;
use patched::patched;

/// What a run has measured, twice in real time, and calibrations of two kinds.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = robot::folder("profile");
    let path = folder.join("profile.json");
    robot::run("40ms", &["--no-trace", "--set", &format!("output.profile=\"{}\"", path.display())]);
    let text = fs::read_to_string(&path).expect("it was written");
    fs::remove_dir_all(folder).expect("it is ours");
    let mut whole: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let stepped = whole["profiles"][0].clone();
    for build in ["one", "another"] {
        let mut real = stepped.clone();
        real["conditions"]["pace"] = "real-time".into();
        real["conditions"]["build"] = build.into();
        real["cycles"]["voice"]["response"] = real["cycles"]["voice"]["tasks"]["Speak.words"].clone();
        whole["profiles"].as_array_mut().expect("it is a list").push(real);
    }
    let cost = |p99: u64| serde_json::json!({ "samples": 200, "p99": p99, "maximum": 2 * p99 });
    let costs = serde_json::json!({ "hand_over": cost(300), "wake_up": cost(48_000), "timer_lateness": cost(9_000), "preemption": cost(60_000) });
    let calibration =
        |has_priority: bool| serde_json::json!({ "machine": "laptop", "has_priority": has_priority, "costs": costs });
    whole["calibrations"] = [true, false, true].map(calibration).to_vec().into();
    serde_json::to_vec(&whole).expect("it is JSON")
});

static CONFIGURATION: LazyLock<Configuration> = LazyLock::new(|| {
    let loaded = hemiola::configuration::parse(&robot::configuration(), "robot.toml", &Catalog::linked());
    loaded.expect("it is right").configuration
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let text = if choice % 8 == 0 { rest.to_vec() } else { patched(&WHOLE, rest) };
    let mut history = match ProfileHistory::from_json(&text) {
        Ok(history) => history,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(history.profiles().len() <= 6 && history.calibrations().len() <= 4 * CALIBRATIONS);
    let again = ProfileHistory::from_json(&history.to_json()).expect("what was written can be read");
    assert_eq!(again.to_json(), history.to_json());
    let now = history.last_conditions().cloned().unwrap_or_default();
    for calibration in history.calibrations().to_vec() {
        let known = history.costs(&calibration.machine, Some(calibration.has_priority));
        _ = calibration.contradicts(&known);
        assert!(known.values().all(|cost| (cost.lowest..=cost.highest).contains(&cost.p99)), "{known:?}");
        history.calibrate(calibration);
    }
    let known = history.known(&now);
    let robot = Robot::assemble(CONFIGURATION.clone()).expect("it is right").with_profile(known.profile.clone());
    _ = robot.plans(std::num::NonZeroUsize::MIN);
    let knowledge = Knowledge { known, quantile: (choice % 2 == 0).then_some(0.99), origin: Origin::Nowhere };
    let derived = derive(&robot, &knowledge).expect("all its sources have periods");
    let findings = Findings::of_robot(&derived.system, &derived, &knowledge.known.profile);
    assert!(!table(&findings).is_empty() && !basis(&derived, &knowledge).is_empty());
});
