//! Somebody turns all knobs of a robot on its own threads; a replay turns them before the same
//! runs, so that all comes out again, to the bit.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use hemiola::Application;
use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola::runtime::Change;
use hemiola_log::{Entry, LogReader};

const ROBOT: &str = r#"
[cycle.motion]
trigger = "Gyroscope"
modules = ["Walk", "Fragile"]

[cycle.cognition]
rate = 61.0
modules = ["Slow", "Quick", "Judge"]

[providers]
Estimate = "Slow"

[module.Fragile]
on_failure = "restart"

[log]
snapshot = "300 ms"
"#;

#[derive(Representation, Clone, Default)]
struct Rotation {
    speed: f64,
}

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
    length: f64,
}

#[derive(Representation, Clone, Default)]
struct Estimate {
    x: f64,
    calls: u64,
}

#[derive(Representation, Clone, Default)]
struct Judgement {
    sum: f64,
}

#[derive(Representation, Clone, Default)]
struct Fragment {
    calls: u64,
}

#[derive(Source)]
struct Gyroscope {
    count: u32,
}

#[source]
impl Gyroscope {
    #[sample(rate = 200.0)]
    fn sample(&mut self, rotation: &mut Rotation) {
        self.count += 1;
        rotation.speed = f64::from(self.count).sin();
    }
}

#[derive(Parameters)]
struct Gains {
    #[parameter(default = 1.0)]
    gain: f64,
    #[parameter(default = 0.0)]
    offset: f64,
}

#[derive(Module)]
struct Walk {
    #[parameters]
    parameters: Gains,
    memory: f64,
}

#[module]
impl Walk {
    #[update]
    fn step(&mut self, rotation: &Rotation, judgement: &Judgement, last: Previous<Step>, step: &mut Step) {
        self.memory = 0.9 * self.memory + self.parameters.gain * rotation.speed + self.parameters.offset;
        *step = Step { number: last.number + 1, length: self.memory + 1e-3 * judgement.sum };
    }
}

/// Fails now and then, and begins anew.
#[derive(Module)]
struct Fragile {
    calls: u64,
}

#[module]
impl Fragile {
    #[update]
    fn fragment(&mut self, step: &Step, fragment: &mut Fragment) -> Result<(), String> {
        self.calls += 1;
        fragment.calls = self.calls;
        if step.number % 211 == 100 { Err("broken".into()) } else { Ok(()) }
    }
}

#[derive(Module)]
struct Slow {
    #[parameters]
    parameters: Gains,
    x: f64,
    calls: u64,
}

#[module]
impl Slow {
    #[update]
    fn estimate(&mut self, steps: Samples<Step>, estimate: &mut Estimate) {
        self.calls += 1;
        self.x += 0.1 * (steps.iter().map(|step| step.length).sum::<f64>() * self.parameters.gain - self.x);
        *estimate = Estimate { x: self.x, calls: self.calls };
    }
}

#[derive(Module)]
struct Quick {
    #[parameters]
    parameters: Gains,
    calls: u64,
}

#[module]
impl Quick {
    #[update]
    fn estimate(&mut self, step: &Step, estimate: &mut Estimate) {
        self.calls += 1;
        *estimate = Estimate { x: step.length * self.parameters.gain, calls: self.calls };
    }
}

#[derive(Module)]
struct Judge {}

#[module]
impl Judge {
    #[update]
    fn judgement(&self, estimate: &Estimate, last: Previous<Judgement>, judgement: &mut Judgement) {
        judgement.sum = 0.99 * last.sum + estimate.x + estimate.calls as f64 * 1e-6;
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-changes-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn robot(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

/// Turns all knobs, one after the other, until the robot ends.
fn turn_knobs(handle: hemiola::RobotHandle) {
    for number in 0.. {
        if handle.is_stopping() {
            return;
        }
        let change = match number % 8 {
            0 => Change::parameter("Walk", "gain", Value::Float(1.0 / (1.0 + f64::from(number)))),
            1 => Change::provider("Estimate", if number % 16 == 1 { "Quick" } else { "Slow" }),
            2 => Change::parameter("Quick", "gain", Value::Float(0.1 * f64::from(number))),
            3 => Change::parameter("Slow", "gain", Value::Float(0.3 * f64::from(number))),
            4 => {
                let fields = [("x", Value::Float(f64::from(number))), ("calls", Value::Integer(7))];
                let fields = fields.map(|(name, value)| (name.to_owned(), value));
                Change::override_with("Estimate", Value::Table(fields.into_iter().collect()))
            }
            5 => Change::release("Estimate"),
            6 => Change::workers("cognition", 1),
            _ => Change::parameter("Walk", "offset", Value::Float(1e-3 * f64::from(number))),
        };
        let pending = handle.change(change);
        // Some follow each other before all cycles have come to them. While the robot ends nobody
        // applies any.
        if number % 3 != 0 {
            _ = pending.wait();
        }
        thread::sleep(Duration::from_millis(11));
    }
}

/// Records a robot on its own threads; again, and slower, until its recorder has lost nothing.
fn record(log: &Path) {
    for pace in ["2", "1", "0.5", "0.25"] {
        _ = std::fs::remove_file(log);
        let application = Application::embedded(ROBOT).started(|handle| {
            let handle = handle.clone();
            thread::spawn(move || turn_knobs(handle));
        });
        let path = log.to_str().unwrap();
        let run = ["robot", "run", "--headless", "--no-trace", "--speed", pace, "--duration", "6s", "--log", path];
        let code = application.run_with(run);
        if code == ExitCode::SUCCESS {
            return;
        }
        assert_eq!(code, ExitCode::from(3), "nothing worse than a loss");
    }
    panic!("a recorder loses values that wait for it for nearly a second");
}

/// The replay whose words are looked at; set for the child only.
const PATH: &str = "HEMIOLA_CHANGES_PATH";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn verifies() {
    let Ok(path) = std::env::var(PATH) else { return };
    println!("it ended with {:?}", robot(&["log", "verify", &path]));
}

fn verdict(log: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "verifies", "--ignored", "--nocapture"])
        .env(PATH, log)
        .output()
        .unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Returns what was changed, as text.
fn changes(log: &Path) -> Vec<String> {
    let mut log = LogReader::open(log).unwrap();
    let mut changes = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == "/hemiola/changes"
        {
            changes.push(message.decode().unwrap().to_string());
        }
    }
    changes
}

#[test]
fn what_was_changed_while_the_robot_ran_is_changed_again_before_the_same_runs() {
    let folder = folder("bits");
    let [log, again, without] = ["live.mcap", "again.mcap", "without.mcap"].map(|name| folder.join(name));
    record(&log);
    let changes_of_log = changes(&log);
    // Parameters, providers, overrides, their ends, and modules that were replaced.
    for kind in ["kind: 0", "kind: 1", "kind: 3", "kind: 4", "kind: 5"] {
        assert!(changes_of_log.iter().any(|change| change.contains(kind)), "{kind} is among {changes_of_log:?}");
    }
    for workers in ["1", "3"] {
        let verified = robot(&["log", "verify", log.to_str().unwrap(), "--workers", workers]);
        assert_eq!(verified, ExitCode::SUCCESS, "{workers} workers: {}", verdict(&log));
    }
    // Also from the middle on, where some have been changed before.
    for from in ["1s", "2.5s", "4s"] {
        let verified = robot(&["log", "verify", log.to_str().unwrap(), "--from", from]);
        assert_eq!(verified, ExitCode::SUCCESS, "from {from}");
    }
    // A replay is a run with changes, too: its log tells of them, and repeats.
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", log.to_str().unwrap(), "--log"];
    assert_eq!(robot(&[&replay[..], &[again.to_str().unwrap()]].concat()), ExitCode::SUCCESS);
    assert!(verdict(&again).contains("ExitCode(unix_exit_status(0))"), "{}", verdict(&again));

    let filter = ["log", "filter", log.to_str().unwrap(), without.to_str().unwrap()];
    let topics = ["/motion/*", "/cognition/*", "/Gyroscope/*"].map(|topic| ["--topic", topic]).concat();
    assert_eq!(robot(&[&filter[..], &topics].concat()), ExitCode::SUCCESS);
    let told = verdict(&without);
    let reason =
        "something was changed from outside, which cannot be done again: the recording does not contain the change";
    assert!(told.contains(reason) && told.contains("ExitCode(unix_exit_status(1))"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}
