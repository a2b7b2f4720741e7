//! The example of a robot in one file does what it says, and everything that the command line
//! offers works on it.
#![forbid(unsafe_code)]

#[path = "../examples/hello.rs"]
#[allow(dead_code, reason = "its `main` is the example's, not the test's")]
mod hello;

use std::process::ExitCode;
use std::time::Duration;

use hemiola::configuration::{Catalog, parse};
use hemiola::runtime::Robot;
use hemiola::trace::{ProfileHistory, Report};
use hemiola::{Application, RobotHandle};

use hello::{Drive, ROBOT, Wall};

#[test]
fn the_cart_stops_in_front_of_the_wall() {
    let loaded = parse(ROBOT, "robot.toml", &Catalog::linked()).unwrap();
    let mut stepper = Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap();
    stepper.run_for(Duration::from_secs(2));
    stepper.with_value(|wall: &Wall| assert!((1.5..3.0).contains(&wall.metres), "{}", wall.metres)).unwrap();
    stepper.run_for(Duration::from_secs(18));
    stepper.with_value(|wall: &Wall| assert!((0.49..0.51).contains(&wall.metres), "{}", wall.metres)).unwrap();
}

#[test]
fn the_example_is_short() {
    let lines = include_str!("../examples/hello.rs").lines();
    let lines = lines.filter(|line| !line.starts_with("// ANCHOR")).count(); // marks for the book
    assert!(lines < 60, "{lines} lines");
}

fn hello(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["hello"], arguments].concat())
}

#[test]
fn every_command_works() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("picture.svg");
    let picture = picture.to_str().unwrap();
    for arguments in [
        &["check"] as &[_],
        &["check", "--explain", "cycle.control"],
        &["check", "--set", "cycle.control.workers=2"],
        &["graph"],
        &["graph", "control", "--format", "dot"],
        &["graph", "--format", "svg", "--output", picture],
        &["simulate", "--workers", "2"],
        &["simulate", "control", "--workers", "2", "--picture", picture],
        &["parameters"],
        &["parameters", "Pilot"],
        &["modules"],
        &["help", "run"],
        &["--help"],
    ] {
        assert_eq!(hello(arguments), ExitCode::SUCCESS, "{arguments:?}");
    }
    assert!(std::fs::read_to_string(picture).unwrap().contains("worker 1"));
}

#[test]
fn mistakes_on_the_command_line_end_with_2() {
    for arguments in [
        &["--fsat"] as &[_],
        &["fly"],
        &["run", "--duration", "soon"],
        &["run", "--fast", "--speed", "2"],
        &["run", "--config", "/nowhere/robot.toml"],
        &["check", "--explain", "cycle.motion"],
        &["graph", "motion"],
        &["simulate", "--workers", "0"],
        &["parameters", "Plot"],
        &["check", "--set", "cycle.control.rate=50.0"],
    ] {
        assert_eq!(hello(arguments), ExitCode::from(2), "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_written_ends_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let below_a_file = folder.path().join("file/trace.pftrace");
    std::fs::write(folder.path().join("file"), "").unwrap();
    let trace = below_a_file.to_str().unwrap();
    assert_eq!(hello(&["run", "--fast", "--duration", "1s", "--trace", trace]), ExitCode::from(1));
}

#[test]
fn a_run_leaves_trace_figures_and_profile() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let profile = path("profile.json");
    std::fs::write(folder.path().join("robot.toml"), format!("{ROBOT}[output]\nprofile = {profile:?}\n")).unwrap();
    let (robot, trace, json) = (path("robot.toml"), path("new/hello.pftrace"), path("figures.json"));
    let run = ["run", "--fast", "--duration", "4s", "--config", &robot, "--trace", &trace, "--statistics", &json];
    assert_eq!(hello(&run), ExitCode::SUCCESS);

    assert!(std::fs::metadata(&trace).unwrap().len() > 10_000);
    let report: Report = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report.cycles[0].execution.count, 401);
    assert!(ProfileHistory::load(&profile).unwrap().profiles()[0].task("control", "Pilot.drive").is_some());
    // The next run starts with it.
    assert_eq!(hello(&["simulate", "--config", &robot, "--workers", "2"]), ExitCode::SUCCESS);
}

#[test]
fn a_robot_has_commands_and_lines_of_its_own() {
    let score = |arguments: &[String]| ExitCode::from(if arguments == ["--all", "7"] { 7 } else { 1 });
    let robot = Application::embedded(ROBOT).command("score", "Scores", score);
    assert_eq!(robot.run_with(["hello", "score", "--all", "7"]), ExitCode::from(7));

    let (seen, sender) = {
        let (sender, seen) = std::sync::mpsc::channel();
        (seen, sender)
    };
    let look = move |handle: &RobotHandle| {
        let speed = handle.with_value(|drive: &Drive| drive.metres_per_second).unwrap_or(f32::NAN);
        sender.send(speed).unwrap();
        vec![format!("{speed:.2} m/s")]
    };
    let robot = Application::embedded(ROBOT).summary(look);
    assert_eq!(robot.run_with(["hello", "--duration", "500ms", "--headless", "--no-trace"]), ExitCode::SUCCESS);
    assert!(seen.iter().last().unwrap() > 0.0);
}
