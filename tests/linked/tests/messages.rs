//! Two processes of a robot send each other messages, and one has a callback for them: what came of
//! them repeats to the bit, and a message that is not as it was is found.
#![forbid(unsafe_code)]

mod tampered;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hemiola::cdr;
use hemiola::log::{Entry, LogReader};
use hemiola::prelude::*;
use tampered::tampered;

const PROGRAM: &str = env!("CARGO_BIN_EXE_relay");

#[derive(Representation, Clone, Default)]
struct Drive {
    runs: u64,
    x: f64,
    goals: u64,
    thanks: u64,
}

#[derive(Representation, Clone, Default)]
struct Plan {
    runs: u64,
    reached: u64,
    delay: f64,
}

/// Runs the program in that folder, and returns its exit code and what it prints.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(PROGRAM).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Returns the last message of a topic.
fn last<T: hemiola_model::data::Data>(log: &Path, topic: &str) -> T {
    let (mut log, mut last) = (LogReader::open(log).unwrap(), None);
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap()
            && message.channel.topic == topic
        {
            last = Some(cdr::decode(message.data).unwrap());
        }
    }
    last.unwrap_or_else(|| panic!("nothing of {topic}"))
}

#[test]
fn topics_each_way_and_a_callback_are_repeated_to_the_bit_and_a_tampered_message_is_found() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("messages");
    let is_recorded = |duration| {
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let arguments = ["--no-trace", "--no-page", "--headless", "--duration", duration, "--log", "relay.mcap"];
        let (code, said) = run(&folder, &arguments);
        // 3: a recorder has come too late for some values.
        assert!([Some(0), Some(3)].contains(&code), "{said}");
        let drive: Drive = last(&folder.join("relay-main.mcap"), "/driving/Drive");
        let plan: Plan = last(&folder.join("relay-planning.mcap"), "/planning/Plan");
        code == Some(0) && drive.goals > 50 && drive.thanks > 50 && plan.reached > 50
    };
    // On a busy machine it takes longer until they talk, and values may be lost.
    assert!(["4s", "4s", "10s", "10s"].into_iter().any(is_recorded), "it is not recorded as a whole");

    let (code, said) = run(&folder, &["log", "verify", "relay-main.mcap", "relay-planning.mcap"]);
    assert_eq!((code, said.contains("all 2 logs are the same to the bit\n")), (Some(0), true), "{said}");

    for (part, topic, value) in [("main", "/topic/Goal", "Drive.x"), ("planning", "/topic/Reached", "Plan.delay")] {
        let (from, to) = (format!("relay-{part}.mcap"), format!("tampered-{part}.mcap"));
        tampered(&folder.join(&from), &folder.join(&to), topic, 40);
        let (code, said) = run(&folder, &["log", "verify", &to]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("the first difference: run ") && said.contains(&format!(": {value}\n")), "{said}");
    }
}
