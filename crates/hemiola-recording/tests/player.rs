//! A replay at a pace, paused, forwards run by run, from somewhere to somewhere, again and again:
//! always the same bits.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::runtime::{Robot, Tempo};
use hemiola_log::{Entry, LogReader};
use hemiola_runtime::{Observation, Observer, Played, RobotHandle};

const ROBOT: &str = r#"
[cycle.motion]
trigger = "Gyroscope"
modules = ["Walk"]

[cycle.voice]
rate = 37.0
modules = ["Speak"]
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
struct Words {
    steps: u64,
    length: f64,
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

#[derive(Module)]
struct Walk {
    memory: f64,
}

#[module]
impl Walk {
    #[update]
    fn step(&mut self, rotation: &Rotation, words: Fresh<Words>, last: Previous<Step>, step: &mut Step) {
        self.memory = 0.9 * self.memory + rotation.speed + 1e-3 * words.length;
        *step = Step { number: last.number + 1, length: self.memory };
    }
}

#[derive(Module)]
struct Speak {}

#[module]
impl Speak {
    #[update]
    fn words(&self, steps: Samples<Step>, last: Previous<Words>, words: &mut Words) {
        words.steps = last.steps + steps.len() as u64;
        words.length = steps.iter().map(|step| step.length).sum();
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-player-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot", "run", "--headless", "--no-trace"], arguments].concat())
}

/// A log that lacks nothing on a machine that does other work either.
fn recorded(folder: &Path) -> String {
    let log = folder.join("live.mcap").to_str().unwrap().to_owned();
    assert_eq!(run(&["--fast", "--duration", "4s", "--log", &log]), ExitCode::SUCCESS);
    log
}

/// The values of all cycles: topic, time and bytes, by topic.
fn values(log: &str) -> BTreeMap<String, Vec<(u64, Vec<u8>)>> {
    let mut log = LogReader::open(log.as_ref()).unwrap();
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && ["/motion/Step", "/voice/Words"].contains(&message.channel.topic.as_str())
        {
            let value = (message.log_time.nanoseconds(), message.data.to_vec());
            values.entry(message.channel.topic.clone()).or_default().push(value);
        }
    }
    values
}

#[test]
fn a_replay_at_any_pace_gives_the_bits_of_an_unhurried_one() {
    let folder = folder("pace");
    let log = recorded(&folder);
    let [fast, paced] = ["fast.mcap", "paced.mcap"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    assert_eq!(run(&["--replay", &log, "--fast", "--log", &fast]), ExitCode::SUCCESS);
    assert_eq!(run(&["--replay", &log, "--speed", "8", "--log", &paced]), ExitCode::SUCCESS);
    assert_eq!(values(&fast)["/motion/Step"].len(), values(&log)["/motion/Step"].len());
    assert!(values(&fast) == values(&paced), "the pace makes no difference");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_comes_before_a_part_is_computed_and_not_recorded() {
    let folder = folder("part");
    let log = recorded(&folder);
    let [whole, part] = ["whole.mcap", "part.mcap"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    assert_eq!(run(&["--replay", &log, "--fast", "--log", &whole]), ExitCode::SUCCESS);
    for pace in [&["--fast"][..], &["--speed", "8"]] {
        _ = std::fs::remove_file(&part);
        let arguments = [&["--replay", &log, "--from", "1.5s", "--to", "2.5s", "--log", &part], pace].concat();
        assert_eq!(run(&arguments), ExitCode::SUCCESS);
        for (topic, part) in values(&part) {
            let whole = &values(&whole)[&topic];
            let begin = whole.partition_point(|(time, _)| *time < 1_500_000_000);
            // The last run may be that which reached the end.
            assert_eq!(part[..], whole[begin..begin + part.len()], "{topic} {pace:?}");
            let (first, last) = (part[0].0, part[part.len() - 1].0);
            assert!(first < 1_600_000_000 && (2_400_000_000..2_600_000_000).contains(&last), "{first} to {last}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_log_in_several_files_is_replayed_and_verified_by_its_folder_or_its_first_file() {
    let folder = folder("split");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let record = |name: &str, arguments: &[&str]| {
        assert_eq!(
            run(&[&["--fast", "--duration", "4s", "--log", &path(name)], arguments].concat()),
            ExitCode::SUCCESS
        );
    };
    record("whole.mcap", &[]);
    record("split/game.mcap", &["--set", "log.split=1 s"]);
    let parts = std::fs::read_dir(folder.join("split")).unwrap().count();
    assert!(parts >= 4, "{parts} files");
    let replayed = |log: &str| {
        _ = std::fs::remove_file(path("again.mcap"));
        assert_eq!(run(&["--fast", "--replay", &path(log), "--log", &path("again.mcap")]), ExitCode::SUCCESS, "{log}");
        values(&path("again.mcap"))
    };
    let verify = |log: &str| Application::embedded(ROBOT).run_with(["robot", "log", "verify", &path(log)]);
    let whole = replayed("whole.mcap");
    for log in ["split", "split/game-001.mcap"] {
        assert!(replayed(log) == whole, "{log}");
        assert_eq!(verify(log), ExitCode::SUCCESS, "{log}");
    }
    assert_eq!(verify("split/game-002.mcap"), ExitCode::from(3), "one from the middle lacks its beginning");

    // Files of another run, whose names fit, are left alone; of a folder nobody knows which is
    // meant.
    std::fs::rename(path("whole.mcap"), path("split/game-900.mcap")).unwrap();
    assert_eq!(verify("split/game-001.mcap"), ExitCode::SUCCESS);
    assert_eq!(verify("split"), ExitCode::from(2));
    std::fs::remove_file(path("split/game-900.mcap")).unwrap();
    std::fs::remove_file(path("split/game-003.mcap")).unwrap();
    assert_eq!(verify("split"), ExitCode::from(3), "a file is missing");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The loop that is looked at; set for the child only.
const PATH: &str = "HEMIOLA_PLAYER_PATH";

/// Not a test by itself: a replay without end.
#[test]
#[ignore = "the process that is interrupted"]
fn loops() {
    let Ok(path) = std::env::var(PATH) else { return };
    let robot = Application::embedded(ROBOT).summary(|handle| {
        let step = handle.read("Step").unwrap().to_string();
        println!("lap ended with {step}");
        Vec::new()
    });
    let arguments = ["robot", "run", "--headless", "--fast", "--loop", "--to", "1s", "--replay", &path];
    assert_eq!(robot.run_with(arguments), ExitCode::SUCCESS);
}

#[test]
fn a_loop_begins_anew_with_all_that_modules_remember_until_it_is_interrupted() {
    let folder = folder("loop");
    let log = recorded(&folder);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "loops", "--ignored", "--nocapture"])
        .env(PATH, &log)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let ends: Vec<_> = lines.by_ref().filter(|line| line.contains("lap ended with")).take(3).collect();
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let rest: Vec<_> = lines.collect();
    assert!(child.wait().unwrap().success(), "{rest:?}");
    assert_eq!((&ends[0], &ends[1]), (&ends[1], &ends[2]));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn robot() -> Robot {
    let configuration = hemiola::configuration::parse(ROBOT, "robot.toml", &hemiola::configuration::Catalog::linked());
    Robot::assemble(configuration.unwrap().configuration).unwrap()
}

fn observed(handle: &RobotHandle) -> Observer {
    handle.observe(Observation::of(["Step", "Words"]).complete()).unwrap()
}

/// All values up to now: name, run and bytes.
fn taken(seen: &mut Observer, into: &mut Vec<(String, u32, Vec<u8>)>) {
    while let Some(value) = seen.next_value() {
        let mut writer = hemiola::cdr::CdrWriter::default();
        value.value().write(&mut writer);
        into.push((value.representation().to_owned(), value.run(), writer.bytes().to_vec()));
    }
}

#[test]
fn pauses_and_single_runs_change_nothing_but_the_time_that_it_takes() {
    let unhurried = {
        let mut stepper = robot().into_stepper().unwrap();
        let (mut seen, mut values) = (observed(stepper.handle()), Vec::new());
        while stepper.now() < Time::from_seconds(1.0) && stepper.step().is_some() {
            taken(&mut seen, &mut values);
        }
        values
    };
    let player = robot().into_player(Tempo::Factor(4.0)).unwrap();
    let (transport, handle) = (player.transport(), player.handle().clone());
    let (mut seen, mut values) = (observed(&handle), Vec::new());
    transport.end_at(Time::from_seconds(1.0));
    assert!(transport.is_paused() && transport.is_at_rest(), "it waits until somebody lets it begin");
    for run in 1..=5 {
        transport.forward_to("voice").unwrap();
        transport.wait_until_at_rest();
        // Who is slow would be waited for.
        taken(&mut seen, &mut values);
        assert_eq!(handle.health()["voice"].runs, run);
    }
    let runs = |name: &str| handle.health()[name].runs;
    let before = runs("voice") + runs("motion");
    // Also while it is at the one before.
    (0..5).for_each(|_| transport.forward());
    transport.wait_until_at_rest();
    assert_eq!(runs("voice") + runs("motion"), before + 5);
    assert!(transport.forward_to("vision").is_err());
    let looked_at = handle.with_value(|words: &Words| words.steps).unwrap();
    taken(&mut seen, &mut values);
    let newest = &values.iter().rev().find(|value| value.0 == "Words").unwrap().2;
    assert_eq!(
        hemiola::cdr::decode::<Words>(newest).unwrap().steps,
        looked_at,
        "it is looked at while it stands still"
    );

    transport.hurry_to(Time::from_seconds(0.5));
    while !transport.is_at_rest() {
        taken(&mut seen, &mut values);
    }
    assert!(transport.is_paused(), "it is as it was");
    assert!(handle.now() < Time::from_seconds(0.5) && handle.now() > Time::from_seconds(0.49));
    transport.resume();
    while !transport.is_at_rest() {
        taken(&mut seen, &mut values);
    }
    taken(&mut seen, &mut values);
    assert_eq!(player.wait(), Played::default());
    let by_name = |values: &[(String, u32, Vec<u8>)], name: &str| {
        values.iter().filter(|value| value.0 == name).cloned().collect::<Vec<_>>()
    };
    for name in ["Step", "Words"] {
        assert!(by_name(&values, name) == by_name(&unhurried, name), "{name}");
    }
}
