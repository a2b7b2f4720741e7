//! Measurements are stored beside the robot, not in the folder in which it was started.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const ROBOT: &str = "[cycle.motion]\nrate = 100.0\ndeadline = '8 ms'\n[output]\nprofile = 'wheels.profile.json'\n";

/// A robot in a folder of its own, two folders to start it from, and a folder for the user's state.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("measured-{name}"));
        _ = fs::remove_dir_all(&folder);
        for inner in ["robot", "here", "there", "state"] {
            fs::create_dir_all(folder.join(inner)).unwrap();
        }
        fs::write(folder.join("robot/robot.toml"), ROBOT).unwrap();
        Self(folder)
    }

    fn command(&self, from: &str, arguments: &[&str]) -> Output {
        let robot = ["--config", "../robot/robot.toml"];
        let robot = if arguments.contains(&"--config") { [].as_slice() } else { robot.as_slice() };
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheels"));
        command.args(arguments).args(robot).current_dir(self.0.join(from)).env("XDG_STATE_HOME", self.0.join("state"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn says(&self, from: &str, arguments: &[&str]) -> String {
        String::from_utf8(self.command(from, arguments).stdout).unwrap()
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let mut files: Vec<_> = self
            .0
            .join(folder)
            .read_dir()
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        files
    }
}

const STEPPED: [&str; 5] = ["run", "--fast", "--headless", "--duration", "2s"];

#[test]
fn what_was_measured_is_found_from_wherever_one_stands() {
    let place = Place::new("found");
    place.command("here", &STEPPED);
    assert_eq!(place.files("here"), ["wheels.bus"], "nothing but what the robot itself writes");
    assert_eq!(place.files("robot"), ["robot.toml", "traces", "wheels.profile.json"]);
    assert_eq!(place.files("robot/traces"), ["wheels-1.pftrace"]);
    for from in ["here", "there", "robot"] {
        assert!(!place.says(from, &["simulate", "--workers", "2"]).contains("No durations are known yet"), "{from}");
        assert!(place.says(from, &["why"]).contains("wheels-1.pftrace"), "{from}");
        assert!(place.says(from, &["profile", "show"]).contains("for estimates only"), "{from}");
    }
    assert!(place.says("there", &["profile", "reset"]).contains("robot/wheels.profile.json"));
    assert!(place.says("here", &["simulate", "--workers", "2"]).contains("No durations are known yet"));
}

#[test]
fn what_is_typed_is_meant_from_where_one_stands() {
    let place = Place::new("typed");
    let typed = place.0.join("robot/other.json");
    let run = |from: &str, overlay: &str| {
        let arguments = [&STEPPED, ["--no-trace", "--set", overlay].as_slice()].concat();
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheels"));
        command.args(arguments).current_dir(place.0.join(from)).env("XDG_STATE_HOME", place.0.join("state"));
        assert!(command.output().unwrap().status.success());
    };
    run("here", &format!("output.profile={typed:?}"));
    assert!(typed.exists());
    run("there", "output.profile='typed.json'");
    assert_eq!(place.files("there"), ["typed.json", "wheels.bus"]);
}

#[test]
fn a_changed_robot_is_measured_anew_and_says_so_in_a_line() {
    let place = Place::new("changed");
    let real_time = ["run", "--headless", "--no-trace", "--duration", "1s"];
    let run = |more: &[&str]| {
        let output = place.command("here", &[&real_time, more].concat());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let notes =
        |text: &str| text.lines().filter(|line| line.contains("measured anew")).map(str::to_owned).collect::<Vec<_>>();
    let (first, told) = run(&[]);
    assert_eq!(notes(&told), Vec::<String>::new());
    let verdict = last_line(&first);
    assert!(verdict.starts_with("VERDICT: "), "{first}");
    let (_, told) = run(&["--set", "cycle.motion.workers=2"]);
    let [note] = notes(&told).try_into().unwrap();
    assert!(note.contains("it has changed: cycle.motion.workers"), "{note}");
    // The first measurements are still known.
    let (_, told) = run(&["--set", "cycle.motion.workers=2"]);
    assert_eq!(notes(&told), Vec::<String>::new());
    let shown = place.says("there", &["profile", "show", "--json", "--set", "cycle.motion.workers=2"]);
    assert!(shown.contains("\"runs\": 2") && Path::new(&place.0).exists(), "{shown}");
}

#[test]
fn a_run_that_watches_no_bounds_says_why() {
    let place = Place::new("watched");
    let run = |more: &[&str]| {
        let real_time = ["run", "--headless", "--no-trace", "--duration", "1s"];
        let said = place.says("here", &[&real_time, more].concat());
        let told = said.lines().find_map(|line| Some(line.split_once("no bounds are watched yet: ")?.1.to_owned()));
        told.unwrap_or_default()
    };
    assert!(run(&[]).contains("never measured"));
    assert_eq!(run(&[]), "");
    let changed = ["--set", "cycle.motion.rate=50.0"];
    let told = run(&changed);
    assert!(told.contains("measured with another build, machine or configuration: motion: "), "{told}");
    assert_eq!(run(&changed), "");
}

#[test]
fn the_last_line_of_a_run_is_its_verdict() {
    let place = Place::new("verdict");
    let stepped = place.says("here", &STEPPED);
    assert_eq!(last_line(&stepped), "VERDICT: this run was not in real time, and says nothing about deadlines");
    // No machine meets a deadline of one nanosecond.
    let late = place.says(
        "here",
        &["run", "--headless", "--no-trace", "--duration", "1s", "--set", "cycle.motion.deadline='1 ns'"],
    );
    let verdict = last_line(&late);
    assert!(verdict.starts_with("VERDICT: NOT IN TIME: motion missed "), "{verdict}");
    assert!(verdict.contains("motion does not fit (") && verdict.contains("What to do: "), "{verdict}");
}

#[test]
fn a_run_in_which_a_value_was_changed_counts_for_estimates_and_says_so() {
    let place = Place::new("tuned");
    // The paths of sockets must be short.
    let sockets = std::env::temp_dir().join(format!("hemiola-tuned-{}", std::process::id()));
    fs::create_dir_all(&sockets).unwrap();
    let wheels = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheels"));
        command.args(arguments).current_dir(place.0.join("here")).env("XDG_RUNTIME_DIR", &sockets);
        command.env("XDG_STATE_HOME", place.0.join("state")).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let config = ["--config", "../robot/robot.toml"];
    let real_time = [&["run", "--headless", "--no-trace", "--duration", "5min"], config.as_slice()].concat();
    let run = wheels(&real_time).spawn().unwrap();
    let since = Instant::now();
    loop {
        let set = wheels(&["parameters", "set", "Motors.bus", "other.bus"]).output().unwrap();
        if set.status.success() {
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(120), "{}", String::from_utf8_lossy(&set.stderr));
    }
    kill_process(Pid::from_child(&run), Signal::TERM).unwrap();
    let shown = String::from_utf8(run.wait_with_output().unwrap().stdout).unwrap();
    let verdict = last_line(&shown);
    let because = "the robot was changed while it ran (Motors.bus), so that this run counts for estimates only";
    assert!(verdict.contains(because), "{shown}");
    assert!(verdict.starts_with("VERDICT: NOT IN TIME") || verdict.ends_with("run it once more without changes."));
    assert!(shown.contains("ESTIMATED, as it was changed while it ran (Motors.bus): motion: "), "{shown}");
    fs::remove_dir_all(sockets).unwrap();
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap()
}
