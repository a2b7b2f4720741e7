//! A robot that ran on its own threads is repeated from its log, to the bit; `log verify` says so,
//! or what differs first.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use hemiola::prelude::*;
use hemiola::{Application, cdr};
use hemiola_log::{Entry, LogReader};
use hemiola_test_robots::logs::{self, copied, copied_with, folder, values};
use hemiola_test_robots::walker::{Pose, ROBOT, Rotation, Step};

fn robot(arguments: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

/// Runs the robot on its own threads.
fn record(log: &Path) {
    logs::record(log, |log, pace| {
        let run = ["run", "--headless", "--no-trace", "--speed", pace, "--duration", "6s", "--log", log];
        // 3: something is lost, and it is recorded again.
        let code = robot(&run);
        assert!(code == ExitCode::SUCCESS || code == ExitCode::from(3));
        code == ExitCode::SUCCESS
    });
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

/// Returns the output of the verification of a log, and its exit code.
fn verdict(log: &Path) -> (String, i32) {
    logs::verdict("verifies", [(PATH, log.as_os_str())])
}

/// The variable with what the child verifies; set for the child only.
const PATH: &str = "HEMIOLA_VERIFY_PATH";

/// Not a test by itself: what it prints is looked at.
#[test]
#[ignore = "the process whose words are looked at"]
fn verifies() {
    let Ok(path) = std::env::var(PATH) else { return };
    logs::tell(verify(path.as_ref(), &[]));
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
            now = format!("{:.6}", message.log_time.nanoseconds() as f64 * 1e-9);
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
        told.contains(&format!("the first difference: run 100 of motion, at {now} s: Step.length\n  recorded ")),
        "{told}"
    );
    let [before, after] = [-1e-6, 1e-6].map(|offset| format!("{:.6}", now.parse::<f64>().unwrap() + offset));
    assert_eq!(verify(&other, &["--to", &before]), ExitCode::SUCCESS);
    assert_eq!(verify(&other, &["--for", &after]), ExitCode::FAILURE);

    // A value that is not there is no difference, but one more is.
    copied(&log, &without, |message| {
        let is_left_out = message.channel.topic == "/motion/Step" && message.sequence == 100;
        (!is_left_out).then(|| message.data.to_vec())
    });
    let (told, code) = verdict(&without);
    assert_eq!((code, told.contains("1 not in the log")), (3, true), "{told}");
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
    assert!(told.contains("runs begin when they are due"), "{told}");
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
    assert!(told.contains("`noise` was recorded but no longer exists"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[derive(Data)]
struct OlderRotation {
    noise: String,
    speed: f64,
}
