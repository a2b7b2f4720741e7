//! `run --log`: all that a robot provides is in a log that any reader of ROS 2's logs understands.
#![forbid(unsafe_code)]

#[path = "../examples/hello.rs"]
#[allow(dead_code, reason = "its `main` is the example's, not the test's")]
mod hello;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::cdr;
use hemiola_log::{Entry, LogReader};

use hello::{Drive, ROBOT, Wall};

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn record(arguments: &[&str], log: &Path) -> ExitCode {
    let fixed = ["hello", "run", "--headless", "--no-trace", "--log", log.to_str().unwrap()];
    Application::embedded(ROBOT).run_with([&fixed, arguments].concat())
}

/// Topic, number, time in nanoseconds, and bytes.
type Seen = (String, u32, u64, Vec<u8>);

fn messages(log: &Path) -> Vec<Seen> {
    let mut log = LogReader::open(log).unwrap();
    let mut messages = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            let topic = message.channel.topic.clone();
            messages.push((topic, message.sequence, message.log_time.nanoseconds(), message.data.to_vec()));
        }
    }
    messages
}

#[test]
fn a_stepped_run_is_recorded_whole_and_twice_the_same() {
    let folder = folder("recording");
    let logs = ["first.mcap", "second.mcap"].map(|name| folder.join(name));
    for log in &logs {
        assert_eq!(record(&["--fast", "--duration", "5s"], log), ExitCode::SUCCESS);
    }
    let [first, second] = logs.map(|log| messages(&log));
    let of = |topic: &str| first.iter().filter(move |message| message.0 == topic).collect::<Vec<_>>();
    let (walls, drives) = (of("/World/Wall"), of("/control/Drive"));
    assert!(walls.len() >= 500, "{} values in 5 s at 100 Hz", walls.len());
    assert_eq!(walls.len(), drives.len());
    for (index, (wall, drive)) in walls.iter().zip(&drives).enumerate() {
        assert_eq!((wall.1, drive.1), (index as u32, index as u32), "none is missing");
        assert_eq!((wall.2, drive.2), (index as u64 * 10_000_000, index as u64 * 10_000_000));
    }
    let last_wall: Wall = cdr::decode(&walls[walls.len() - 1].3).unwrap();
    assert!((0.4..1.5).contains(&last_wall.metres), "{}", last_wall.metres);
    assert!(drives.iter().all(|drive| cdr::decode::<Drive>(&drive.3).unwrap().metres_per_second < 0.6));
    // Threads decide which of two channels comes first, and nothing else.
    let sorted = |mut messages: Vec<Seen>| {
        messages.sort();
        messages
    };
    assert!(sorted(first) == sorted(second), "the same values at the same times");
}

#[test]
fn a_replay_gives_the_same_bits_and_other_parameters_give_others() {
    let folder = folder("replay");
    let [first, again, other] = ["first.mcap", "again.mcap", "other.mcap"].map(|name| folder.join(name));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    assert_eq!(record(&["--fast", "--duration", "5s"], &first), ExitCode::SUCCESS);
    assert_eq!(record(&["--fast", "--replay", &text(&first)], &again), ExitCode::SUCCESS);
    let farther = "module.Pilot.distance=1.5";
    assert_eq!(record(&["--fast", "--replay", &text(&first), "--set", farther], &other), ExitCode::SUCCESS);
    let [first, again, other] = [first, again, other].map(|log| {
        let mut messages = messages(&log);
        messages.sort();
        messages
    });
    assert!(first.len() > 1000 && first == again, "the same values at the same times");
    let of = |log: &[Seen], topic: &str| log.iter().filter(|seen| seen.0 == topic).cloned().collect::<Vec<_>>();
    assert!(of(&first, "/World/Wall") == of(&other, "/World/Wall"), "what was recorded is given");
    assert!(of(&first, "/control/Drive") != of(&other, "/control/Drive"), "what was computed is computed anew");
}

#[test]
fn a_log_that_does_not_fit_is_refused_with_a_reason() {
    let folder = folder("replay-refused");
    let (drives, new) = (folder.join("drives.mcap"), folder.join("new.mcap"));
    assert_eq!(record(&["--fast", "--duration", "1s", "--log-only", "Drive"], &drives), ExitCode::SUCCESS);
    let replay = |log: &str| record(&["--fast", "--replay", log], &new);
    assert_eq!(replay(drives.to_str().unwrap()), ExitCode::from(2), "no source provides what is in it");
    assert_ne!(replay("/nowhere.mcap"), ExitCode::SUCCESS);
    assert!(!new.exists(), "nothing was begun");
}

#[test]
fn only_what_was_asked_for_is_recorded() {
    let log = folder("recording-some").join("some.mcap");
    assert_eq!(record(&["--fast", "--duration", "5s", "--log-only", "Wall@10"], &log), ExitCode::SUCCESS);
    let messages = messages(&log);
    assert!(messages.iter().all(|message| message.0 == "/World/Wall"));
    assert!((50..=51).contains(&messages.len()), "{}", messages.len());
}

#[test]
fn a_log_that_cannot_be_written_is_said_at_once() {
    let log = folder("recording-refused").join("there.mcap");
    std::fs::write(&log, "precious").unwrap();
    assert_eq!(record(&["--fast", "--duration", "1s"], &log), ExitCode::FAILURE);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "precious");
    let log = log.with_file_name("other.mcap");
    assert_ne!(record(&["--fast", "--duration", "1s", "--log-only", "Wlal"], &log), ExitCode::SUCCESS);
    assert_ne!(record(&["--fast", "--duration", "1s", "--log-only", "Wall@often"], &log), ExitCode::SUCCESS);
}

/// Where the child writes; set for the child only.
const PATH: &str = "HEMIOLA_RECORDING_PATH";

/// Not a test by itself: the run that has no room for its log.
#[test]
#[ignore = "the process without room"]
fn records_without_room() {
    let Ok(path) = std::env::var(PATH) else { return };
    assert_eq!(record(&["--fast", "--duration", "60s", "--log-compression", "none"], path.as_ref()), ExitCode::SUCCESS);
}

#[test]
fn a_full_disk_costs_the_end_of_the_log_and_nothing_else() {
    let log = folder("recording-full").join("full.mcap");
    // No file may grow beyond 64 blocks, and who tries is told instead of killed.
    let script = "ulimit -f 64; trap '' XFSZ; exec \"$0\" --exact records_without_room --ignored --nocapture";
    let output = std::process::Command::new("sh")
        .args(["-c", script, std::env::current_exe().unwrap().to_str().unwrap()])
        .env(PATH, &log)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the run goes on to its end: {told}");
    assert!(told.contains("60.0 s on the robot's clock"), "{told}");
    assert!(told.contains("ended early") && told.contains("are not in it: cannot write"), "{told}");
    let mut log = LogReader::open(&log).unwrap();
    let mut whole = 0;
    while let Some(entry) = log.next_entry() {
        whole += u32::from(matches!(entry, Ok(Entry::Message(_))));
    }
    assert!(whole > 0, "what had been written can be read");
}
