//! Comparisons of two logs.

use std::io::Cursor;

use hemiola_log::{Comparison, LogReader, Tolerance, TopicComparison};
use mcap::Writer;
use mcap::records::MessageHeader;

const DEFINITION: &str = "float64 x\nfloat32[] run\nstring text\n";

/// Makes a log of messages, each with a topic, a time in milliseconds, and the first field.
fn log(definition: &str, messages: &[(&str, u64, f64)]) -> LogReader<Cursor<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Cursor::new(&mut bytes)).expect("memory can be written");
    let schema = writer.add_schema("made/msg/Root", "ros2msg", definition.as_bytes()).expect("as before");
    for (topic, milliseconds, x) in messages {
        let channel_id = writer.add_channel(schema, topic, "cdr", &Default::default()).expect("as before");
        let log_time = milliseconds * 1_000_000;
        let header = MessageHeader { channel_id, sequence: 0, log_time, publish_time: 0 };
        let run = 1.5_f32.to_le_bytes();
        let data = [&[0, 1, 0, 0][..], &x.to_le_bytes(), &[1, 0, 0, 0], &run, &[2, 0, 0, 0, b'a', 0]].concat();
        writer.write_to_known_channel(&header, &data).expect("as before");
    }
    writer.finish().expect("as before");
    drop(writer);
    LogReader::new(Cursor::new(bytes), "made.mcap").expect("it is a log")
}

fn compare(left: &[(&str, u64, f64)], right: &[(&str, u64, f64)], tolerance: &Tolerance) -> Comparison {
    Comparison::of(log(DEFINITION, left), log(DEFINITION, right), tolerance, |_, _| {}).expect("memory can be read")
}

#[test]
fn the_same_messages_are_equal_in_whatever_order_topics_stand() {
    let left = [("/a", 1, 1.0), ("/b", 1, 2.0), ("/a", 2, f64::NAN), ("/b", 3, 4.0)];
    let right = [("/b", 1, 2.0), ("/a", 1, 1.0), ("/b", 3, 4.0), ("/a", 2, f64::NAN)];
    let comparison = compare(&left, &right, &Tolerance::exact());
    assert!(comparison.is_equal(), "{comparison:?}");
    assert_eq!(comparison.topics["/a"].equal, 2);
}

#[test]
fn a_difference_is_told_with_its_field_and_both_values() {
    let comparison = compare(&[("/a", 1, 1.0), ("/a", 2, 5.0)], &[("/a", 1, 1.0), ("/a", 2, 5.5)], &Tolerance::exact());
    let expected = TopicComparison { equal: 1, different: 1, ..TopicComparison::default() };
    assert_eq!(comparison.topics["/a"], expected);
    assert_eq!(comparison.differences[0].to_string(), "/a at 0.002000000: x: 5.0 and 5.5");
    assert!(!comparison.is_equal());
}

#[test]
fn it_is_counted_how_often_and_by_how_much_each_field_differs() {
    let left = [("/a", 1, 1.0), ("/a", 2, 1.0), ("/a", 3, 1.0), ("/b", 3, 0.0)];
    let right = [("/a", 1, 1.5), ("/a", 2, 1.0), ("/a", 3, -1.0), ("/b", 3, f64::NAN)];
    let comparison = compare(&left, &right, &Tolerance::exact());
    let of = |topic: &str| comparison.fields[&(topic.to_owned(), "x".to_owned())];
    assert_eq!((of("/a").messages, of("/a").largest, of("/a").time.nanoseconds()), (2, Some(2.0), 3_000_000));
    assert_eq!((of("/b").messages, of("/b").largest, of("/b").time.nanoseconds()), (1, None, 3_000_000));
    assert_eq!(comparison.fields.len(), 2);
    // What is within the tolerance is no difference.
    let comparison = compare(&left, &right, &Tolerance::exact().with("/a.x", 1.0));
    assert_eq!(comparison.fields[&("/a".to_owned(), "x".to_owned())].messages, 1);
}

#[test]
fn elements_of_a_sequence_are_one_field() {
    const RUN: &str = "float64[2] pair\n";
    let log = |first: f64, second: f64| {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(Cursor::new(&mut bytes)).expect("memory can be written");
        let schema = writer.add_schema("made/msg/Pair", "ros2msg", RUN.as_bytes()).expect("as before");
        let channel_id = writer.add_channel(schema, "/pairs", "cdr", &Default::default()).expect("as before");
        let header = MessageHeader { channel_id, sequence: 0, log_time: 1, publish_time: 0 };
        let data = [&[0, 1, 0, 0][..], &first.to_le_bytes(), &second.to_le_bytes()].concat();
        writer.write_to_known_channel(&header, &data).expect("as before");
        writer.finish().expect("as before");
        drop(writer);
        LogReader::new(Cursor::new(bytes), "pairs.mcap").expect("it is a log")
    };
    let comparison =
        Comparison::of(log(1.0, 2.0), log(1.25, 4.0), &Tolerance::exact(), |_, _| {}).expect("memory can be read");
    let pair = comparison.fields[&("/pairs".to_owned(), "pair[]".to_owned())];
    assert_eq!((pair.messages, pair.largest), (1, Some(2.0)));
    assert_eq!(comparison.differences[0].path, "pair[0]");
}

#[test]
fn tolerances_hold_for_the_fields_that_they_name() {
    let (left, right) = ([("/a", 1, 1.0), ("/b", 1, 1.0)], [("/a", 1, 1.1), ("/b", 1, 1.1)]);
    assert!(compare(&left, &right, &Tolerance::of(0.2)).is_equal());
    assert!(!compare(&left, &right, &Tolerance::of(0.05)).is_equal());
    let comparison = compare(&left, &right, &Tolerance::exact().with("/a.x", 0.2));
    assert_eq!((comparison.topics["/a"].equal, comparison.topics["/b"].different), (1, 1));
    // Only NaN equals NaN, and only infinity equals infinity.
    assert!(!compare(&[("/a", 1, f64::NAN)], &[("/a", 1, 1.0)], &Tolerance::of(f64::MAX)).is_equal());
    assert!(!compare(&[("/a", 1, f64::INFINITY)], &[("/a", 1, 1.0)], &Tolerance::of(1.0)).is_equal());
}

#[test]
fn messages_without_a_counterpart_are_counted() {
    let left: Vec<_> = (0..100).map(|index| ("/a", index * 1000, 1.0)).collect();
    let mut right: Vec<_> = left.iter().copied().filter(|(_, time, _)| *time != 50_000).collect();
    right.push(("/b", 99_500, 1.0));
    let comparison = compare(&left, &right, &Tolerance::exact());
    let expected = TopicComparison { equal: 99, only_left: 1, ..TopicComparison::default() };
    assert_eq!(comparison.topics["/a"], expected);
    assert_eq!(comparison.topics["/b"].only_right, 1);
}

#[test]
fn types_that_changed_are_compared_by_name() {
    let other = "float64 x\nfloat32[] run\nstring name\n";
    let messages = [("/a", 1, 1.0)];
    let left = log(DEFINITION, &messages);
    let comparison =
        Comparison::of(left, log(other, &messages), &Tolerance::exact(), |_, _| {}).expect("memory can be read");
    assert_eq!(comparison.differences[0].path, "text");
    assert_eq!(comparison.differences[0].right, "no such field");
}
