//! A robot.toml with `[ros2]` for a program that was built without ROS 2.
#![forbid(unsafe_code)]
#![cfg(not(feature = "ros2"))]

use std::process::{Command, ExitCode};

use hemiola::Application;

const ROBOT: &str = "[cycle.main]\nrate = 100.0\n[ros2]\nrouter = true\n";
/// Says that a process is the robot, and not the test.
const ROBOT_ITSELF: &str = "HEMIOLA_TEST_ROS2_COMMAND";

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
    let (is_content, text) = said("run --duration 10ms --no-page");
    assert!(!is_content && text.contains("hemiola = { version = \"0.1\", features = [\"ros2\"] }"), "{text}");
    let (is_content, text) = said("check");
    assert!(is_content && text.contains("warning: robot.toml has `[ros2]`"), "{text}");
}

#[test]
fn a_robot_that_is_stepped_is_no_node_and_needs_nothing() {
    let (is_content, text) = said("run --fast --duration 100ms --no-page");
    assert!(is_content && text.contains("is not a node of ROS 2"), "{text}");
}
