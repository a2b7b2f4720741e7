//! A replay begins in the middle of a log: with a checkpoint of all that later runs depend on, and
//! computes the same bits from there.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use hemiola::Application;
use hemiola::testing::Extracted;
use hemiola_test_robots::logs::{self, copied, copied_with, folder};
use hemiola_test_robots::walker::{IS_CHANGED, ROBOT};

/// Runs a robot with many checkpoints.
fn robot(arguments: &[&str]) -> ExitCode {
    let robot = format!("{ROBOT}\n[log]\nsnapshot = \"200 ms\"\n");
    Application::embedded(&robot).run_with([&["robot"], arguments].concat())
}

/// Motion dreams, too.
const DREAMS: &str = "cycle.motion.modules=['Walk', 'Dream']";

/// Runs the robot on its own threads.
fn record(log: &Path) {
    logs::record(log, |log, pace| {
        let run = ["run", "--headless", "--no-trace", "--speed", pace, "--duration", "5s", "--log", log];
        // 3: something is lost, and it is recorded again.
        let code = robot(&run);
        assert!(code == ExitCode::SUCCESS || code == ExitCode::from(3));
        code == ExitCode::SUCCESS
    });
}

/// Returns the output of the verification of a log from a time on, and its exit code.
fn verdict(log: &Path, from: &str) -> (String, i32) {
    logs::verdict("verifies", [(PATH, log.as_os_str()), (FROM, from.as_ref())])
}

/// Returns the time of the checkpoint from which a log was verified, in seconds.
fn checkpoint(told: &str) -> f64 {
    let line = told.lines().find_map(|line| line.strip_prefix("from the checkpoint of ")?.split_once(' '));
    line.unwrap_or_else(|| panic!("it began with no checkpoint: {told}")).0.parse().unwrap()
}

/// The variable with what the child verifies, and from where on; set for the child only.
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
    logs::tell(robot(&arguments));
}

#[test]
fn every_checkpoint_of_a_robot_on_its_own_threads_is_a_beginning_of_the_same_bits_with_any_number_of_workers() {
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
    // The last one before may have a message under way, and then the one before that is taken.
    assert_eq!((code, (1.0..=2.1).contains(&checkpoint(&told))), (0, true), "{told}");
    // Up to a time, nothing after it counts, whatever the order of the cycles' clocks.
    for (from, to, workers) in [("0s", "1.23s", "1"), ("2.1s", "3.004s", "2"), ("2.1s", "60s", "3")] {
        let part = ["log", "verify", log.to_str().unwrap(), "--from", from, "--to", to, "--workers", workers];
        assert_eq!(robot(&part), ExitCode::SUCCESS, "from {from} to {to} with {workers} workers");
    }
    let backwards = ["log", "verify", log.to_str().unwrap(), "--from", "3s", "--to", "2s"];
    assert_eq!(robot(&backwards), ExitCode::from(2));
    let (told, code) = verdict(&log, "0.1s");
    assert_eq!((code, told.contains("from the checkpoint")), (0, false), "before the first checkpoint: {told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_module_that_cannot_be_written_down_is_replayed_from_the_beginning_and_that_is_said() {
    let folder = folder("seek-opaque");
    let log = folder.join("dreams.mcap");
    let run = ["run", "--fast", "--headless", "--no-trace", "--duration", "2s", "--log", log.to_str().unwrap()];
    assert_eq!(robot(&[&run[..], &["--set", DREAMS]].concat()), ExitCode::SUCCESS);
    let (told, code) = verdict(&log, "1s");
    assert_eq!((code, told.contains("from the checkpoint")), (0, false), "{told}");
    assert!(
        told.contains(
            "the replay begins where the log does: none of its checkpoints can be used: the state of Dream is opaque"
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
    copied(&log, &other, |message| {
        let mut data = message.data.to_vec();
        if message.channel.topic == WALK {
            // The lowest bits of its memory.
            data[4] ^= 1;
        }
        Some(data)
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
    copied_with(&log, &older, (WALK, "float64 memory\nuint8 mood\n"), |message| match &*message.channel.topic {
        WALK => Some([&message.data[..12], &[3]].concat()),
        _ => Some(message.data.to_vec()),
    });
    let (told, code) = verdict(&older, "1.1s");
    assert!(
        told.contains(
            "Walk differs from the recorded type: `gait` was not recorded and has its default, `mood` was recorded"
        ),
        "{told}"
    );
    assert_eq!(code, 1, "it walks otherwise at first: {told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_log_that_does_not_begin_with_the_robot_is_replayed_from_its_first_checkpoint() {
    let folder = folder("seek-ring");
    let [log, end] = ["live.mcap", "end.mcap"].map(|name| folder.join(name));
    record(&log);
    let [from, to] = [&log, &end].map(|path| path.to_str().unwrap());
    assert_eq!(robot(&["log", "filter", from, to, "--from", "2.1s"]), ExitCode::SUCCESS);
    let (told, code) = verdict(&end, "");
    // The first one may have a message under way.
    assert_eq!((code, (2.2..3.2).contains(&checkpoint(&told))), (0, true), "{told}");
    let again = folder.join("again.mcap");
    let replay = ["run", "--headless", "--no-trace", "--fast", "--replay", to, "--log", again.to_str().unwrap()];
    assert_eq!(robot(&replay), ExitCode::SUCCESS);
    let (told, code) = verdict(&again, "3s");
    assert_eq!(
        (code, told.contains("from the checkpoint of")),
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
    let extract_with = |more: &[&str], cycle: &str, run: &str, module: &str| {
        let arguments = ["log", "extract-cycle", log, "--cycle", cycle, "--run", run, "--module", module, "--output"];
        robot(&[&arguments[..], &[tests.to_str().unwrap()], more].concat())
    };
    let extract = |cycle: &str, run: &str, module: &str| extract_with(&[], cycle, run, module);
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
    assert_eq!(extract("cognition", "75", "Localize"), ExitCode::from(1), "no file is written over another one");

    // An earlier extraction is replaced on request.
    let data = tests.join("extracted/localize_75.mcap");
    let (whole, files) = (std::fs::read(&data).unwrap(), || tests.join("extracted").read_dir().unwrap().count());
    std::fs::copy(tests.join("extracted/localize_0.mcap"), &data).unwrap();
    let before = files();
    assert_eq!(extract_with(&["--replace"], "cognition", "75", "Localize"), ExitCode::SUCCESS);
    assert!(std::fs::read(&data).unwrap() == whole && files() == before);

    // A robot that is a program alone: its `cargo test` would not compile any more.
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"hemiola-test-robots\"\n").unwrap();
    assert_eq!(extract("cognition", "76", "Localize"), ExitCode::from(2));
    assert!(!tests.join("localize_76.rs").exists() && !tests.join("extracted/localize_76.mcap").exists());
    assert_eq!(extract("motion", "100", "Localize"), ExitCode::from(2), "it does not run there");

    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "checks_a_changed_module", "--ignored", "--nocapture"])
        .env(PATH, tests.join("extracted/localize_75.mcap"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("run 75 of Localize differs from the recorded one:\n  Pose: x was "), "{told}");
    let again = "log extract-cycle mended.mcap --cycle cognition --run 75 --module Localize --replace";
    assert!(told.contains(again), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}
