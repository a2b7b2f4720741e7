//! Replays of robots that timers alone trigger.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::Application;
use hemiola::cdr::{self, MessageSchema};
use hemiola::data::RepresentationDescriptor;
use hemiola::prelude::*;
use hemiola_log::{LogCompression, LogWriter, Origin};

#[derive(Representation, Clone, Debug, Default)]
struct Count {
    number: u64,
}

#[derive(Module)]
struct Counter {}

#[module]
impl Counter {
    #[update]
    fn count(&self, clock: &Clock, count: &mut Count) {
        count.number = clock.run();
    }
}

#[test]
fn a_log_of_timers_without_a_transcript_is_verified_to_its_end_and_no_further() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("timers.mcap");
    let mut log = LogWriter::create(&path, LogCompression::None).unwrap();
    log.metadata("hemiola", [("robot".to_owned(), "counter".to_owned())].into()).unwrap();
    let schema = MessageSchema::of("Count", &RepresentationDescriptor::of::<Count>().data_type().unwrap());
    let channel = log.channel("/main/Count", &schema).unwrap();
    for sequence in 0..30 {
        let now = Time::from_nanoseconds(i64::from(sequence) * 100_000_000);
        let origin = Origin { sequence, logged: now, published: now };
        log.write(channel, origin, &cdr::encode(&u64::from(sequence))).unwrap();
    }
    log.finish().unwrap();
    let robot = Application::embedded("[cycle.main]\nrate = 10.0\n");
    assert_eq!(robot.run_with(["counter", "log", "verify", path.to_str().unwrap()]), ExitCode::SUCCESS);
}
