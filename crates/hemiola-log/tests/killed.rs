//! A log whose writer is killed at any moment holds all that had been flushed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Origin, recover};
use hemiola_model::cdr::{self, MessageSchema};
use hemiola_model::{Data, Time};

/// The number of moments at which it is killed.
const MOMENTS: u64 = 200;
/// The variable for the path to which the child writes; set for the child only.
const PATH: &str = "HEMIOLA_LOG_KILLED_PATH";

/// Writes without end, and prints which message was flushed last. This is no test by itself.
#[test]
#[ignore = "the process that is killed"]
fn writes_until_killed() {
    let Ok(path) = std::env::var(PATH) else { return };
    let mut log = LogWriter::create(path.as_ref(), LogCompression::Lz4).unwrap();
    let channel = log.channel("/cognition/Numbers", &MessageSchema::of("Numbers", &Vec::<u64>::data_type())).unwrap();
    for sequence in 0.. {
        let now = Time::from_nanoseconds(i64::from(sequence) * 1_000_000);
        let message = cdr::encode(&vec![u64::from(sequence); 500]);
        log.write(channel, Origin { sequence, logged: now, published: now }, &message).unwrap();
        if sequence % 16 == 15 {
            log.flush().unwrap();
            println!("flushed {sequence}");
        }
    }
}

#[test]
fn a_writer_killed_at_any_moment_loses_only_what_was_not_flushed() {
    let folder = std::env::temp_dir().join(format!("hemiola-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, whole) = (folder.join("killed.mcap"), folder.join("whole.mcap"));
    // The moments are between the first flush and some milliseconds later, by a generator of our
    // own: the same in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for moment in 0..MOMENTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = Duration::from_micros((state >> 33) % 8_000);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writes_until_killed", "--ignored", "--nocapture", "--quiet"])
            .env(PATH, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let flushed = |line: String| line.rsplit_once("flushed ")?.1.parse::<u32>().ok();
        let first = lines.by_ref().find_map(flushed).expect("the child writes");
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
        let last = lines.filter_map(flushed).last().unwrap_or(first);

        recover(&mut LogReader::open(&path).unwrap(), &whole, |_, _| {}).unwrap();
        let (mut recovered, mut next) = (LogReader::open(&whole).unwrap(), 0);
        while let Some(entry) = recovered.next_entry() {
            let Ok(Entry::Message(message)) = entry else { continue };
            assert_eq!(message.sequence, next, "moment {moment}: in order, none left out");
            assert_eq!(cdr::decode::<Vec<u64>>(message.data), Ok(vec![u64::from(next); 500]), "moment {moment}");
            next += 1;
        }
        assert!(next > last, "moment {moment}: {next} messages, and message {last} had been flushed");
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(&whole).unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
