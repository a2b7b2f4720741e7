//! The robot of the tests, stepped for a moment: what it leaves behind is what a fuzzer changes.
#![allow(dead_code, reason = "each target uses some of it")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hemiola::configuration::{Catalog, parse};
use hemiola::prelude::*;
use hemiola::runtime::Change;
use hemiola::{Application, Robot, RobotHandle};
use hemiola_recording::recorder::{Head, Recorder, Recording, RecordingOptions};
use hemiola_test_robots::walker::{ROBOT, Step};

/// Where its chains end.
#[derive(Module)]
struct Legs {}

#[module]
impl Legs {
    #[update]
    fn act(&self, step: &Step) {
        std::hint::black_box(step.length);
    }
}

/// With checkpoints, and deadlines to explain.
pub fn configuration() -> String {
    let chain = "[chain.look]\nfrom = \"Camera\"\nto = \"Legs\"\nreaction = \"40 ms\"\n";
    // Each by one thread, for most of the time of an input is spent in making them.
    let robot = ROBOT.replace("modules = ", "workers = 1\nmodules = ");
    let robot = robot.replace("[\"Walk\"]", "[\"Walk\", \"Legs\"]\ndeadline = \"3 ms\"");
    format!("{robot}\n[log]\nsnapshot = \"100 ms\"\n{chain}")
}

/// A folder of this process, in memory where there is one.
pub fn folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = place.join(format!("hemiola-fuzz-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("the folder for temporary files can be written");
    folder
}

/// Changes it from outside.
fn change(handle: &RobotHandle) {
    _ = handle.change(Change::parameter("Decide", "goal", 0.7));
    _ = handle.change(Change::parameter("Decide", "goal", 7.5));
    let value = serde_json::from_str(r#"{"x": 0.5, "steps": 3}"#).expect("it is data");
    _ = handle.change(Change::Override { representation: "Pose".into(), value });
    _ = handle.change(Change::Release { representation: "Pose".into() });
    _ = handle.change(Change::Restart { module: "Walk".into() });
}

/// Runs it, with changes from outside at the beginning.
pub fn run(duration: &str, arguments: &[&str]) {
    let robot = Application::embedded(&configuration()).started(change);
    let run = ["robot", "run", "--fast", "--headless", "--duration", duration];
    assert_eq!(robot.run_with([&run, arguments].concat()), ExitCode::SUCCESS);
}

/// The same without the program around a robot: the smaller a target is, the faster is its fuzzer.
pub fn record(duration: Duration, log: &Path) {
    let loaded = parse(&configuration(), "robot.toml", &Catalog::linked()).expect("it is right");
    let robot = Robot::assemble(loaded.configuration).expect("it is right");
    let options = RecordingOptions { path: Some(log.to_owned()), ..RecordingOptions::default() };
    let recording = Recording::of(&options, &robot, "robot").expect("it is right").expect("it has a path");
    let head = Head::of(&robot, "robot", &loaded.origins, &loaded.texts);
    let mut stepper = robot.into_stepper().expect("it is right");
    let recorder = Recorder::start(stepper.handle(), recording, head).expect("the folder can be written");
    change(stepper.handle());
    stepper.run_for(duration);
    stepper.handle().stop();
    drop(stepper);
    recorder.finish().expect("it has recorded");
}
