//! A robot.toml with a link at a `zenoh:` address for a program that was built without Zenoh.
#![forbid(unsafe_code)]
#![cfg(not(feature = "zenoh"))]

use std::process::{Command, ExitCode};

use hemiola::Application;

const ROBOT: &str = "[cycle.main]\nrate = 100.0\n[link.base]\nconnect = \"zenoh:tcp/127.0.0.1:7447\"\n";
/// Says that a process is the robot, and not the test.
const ROBOT_ITSELF: &str = "HEMIOLA_TEST_ZENOH_COMMAND";

fn main_of_robot(command: &str) -> ExitCode {
    Application::embedded(ROBOT).run_with(std::iter::once("robot").chain(command.split(' ')))
}

/// Runs a command of the robot in a process of its own. Returns what it says, and whether it has
/// succeeded.
fn said(command: &str) -> (bool, String) {
    let mut process = Command::new(std::env::current_exe().expect("this program"));
    process.args(["--exact", "this_is_the_robot", "--nocapture"]).env(ROBOT_ITSELF, command);
    let output = process.output().expect("it starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn this_is_the_robot() {
    if let Ok(command) = std::env::var(ROBOT_ITSELF) {
        assert_eq!(main_of_robot(&command), ExitCode::SUCCESS);
    }
}

#[test]
fn run_ends_with_the_line_that_is_missing_in_cargo_toml() {
    let missing = "link `base` is at zenoh:tcp/127.0.0.1:7447, and this program was built without Zenoh: add the \
                   feature to the robot's Cargo.toml, `hemiola = { version = \"0.1\", features = [\"zenoh\"] }`";
    let (is_content, text) = said("run --duration 10ms --no-page");
    assert!(!is_content && text.contains(missing), "{text}");
    let (is_content, text) = said("check");
    assert!(is_content && text.contains(&format!("warning: {missing}")) && text.contains("robot.toml:4:11"), "{text}");
}

#[test]
fn a_robot_that_is_stepped_opens_no_links_and_needs_nothing() {
    let (is_content, text) = said("run --fast --duration 100ms --no-page");
    assert!(is_content && text.contains("opens no links"), "{text}");
}
