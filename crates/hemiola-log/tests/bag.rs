//! Bags of ROS 1 become logs.

mod bags;
mod directory;

use std::path::{Path, PathBuf};

use hemiola_log::{Entry, LogCompression, LogReader, Timing, import};
use proptest::prelude::*;

use bags::{BagWriter, PACKINGS, Packing};
use directory::{Directory, messages, text};

const COUNT: &str = "# of something\nuint32 data\nstring WORD= a # b\n";

/// Makes a bag of two topics in two chunks.
fn bag(packing: Packing, has_index: bool) -> Vec<u8> {
    let mut bag = BagWriter::default();
    let count = bag.connection("count", "std_msgs/UInt32", COUNT);
    bag.message(count, 1_500_000_000, &7_u32.to_le_bytes());
    bag.end_chunk(packing);
    let names = bag.connection(
        "/deep/names",
        "a/Names",
        "Header header\nstring[] names\nbyte flag\n\
        ================================================================================\n\
        MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n",
    );
    let message = [
        &[9, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, b'f'][..],
        &[2, 0, 0, 0],
        &[1, 0, 0, 0, b'a'],
        &[0; 4],
        &[0xff],
    ];
    bag.message(names, 3_000_000_000, &message.concat());
    bag.message(count, 2_000_000_000, &8_u32.to_le_bytes());
    bag.end_chunk(packing);
    bag.finish(has_index)
}

const MESSAGES: [&str; 3] = [
    "/count 1500000000 {data: 7}",
    "/count 2000000000 {data: 8}",
    "/deep/names 3000000000 {header: {stamp: 2.000000005, frame_id: \"f\"}, names: [\"a\", \"\"], flag: -1}",
];

#[test]
fn messages_of_a_bag_keep_their_topics_types_and_times_however_chunks_are_packed() {
    for packing in PACKINGS {
        let directory = Directory::new(&[("run.bag", &bag(packing, true))]);
        let imported = directory.import_file("run.bag").unwrap();
        assert!(imported.problems.is_empty() && imported.notes.is_empty(), "{imported:?}");
        assert_eq!(text(&directory.messages()), MESSAGES, "{packing:?}");
        let log = LogReader::open(&directory.log()).unwrap();
        let types: Vec<_> = log.channels().filter_map(|channel| Some(channel.schema.as_ref()?.name.clone())).collect();
        assert_eq!(types, ["std_msgs/msg/UInt32", "a/msg/Names"]);
    }
}

#[test]
fn a_bag_in_a_folder_gives_its_topics_its_own_name() {
    let directory = Directory::new(&[("monday/run 1.bag", &bag(Packing::Lz4, true)), ("t.csv", b"t_s,x\n0,1\n")]);
    let imported = directory.import(&Timing::default()).unwrap();
    let topics: Vec<_> = imported.channels.iter().map(|channel| channel.topic.as_str()).collect();
    assert_eq!(topics, ["/t", "/monday/run_1/count", "/monday/run_1/deep/names"]);
}

#[test]
fn a_bag_whose_recorder_was_killed_is_imported_and_told_of() {
    let directory = Directory::new(&[("run.bag", &bag(Packing::Bz2, false))]);
    let imported = directory.import_file("run.bag").unwrap();
    assert_eq!(imported.problems.len(), 1);
    assert!(imported.problems[0].to_string().contains("no index"), "{}", imported.problems[0]);
    assert_eq!(text(&directory.messages()), MESSAGES);
}

#[test]
fn what_is_behind_damage_is_imported_and_what_is_lost_is_told() {
    let whole = bag(Packing::Lz4, true);
    let first_chunk = 13 + 4096;
    // One damage is in a header, the other in the packed bytes of a chunk.
    for at in [first_chunk + 4, first_chunk + 60] {
        let mut damaged = whole.clone();
        damaged[at..at + 4].copy_from_slice(&[0xee; 4]);
        let directory = Directory::new(&[("run.bag", &damaged)]);
        let imported = directory.import_file("run.bag").unwrap();
        let problem = imported.problems[0].to_string();
        assert!(problem.contains("run.bag: byte 4109: "), "{problem}");
        let found = text(&directory.messages());
        assert!(found.iter().any(|message| message == MESSAGES[2]), "{at}: {found:?}");
    }
}

#[test]
fn a_message_that_does_not_fit_its_definition_is_left_out_alone() {
    let mut bag = BagWriter::default();
    let count = bag.connection("count", "std_msgs/UInt32", COUNT);
    let strange = bag.connection("strange", "a/Strange", "nothing such\n");
    for (number, data) in [&[1, 0, 0, 0][..], &[2, 0], &[3, 0, 0, 0, 0], &[4, 0, 0, 0]].into_iter().enumerate() {
        bag.message(count, number as u64, data);
        bag.message(strange, number as u64, data);
    }
    bag.message(77, 5, b"");
    bag.end_chunk(Packing::None);
    let directory = Directory::new(&[("run.bag", &bag.finish(true))]);
    let imported = directory.import_file("run.bag").unwrap();
    assert_eq!(text(&directory.messages()), ["/count 0 {data: 1}", "/count 3 {data: 4}"]);
    let problems: Vec<_> = imported.problems.iter().map(ToString::to_string).collect();
    assert!(problems[0].contains("/count") || problems[0].contains("count: 2 of 4 messages"), "{problems:?}");
    assert!(problems[0].contains("data: byte 0: 4 bytes are needed, and 2 are left"), "{problems:?}");
    assert!(
        problems[1].contains("line 1: there is no type `nothing`") && problems[1].contains("4 messages"),
        "{problems:?}"
    );
    assert!(problems[2].contains("connection 77") && problems[2].contains("does not describe it"), "{problems:?}");
}

#[test]
fn times_of_a_bag_are_not_replaced_in_silence() {
    let directory = Directory::new(&[("run.bag", &bag(Packing::None, true))]);
    let timing = Timing { column: None, rate: Some(10.0) };
    let file = directory.0.join("in/run.bag");
    let error = import(&file, &directory.log(), LogCompression::None, &timing, |_, _| {}).unwrap_err().to_string();
    assert!(error.contains("remove --time and --rate"), "{error}");
}

#[test]
fn claims_of_a_bag_take_no_memory() {
    // The bags have a definition that is 2^60 fields, a sequence of four billion items without
    // bytes, and a chunk that claims to be large.
    let mut definition = "M0 a\n".to_owned();
    for level in 0..60 {
        definition += &format!("{}\nMSG: x/M{level}\nM{} a\nM{} b\n", "=".repeat(80), level + 1, level + 1);
    }
    definition += &format!("{}\nMSG: x/M60\nbool c\n", "=".repeat(80));
    let mut bag = BagWriter::default();
    let deep = bag.connection("deep", "x/Deep", &definition);
    let empty = bag.connection("empty", "x/Empty", &format!("None[] a\n{}\nMSG: x/None\n", "=".repeat(80)));
    bag.message(deep, 0, &[0]);
    bag.message(empty, 0, &[0xff; 4]);
    bag.message(empty, 1, &[2, 0, 0, 0]);
    bag.end_chunk(Packing::None);
    let mut bytes = bag.finish(true);
    let header = bags::fields(&[("compression", b"bz2"), ("op", &[5]), ("size", &[0xff; 4])]);
    bytes.extend(bags::record(&header, &[0; 30]));
    let directory = Directory::new(&[("run.bag", &bytes)]);
    let imported = directory.import_file("run.bag").unwrap();
    let problems: Vec<_> = imported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert_eq!(directory.messages().len(), 1);
}

#[test]
fn a_real_bag_has_the_same_values_as_what_rosbags_made_of_it() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let drive = shared.join("data/recordings/husky-gps-imu-odom");
    if !drive.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", drive.display());
        return;
    }
    let directory = Directory::new(&[]);
    let imported =
        import(&drive.join("test1.bag"), &directory.log(), LogCompression::Lz4, &Timing::default(), |_, _| {}).unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    let theirs = drive.join("test1.mcap");
    let (mut ours, mut theirs_sorted) = (messages(&directory.log()), messages(&theirs));
    for messages in [&mut ours, &mut theirs_sorted] {
        messages.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    }
    assert_eq!(ours.len(), 16_806);
    let line =
        |(topic, time, value): &(String, u64, _)| format!("{topic} {time} {}", serde_json::to_string(value).unwrap());
    for (ours, theirs) in ours.iter().zip(&theirs_sorted) {
        assert_eq!(line(ours), line(theirs));
    }
    let schemas = |path: &Path| {
        let mut log = LogReader::open(path).unwrap();
        while let Some(entry) = log.next_entry() {
            if let Ok(Entry::Message(_)) = entry {}
        }
        let mut names: Vec<_> =
            log.channels().map(|channel| (channel.topic.clone(), channel.type_name().to_owned())).collect();
        names.sort();
        names
    };
    assert_eq!(schemas(&directory.log()), schemas(&theirs));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_behind_the_beginning_are_a_log_or_an_error(
        at in 13_usize..9000, bytes in proptest::collection::vec(any::<u8>(), 1..40), cut in 0_usize..9000,
    ) {
        let mut bag = bag(Packing::Lz4, true);
        let at = at % bag.len().max(14);
        for (place, byte) in bag[at.max(13)..].iter_mut().zip(&bytes) {
            *place = *byte;
        }
        bag.truncate(bag.len().saturating_sub(cut % 5000).max(13));
        let directory = Directory::new(&[("run.bag", &bag)]);
        match directory.import_file("run.bag") {
            Ok(imported) => {
                let written: u64 = imported.channels.iter().map(|channel| channel.messages).sum();
                prop_assert_eq!(directory.messages().len() as u64, written);
            }
            Err(error) => prop_assert!(error.to_string().contains("run.bag"), "{}", error),
        }
    }
}
