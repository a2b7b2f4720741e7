//! Files that other programs wrote.

use std::path::{Path, PathBuf};

use hemiola_log::{Entry, LogReader, LogTime, Selection};

/// Returns data of the tests, or prints that they are missing.
fn recordings(name: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let path = shared.join("data/recordings").join(name);
    if !path.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn a_robots_drive_is_read_and_decoded_as_a_whole() {
    let Some(path) = recordings("husky-gps-imu-odom/test1.mcap") else { return };
    let mut log = LogReader::open(&path).expect("it is a log");
    assert_eq!(log.profile(), "ros2");
    let (mut imu, mut odometry, mut fix, mut upwards) = (0, 0, 0, 0.0);
    while let Some(entry) = log.next_entry() {
        let Entry::Message(message) = entry.expect("it is whole") else { continue };
        let value = message.decode().expect("it fits its schema");
        match message.channel.topic.as_str() {
            "/imu/data" => {
                imu += 1;
                upwards += value.get("linear_acceleration.z").and_then(|z| z.number()).expect("it has one");
            }
            "/husky_velocity_controller/odom" => odometry += 1,
            "/fix" => {
                fix += 1;
                let frame = value.get("header.frame_id").expect("it has one").to_string();
                assert!(!frame.is_empty());
            }
            other => panic!("there is no topic {other}"),
        }
    }
    assert_eq!((imu, odometry, fix), (11865, 3952, 989));
    // This is rosbags' value: the sensor compensates for gravity.
    let mean = upwards / f64::from(imu);
    assert!((mean - 0.078_509_579).abs() < 1e-8, "{mean} m/s² upwards on average");
}

#[test]
fn a_selection_by_index_finds_the_same_as_reading_everything() {
    let Some(path) = recordings("husky-gps-imu-odom/test1.mcap") else { return };
    let times = |selection: Selection| {
        let mut log = LogReader::open(&path).expect("it is a log").select(selection);
        let mut times = Vec::new();
        while let Some(entry) = log.next_entry() {
            if let Entry::Message(message) = entry.expect("it is whole") {
                times.push((message.channel.topic.clone(), message.log_time));
            }
        }
        (times, log.progress().0)
    };
    let (all, _) = times(Selection::all());
    let first = all[0].1.nanoseconds();
    let [from, before] = [100, 110].map(|seconds| LogTime::from_nanoseconds(first + seconds * 1_000_000_000));
    let (some, read_to) = times(Selection::all().topic("/fix").from(from).before(before));
    let expected: Vec<_> =
        all.into_iter().filter(|(topic, time)| topic == "/fix" && (from..before).contains(time)).collect();
    assert_eq!(some, expected);
    assert_eq!(some.len(), 25);
    let length = std::fs::metadata(&path).expect("it is there").len();
    assert!(read_to < length / 2, "the rest was not read: {read_to} of {length}");
}
