//! A robot that ran on its own threads is repeated from its log, to the bit; `log verify` says so, or what differs first.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::prelude::*;
use hemiola::{Application, cdr};
use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Message, Origin};
use hemiola_model::cdr::MessageSchema;

/// Three cycles that read from each other in all directions, values, queues and topics, with rates that do not fit together.
const ROBOT: &str = r#"
[cycle.motion]
trigger = "Gyroscope"
modules = ["Walk"]

[cycle.cognition]
trigger = "Camera"
modules = ["Localize", "Decide"]

[cycle.voice]
rate = 37.0
modules = ["Speak"]
"#;

#[derive(Representation, Clone, Default)]
struct Rotation {
    speed: f64,
}

#[derive(Representation, Clone, Default)]
struct Picture {
    brightness: Vec<u8>,
}

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
    length: f64,
    /// Of the decision that it follows.
    decision: u64,
    /// Of all remarks, in the order in which they came.
    remarks: u64,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    x: f64,
    steps: u64,
    newest_step: u64,
}

/// Not provided in every run.
#[derive(Representation, Clone, Default)]
struct Decision {
    number: u64,
    speed: f64,
    words: u64,
    remarks: u64,
}

/// A topic that motion and voice publish, and cognition and motion receive.
#[derive(Representation, Clone, Default)]
struct Remark {
    number: u64,
}

#[derive(Representation, Clone, Default)]
struct Words {
    count: u64,
    text: String,
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

#[derive(Source)]
struct Camera {
    count: u8,
}

#[source]
impl Camera {
    #[sample(rate = 60.0)]
    fn sample(&mut self, picture: &mut Picture) {
        self.count = self.count.wrapping_add(1);
        picture.brightness.extend((0..1000).map(|pixel| self.count.wrapping_mul(pixel as u8)));
    }
}

#[derive(Module)]
struct Walk {
    memory: f64,
}

#[module]
impl Walk {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "it takes something in every way that there is")]
    fn step(
        &mut self,
        rotation: &Rotation,
        decision: Fresh<Decision>,
        words: &Words,
        last: Previous<Step>,
        heard: &Subscription<Remark>,
        remark: &mut Publisher<Remark>,
        step: &mut Step,
    ) {
        self.memory = 0.9 * self.memory + rotation.speed * decision.speed + 1e-3 * words.count as f64;
        step.number = last.number + 1;
        step.length = self.memory + if decision.is_stale() { 0.5 } else { 0.0 };
        step.decision = decision.number;
        step.remarks = fold(heard, last.remarks);
        for number in 0..step.number % 3 {
            remark.publish(Remark { number: 3 * step.number + number });
        }
    }
}

#[derive(Module)]
struct Localize {}

#[module]
impl Localize {
    #[update]
    fn pose(&self, picture: &Picture, steps: Samples<Step>, last: Previous<Pose>, pose: &mut Pose) {
        pose.x = last.x + steps.iter().map(|step| step.length).sum::<f64>() + f64::from(picture.brightness[7]) * 1e-6;
        pose.steps = last.steps + steps.len() as u64;
        pose.newest_step = steps.iter().last().map_or(last.newest_step, |step| step.number);
    }
}

#[derive(Parameters)]
struct DecideParameters {
    #[parameter(default = 10.0)]
    goal: f64,
}

#[derive(Module)]
struct Decide {
    #[parameters]
    parameters: DecideParameters,
}

#[module]
impl Decide {
    #[update]
    fn decision(
        &mut self,
        pose: &Pose,
        words: &Words,
        heard: &Subscription<Remark>,
        last: Previous<Decision>,
        decision: &mut Decision,
    ) -> Result<(), String> {
        if pose.newest_step % 5 == 3 {
            return Err("no idea".into());
        }
        decision.number = last.number + 1;
        decision.speed = (self.parameters.goal - pose.x).tanh();
        decision.words = words.count;
        decision.remarks = fold(heard, last.remarks);
        Ok(())
    }
}

#[derive(Module)]
struct Speak {}

#[module]
impl Speak {
    #[update]
    fn words(
        &self,
        decisions: Samples<Decision>,
        step: &Step,
        last: Previous<Words>,
        clock: &Clock,
        remark: &mut Publisher<Remark>,
        words: &mut Words,
    ) {
        remark.publish(Remark { number: 1_000_000 + clock.run() });
        words.count = last.count + decisions.len() as u64;
        words.text = format!("{} at {} after {}", decisions.len(), clock.now(), step.number);
    }
}

/// Another number for other remarks, and for the same in another order.
fn fold(heard: &Subscription<Remark>, before: u64) -> u64 {
    heard.iter().fold(before, |all, remark| all.wrapping_mul(31).wrapping_add(remark.number))
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn robot(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

/// Runs the robot on its own threads until its recorder has lost nothing, as may happen on a machine that does other work.
fn record(log: &Path) {
    for _ in 0..10 {
        _ = std::fs::remove_file(log);
        let run =
            ["run", "--headless", "--no-trace", "--speed", "3", "--duration", "6s", "--log", log.to_str().unwrap()];
        assert_eq!(robot(&run), ExitCode::SUCCESS);
        if is_whole(log) {
            return;
        }
    }
    panic!("the machine has no time for this test");
}

/// Whether no number is missing in any channel.
fn is_whole(log: &Path) -> bool {
    let mut log = LogReader::open(log).unwrap();
    let mut next: BTreeMap<String, u32> = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            let next = next.entry(message.channel.topic.clone()).or_default();
            if message.sequence != *next {
                return false;
            }
            *next += 1;
        }
    }
    true
}

fn verify(log: &Path, arguments: &[&str]) -> ExitCode {
    robot(&[&["log", "verify", log.to_str().unwrap()], arguments].concat())
}

#[test]
fn a_log_of_a_robot_on_its_own_threads_repeats_to_the_bit_with_any_number_of_workers() {
    let folder = folder("verify");
    let log = folder.join("live.mcap");
    record(&log);
    for workers in ["1", "2", "3", "8"] {
        assert_eq!(verify(&log, &["--workers", workers]), ExitCode::SUCCESS, "{workers} workers");
    }
    assert_eq!(verify(&log, &["--set", "module.Decide.goal=11.0"]), ExitCode::FAILURE, "another parameter is seen");
    // What was replayed is a log like any other: it repeats again, and is the same.
    let again = folder.join("again.mcap");
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", log.to_str().unwrap(), "--log"];
    assert_eq!(robot(&[&replay[..], &[again.to_str().unwrap()]].concat()), ExitCode::SUCCESS);
    assert_eq!(verify(&again, &[]), ExitCode::SUCCESS);
    assert_eq!(values(&log, "/motion/Step"), values(&again, "/motion/Step"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What the verification of a log says, and its exit code.
fn verdict(log: &Path) -> (String, i32) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "verifies", "--ignored", "--nocapture"])
        .env(PATH, log)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let code = told.lines().find_map(|line| line.strip_prefix("exit code ")).map(|code| code.parse().unwrap());
    (told, code.expect("it has ended"))
}

/// What the child verifies; set for the child only.
const PATH: &str = "HEMIOLA_VERIFY_PATH";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn verifies() {
    let Ok(path) = std::env::var(PATH) else { return };
    let code = verify(path.as_ref(), &[]);
    let code = [0, 1, 2, 3].into_iter().find(|&known| code == ExitCode::from(known)).unwrap();
    println!("exit code {code}");
}

#[test]
fn a_value_that_was_tampered_with_is_named_by_run_representation_and_field() {
    let folder = folder("verify-tampered");
    let [log, other, without] = ["live.mcap", "tampered.mcap", "without.mcap"].map(|name| folder.join(name));
    record(&log);
    let mut now = String::new();
    copied(&log, &other, |message| match (message.channel.topic.as_str(), message.sequence) {
        ("/motion/Step", 100) => {
            let mut step: Step = cdr::decode(message.data).unwrap();
            step.length += 1e-9;
            now = format!("at {:.6} s", message.log_time.nanoseconds() as f64 * 1e-9);
            Some(cdr::encode(&step))
        }
        // Later, and so not the first.
        ("/cognition/Pose", 300) => Some(cdr::encode(&Pose::default())),
        _ => Some(message.data.to_vec()),
    });
    let (told, code) = verdict(&other);
    assert_eq!(code, 1, "{told}");
    // It fails in no run, so the hundredth value is that of run 100.
    assert!(
        told.contains(&format!("the first difference: run 100 of motion, {now}: Step.length\n  recorded ")),
        "{told}"
    );

    // A value that is not there is no difference, but one more is.
    copied(&log, &without, |message| {
        let is_left_out = message.channel.topic == "/motion/Step" && message.sequence == 100;
        (!is_left_out).then(|| message.data.to_vec())
    });
    let (told, code) = verdict(&without);
    assert_eq!((code, told.contains("1 not in the log")), (0, true), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_log_that_lacks_something_is_repeated_up_to_there() {
    let folder = folder("verify-incomplete");
    let [log, runs, samples, none] =
        ["live.mcap", "runs.mcap", "samples.mcap", "none.mcap"].map(|name| folder.join(name));
    record(&log);
    let without = |path: &Path, topic: &str, number: u32| {
        copied(&log, path, |message| {
            let is_left_out = message.channel.topic == topic && message.sequence == number;
            (!is_left_out).then(|| message.data.to_vec())
        });
        verdict(path)
    };
    let (told, code) = without(&runs, "/motion/_run", 200);
    assert_eq!((code, told.contains("1 run is missing in the transcript")), (3, true), "{told}");
    assert!(told.contains("as far as it can be compared, it is the same to the bit"), "{told}");
    let sample = taken_sample(&log);
    let (told, code) = without(&samples, "/Camera/Picture", sample);
    let reason = format!("sample {sample} of source Camera is not in the log");
    assert_eq!((code, told.contains(&reason)), (3, true), "{told}");

    let (told, code) = {
        copied(&log, &none, |message| (!message.channel.topic.ends_with("/_run")).then(|| message.data.to_vec()));
        verdict(&none)
    };
    assert!(told.contains("runs come when they are due"), "{told}");
    assert_ne!(code, 2, "it is compared all the same: {told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A picture that a run took: on a machine that does other work some are passed over.
fn taken_sample(log: &Path) -> u32 {
    let mut log = LogReader::open(log).unwrap();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == "/cognition/_run"
        {
            let run = message.decode().unwrap().to_string();
            let taken = run.split_once("source: \"Camera\", snapshot: [").and_then(|(_, rest)| rest.split_once(']'));
            let sample = taken.and_then(|(number, _)| number.parse().ok());
            if let Some(sample) = sample.filter(|&sample| sample >= 20) {
                return sample;
            }
        }
    }
    panic!("no run took a picture");
}

#[test]
fn a_log_of_an_older_version_of_a_type_gives_what_is_left_of_it() {
    let folder = folder("verify-older");
    let [log, older] = ["live.mcap", "older.mcap"].map(|name| folder.join(name));
    record(&log);
    // It had a field more, before the other.
    let schema = ("/Gyroscope/Rotation", "string noise\nfloat64 speed\n");
    copied_with(&log, &older, schema, |message| match message.channel.topic.as_str() {
        "/Gyroscope/Rotation" => {
            let rotation: Rotation = cdr::decode(message.data).unwrap();
            Some(cdr::encode(&OlderRotation { noise: "a hum".into(), speed: rotation.speed }))
        }
        _ => Some(message.data.to_vec()),
    });
    let (told, code) = verdict(&older);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("`noise` was recorded and is not there any more"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[derive(Data)]
struct OlderRotation {
    noise: String,
    speed: f64,
}

/// A copy of a log in which messages are changed or left out.
fn copied(from: &Path, to: &Path, change: impl FnMut(&Message<'_>) -> Option<Vec<u8>>) {
    copied_with(from, to, ("", ""), change);
}

/// The same with another definition of the messages of one topic.
fn copied_with(
    from: &Path,
    to: &Path,
    (topic, definition): (&str, &str),
    mut change: impl FnMut(&Message<'_>) -> Option<Vec<u8>>,
) {
    let mut log = LogReader::open(from).unwrap();
    let mut copy = LogWriter::create(to, LogCompression::None).unwrap();
    let mut channels = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        let Entry::Message(message) = entry.unwrap() else { continue };
        let channel = *channels.entry(message.channel.topic.clone()).or_insert_with(|| {
            let schema = message.channel.schema.as_ref().unwrap();
            let (name, text) = (schema.name.clone(), String::from_utf8(schema.data.clone()).unwrap());
            let text = if message.channel.topic == topic { definition.to_owned() } else { text };
            let type_hash = message.channel.metadata["topic_type_hash"].clone();
            copy.channel(&message.channel.topic, &MessageSchema { name, text, type_hash }).unwrap()
        });
        if let Some(data) = change(&message) {
            let time = |nanoseconds: u64| Time::from_nanoseconds(nanoseconds as i64);
            let logged = time(message.log_time.nanoseconds());
            let published = time(message.publish_time.nanoseconds());
            copy.write(channel, Origin { sequence: message.sequence, logged, published }, &data).unwrap();
        }
    }
    copy.finish().unwrap();
}

/// The messages of a topic, in order.
fn values(log: &Path, topic: &str) -> Vec<Vec<u8>> {
    let mut log = LogReader::open(log).unwrap();
    let mut values = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == topic
        {
            values.push(message.data.to_vec());
        }
    }
    values
}
