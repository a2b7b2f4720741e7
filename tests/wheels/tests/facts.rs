//! The program prints facts about its robot for machines.
#![forbid(unsafe_code)]

use std::process::Command;

use serde_json::Value;

/// Returns the standard output and the standard error of a command.
fn wheels(arguments: &[&str]) -> (Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_wheels")).args(arguments).arg("--json").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    (serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}")), said)
}

#[test]
fn check_says_what_runs_when_and_what_is_doubtful() {
    let (checked, said) = wheels(&["check", "--set", "cycle.motion.workers=64"]);
    let motion = &checked["cycles"][0];
    assert_eq!(
        [&motion["name"], &motion["deadline_ns"], &motion["tasks"]],
        ["motion".into(), Value::from(8_000_000), 3.into()].each_ref()
    );
    assert_eq!(motion["modules"], Value::from(vec!["Motors", "Pilot", "Saboteur"]));
    let warnings = checked["warnings"].as_array().unwrap();
    let of_workers = warnings.iter().find(|warning| warning["message"].as_str().unwrap().contains("64")).unwrap();
    assert!(of_workers["place"].as_str().unwrap().contains("--set"), "{of_workers}");
    assert_eq!(said, "", "what is in the answer is not said twice");
}

#[test]
fn check_explains_where_a_value_comes_from() {
    let (explained, _) =
        wheels(&["check", "--explain", "cycle.motion.deadline", "--set", "cycle.motion.deadline=7 ms"]);
    let [deadline] = explained.as_array().unwrap().as_slice() else { panic!("{explained}") };
    assert_eq!([&deadline["key"], &deadline["value"]], ["cycle.motion.deadline", "7 ms"]);
    assert!(deadline["over"][0]["text"].as_str().unwrap().contains("8 ms"), "{deadline}");
}

#[test]
fn modules_say_what_their_updates_read_and_provide() {
    let (listed, _) = wheels(&["modules"]);
    let modules = listed["cycles"][0]["modules"].as_array().unwrap();
    let motors = modules.iter().find(|module| module["name"] == "Motors").unwrap();
    assert_eq!(motors["updates"][0]["name"], "send");
    assert_eq!(motors["updates"][0]["requires"], Value::from(vec!["Drive"]));
    assert!(motors["location"].as_str().unwrap().contains("wheels.rs:"), "{motors}");
}

#[test]
fn parameters_say_what_can_be_tuned_and_where_it_was() {
    let (listed, _) = wheels(&["parameters", "--set", "module.Motors.bus=other.bus"]);
    let [bus] = listed.as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!(
        [&bus["module"], &bus["name"], &bus["default"], &bus["value"]],
        ["Motors", "bus", "wheels.bus", "other.bus"]
    );
    assert!(bus["origin"].as_str().unwrap().contains("--set"), "{bus}");
}

#[test]
fn simulations_say_what_each_number_of_workers_would_give() {
    let (simulated, _) = wheels(&["simulate", "--workers", "2"]);
    let [motion] = simulated.as_array().unwrap().as_slice() else { panic!("{simulated}") };
    let predicted = motion["predicted"].as_array().unwrap();
    assert_eq!(predicted.iter().map(|one| &one["workers"]).collect::<Vec<_>>(), [1, 2]);
    let (work, path) = (motion["work_ns"].as_u64().unwrap(), motion["critical_path_ns"].as_u64().unwrap());
    assert!(path > 0 && path <= work && predicted[0]["at_least_ns"] == work, "{motion}");
}
