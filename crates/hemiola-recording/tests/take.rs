//! `run --replay --take`: representations of cycles come from the log, and all else is computed on
//! them.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use hemiola::prelude::*;
use hemiola::{Application, cdr};
use hemiola_log::{Entry, LogReader};

const ROBOT: &str = r#"
[cycle.cognition]
trigger = "Camera"
modules = ["Finder", "Filter"]

[cycle.behaviour]
rate = 37.0
modules = ["Decide"]
"#;

#[derive(Representation, Clone, Default)]
struct Picture {
    brightness: f64,
}

#[derive(Representation, Clone, Default)]
struct Percept {
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct Confidence {
    share: f64,
}

#[derive(Representation, Clone, Default)]
struct Ball {
    x: f64,
    seen: u64,
    /// Of the runs in which nothing new was seen.
    stale: u64,
}

#[derive(Representation, Clone, Default)]
struct Decision {
    turn: f64,
}

#[derive(Source)]
struct Camera {
    count: u32,
}

#[source]
impl Camera {
    #[sample(rate = 60.0)]
    fn sample(&mut self, picture: &mut Picture) {
        self.count += 1;
        picture.brightness = f64::from(self.count).sin();
    }
}

#[derive(Parameters)]
struct FinderParameters {
    #[parameter(default = 1.0)]
    gain: f64,
}

#[derive(Module)]
struct Finder {
    #[parameters]
    parameters: FinderParameters,
    calls: u64,
}

#[module]
impl Finder {
    /// Sees nothing in every seventh picture.
    #[update]
    fn percept(&mut self, picture: &Picture, decision: &Decision, percept: &mut Percept) -> Result<(), String> {
        self.calls += 1;
        percept.x = self.parameters.gain * picture.brightness + 0.1 * decision.turn;
        if self.calls % 7 == 3 { Err("nothing".into()) } else { Ok(()) }
    }

    #[update]
    fn confidence(&mut self, percept: &Percept, share: &mut Confidence, certain: &mut Certainty) {
        share.share = self.parameters.gain * percept.x.cos();
        certain.is_certain = share.share > 0.5;
    }
}

#[derive(Representation, Clone, Default)]
struct Certainty {
    is_certain: bool,
}

#[derive(Module)]
struct Filter {
    memory: f64,
}

#[module]
impl Filter {
    #[update]
    fn ball(
        &mut self,
        percept: Fresh<Percept>,
        confidence: &Confidence,
        certainty: &Certainty,
        last: Previous<Ball>,
        ball: &mut Ball,
    ) {
        *ball = last.clone();
        self.memory = 0.8 * self.memory + percept.x * confidence.share + f64::from(u8::from(certainty.is_certain));
        ball.x = self.memory;
        if percept.is_stale() { ball.stale += 1 } else { ball.seen += 1 }
    }
}

#[derive(Module)]
struct Decide {}

#[module]
impl Decide {
    #[update]
    fn decision(&self, balls: Samples<Ball>, decision: &mut Decision) {
        decision.turn = balls.iter().map(|ball| ball.x).sum();
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-take-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot", "run", "--headless", "--no-trace"], arguments].concat())
}

/// Step by step, so that nothing is lost on a machine that does other work.
fn record(folder: &Path, arguments: &[&str]) -> String {
    let log = folder.join("live.mcap").to_str().unwrap().to_owned();
    let run = run(&[&["--fast", "--duration", "4s", "--log", &log], arguments].concat());
    assert_eq!(run, ExitCode::SUCCESS);
    log
}

/// The values of a log by topic: time and bytes.
fn values(log: &str) -> BTreeMap<String, Vec<(u64, Vec<u8>)>> {
    let mut log = LogReader::open(log.as_ref()).unwrap();
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && !message.channel.topic.contains("/hemiola")
            && !message.channel.topic.contains("/_run")
            && !message.channel.topic.contains("/_state")
        {
            let value = (message.log_time.nanoseconds(), message.data.to_vec());
            values.entry(message.channel.topic.clone()).or_default().push(value);
        }
    }
    values
}

/// A replay of a log with another gain, which changes all that is found.
fn replayed(log: &str, arguments: &[&str]) -> BTreeMap<String, Vec<(u64, Vec<u8>)>> {
    let again = Path::new(log).with_file_name("again.mcap");
    _ = std::fs::remove_file(&again);
    let replay = ["--replay", log, "--set", "module.Finder.gain=3.0", "--log", again.to_str().unwrap(), "--fast"];
    assert_eq!(run(&[&replay, arguments].concat()), ExitCode::SUCCESS);
    values(again.to_str().unwrap())
}

#[test]
fn what_is_taken_is_what_was_recorded_run_by_run_and_all_else_is_computed_on_it() {
    let folder = folder("bits");
    let log = record(&folder, &[]);
    let recorded = values(&log);
    assert!(replayed(&log, &[]) != recorded, "another gain makes a difference");
    for workers in ["1", "3"] {
        let workers = format!("cycle.cognition.workers={workers}");
        let arguments = ["--take", "Percept,Confidence,Certainty", "--set", &workers];
        assert!(replayed(&log, &arguments) == recorded, "with all that depends on the gain taken, it makes none");
    }
    let configured = ["--set", "replay.take=['Percept', 'Confidence', 'Certainty']"];
    assert!(replayed(&log, &configured) == recorded, "the same from robot.toml");

    // One of two that an update provides: the other is computed.
    let part = replayed(&log, &["--take", "Percept,Confidence"]);
    assert!(part["/cognition/Percept"] == recorded["/cognition/Percept"]);
    assert!(part["/cognition/Confidence"] == recorded["/cognition/Confidence"]);
    assert!(part["/cognition/Certainty"] != recorded["/cognition/Certainty"]);
    assert!(part["/cognition/Ball"] != recorded["/cognition/Ball"]);

    // The pace makes no difference here either.
    let paced = folder.join("paced.mcap");
    let replay = ["--replay", &log, "--set", "module.Finder.gain=3.0", "--speed", "8", "--take", "Percept,Confidence"];
    assert_eq!(run(&[&replay[..], &["--log", paced.to_str().unwrap()]].concat()), ExitCode::SUCCESS);
    assert!(values(paced.to_str().unwrap()) == part);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_replay_that_begins_in_the_middle_takes_the_values_of_its_runs() {
    let folder = folder("middle");
    let log = record(&folder, &["--set", "log.snapshot=1 s"]);
    let recorded = values(&log);
    let part = replayed(&log, &["--take", "Percept,Confidence,Certainty", "--from", "2500ms"]);
    for topic in ["/cognition/Percept", "/cognition/Ball", "/behaviour/Decision"] {
        let (part, recorded) = (&part[topic], &recorded[topic]);
        let begin = recorded.partition_point(|(time, _)| *time < 2_500_000_000);
        assert!(*part == recorded[begin..], "{topic}: {} of {}", part.len(), recorded.len() - begin);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The replay whose words are looked at; set for the child only.
const PATH: &str = "HEMIOLA_TAKE_PATH";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn replays() {
    let Ok(path) = std::env::var(PATH) else { return };
    let mut arguments: Vec<_> = path.split(' ').collect();
    arguments.splice(0..0, ["--fast", "--replay"]);
    println!("it ended with {:?}", run(&arguments));
}

/// Returns the output of a replay.
fn told(arguments: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "replays", "--ignored", "--nocapture"])
        .env(PATH, arguments)
        .output()
        .unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn runs_without_a_recorded_value_keep_the_last_one_and_are_counted() {
    let folder = folder("rate");
    let log = record(&folder, &["--set", "log.channel.Ball.rate=10.0"]);
    let recorded = values(&log)["/cognition/Ball"].clone();
    let ball = |value: &(u64, Vec<u8>)| cdr::decode::<Ball>(&value.1).unwrap();
    let again = replayed(&log, &["--take", "Ball"]);
    assert!(again["/cognition/Ball"] == recorded, "each in its run, and no others");
    assert!(ball(&recorded[9]).x != 0.0);
    let told = told(&format!("{log} --take Ball"));
    assert!(told.contains(&format!("Ball: {} values from the log; ", recorded.len())), "{told}");
    assert!(told.contains("runs have none there, and kept the last one, marked as stale"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn without_the_log_s_runs_the_newest_value_of_that_time_is_taken() {
    let folder = folder("time");
    let log = record(&folder, &[]);
    let plain = folder.join("plain.mcap");
    let filter = ["robot", "log", "filter", &log, plain.to_str().unwrap(), "--topic", "/Camera/*", "--topic"];
    let filter = Application::embedded(ROBOT).run_with([&filter[..], &["/cognition/Percept"]].concat());
    assert_eq!(filter, ExitCode::SUCCESS);
    let recorded = values(&log)["/cognition/Percept"].clone();
    let again = replayed(plain.to_str().unwrap(), &["--take", "Percept"]);
    for (time, percept) in &again["/cognition/Percept"] {
        let newest =
            recorded.partition_point(|(then, _)| then <= time).checked_sub(1).map(|newest| &recorded[newest].1);
        assert_eq!(newest, Some(percept), "at {time}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_taken_is_told_at_once() {
    let folder = folder("refused");
    let log = record(&folder, &["--log-only", "Picture,Percept"]);
    for (name, reason) in [
        ("Bal", "there is no representation of a cycle `Bal`, did you mean `Ball`? There are: "),
        ("Picture", "source `Camera` provides it, of which a replay reads everything from the log"),
        ("Ball", "has no /cognition/Ball; of cycle `cognition` it has: Percept"),
    ] {
        let told = told(&format!("{log} --take {name}"));
        assert!(told.contains(reason) && told.contains("it ended with ExitCode(unix_exit_status(2))"), "{told}");
    }
    assert_eq!(run(&["--take", "Ball"]), ExitCode::from(2), "of a replay only");
    let told = told(&format!("{log} --take Percept"));
    assert!(told.contains("it ended with ExitCode(unix_exit_status(0))"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}
