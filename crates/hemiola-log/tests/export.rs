//! Logs as tables and pictures.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use hemiola_log::{LogReader, export};
use mcap::records::MessageHeader;
use mcap::{Attachment, Writer};

/// A folder for one test, which is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hemiola-export-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the folder for temporary files can be written");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a log of one message for each item: topic, encoding, type, definition, bytes.
fn log(messages: &[(&str, &str, &str, &str, Vec<u8>)], attachment: Option<&str>) -> LogReader<Cursor<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Cursor::new(&mut bytes)).expect("memory can be written");
    for (index, (topic, encoding, name, definition, data)) in messages.iter().enumerate() {
        let schema = writer.add_schema(name, "ros2msg", definition.as_bytes()).expect("as before");
        let channel_id = writer.add_channel(schema, topic, encoding, &Default::default()).expect("as before");
        let log_time = 1_500_000_000 + index as u64;
        let header = MessageHeader { channel_id, sequence: 0, log_time, publish_time: 0 };
        writer.write_to_known_channel(&header, data).expect("as before");
    }
    if let Some(name) = attachment {
        let (name, media_type) = (name.to_owned(), "text/plain".to_owned());
        let attachment = Attachment { log_time: 0, create_time: 0, name, media_type, data: b"hello"[..].into() };
        writer.attach(&attachment).expect("as before");
    }
    writer.finish().expect("as before");
    drop(writer);
    LogReader::new(Cursor::new(bytes), "made.mcap").expect("it is a log")
}

fn cdr(parts: &[&[u8]]) -> Vec<u8> {
    [&[0, 1, 0, 0][..], &parts.concat()].concat()
}

#[test]
fn a_message_is_a_line_with_a_column_for_each_number() {
    let folder = Folder::new("table");
    let definition = "builtin_interfaces/Time stamp\nPart part\nint16[2] pair\nuint8[] run\nstring text\n===\nMSG: made/Part\nfloat64 x\n";
    let bytes = cdr(&[
        &12_i32.to_le_bytes(),
        &34_u32.to_le_bytes(),
        &0.5_f64.to_le_bytes(),
        &[1, 0, 0xfe, 0xff],
        &[2, 0, 0, 0, 7, 8, 0, 0],
        &[6, 0, 0, 0, b'a', b',', b' ', b'"', b'b', 0],
    ]);
    let mut log = log(&[("/a/b", "cdr", "made/msg/Root", definition, bytes)], None);
    let exported = export(&mut log, &folder.0.join("out"), |_, _| {}).expect("it can be written");
    assert!(exported.problems.is_empty(), "{:?}", exported.problems);
    assert_eq!((exported.files[0].messages, exported.files[0].path.ends_with("out/a_b.csv")), (1, true));
    let table = fs::read_to_string(&exported.files[0].path).expect("it was written");
    let expected =
        "log_time,stamp,part.x,pair[0],pair[1],run,text\n1.500000000,12.000000034,0.5,1,-2,\"[7,8]\",\"a, \"\"b\"\n";
    assert_eq!(table, expected);
}

#[test]
fn pictures_become_files() {
    let folder = Folder::new("pictures");
    let raw = "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n";
    let blue_green_red = cdr(&[
        &1_u32.to_le_bytes(),
        &2_u32.to_le_bytes(),
        &[5, 0, 0, 0, b'b', b'g', b'r', b'8', 0, 0, 0, 0],
        &8_u32.to_le_bytes(),
        &8_u32.to_le_bytes(),
        &[1, 2, 3, 4, 5, 6, 0, 0],
    ]);
    let compressed = cdr(&[&[5, 0, 0, 0, b'j', b'p', b'e', b'g', 0, 0, 0, 0], &[2, 0, 0, 0, 0xff, 0xd8]]);
    let mut log = log(
        &[
            ("/upper", "cdr", "sensor_msgs/msg/Image", raw, blue_green_red),
            ("/lower", "cdr", "sensor_msgs/msg/CompressedImage", "string format\nuint8[] data\n", compressed),
        ],
        None,
    );
    let exported = export(&mut log, &folder.0.join("out"), |_, _| {}).expect("it can be written");
    assert!(exported.problems.is_empty(), "{:?}", exported.problems);
    let upper = fs::read(folder.0.join("out/upper/000000_1.500000000.ppm")).expect("it was written");
    assert_eq!(upper, b"P6\n2 1\n255\n\x03\x02\x01\x06\x05\x04");
    let lower = fs::read(folder.0.join("out/lower/000000_1.500000001.jpeg")).expect("it was written");
    assert_eq!(lower, [0xff, 0xd8]);
}

#[test]
fn no_name_in_a_log_leads_out_of_the_directory() {
    let folder = Folder::new("names");
    let bytes = || cdr(&[&[7]]);
    let topics = ["/../../x", "//x", "x", "X", "", "/"];
    let messages = topics.map(|topic| (topic, "cdr", "made/msg/Root", "uint8 n\n", bytes()));
    let mut log = log(&messages, Some("../../../evil.txt"));
    let exported = export(&mut log, &folder.0.join("out"), |_, _| {}).expect("it can be written");
    let mut names: Vec<_> =
        exported.files.iter().map(|file| file.path.strip_prefix(&folder.0).expect("it is in there")).collect();
    names.sort();
    let expected = ["X_4.csv", "evil.txt", "unnamed.csv", "unnamed_2.csv", "x.csv", "x_2.csv", "x_3.csv"];
    assert_eq!(names, expected.map(|name| PathBuf::from("out").join(name)));
    assert_eq!(fs::read_dir(&folder.0).expect("it is there").count(), 1);
    assert_eq!(fs::read(folder.0.join("out/evil.txt")).expect("it was written"), b"hello");
}

#[test]
fn what_cannot_be_exported_is_told_once() {
    let folder = Folder::new("refused");
    let mut log = log(
        &[
            ("/proto", "protobuf", "made.Root", "", vec![1, 2]),
            ("/json", "json", "made.Other", "", b"{\"a\":1}".to_vec()),
            ("/short", "cdr", "made/msg/Third", "uint32 n\n", cdr(&[&[1]])),
        ],
        None,
    );
    let exported = export(&mut log, &folder.0.join("out"), |_, _| {}).expect("it can be written");
    let problems: Vec<_> = exported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("/proto") && problems[0].contains("protobuf"), "{problems:?}");
    assert!(problems[1].contains("/short") && problems[1].contains("the message ends here"), "{problems:?}");
    assert_eq!(fs::read_to_string(folder.0.join("out/json.jsonl")).expect("it was written"), "{\"a\":1}\n");
    // A directory that is not empty is refused.
    assert!(export(&mut log, &folder.0, |_, _| {}).is_err());
}
