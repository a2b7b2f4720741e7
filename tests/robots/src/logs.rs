//! Logs for tests: recording without losses, copying with changes, and reading.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use hemiola::Time;
use hemiola::cdr::MessageSchema;
use hemiola::log::{Entry, LogCompression, LogReader, LogWriter, Message, Origin};

/// Creates an empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The paces at which [`record`] tries its runs, as multiples of real time.
const PACES: [&str; 5] = ["2", "1", "0.5", "0.25", "0.1"];

/// Calls `run` with a log to write and a pace, slower each time, until the log is complete. `run`
/// returns whether the robot reported no loss: values that are dropped at the end leave no gap in
/// the numbers.
///
/// That a robot on its own threads waits for no recorder is a promise and no defect: the values of
/// a fifth of a second of a cycle's clock can be on their way to the recorder, and those beyond are
/// dropped and counted. So a log lacks values if other programs keep the recorder from a core, or
/// the disk's time, for that long, which no test can rule out. At half the pace this takes twice as
/// long, up to 2 s; a log that still lacks values has another cause.
pub fn record(log: &Path, run: impl Fn(&str, &str) -> bool) {
    for pace in PACES {
        _ = std::fs::remove_file(log);
        if run(log.to_str().unwrap(), pace) && is_whole(log) {
            return;
        }
    }
    panic!("a recorder loses values that wait for it 2 s");
}

/// Returns whether no sequence number is missing in any channel.
pub fn is_whole(log: &Path) -> bool {
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

/// Runs a test of this program, which is ignored otherwise, as a process of its own with these
/// variables. Returns what it prints, and the code that it [tells](tell).
pub fn verdict<'v>(test: &str, variables: impl IntoIterator<Item = (&'v str, &'v OsStr)>) -> (String, i32) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .envs(variables)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let code = told.lines().find_map(|line| line.strip_prefix(EXIT_CODE)).map(|code| code.parse().unwrap());
    let code = code.unwrap_or_else(|| panic!("it has not ended: {told}"));
    (told, code)
}

/// Prints the exit code of a command, for [`verdict`].
pub fn tell(code: ExitCode) {
    let code = [0, 1, 2, 3].into_iter().find(|&known| code == ExitCode::from(known)).unwrap();
    println!("{EXIT_CODE}{code}");
}

const EXIT_CODE: &str = "exit code ";

/// Copies a log; `change` may change or omit messages.
pub fn copied(from: &Path, to: &Path, change: impl FnMut(&Message<'_>) -> Option<Vec<u8>>) {
    copied_with(from, to, ("", ""), change);
}

/// Copies a log with another definition of the messages of one topic; `change` may change or omit
/// messages.
pub fn copied_with(
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

/// Returns the messages of a topic, in order.
pub fn values(log: &Path, topic: &str) -> Vec<Vec<u8>> {
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
