//! A robot.toml that needs ROS 2 or Zenoh, for a program that was built without it.
#![forbid(unsafe_code)]
#![cfg(not(any(feature = "ros2", feature = "zenoh")))]

use std::process::{Command, ExitCode};

use hemiola::Application;

/// Robots that need what is left out, by the feature that is missing.
const ROBOTS: [(&str, &str); 2] = [
    ("ros2", "[cycle.main]\nrate = 100.0\n[ros2]\nrouter = true\n"),
    ("zenoh", "[cycle.main]\nrate = 100.0\n[link.base]\nconnect = \"zenoh:tcp/127.0.0.1:7447\"\n"),
];
/// Says that a process is the robot, and not the test, and which one.
const ROBOT_ITSELF: &str = "HEMIOLA_TEST_LEFT_OUT";

/// Runs a command of a robot in a process of its own. Returns what it says, and whether it has
/// succeeded.
fn said(feature: &str, command: &str) -> (bool, String) {
    let mut process = Command::new(std::env::current_exe().expect("this program"));
    process.args(["--exact", "this_is_the_robot", "--nocapture"]).env(ROBOT_ITSELF, format!("{feature} {command}"));
    let output = process.output().expect("it starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn this_is_the_robot() {
    if let Ok(told) = std::env::var(ROBOT_ITSELF) {
        let mut words = told.split(' ');
        let feature = words.next();
        let robot = ROBOTS.iter().find(|(name, _)| Some(*name) == feature).expect("it is one of them").1;
        let code = Application::embedded(robot).run_with(std::iter::once("robot").chain(words));
        assert_eq!(code, ExitCode::SUCCESS);
    }
}

#[test]
fn run_ends_with_the_line_that_is_missing_in_cargo_toml() {
    for (feature, missing, warning, place) in [
        ("ros2", "", "robot.toml has `[ros2]`", ""),
        (
            "zenoh",
            "link `base` is at zenoh:tcp/127.0.0.1:7447, and this program was built without Zenoh: add the feature to the \
             robot's Cargo.toml, ",
            "link `base` is at zenoh:tcp/127.0.0.1:7447",
            "robot.toml:4:11",
        ),
    ] {
        let line = format!("{missing}`hemiola = {{ version = \"0.1\", features = [\"{feature}\"] }}`");
        let (is_content, text) = said(feature, "run --duration 10ms --no-page");
        assert!(!is_content && text.contains(&line), "{text}");
        let (is_content, text) = said(feature, "check");
        assert!(is_content && text.contains(&format!("warning: {warning}")) && text.contains(place), "{text}");
    }
}

#[test]
fn a_robot_that_is_stepped_needs_nothing() {
    for (feature, is_none) in [("ros2", "is not a node of ROS 2"), ("zenoh", "opens no links")] {
        let (is_content, text) = said(feature, "run --fast --duration 100ms --no-page");
        assert!(is_content && text.contains(is_none), "{text}");
    }
}
