//! A process that dies rejoins the same robot: in the safe state that the others are in, and with
//! the changes that were made.
#![forbid(unsafe_code)]

mod convoy;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use hemiola::cdr::decode;
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use convoy::{Convoy, PATIENCE};

/// The representation of the robot that `vision` provides, to read it from logs.
#[derive(Representation, Clone, Default, Debug)]
struct Line {
    image: u64,
    offset: f64,
    honks: u64,
    is_safe: bool,
}

/// Kills `vision`, and returns its process ID.
fn kill(convoy: &Convoy) -> Pid {
    let vision = convoy.process("vision");
    kill_process(vision, Signal::KILL).unwrap();
    vision
}

/// Waits until `vision` has come back, and has seen something.
fn until_it_is_back(convoy: &Convoy, dead: Pid) {
    let is_back =
        |process: &serde_json::Value| process["name"] == "vision" && process["process"] != dead.as_raw_nonzero().get();
    convoy.until(&["ps"], |robots| robots[0]["processes"].as_array().is_some_and(|all| all.iter().any(is_back)));
    convoy.until(&["show", "Line"], |answer| answer["value"]["image"].as_u64() > Some(0));
}

/// Waits until these processes report that they are in their safe states.
fn until_safe(convoy: &Convoy, processes: &[&str]) {
    convoy.until(&["top"], |statistics| match &statistics["safe_state"] {
        serde_json::Value::Null => processes.is_empty(),
        entry => entry["processes"] == json!(processes),
    });
}

/// Ends the robot, verifies these logs, and returns all lines of the last one.
fn lines_of(convoy: &mut Convoy, logs: &[&str]) -> Vec<Line> {
    convoy.prints(&["stop"]);
    // 3: on a busy machine the log may lack values, and is compared as far as it goes.
    let is_good = |code| [Some(0), Some(3)].contains(&code);
    assert!(is_good(convoy.ends()));
    let verified = convoy.command(&[&["log", "verify"], logs].concat());
    assert!(is_good(verified.status.code()), "{}", convoy.said(&verified));
    let mut log = LogReader::open(&convoy.folder.join(logs.last().unwrap())).unwrap();
    let mut lines = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == "/seeing/Line"
        {
            lines.push(decode(message.data).unwrap());
        }
    }
    assert!(!lines.is_empty());
    lines
}

#[test]
fn it_begins_in_the_safe_state_of_the_others_and_leaves_it_with_them() {
    let mut convoy = Convoy::start(&["--log", "trip.mcap"]);
    convoy.prints(&["safe-state", "enter", "--process", "main"]);
    until_safe(&convoy, &["main", "vision"]);
    let dead = kill(&convoy);
    until_it_is_back(&convoy, dead);
    until_safe(&convoy, &["main", "vision"]);
    let cause = convoy.json(&["top", "--process", "vision"])["safe_state"]["cause"].clone();
    assert!(cause.as_str().unwrap().ends_with(" asked for it in process `main`"), "{cause}");
    convoy.prints(&["safe-state", "leave", "--process", "main"]);
    until_safe(&convoy, &[]);
    convoy.until(&["show", "Line"], |answer| answer["value"]["is_safe"] == false);

    let lines = lines_of(&mut convoy, &["trip-vision-restart-1.mcap"]);
    assert!(lines[0].is_safe, "{:?}", lines[0]);
    let left = lines.iter().position(|line| !line.is_safe).unwrap();
    assert!(lines[left..].iter().all(|line| !line.is_safe), "it leaves it once");
}

#[test]
fn what_happens_to_the_safe_state_while_it_is_away_is_what_it_finds() {
    let convoy = Convoy::start(&[]);
    for _ in 0..3 {
        let dead = kill(&convoy);
        convoy.prints(&["safe-state", "enter", "--process", "main"]);
        until_it_is_back(&convoy, dead);
        until_safe(&convoy, &["main", "vision"]);
        let dead = kill(&convoy);
        convoy.prints(&["safe-state", "leave", "--process", "main"]);
        until_it_is_back(&convoy, dead);
        until_safe(&convoy, &[]);
    }
    // Its own safe state does not end with it.
    convoy.prints(&["safe-state", "enter", "--process", "vision"]);
    until_safe(&convoy, &["main", "vision"]);
    let dead = kill(&convoy);
    until_it_is_back(&convoy, dead);
    until_safe(&convoy, &["main", "vision"]);
}

#[test]
fn it_begins_with_what_was_changed_and_its_log_repeats_that() {
    let mut convoy = Convoy::start(&["--log", "trip.mcap"]);
    convoy.prints(&["parameters", "set", "LineDetector.offset", "0.125"]);
    convoy.prints(&["parameters", "set", "LineDetector.offset", "0.5"]);
    convoy.prints(&["workers", "seeing", "1"]);
    let dead = kill(&convoy);
    until_it_is_back(&convoy, dead);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.5);
    let diff = convoy.json(&["parameters", "diff"]);
    assert_eq!(diff[0]["module"], "LineDetector", "{diff}");

    convoy.prints(&["providers", "switch", "Line", "BlindDetector"]);
    convoy.prints(&["override", "Line", "{ image = 1, offset = 0.75 }"]);
    let dead = kill(&convoy);
    until_it_is_back(&convoy, dead);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.75);
    convoy.prints(&["release", "Line"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == -1.0);
    convoy.prints(&["providers", "switch", "Line", "LineDetector"]);
    convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.5);

    let log = "trip-vision-restart-2.mcap";
    let lines = lines_of(&mut convoy, &[log]);
    let changes = convoy.prints(&["log", "cat", log, "--topic", "/hemiola/changes"]);
    let before: Vec<_> = changes.lines().filter(|line| line.starts_with("0.000000 ")).collect();
    assert_eq!(before.len(), 4, "{changes}");
    let mut became: Vec<f64> = lines.iter().map(|line| line.offset).collect();
    became.dedup();
    assert_eq!(became, [0.75, -1.0, 0.5]);
}

#[test]
fn one_whose_constructor_hangs_is_killed_and_started_again() {
    let convoy = Convoy::start(&["--set", "process.vision.begin_within='5 s'"]);
    let (hang, output) = (convoy.folder.join("hang"), convoy.folder.join("output"));
    fs::write(&hang, "").unwrap();
    let dead = kill(&convoy);
    let begin = Instant::now();
    let late = "process `vision` has not begun within 5.00 s: a constructor may hang; it is killed";
    let said = || fs::read_to_string(&output).unwrap();
    while !said().contains(late) {
        assert!(begin.elapsed() < PATIENCE, "{}", said());
        thread::sleep(Duration::from_millis(20));
    }
    // The others go on meanwhile.
    let run = convoy.json(&["show", "Drive.run"])["value"].as_u64();
    convoy.until(&["show", "Drive.run"], |answer| answer["value"].as_u64() > run);
    fs::remove_file(&hang).unwrap();
    until_it_is_back(&convoy, dead);
}
