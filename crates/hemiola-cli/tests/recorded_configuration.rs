//! `log verify` and `run --replay` take the configuration from the log, unless they are told
//! otherwise.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use hemiola::Application;
use hemiola::prelude::*;
use hemiola_log::{Entry, LogReader, Selection, Value};

#[derive(Representation, Clone, Default)]
struct Ball {
    distance: f64,
}

#[derive(Parameters)]
struct GuessParameters {
    /// Metres to begin with.
    #[parameter(default = 1.0)]
    distance: f64,
}

#[derive(Module)]
struct Near {
    #[parameters]
    parameters: GuessParameters,
}

#[module]
impl Near {
    #[update]
    fn guess(&self, last: Previous<Ball>, ball: &mut Ball) {
        ball.distance = last.distance + self.parameters.distance;
    }
}

#[derive(Module)]
struct Far {
    #[parameters]
    parameters: GuessParameters,
}

#[module]
impl Far {
    #[update]
    fn guess(&self, last: Previous<Ball>, ball: &mut Ball) {
        ball.distance = last.distance + 100.0 * self.parameters.distance;
    }
}

/// A configuration that does not name which of the two modules provides the ball.
const ROBOT: &str = "[cycle.main]\nrate = 50.0\n";

fn robot(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Records a second of the robot, configured by these arguments.
fn record(log: &Path, configured: &[&str]) -> ExitCode {
    let run = ["run", "--fast", "--headless", "--no-trace", "--duration", "1s", "--log", text(log)];
    robot(&[&run[..], configured].concat())
}

fn replay(log: &Path, new: &Path, configured: &[&str]) -> Vec<Value> {
    let run = ["run", "--fast", "--headless", "--no-trace", "--replay", text(log), "--log", text(new)];
    assert_eq!(robot(&[&run[..], configured].concat()), ExitCode::SUCCESS);
    balls(new)
}

fn balls(log: &Path) -> Vec<Value> {
    let mut log = LogReader::open(log).unwrap().select(Selection::all().topic("/main/Ball"));
    let mut values = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            values.push(message.decode().unwrap());
        }
    }
    values
}

#[test]
fn a_log_is_verified_and_replayed_as_the_robot_was_configured_then() {
    let folder = folder("configured-then");
    let log = folder.join("far.mcap");
    assert_ne!(record(&log, &[]), ExitCode::SUCCESS, "two modules provide the ball");
    let far = ["--set", "providers.Ball=Far", "--set", "module.Far.distance=7.0"];
    assert_eq!(record(&log, &far), ExitCode::SUCCESS);
    let verify = |arguments: &[&str]| robot(&[&["log", "verify", text(&log)], arguments].concat());
    assert_eq!(verify(&[]), ExitCode::SUCCESS);
    assert_eq!(verify(&["--workers", "2"]), ExitCode::SUCCESS);
    let recorded = balls(&log);
    assert!(recorded.len() > 40);
    assert_eq!(replay(&log, &folder.join("again.mcap"), &[]), recorded);

    // The outcome differs where something is put over the log's configuration, or another file is
    // named.
    assert_eq!(verify(&["--set", "module.Far.distance=8.0"]), ExitCode::FAILURE);
    assert_eq!(verify(&["--set", "providers.Ball=Near"]), ExitCode::FAILURE);
    let file = folder.join("robot.toml");
    std::fs::write(&file, format!("{ROBOT}[providers]\nBall = \"Near\"\n")).unwrap();
    assert_eq!(verify(&["--config", text(&file)]), ExitCode::FAILURE);
    let near = replay(&log, &folder.join("near.mcap"), &["--config", text(&file)]);
    assert_eq!(near.len(), recorded.len());
    assert_ne!(near, recorded);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Tells a process that it is the robot, and not the test.
const COMMAND: &str = "HEMIOLA_TEST_RECORDED_COMMAND";

/// The robot of the next test, in a process that it has started; not a test itself.
#[test]
fn this_is_the_robot() {
    if let Ok(command) = std::env::var(COMMAND) {
        robot(&command.split(' ').collect::<Vec<_>>());
    }
}

/// Runs a command of the robot in a process of its own, and returns what it notes.
fn notes(command: &str) -> String {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "this_is_the_robot", "--nocapture"]).env(COMMAND, command);
    String::from_utf8(process.output().unwrap().stderr).unwrap()
}

#[test]
fn a_command_for_a_log_notes_what_is_configured_otherwise() {
    let folder = folder("otherwise");
    let log = folder.join("near.mcap");
    assert_eq!(record(&log, &["--set", "providers.Ball=Near"]), ExitCode::SUCCESS);
    let (log, out) = (text(&log), text(&folder));
    let extract = format!("log extract-cycle {log} --cycle main --run 3 --module Near --output {out}");
    for command in [format!("log verify {log}"), extract, format!("run --fast --headless --no-trace --replay {log}")] {
        let same = notes(&command);
        assert!(!same.contains("differs from the recorded one"), "{command}: {same}");
        let other = notes(&format!("{command} --set module.Near.distance=8.0"));
        let difference =
            "note: the configuration of this robot differs from the recorded one\n  module.Near.distance: ";
        assert!(other.contains(difference), "{command}: {other}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_overlay_that_has_gone_since_is_in_the_log() {
    let folder = folder("overlay-gone");
    let (overlay, log) = (folder.join("outdoor.toml"), folder.join("outdoor.mcap"));
    std::fs::write(&overlay, "[providers]\nBall = \"Near\"\n[module.Near]\ndistance = 3.5\n").unwrap();
    assert_eq!(record(&log, &["--overlay", text(&overlay)]), ExitCode::SUCCESS);
    std::fs::remove_file(&overlay).unwrap();
    assert_eq!(robot(&["log", "verify", text(&log)]), ExitCode::SUCCESS);
    assert_eq!(replay(&log, &folder.join("again.mcap"), &[]), balls(&log));
    std::fs::remove_dir_all(&folder).unwrap();
}
