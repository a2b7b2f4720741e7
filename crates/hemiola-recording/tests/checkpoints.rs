//! The recording of what modules remember.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::testing::Extracted;
use hemiola_log::{Entry, LogReader};

const ROBOT: &str = r#"
[cycle.main]
rate = 10.0
modules = ["Counting", "Hoarding"]
"#;

#[derive(Representation, Clone, Default)]
struct Count {
    number: u64,
}

#[derive(Module, Default)]
struct Counting {
    number: u64,
}

#[module]
impl Counting {
    #[update]
    fn count(&mut self, count: &mut Count) {
        self.number += 1;
        count.number = self.number;
    }
}

/// Remembers more than anybody expects.
#[derive(Module)]
struct Hoarding {
    things: Vec<u8>,
}

#[module]
impl Hoarding {
    #[update]
    fn hoard(&mut self, _: &Count) {
        self.things.resize(1_000_000, 1);
    }
}

/// A log of 25 s.
fn record(name: &str, arguments: &[&str]) -> PathBuf {
    let log = std::env::temp_dir().join(format!("hemiola-{}-checkpoints-{name}.mcap", std::process::id()));
    let fixed = ["robot", "run", "--headless", "--no-trace", "--fast", "--duration", "25s", "--log"];
    let arguments = [&fixed[..], &[log.to_str().unwrap()], arguments].concat();
    assert_eq!(Application::embedded(ROBOT).run_with(arguments), ExitCode::SUCCESS);
    log
}

/// The seconds in which a robot writes down what a module remembers.
fn seconds(name: &str, module: &str, arguments: &[&str]) -> Vec<u64> {
    let log = record(name, arguments);
    let mut reader = LogReader::open(&log).unwrap();
    let mut seconds = BTreeSet::new();
    while let Some(entry) = reader.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == format!("/main/_state/module/{module}")
        {
            // What a checkpoint tells is of the run before.
            seconds.insert(message.log_time.nanoseconds().div_ceil(1_000_000_000));
        }
    }
    std::fs::remove_file(log).unwrap();
    seconds.into_iter().collect()
}

#[test]
fn the_first_checkpoints_do_not_wait_for_a_long_period() {
    assert_eq!(seconds("usual", "Counting", &[]), [1, 2, 4, 8, 10, 20]);
    assert_eq!(seconds("seldom", "Counting", &["--set", "log.snapshot=60 min"]), [1, 2, 4, 8, 16]);
}

#[test]
fn a_short_period_is_kept_from_the_beginning() {
    let every: Vec<u64> = (1..=25).collect();
    assert_eq!(seconds("often", "Counting", &["--set", "log.snapshot=1 s"]), every);
    assert!(seconds("never", "Counting", &["--set", "log.snapshot=never"]).is_empty());
}

#[test]
fn what_finds_no_room_in_the_first_checkpoint_is_in_the_second() {
    assert_eq!(seconds("large", "Hoarding", &[]), [2, 4, 8, 10, 20]);
}

#[test]
fn a_run_of_a_module_that_remembers_much_can_be_taken_out() {
    let log = record("extract", &[]);
    let tests = log.with_extension("tests");
    let [from, to] = [&log, &tests].map(|path| path.to_str().unwrap());
    let extract = ["robot", "log", "extract-cycle", from, "--cycle", "main", "--run", "100", "--module", "Hoarding"];
    let code = Application::embedded(ROBOT).run_with([&extract[..], &["--output", to]].concat());
    assert_eq!(code, ExitCode::SUCCESS);
    Extracted::open(tests.join("extracted/hoarding_100.mcap")).unwrap().check().unwrap();
    std::fs::remove_file(log).unwrap();
    std::fs::remove_dir_all(tests).unwrap();
}
