//! A replay begins in the middle of a log: with a snapshot of all that later runs depend on, and computes the same bits from there.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::testing::Extracted;
use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Message, Origin};
use hemiola_model::cdr::MessageSchema;

/// Three cycles that read from each other in all directions, and remember what they have read in every way that there is.
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

[log]
snapshot = "200 ms"
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
    /// Of the decision that it follows, and how old that is.
    decision: u64,
    age: f64,
    /// Of all remarks, in the order in which they came.
    remarks: u64,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    x: f64,
    steps: u64,
    newest_step: u64,
    said: u64,
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
    text: String,
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

#[derive(Data, Clone, Default)]
enum Gait {
    #[default]
    Standing,
    Walking {
        since: Time,
        speeds: VecDeque<f64>,
    },
}

#[derive(Module)]
struct Walk {
    memory: f64,
    gait: Gait,
    #[stateless]
    sorted: Vec<f64>,
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
        clock: &Clock,
        step: &mut Step,
    ) {
        let speeds = match &mut self.gait {
            Gait::Walking { since, speeds } if clock.now().since(*since).as_millis() < 130 => speeds,
            gait => {
                *gait = Gait::Walking { since: clock.now(), speeds: VecDeque::new() };
                let Gait::Walking { speeds, .. } = gait else { return };
                speeds
            }
        };
        speeds.push_back(rotation.speed * decision.speed);
        self.sorted.clear();
        self.sorted.extend(speeds.iter());
        self.sorted.sort_by(f64::total_cmp);
        self.memory = 0.9 * self.memory + self.sorted[self.sorted.len() / 2] + 1e-3 * words.count as f64;
        step.number = last.number + 1;
        step.length = self.memory + if decision.is_stale() { 0.5 } else { 0.0 } + f64::from(clock.step_seconds());
        step.decision = decision.number;
        step.age = decision.age().as_secs_f64();
        step.remarks = fold(heard, last.remarks);
        for number in 0..step.number % 3 {
            remark.publish(Remark { number: 3 * step.number + number, text: "step".into() });
        }
    }
}

/// As if somebody had changed the code.
static IS_CHANGED: AtomicBool = AtomicBool::new(false);

#[derive(Module)]
struct Localize {
    /// How often each thing was said.
    said: BTreeMap<String, u64>,
    last: Option<(u64, f32)>,
}

#[module]
impl Localize {
    #[update]
    fn pose(
        &mut self,
        picture: &Picture,
        steps: Samples<Step>,
        turns: Samples<Rotation>,
        words: &Words,
        last: Previous<Pose>,
        pose: &mut Pose,
    ) {
        let turned: f64 = turns.iter().map(|turn| turn.speed).sum();
        pose.x = last.x + steps.iter().map(|step| step.length).sum::<f64>() + f64::from(picture.brightness[7]) * 1e-6;
        pose.x += turned * 1e-3 + f64::from(self.last.map_or(0.0, |(_, fraction)| fraction));
        pose.steps = last.steps + steps.len() as u64;
        pose.newest_step = steps.iter().last().map_or(last.newest_step, |step| step.number);
        let ending = words.text.len().to_string();
        *self.said.entry(ending).or_default() += 1;
        pose.said = self.said.values().fold(0, |all: u64, count| all.wrapping_mul(31).wrapping_add(*count));
        self.last = Some((pose.steps, pose.x.fract() as f32));
        if IS_CHANGED.load(Ordering::Relaxed) {
            pose.x += 1e-9;
        }
    }
}

#[derive(Module)]
struct Decide {
    attempts: u64,
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
        self.attempts += 1;
        if pose.newest_step % 5 == 3 {
            return Err("no idea".into());
        }
        decision.number = last.number + self.attempts;
        decision.speed = (10.0 - pose.x).tanh();
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
        remark.publish(Remark { number: 1_000_000 + clock.run(), text: format!("word {}", clock.run()) });
        words.count = last.count + decisions.len() as u64;
        words.text = format!("{} at {} after {}", decisions.len(), clock.now(), step.number);
    }
}

/// Another number for other remarks, and for the same in another order.
fn fold(heard: &Subscription<Remark>, before: u64) -> u64 {
    heard.iter().fold(before, |all, remark| {
        all.wrapping_mul(31).wrapping_add(remark.number).wrapping_add(remark.text.len() as u64)
    })
}

/// Nobody can write down what it has learnt.
#[derive(Module)]
struct Dream {
    #[opaque]
    weights: [f64; 2],
}

#[derive(Representation, Clone, Default)]
struct Thought {
    depth: f64,
}

#[module]
impl Dream {
    #[update]
    fn thought(&mut self, step: &Step, thought: &mut Thought) {
        self.weights = [self.weights[1], 0.5 * self.weights[0] + step.length];
        thought.depth = self.weights[1];
    }
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

/// Motion dreams, too.
const DREAMS: &str = "cycle.motion.modules=['Walk', 'Dream']";

/// Runs the robot on its own threads until its recorder has lost nothing, as may happen on a machine that does other work.
fn record(log: &Path) {
    for _ in 0..10 {
        _ = std::fs::remove_file(log);
        let run =
            ["run", "--headless", "--no-trace", "--speed", "2", "--duration", "5s", "--log", log.to_str().unwrap()];
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
        if let Entry::Message(message) = entry.unwrap()
            && !message.channel.topic.contains("/_state")
        {
            let next = next.entry(message.channel.topic.clone()).or_default();
            if message.sequence != *next {
                return false;
            }
            *next += 1;
        }
    }
    true
}

/// What the verification of a log from a time on says, and its exit code.
/// Also from nowhere.
fn verdict(log: &Path, from: &str) -> (String, i32) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "verifies", "--ignored", "--nocapture"])
        .env(PATH, log)
        .env(FROM, from)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let code = told.lines().find_map(|line| line.strip_prefix("exit code ")).map(|code| code.parse().unwrap());
    (told, code.expect("it has ended"))
}

/// What the child verifies, and from where on; set for the child only.
const PATH: &str = "HEMIOLA_SEEK_PATH";
const FROM: &str = "HEMIOLA_SEEK_FROM";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn verifies() {
    let (Ok(path), Ok(from)) = (std::env::var(PATH), std::env::var(FROM)) else { return };
    let mut arguments = vec!["log", "verify", &path];
    if !from.is_empty() {
        arguments.extend(["--from", &from]);
    }
    if path.contains("dreams") {
        arguments.extend(["--set", DREAMS]);
    }
    let code = robot(&arguments);
    let code = [0, 1, 2, 3].into_iter().find(|&known| code == ExitCode::from(known)).unwrap();
    println!("exit code {code}");
}

#[test]
fn every_snapshot_of_a_robot_on_its_own_threads_is_a_beginning_of_the_same_bits_with_any_number_of_workers() {
    let folder = folder("seek");
    let log = folder.join("live.mcap");
    record(&log);
    for number in 1..24 {
        let from = format!("{}ms", 200 * number + 60);
        let workers = ["1", "2", "3", "8"][number % 4];
        let verify = ["log", "verify", log.to_str().unwrap(), "--from", &from, "--workers", workers];
        assert_eq!(robot(&verify), ExitCode::SUCCESS, "from {from} with {workers} workers");
    }
    let (told, code) = verdict(&log, "2.1s");
    assert_eq!((code, told.contains("from the snapshot of 2.0")), (0, true), "{told}");
    let (told, code) = verdict(&log, "0.1s");
    assert_eq!((code, told.contains("from the snapshot")), (0, false), "before the first snapshot: {told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_module_that_cannot_be_written_down_is_replayed_from_the_beginning_and_that_is_said() {
    let folder = folder("seek-opaque");
    let log = folder.join("dreams.mcap");
    let run = ["run", "--fast", "--headless", "--no-trace", "--duration", "2s", "--log", log.to_str().unwrap()];
    assert_eq!(robot(&[&run[..], &["--set", DREAMS]].concat()), ExitCode::SUCCESS);
    let (told, code) = verdict(&log, "1s");
    assert_eq!((code, told.contains("from the snapshot")), (0, false), "{told}");
    assert!(
        told.contains(
            "the replay begins where the log does: none of its snapshots can be used: what Dream remembers is opaque"
        ),
        "{told}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_was_remembered_otherwise_makes_a_difference_and_what_an_older_version_remembered_goes_by_its_names() {
    let folder = folder("seek-tampered");
    let [log, other, older] = ["live.mcap", "tampered.mcap", "older.mcap"].map(|name| folder.join(name));
    let run = ["run", "--fast", "--headless", "--no-trace", "--duration", "2s", "--log", log.to_str().unwrap()];
    assert_eq!(robot(&run), ExitCode::SUCCESS);
    const WALK: &str = "/motion/_state/module/Walk";
    copied(&log, &other, None, |message| {
        let mut data = message.data.to_vec();
        if message.channel.topic == WALK {
            // The lowest bits of its memory.
            data[4] ^= 1;
        }
        data
    });
    let (told, code) = verdict(&other, "1.1s");
    assert_eq!(
        (code, told.contains("the first difference: run 200 of motion, at 1.000000 s: Step.length")),
        (1, true),
        "{told}"
    );
    let (told, code) = verdict(&other, "");
    assert_eq!(code, 0, "from the beginning it is not looked at: {told}");

    // It remembered something more, and not how it walks.
    copied(&log, &older, Some((WALK, "float64 memory\nuint8 mood\n")), |message| match &*message.channel.topic {
        WALK => [&message.data[..12], &[3]].concat(),
        _ => message.data.to_vec(),
    });
    let (told, code) = verdict(&older, "1.1s");
    assert!(told.contains("Walk is not what it was when it was recorded: `gait` was not recorded and has its default, `mood` was recorded"), "{told}");
    assert_eq!(code, 1, "it walks otherwise at first: {told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_log_that_does_not_begin_with_the_robot_is_replayed_from_its_first_snapshot() {
    let folder = folder("seek-ring");
    let [log, end] = ["live.mcap", "end.mcap"].map(|name| folder.join(name));
    record(&log);
    let [from, to] = [&log, &end].map(|path| path.to_str().unwrap());
    assert_eq!(robot(&["log", "filter", from, to, "--from", "2.1s"]), ExitCode::SUCCESS);
    let (told, code) = verdict(&end, "");
    assert_eq!((code, told.contains("from the snapshot of 2.2")), (0, true), "{told}");
    let again = folder.join("again.mcap");
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", to, "--log", again.to_str().unwrap()];
    assert_eq!(robot(&replay), ExitCode::SUCCESS);
    let (told, code) = verdict(&again, "3s");
    assert_eq!(
        (code, told.contains("from the snapshot of")),
        (0, true),
        "what was replayed is a log like any other: {told}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Not a test by itself: in a process of its own the module is another one.
#[test]
#[ignore = "the process in which the module has changed"]
fn checks_a_changed_module() {
    let Ok(path) = std::env::var(PATH) else { return };
    IS_CHANGED.store(true, Ordering::Relaxed);
    println!("{:?}", Extracted::open(path).unwrap().check());
}

#[test]
fn a_run_of_a_module_that_was_taken_out_of_a_log_is_a_test_of_that_module() {
    let folder = folder("seek-extract");
    let log = folder.join("live.mcap");
    record(&log);
    let (log, tests) = (log.to_str().unwrap(), folder.join("tests"));
    let extract = |cycle: &str, run: &str, module: &str| {
        let arguments = ["log", "extract-cycle", log, "--cycle", cycle, "--run", run, "--module", module, "--output"];
        robot(&[&arguments[..], &[tests.to_str().unwrap()]].concat())
    };
    for (cycle, run, module, name) in [
        ("cognition", "0", "Localize", "localize"),
        ("cognition", "75", "Localize", "localize"),
        ("cognition", "124", "Localize", "localize"),
        ("voice", "90", "Speak", "speak"),
        // It subscribes to a topic.
        ("motion", "100", "Walk", "walk"),
        ("motion", "301", "Walk", "walk"),
    ] {
        assert_eq!(extract(cycle, run, module), ExitCode::SUCCESS, "run {run} of {module}");
        let test = std::fs::read_to_string(tests.join(format!("{name}_{run}.rs"))).unwrap();
        assert!(test.contains(&format!("fn {name}_does_in_run_{run}_what_it_did()")), "{test}");
        Extracted::open(tests.join(format!("extracted/{name}_{run}.mcap"))).unwrap().check().unwrap();
    }
    assert_eq!(extract("cognition", "100000", "Localize"), ExitCode::from(2), "there is no such run");
    assert_eq!(extract("motion", "100", "Localize"), ExitCode::from(2), "it does not run there");

    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "checks_a_changed_module", "--ignored", "--nocapture"])
        .env(PATH, tests.join("extracted/localize_75.mcap"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("run 75 of Localize is not what it was:\n  Pose: x was "), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A copy of a log in which messages are changed, and one topic is of another definition.
fn copied(from: &Path, to: &Path, definition: Option<(&str, &str)>, mut change: impl FnMut(&Message<'_>) -> Vec<u8>) {
    let mut log = LogReader::open(from).unwrap();
    let mut copy = LogWriter::create(to, LogCompression::None).unwrap();
    let mut channels = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        let Entry::Message(message) = entry.unwrap() else { continue };
        let topic = message.channel.topic.clone();
        let channel = *channels.entry(topic.clone()).or_insert_with(|| {
            let schema = message.channel.schema.as_ref().unwrap();
            let (name, text) = (schema.name.clone(), String::from_utf8(schema.data.clone()).unwrap());
            let text = definition.filter(|(of, _)| *of == topic).map_or(text, |(_, text)| text.to_owned());
            let type_hash = message.channel.metadata["topic_type_hash"].clone();
            copy.channel(&topic, &MessageSchema { name, text, type_hash }).unwrap()
        });
        let time = |nanoseconds: u64| Time::from_nanoseconds(nanoseconds as i64);
        let (logged, published) = (time(message.log_time.nanoseconds()), time(message.publish_time.nanoseconds()));
        copy.write(channel, Origin { sequence: message.sequence, logged, published }, &change(&message)).unwrap();
    }
    copy.finish().unwrap();
}
