//! A run that ends before its time says why, and comparisons of logs end with their verdict.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::Command;

use hemiola::Application;
use hemiola::prelude::*;
use serde_json::Value;

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
}

#[derive(Parameters)]
struct StairsParameters {
    #[parameter(default = 50)]
    steps: u64,
}

/// Ends at the top.
#[derive(Source)]
struct Stairs {
    #[parameters]
    parameters: StairsParameters,
    number: u64,
}

#[source]
impl Stairs {
    #[sample]
    fn step(&mut self, step: &mut Step) -> Option<Time> {
        self.number += 1;
        step.number = self.number;
        (self.number <= self.parameters.steps).then(|| Time::from_nanoseconds(self.number as i64 * 10_000_000))
    }
}

#[derive(Representation, Clone, Default)]
struct Height {
    metres: f64,
}

#[derive(Parameters)]
struct ClimberParameters {
    #[parameter(default = 0.2)]
    rise: f64,
}

#[derive(Module)]
struct Climber {
    #[parameters]
    parameters: ClimberParameters,
}

#[module]
impl Climber {
    #[update]
    fn height(&self, step: &Step, height: &mut Height) {
        height.metres = step.number as f64 * self.parameters.rise;
    }
}

const ROBOT: &str = "[cycle.main]\ntrigger = \"Stairs\"\n";
/// Tells a process that it is the robot, and not the test.
const COMMAND: &str = "HEMIOLA_TEST_ENDINGS_COMMAND";

/// The robot of the tests, in a process that they have started; not a test itself.
#[test]
fn this_is_the_robot() {
    if let Ok(command) = std::env::var(COMMAND) {
        let command: Vec<_> = command.split(' ').collect();
        Application::embedded(ROBOT).run_with([&["robot"], &command[..]].concat());
    }
}

/// Runs a command of the robot in a process of its own, and returns what it prints.
fn prints(command: &str) -> String {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "this_is_the_robot", "--nocapture"]).env(COMMAND, command);
    String::from_utf8(process.output().unwrap().stdout).unwrap()
}

fn run(more: &str) -> String {
    prints(format!("run --fast --headless --no-trace --no-page {more}").trim())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the last line of the command, without those of the test around it.
fn last(printed: &str) -> &str {
    let own = printed.split("\ntest ").next().unwrap();
    own.trim_end().lines().last().unwrap()
}

#[test]
fn a_run_that_ends_before_its_time_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("stairs.mcap");
    let said = run(&format!("--duration 30s --log {}", text(&log)));
    assert!(said.contains(", not until 30.0 s: all of its sources have ended\n"), "{said}");
    assert!(last(&said).starts_with("VERDICT: "), "{said}");
    let said = run(&format!("--replay {} --for 1min", text(&log)));
    assert!(said.contains(", not until 60.0 s: the log has ended\n"), "{said}");
    // This one runs as long as it should, and that one as long as there is something to do.
    for enough in ["--duration 200ms", ""] {
        let said = run(enough);
        assert!(said.contains(" s on the robot's clock in ") && !said.contains("not until"), "{said}");
    }
}

#[test]
fn comparisons_of_logs_end_with_a_verdict_and_are_for_programs_too() {
    let folder = tempfile::tempdir().unwrap();
    let [left, right] = ["left.mcap", "right.mcap"].map(|name| folder.path().join(name));
    run(&format!("--log {}", text(&left)));
    run(&format!("--log {} --set module.Climber.rise=0.25", text(&right)));
    let (left, right) = (text(&left), text(&right));
    let json = |printed: &str| -> Value {
        let (begin, end) = (printed.find('{').unwrap(), printed.rfind("\n}").unwrap() + 2);
        serde_json::from_str(&printed[begin..end]).unwrap_or_else(|error| panic!("{error}: {printed}"))
    };

    let said = prints(&format!("log diff {left} {right} --topic /main/Height"));
    assert!(said.contains("\n/main/Height.metres") && said.contains("2.500e0"), "{said}");
    assert_eq!(last(&said), "different: 50 of 50 messages", "{said}");
    let of_metres = json(&prints(&format!("log diff {left} {right} --topic /main/Height --json")));
    assert_eq!(of_metres["fields"][0]["field"], "metres");
    assert_eq!(of_metres["fields"][0]["messages"], 50);
    let within = prints(&format!("log diff {left} {right} --topic /main/Height --tolerance /main/Height.metres=2.51"));
    assert_eq!(last(&within), "the same: 50 messages", "{within}");
    // The same part of it, by its end and by its length.
    for part in ["--from 100ms --to 200ms", "--from 100ms --for 100ms"] {
        let said = prints(&format!("log diff {left} {right} --topic /main/Height {part}"));
        assert_eq!(last(&said), "different: 10 of 10 messages", "{part}: {said}");
    }

    let said = prints(&format!("log verify {left}"));
    assert!(last(&said).starts_with("the same to the bit: "), "{said}");
    let said = prints(&format!("log verify {left} --set module.Climber.rise=0.25"));
    assert!(last(&said).starts_with("not the same: 50 of "), "{said}");
    let verified = json(&prints(&format!("log verify {left} --json")));
    assert_eq!((&verified["result"], &verified["cycles"][0]["different"]), (&"same".into(), &0.into()));
}
