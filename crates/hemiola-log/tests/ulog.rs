//! Imports of PX4's logs.

mod directory;
mod ulogs;

use hemiola_log::{Entry, LogReader, Timing};
use proptest::prelude::*;

use directory::{Directory, text};
use ulogs::{UlogWriter, whole};

fn imported(log: &[u8]) -> (Directory, Vec<String>, Vec<String>, Vec<String>) {
    let directory = Directory::new(&[("flight.ulg", log)]);
    let imported = directory.import_file("flight.ulg").unwrap();
    let problems = imported.problems.iter().map(ToString::to_string).collect();
    let messages = text(&directory.messages());
    (directory, messages, problems, imported.notes)
}

#[test]
fn every_kind_of_record_is_in_the_log() {
    let (directory, messages, problems, notes) = imported(&whole());
    assert_eq!(problems, [""; 0]);
    let motors = "{timestamp: TIME, esc: [{rpm: 7, current: 1.5}, {rpm: 8, current: 2.5}], offset: -2, on: true, name: \"ab\", unit: 109, q: [1.25, -0.5]}";
    let log = |level, name, text, time| {
        format!(
            "{{stamp: {time}, level: {level}, name: \"{name}\", msg: \"{text}\", file: \"\", function: \"\", line: 0}}"
        )
    };
    assert_eq!(
        messages,
        [
            &format!("/parameters 1000000000 {{name: \"MPC_XY\", value: {:?}}}", f64::from(0.1_f32)),
            "/parameters 1000000000 {name: \"SYS_ID\", value: -7.0}",
            "/parameter_defaults 1000000000 {name: \"SYS_ID\", value: 1.0, of_system: true, of_setup: true}",
            "/tick 1500000000 {timestamp: 1500000, count: -2}",
            &format!("/motors 2000000000 {}", motors.replace("TIME", "2000000")),
            &format!("/logged_messages 2100000000 {}", log(30, "", "low battery", "2.100000000")),
            &format!("/logged_messages 2200000000 {}", log(40, "17", "failsafe", "2.200000000")),
            "/dropouts 2000000000 {duration_ms: 40}",
            "/parameters 2000000000 {name: \"SYS_ID\", value: 5.0}",
            "/tick_1 3000000000 {timestamp: 3000000, count: 4}",
        ]
    );
    assert!(notes[0].contains("lost data 1 times, for 40 ms"), "{notes:?}");
    let mut log = LogReader::open(&directory.log()).unwrap();
    let mut information = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Metadata(metadata) = entry.unwrap() {
            information.push((metadata.name.clone(), metadata.entries.clone()));
        }
    }
    let expected = [("perf[0]", "a\nb\n"), ("perf[1]", "c\n"), ("sys_name", "PX4"), ("time_ref_utc", "-3")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(information, [("ulog".to_owned(), expected.into_iter().collect())]);
}

#[test]
fn padding_at_the_end_of_a_message_may_be_there_or_not() {
    let mut log = UlogWriter::default();
    log.record(b'F', &[b"tick:uint64_t timestamp;uint8_t count;uint8_t[3] _padding0;"]);
    log.subscribe(0, 0, "tick");
    log.data(0, 1, &[&[5]]);
    log.data(0, 2, &[&[6, 9, 9, 9]]);
    let (_, messages, problems, _) = imported(&log.0);
    assert_eq!(messages, ["/tick 1000 {timestamp: 1, count: 5}", "/tick 2000 {timestamp: 2, count: 6}"]);
    assert_eq!(problems, [""; 0]);
}

#[test]
fn data_that_was_appended_after_a_crash_is_there_too() {
    let ticks = |log: &mut UlogWriter| {
        log.record(b'F', &[b"tick:uint64_t timestamp;int32_t count;"]);
        log.subscribe(0, 1, "tick");
        log.data(1, 5, &[&1_i32.to_le_bytes()]);
    };
    let mut log = UlogWriter::default();
    log.flags(1, 0);
    ticks(&mut log);
    let appended = log.0.len() as u64 + 4;
    let mut log = UlogWriter::default();
    log.flags(1, appended);
    ticks(&mut log);
    // The log was cut off in a record.
    log.0.extend([13, 0, b'D', 1]);
    log.data(1, 6, &[&2_i32.to_le_bytes()]);
    let (_, messages, problems, _) = imported(&log.0);
    assert_eq!(messages, ["/tick 5000 {timestamp: 5, count: 1}", "/tick 6000 {timestamp: 6, count: 2}"]);
    assert!(problems.len() == 1 && problems[0].contains("4 bytes are left out"), "{problems:?}");
}

#[test]
fn what_is_behind_damage_is_imported_from_the_next_synchronisation_on() {
    let mut log = whole();
    let sync = log.windows(4).position(|bytes| bytes == [0x2f, 0x73, 0x13, 0x20]).unwrap() - 3;
    let dropout = sync - 5;
    log[dropout..dropout + 3].fill(0);
    let (_, messages, problems, _) = imported(&log);
    assert_eq!(messages.len(), 9);
    assert!(
        problems.len() == 1 && problems[0].contains(&format!("byte {dropout}: no record begins here; 5 bytes")),
        "{problems:?}"
    );
    log.truncate(log.len() - 7);
    let (_, _, problems, _) = imported(&log);
    assert!(problems[1].contains("the file ends in a record"), "{problems:?}");
}

#[test]
fn a_message_that_does_not_fit_is_left_out_and_told_of_once() {
    let mut log = UlogWriter::default();
    log.record(b'F', &[b"tick:uint64_t timestamp;int32_t count;"]);
    log.record(b'F', &[b"twin:uint64_t timestamp;int32_t x;int32_t X;"]);
    log.record(b'F', &[b"round:round r;"]);
    log.record(b'F', &[b"bad:uint8_t[0] x;"]);
    for (number, name) in ["tick", "twin", "round", "gone"].into_iter().enumerate() {
        log.subscribe(0, number as u16, name);
        log.data(number as u16, 7, &[&[1, 0]]);
        log.data(number as u16, 7, &[&[1, 0, 0, 0]]);
    }
    log.data(0, u64::MAX, &[&[1, 0, 0, 0]]);
    log.data(99, 7, &[]);
    log.keyed(b'P', &[], "double X", &[0; 8]);
    log.record(b'Z', &[b"later"]);
    let (_, messages, problems, notes) = imported(&log.0);
    assert_eq!(messages, ["/tick 7000 {timestamp: 7, count: 1}"]);
    let told = [
        "`bad`: `uint8_t[0] x` is not a field",
        "`X`",
        "/tick: 2 of 3 messages",
        "/twin",
        "contains itself",
        "no format `gone`",
        "message 99",
    ];
    assert_eq!(problems.len(), told.len(), "{problems:?}");
    for (problem, told) in problems.iter().zip(told) {
        assert!(problem.contains(told), "{problem}");
    }
    assert!(notes[0].contains("1 records of the kind `Z`"), "{notes:?}");
}

#[test]
fn a_log_of_a_later_version_is_refused() {
    let mut log = UlogWriter::default();
    log.flags(2, 0);
    log.record(b'F', &[b"tick:uint64_t timestamp;int32_t count;"]);
    log.subscribe(0, 0, "tick");
    log.data(0, 7, &[&[1, 0, 0, 0]]);
    let directory = Directory::new(&[("flight.ulg", &log.0)]);
    let error = directory.import_file("flight.ulg").unwrap_err().to_string();
    assert!(error.contains("flight.ulg") && error.contains("flags of a later version"), "{error}");
}

#[test]
fn formats_that_claim_much_take_no_memory() {
    let mut log = UlogWriter::default();
    log.record(b'F', &[b"f0:uint8_t[65535] x;"]);
    log.record(b'F', &[b"g0:uint8_t x;"]);
    for level in 1..40 {
        log.record(b'F', &[format!("f{level}:f{}[65535] x;f{} y;", level - 1, level - 1).as_bytes()]);
        log.record(b'F', &[format!("g{level}:g{} x;g{} y;", level - 1, level - 1).as_bytes()]);
    }
    for level in 0..40 {
        log.subscribe(0, level, &format!("f{level}"));
        log.subscribe(0, 100 + level, &format!("g{level}"));
        log.data(100 + level, 0, &[]);
    }
    let (_, messages, problems, _) = imported(&log.0);
    assert_eq!(messages.len(), 1, "{problems:?}");
}

#[test]
fn a_flight_in_a_folder_gives_its_topics_its_own_name() {
    let directory =
        Directory::new(&[("a/flight.ulg", &whole()), ("a/.hidden.ulg", b"ULog"), ("a/notes.txt", b"windy")]);
    let imported = directory.import(&Timing::default()).unwrap();
    assert!(imported.channels.iter().any(|channel| channel.topic == "/a/flight/tick_1" && channel.messages == 1));
    assert_eq!(
        imported.notes.iter().filter(|note| note.contains("notes.txt is left out")).count(),
        1,
        "{:?}",
        imported.notes
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_behind_the_header_are_a_log_or_an_error(
        at in 16_usize..1200, bytes in proptest::collection::vec(any::<u8>(), 1..20), cut in 0_usize..400,
    ) {
        let mut log = whole();
        let at = 16 + at % (log.len() - 16);
        for (place, byte) in log[at..].iter_mut().zip(&bytes) {
            *place = *byte;
        }
        log.truncate(log.len() - cut);
        let directory = Directory::new(&[("flight.ulg", &log)]);
        match directory.import_file("flight.ulg") {
            Ok(imported) => {
                let written: u64 = imported.channels.iter().map(|channel| channel.messages).sum();
                prop_assert_eq!(directory.messages().len() as u64, written);
            }
            Err(error) => prop_assert!(error.to_string().contains("flight.ulg"), "{}", error),
        }
    }
}
