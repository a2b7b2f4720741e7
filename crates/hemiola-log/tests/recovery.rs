//! Recovered logs: all that was whole, in a file that is whole.

mod made;

use std::io::Cursor;
use std::path::PathBuf;

use hemiola_log::{Entry, LogError, LogReader, Recovery, Survey, merge, recover};
use made::{KINDS, Kind, MESSAGES, Readable, log};
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, WriteOptions};

/// A file for one test, which is removed when it is dropped.
struct Output(PathBuf);

impl Output {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hemiola-log-{name}-{}.mcap", std::process::id()));
        _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).expect("it was written")
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.0);
    }
}

fn recovered(bytes: &[u8], output: &Output) -> Recovery {
    _ = std::fs::remove_file(&output.0);
    let mut log = LogReader::new(Cursor::new(bytes), "made.mcap").expect("it is a log");
    recover(&mut log, &output.0, |_, _| {}).expect("the folder for temporary files can be written")
}

#[test]
fn what_could_be_read_is_all_there_and_whole() {
    let output = Output::new("whole");
    for kind in KINDS {
        let whole = log(kind);
        for cut in (200..=whole.len()).step_by(97).chain([whole.len()]) {
            let before = Readable::of(&whole[..cut]);
            let recovery = recovered(&whole[..cut], &output);
            let bytes = output.bytes();
            let after = Readable::of(&bytes);
            assert!(after.errors.is_empty(), "{kind:?} {cut}: {:?}", after.errors);
            assert_eq!(after.messages, before.messages, "{kind:?} {cut}");
            assert_eq!(recovery.messages, before.messages.len() as u64);
            assert_eq!(recovery.problem_count > 0, cut < whole.len(), "{kind:?} {cut}");
            let new = LogReader::new(Cursor::new(&bytes), "new.mcap").expect("it is a log");
            assert_eq!(new.profile(), "ros2", "{kind:?} {cut}");
            let summary = new.summary().expect("it has one");
            let counted = summary.statistics.as_ref().expect("it counts").message_count;
            assert_eq!(counted, recovery.messages);
        }
        assert!(!recovered(&whole, &output).has_losses());
    }
}

#[test]
fn losses_are_told_from_a_missing_end() {
    let output = Output::new("losses");
    let whole = log(Kind::Zstd);
    let chunks = made::beginnings(&whole, Kind::Zstd);
    // The recorder was killed between two chunks.
    let killed = recovered(&whole[..chunks[6].0], &output);
    assert_eq!((killed.messages, killed.has_losses(), killed.problem_count), (24, false, 1));
    let cut = recovered(&whole[..chunks[6].0 + 20], &output);
    assert_eq!((cut.messages, cut.has_losses()), (24, true));
    // The statistics show how many are missing.
    let mut damaged = whole.clone();
    damaged[chunks[3].0 + 70] ^= 0x10;
    let damaged = recovered(&damaged, &output);
    assert_eq!((damaged.messages, damaged.missing, damaged.has_losses()), (36, Some(4), true));
    assert_eq!(u64::from(MESSAGES), damaged.messages + 4);
}

#[test]
fn attachments_metadata_and_private_records_come_along() {
    let mut bytes = Vec::new();
    let mut writer =
        WriteOptions::new().profile("ros2").create(Cursor::new(&mut bytes)).expect("memory can be written");
    let photograph: Vec<u8> = (0..200_000_u32).map(|index| (index % 251) as u8).collect();
    let attachment = Attachment {
        log_time: 5,
        create_time: 4,
        name: "photograph.png".into(),
        media_type: "image/png".into(),
        data: photograph.clone().into(),
    };
    writer.attach(&attachment).expect("as before");
    let metadata = Metadata { name: "robot".into(), metadata: [("name".into(), "Ada".into())].into() };
    writer.write_metadata(&metadata).expect("as before");
    writer.write_private_record(0x80, b"ours", Default::default()).expect("as before");
    let channel = writer.add_channel(0, "/raw", "none", &Default::default()).expect("as before");
    let header = MessageHeader { channel_id: channel, sequence: 1, log_time: 2, publish_time: 1 };
    writer.write_to_known_channel(&header, b"bytes").expect("as before");
    writer.finish().expect("as before");
    drop(writer);

    let output = Output::new("along");
    let recovery = recovered(&bytes, &output);
    assert_eq!((recovery.messages, recovery.attachments, recovery.metadata), (1, 1, 1));
    let mut new = LogReader::open(&output.0).expect("it is a log");
    let (mut found, mut private) = (Vec::new(), Vec::new());
    while let Some(entry) = new.next_entry() {
        match entry.expect("it is whole") {
            Entry::Attachment(attachment) => found.push(attachment),
            Entry::Private(record) => private.push(record),
            Entry::Message(message) => assert_eq!(message.data, b"bytes"),
            _ => {}
        }
    }
    let mut data = Vec::new();
    new.read_attachment(&found[0], &mut data).expect("it is there");
    assert!(data == photograph && found[0].name == "photograph.png" && found[0].create_time.nanoseconds() == 4);
    assert_eq!((private.len(), private[0].opcode, private[0].data.as_slice()), (1, 0x80, &b"ours"[..]));

    // A flipped bit in the attachment is found, and takes the attachment only.
    let place = bytes.windows(8).position(|window| window == &photograph[1000..1008]).expect("it is there");
    bytes[place] ^= 4;
    let recovery = recovered(&bytes, &output);
    assert_eq!((recovery.messages, recovery.attachments, recovery.metadata), (1, 0, 1));
    assert!(recovery.problems[0].to_string().contains("the attachment's checksum"), "{}", recovery.problems[0]);
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let output = Output::new("existing");
    std::fs::write(&output.0, b"the only one").expect("as before");
    let mut log = LogReader::new(Cursor::new(log(Kind::Plain)), "made.mcap").expect("it is a log");
    let refused = recover(&mut log, &output.0, |_, _| {});
    assert!(matches!(refused, Err(LogError::Write { .. })), "{refused:?}");
    assert_eq!(output.bytes(), b"the only one");
}

#[test]
fn gaps_and_drops_are_seen() {
    let mut bytes = Vec::new();
    let mut writer = WriteOptions::new().create(Cursor::new(&mut bytes)).expect("memory can be written");
    let channel = writer.add_channel(0, "/imu", "cdr", &Default::default()).expect("as before");
    for index in (0..1000_u32).filter(|index| !(400..450).contains(index)) {
        let time = u64::from(index) * 10_000_000;
        let header = MessageHeader { channel_id: channel, sequence: index, log_time: time, publish_time: time };
        writer.write_to_known_channel(&header, &[0; 10]).expect("as before");
    }
    writer.finish().expect("as before");
    drop(writer);
    let mut log = LogReader::new(Cursor::new(bytes), "made.mcap").expect("it is a log");
    let survey = Survey::of(&mut log, |_, _| {}).expect("memory can be read");
    let imu = &survey.channels[0];
    assert_eq!((imu.messages, imu.missing, imu.backwards, imu.bytes), (950, 50, 0, 9500));
    assert_eq!(imu.longest_step.as_millis(), 510);
    assert_eq!(imu.longest_step_from.nanoseconds(), 3_990_000_000);
    assert!((9.9..10.1).contains(&(imu.median_step.as_secs_f64() * 1e3)), "{:?}", imu.median_step);
    assert!((imu.rate() - 95.0).abs() < 0.1, "{}", imu.rate());
}

#[test]
fn merged_logs_are_in_order_and_equal_channels_become_one() {
    let part = |topic: &str, encoding: &str, times: &[u64]| {
        let mut bytes = Vec::new();
        let mut writer =
            WriteOptions::new().profile("ros2").create(Cursor::new(&mut bytes)).expect("memory can be written");
        let schema = writer.add_schema("made/msg/N", "ros2msg", b"uint8 n\n").expect("as before");
        for (name, encoding) in [("/both", "cdr"), (topic, encoding)] {
            let channel_id = writer.add_channel(schema, name, encoding, &Default::default()).expect("as before");
            for &log_time in times {
                let header = MessageHeader { channel_id, sequence: 0, log_time, publish_time: 0 };
                writer.write_to_known_channel(&header, &[0, 1, 0, 0, log_time as u8]).expect("as before");
            }
        }
        let metadata = Metadata { name: topic.to_owned(), metadata: Default::default() };
        writer.write_metadata(&metadata).expect("as before");
        writer.finish().expect("as before");
        drop(writer);
        LogReader::new(Cursor::new(bytes), "part.mcap").expect("it is a log")
    };
    let output = Output::new("merged");
    let merged = merge(&mut [part("/a", "cdr", &[1, 4, 5]), part("/b", "json", &[2, 3, 6])], &output.0, |_, _| {})
        .expect("it can be written");
    assert_eq!((merged.messages, merged.problems.len()), (12, 0));
    let mut log = LogReader::open(&output.0).expect("it is a log");
    let survey = Survey::of(&mut log, |_, _| {}).expect("it can be read");
    assert_eq!((survey.problem_count, survey.metadata.len(), log.profile()), (0, 2, "ros2"));
    let channels: Vec<_> =
        survey.channels.iter().map(|c| (c.channel.topic.as_str(), c.messages, c.backwards)).collect();
    // Within a log, messages keep their order: those of `/both` stand before the others.
    assert_eq!(
        channels.iter().map(|(topic, messages, _)| (*topic, *messages)).collect::<Vec<_>>(),
        [("/a", 3), ("/b", 3), ("/both", 6)]
    );
    assert!(
        merge(&mut [part("/a", "cdr", &[1])], &output.0, |_, _| {}).is_err(),
        "an existing file is never overwritten"
    );
}
