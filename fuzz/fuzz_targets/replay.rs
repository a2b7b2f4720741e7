//! A log whose transcripts, checkpoints, journal and values were changed, lost, repeated or exchanged is replayed to an end, from its
//! beginning or from the middle, or an error says why not. Nothing panics, waits forever, or takes memory for what a message claims.
#![no_main]

mod robot;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use hemiola::configuration::{Catalog, Configuration};
use hemiola::{Robot, Time};
use hemiola_log::{Entry, LogReader};
use hemiola_recording::replay::{Beginning, Replay, ReplayLog};
use libfuzzer_sys::fuzz_target;

struct Setup {
    folder: PathBuf,
    messages: Vec<Kept>,
    /// The numbers of those that tell how the robot ran.
    telling: Vec<usize>,
    metadata: BTreeMap<String, String>,
    configuration: Configuration,
}

#[derive(Clone)]
struct Kept {
    topic: String,
    schema: (String, String, String),
    sequence: u32,
    logged: u64,
    published: u64,
    data: Vec<u8>,
}

static SETUP: LazyLock<Setup> = LazyLock::new(|| {
    let folder = robot::folder("replay");
    let path = folder.join("whole.mcap");
    robot::run("130ms", &["--no-trace", "--log", path.to_str().expect("it is text")]);
    let mut log = LogReader::open(&path).expect("it was written");
    let (mut messages, mut about) = (Vec::new(), BTreeMap::new());
    while let Some(entry) = log.next_entry() {
        match entry.expect("it is whole") {
            Entry::Metadata(metadata) if metadata.name == "hemiola" => about = metadata.entries,
            Entry::Message(message) => {
                let schema = message.channel.schema.as_ref().expect("it has one");
                let text = String::from_utf8(schema.data.clone()).expect("it is text");
                messages.push(Kept {
                    topic: message.channel.topic.clone(),
                    schema: (schema.name.clone(), text, message.channel.metadata["topic_type_hash"].clone()),
                    sequence: message.sequence,
                    logged: message.log_time.nanoseconds(),
                    published: message.publish_time.nanoseconds(),
                    data: message.data.to_vec(),
                });
            }
            _ => {}
        }
    }
    let tells = |topic: &str| topic.contains("/_") || topic == "/hemiola/changes";
    let telling = (0..messages.len()).filter(|&number| tells(&messages[number].topic)).collect::<Vec<_>>();
    assert!(telling.len() > 40, "there are runs, checkpoints and changes");
    let loaded = hemiola::configuration::parse(&robot::configuration(), "robot.toml", &Catalog::linked());
    Setup { folder, messages, telling, metadata: about, configuration: loaded.expect("it is right").configuration }
});

fuzz_target!(|input: &[u8]| {
    let Setup { folder, messages, telling, metadata, configuration } = &*SETUP;
    let Some((choice, mut rest)) = input.split_first() else { return };
    let mut messages: Vec<Option<Kept>> = messages.iter().cloned().map(Some).collect();
    while let Some(([kind, number, place, value], after)) = rest.split_first_chunk::<4>() {
        let place = usize::from(*place) + 256 * usize::from(kind / 64);
        let (bytes, after) = after.split_at(usize::from(value % 9).min(after.len()));
        rest = after;
        let at = match kind % 4 {
            0 => usize::from(*number) % messages.len(),
            _ => telling[usize::from(*number) % telling.len()],
        };
        change(&mut messages, at, kind / 4 % 16, place, bytes);
    }
    let path = folder.join("changed.mcap");
    _ = std::fs::remove_file(&path);
    write(&path, metadata, messages.iter().flatten());

    let log = match ReplayLog::read(&path) {
        Ok(log) => log,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let beginning = match choice % 4 {
        0 => Beginning::OfLog,
        number => Beginning::Before(Time::from_seconds(0.04 * f64::from(number))),
    };
    let take = if choice / 4 % 2 == 0 { vec![] } else { vec!["Pose".to_owned()] };
    let robot = Robot::assemble(configuration.clone()).expect("it is right");
    let replay = match Replay::of(robot, &log, beginning, &take) {
        Ok(replay) => replay,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    match replay.robot.into_stepper() {
        Ok(mut stepper) => {
            let mut steps = 2_000;
            while stepper.step().is_some() && steps > 0 {
                steps -= 1;
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// Changes, loses, repeats, exchanges.
fn change(messages: &mut Vec<Option<Kept>>, at: usize, what: u8, place: usize, bytes: &[u8]) {
    match what {
        0 => messages[at] = None,
        1 => messages.push(messages[at].clone()),
        2 => {
            let other = place % messages.len();
            messages.swap(at, other);
        }
        3 => {
            let time = bytes.iter().rev().fold(0, |time: u64, &byte| time << 8 | u64::from(byte));
            if let Some(message) = &mut messages[at] {
                (message.logged, message.sequence) = (time & (u64::MAX >> 1), message.sequence.wrapping_add(place as u32));
            }
        }
        4 => {
            if let Some(message) = &mut messages[at] {
                message.data.truncate(place);
            }
        }
        // Numbers stand at multiples of four bytes.
        5..10 => overwrite(messages[at].as_mut(), 4 * place, bytes),
        10..13 => overwrite(messages[at].as_mut(), place, bytes),
        _ => {
            if let Some(message) = &mut messages[at] {
                let place = place.min(message.data.len());
                message.data.splice(place..place, bytes.iter().copied());
            }
        }
    }
}

fn overwrite(message: Option<&mut Kept>, place: usize, bytes: &[u8]) {
    let Some(message) = message else { return };
    let length = message.data.len().max(1);
    for (offset, &byte) in bytes.iter().enumerate() {
        if let Some(place) = message.data.get_mut((place + offset) % length) {
            *place = byte;
        }
    }
}

/// Without chunks, an index and checksums: nothing of a log is needed but its records, and no thread to write them.
fn write<'m>(path: &std::path::Path, about: &BTreeMap<String, String>, messages: impl Iterator<Item = &'m Kept>) {
    const MAGIC: &[u8] = b"\x89MCAP0\r\n";
    let mut log = MAGIC.to_vec();
    record(&mut log, 1, &[&text("ros2")[..], &text("fuzz")].concat());
    record(&mut log, 12, &[&text("hemiola")[..], &texts(about)].concat());
    let mut channels: BTreeMap<&str, u16> = BTreeMap::new();
    for message in messages {
        let number = channels.len() as u16 + 1;
        let channel = *channels.entry(&message.topic).or_insert_with(|| {
            let (name, definition, type_hash) = &message.schema;
            let id = number.to_le_bytes();
            record(&mut log, 3, &[&id[..], &text(name), &text("ros2msg"), &text(definition)].concat());
            let metadata = texts(&[("topic_type_hash".to_owned(), type_hash.clone())].into());
            record(&mut log, 4, &[&id[..], &id, &text(&message.topic), &text("cdr"), &metadata].concat());
            number
        });
        let (logged, published) = (message.logged.to_le_bytes(), message.published.to_le_bytes());
        let head = [&channel.to_le_bytes()[..], &message.sequence.to_le_bytes(), &logged, &published];
        record(&mut log, 5, &[&head.concat()[..], &message.data].concat());
    }
    record(&mut log, 15, &[0; 4]);
    record(&mut log, 2, &[0; 20]);
    log.extend_from_slice(MAGIC);
    std::fs::write(path, log).expect("it is ours");
}

fn record(log: &mut Vec<u8>, kind: u8, content: &[u8]) {
    log.push(kind);
    log.extend((content.len() as u64).to_le_bytes());
    log.extend_from_slice(content);
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn texts(entries: &BTreeMap<String, String>) -> Vec<u8> {
    let entries: Vec<u8> = entries.iter().flat_map(|(key, value)| [text(key), text(value)].concat()).collect();
    [&(entries.len() as u32).to_le_bytes()[..], &entries].concat()
}
