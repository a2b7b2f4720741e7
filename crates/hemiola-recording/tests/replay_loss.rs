//! `run --replay` of a log that lacks something of its source.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use hemiola::Application;
use hemiola::cdr::{self, MessageSchema};
use hemiola::data::RepresentationDescriptor;
use hemiola::prelude::*;
use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Origin, Selection};

#[derive(Representation, Clone, Debug, Default)]
struct Left {
    number: u32,
}

#[derive(Representation, Clone, Debug, Default)]
struct Right {
    number: u32,
}

#[derive(Representation, Clone, Debug, Default)]
struct Pair {
    left: u32,
    right: u32,
}

/// Two pictures of one moment.
#[derive(Source)]
struct Eyes {}

#[source]
impl Eyes {
    #[sample(rate = 10.0)]
    fn look(&mut self, left: &mut Left, right: &mut Right) {
        (left.number, right.number) = (u32::MAX, u32::MAX);
    }
}

#[derive(Module)]
struct Stereo {}

#[module]
impl Stereo {
    #[update]
    fn pair(&self, left: &Left, right: &Right, pair: &mut Pair) {
        *pair = Pair { left: left.number, right: right.number };
    }
}

const SAMPLES: u32 = 20;

/// A log of which some messages are missing, as if the disk had been too slow for them; other
/// messages are in between.
fn log(path: &Path, is_missing: fn(&str, u32) -> bool) {
    let mut log = LogWriter::create(path, LogCompression::None).unwrap();
    log.metadata("hemiola", [("robot".to_owned(), "eyes".to_owned())].into()).unwrap();
    let mut channel = |name: &str| log.channel(&format!("/Eyes/{name}"), &MessageSchema::of(name, &of(name))).unwrap();
    let channels = [("Left", channel("Left")), ("Right", channel("Right"))];
    for sequence in 0..SAMPLES {
        let now = Time::from_seconds(0.1 * f64::from(sequence));
        for (_, channel) in channels.iter().filter(|(name, _)| !is_missing(name, sequence)) {
            log.write(*channel, Origin { sequence, logged: now, published: now }, &cdr::encode(&sequence)).unwrap();
        }
    }
    log.finish().unwrap();
}

fn of(name: &str) -> hemiola::data::DataType {
    let descriptor =
        if name == "Left" { RepresentationDescriptor::of::<Left>() } else { RepresentationDescriptor::of::<Right>() };
    descriptor.data_type().unwrap()
}

/// Returns what the module made of each sample.
fn replayed(is_missing: fn(&str, u32) -> bool) -> Vec<(u32, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.mcap"), folder.path().join("new.mcap"));
    log(&old, is_missing);
    let (from, to) = (old.to_str().unwrap(), new.to_str().unwrap());
    let arguments = ["eyes", "run", "--headless", "--no-trace", "--fast", "--replay", from, "--log", to];
    let robot = Application::embedded("[cycle.main]\ntrigger = 'Eyes'\n");
    assert_eq!(robot.run_with(arguments), ExitCode::SUCCESS);
    let mut log = LogReader::open(&new).unwrap().select(Selection::all().topic("/main/Pair"));
    let mut pairs = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            let value = message.decode().unwrap();
            let number = |field: &str| value.get(field).and_then(|value| value.number()).unwrap() as u32;
            pairs.push((number("left"), number("right")));
        }
    }
    pairs
}

#[test]
fn a_whole_log_gives_every_sample() {
    let pairs = replayed(|_, _| false);
    assert_eq!(pairs, (0..SAMPLES).map(|number| (number, number)).collect::<Vec<_>>());
}

#[test]
fn a_sample_of_which_a_part_was_lost_is_left_out_and_never_mixed_with_another() {
    let pairs = replayed(|name, number| match name {
        "Left" => number % 5 == 2,
        _ => number % 7 == 3,
    });
    let whole = (0..SAMPLES).filter(|number| number % 5 != 2 && number % 7 != 3);
    assert_eq!(pairs, whole.map(|number| (number, number)).collect::<Vec<_>>());
}

#[test]
fn a_part_that_was_lost_at_the_end_is_noticed_as_well() {
    let pairs = replayed(|name, number| name == "Right" && number >= SAMPLES - 2);
    assert_eq!(pairs.len(), SAMPLES as usize - 2);
}
