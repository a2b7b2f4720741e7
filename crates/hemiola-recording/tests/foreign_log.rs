//! `run --replay` of logs that this robot did not write: by an older version of it, and by other
//! robots.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::cdr::{self, MessageSchema};
use hemiola::data::{Data, DataType, Field};
use hemiola::prelude::*;
use hemiola_log::{Entry, LogCompression, LogReader, LogWriter, Origin, Selection, Value};

/// What a robot of today knows of its turning.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Inertial {
    gyroscope: Rotation,
    /// In degrees per second.
    yaw_rate: f32,
    source: Unit,
    temperature: Option<f64>,
    valid: bool,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct Rotation {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    Unknown,
    Torso,
    Head,
}

/// Integrated.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Heading {
    radians: f64,
}

/// A driver, whose device is not there.
#[derive(Source)]
struct ImuDriver {}

#[source]
impl ImuDriver {
    #[sample(rate = 100.0)]
    fn read(&mut self, inertial: &mut Inertial, battery: &mut Battery) {
        inertial.valid = false;
        battery.volts = 24.0;
    }
}

/// What no other robot's log has.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Battery {
    volts: f32,
}

/// Reads it, where it is among the modules.
#[derive(Module)]
struct Gauge {}

#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Charge {
    share: f32,
}

#[module]
impl Gauge {
    #[update]
    fn charge(&self, battery: &Battery, charge: &mut Charge) {
        charge.share = battery.volts / 29.0;
    }
}

#[derive(Module)]
struct Compass {
    radians: f64,
    before: Option<Time>,
}

#[module]
impl Compass {
    #[update]
    fn turn(&mut self, clock: &Clock, inertial: &Inertial, heading: &mut Heading) {
        let seconds = self.before.map_or(0.0, |before| clock.now().seconds() - before.seconds());
        self.before = Some(clock.now());
        self.radians += seconds * inertial.gyroscope.z;
        heading.radians = self.radians;
    }
}

const ROBOT: &str = r#"
[cycle.main]
trigger = "ImuDriver"
modules = ["Compass"]
"#;

fn replay(robot: &str, log: &Path, new: &Path) -> ExitCode {
    let (log, new) = (log.to_str().unwrap(), new.to_str().unwrap());
    let arguments = ["robot", "run", "--headless", "--no-trace", "--fast", "--replay", log, "--log", new];
    Application::embedded(robot).run_with(arguments)
}

/// Time in nanoseconds and value of each message of a topic.
fn values(log: &Path, topic: &str) -> Vec<(u64, Value)> {
    let mut log = LogReader::open(log).unwrap().select(Selection::all().topic(topic));
    let mut values = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            values.push((message.log_time.nanoseconds(), message.decode().unwrap()));
        }
    }
    values
}

/// As an older version of the robot wrote it.
#[derive(Data, Clone, Default)]
struct Then {
    gyroscope: ThenRotation,
    yaw_rate: f64,
    noise: u8,
    source: ThenUnit,
    temperature: f32,
}

#[derive(Data, Clone, Default)]
struct ThenRotation {
    z: f32,
    y: f32,
}

/// The order has changed since.
#[derive(Data, Clone, Copy, Default)]
enum ThenUnit {
    #[default]
    Head,
    Torso,
    Unknown,
}

fn old_log(path: &Path, then: impl Fn(u32) -> Then, data_type: &DataType) {
    let mut log = LogWriter::create(path, LogCompression::None).unwrap();
    log.metadata("hemiola", [("robot".to_owned(), "older".to_owned())].into()).unwrap();
    // A configuration of modules that have gone since is of no use: the robot is as it is
    // configured now.
    let configuration = [("cycle.main.trigger", "\"ImuDriver\""), ("module.Gone.gain", "0.5")];
    let configuration = configuration.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    log.metadata("hemiola/configuration", configuration).unwrap();
    let channel = log.channel("/ImuDriver/Inertial", &MessageSchema::of("Inertial", data_type)).unwrap();
    for sequence in 0..100 {
        let now = Time::from_seconds(0.01 * f64::from(sequence));
        log.write(channel, Origin { sequence, logged: now, published: now }, &cdr::encode(&then(sequence))).unwrap();
    }
    log.finish().unwrap();
}

#[test]
fn a_log_of_an_older_version_is_replayed_by_the_names_of_fields_and_variants() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.mcap"), folder.path().join("new.mcap"));
    let then = |number: u32| Then {
        gyroscope: ThenRotation { z: 0.5, y: 0.25 },
        yaw_rate: f64::from(number),
        noise: 3,
        source: ThenUnit::Torso,
        temperature: 20.5,
    };
    old_log(&old, then, &Then::data_type());
    assert_eq!(replay(ROBOT, &old, &new), ExitCode::SUCCESS);
    let replayed = values(&new, "/ImuDriver/Inertial");
    assert_eq!(replayed.len(), 100);
    assert_eq!(
        replayed[42].1.to_string(),
        "{gyroscope: {x: 0.0, y: 0.25, z: 0.5}, yaw_rate: 42.0, source: 1, temperature: [20.5], valid: false}"
    );
    let headings = values(&new, "/main/Heading");
    let heading = headings.last().and_then(|(_, heading)| heading.get("radians")?.number()).unwrap();
    assert!((heading - 0.99 * 0.5).abs() < 1e-12, "{heading}");
    // A variant that is gone is the default.
    let (old, new) = (folder.path().join("gone.mcap"), folder.path().join("gone-new.mcap"));
    let mut gone = Then::data_type();
    rename_variant(&mut gone, "Torso", "Tail");
    old_log(&old, then, &gone);
    assert_eq!(replay(ROBOT, &old, &new), ExitCode::SUCCESS);
    let replayed = values(&new, "/ImuDriver/Inertial");
    assert_eq!(replayed.len(), 100);
    assert_eq!(replayed[42].1.get("source").as_deref(), Some(&Value::Unsigned(0)));
}

fn rename_variant(data_type: &mut DataType, from: &str, to: &str) {
    let DataType::Structure { fields, .. } = data_type else { panic!("it is a structure") };
    for Field { data_type, .. } in fields {
        let DataType::Enumeration { variants, .. } = data_type else { continue };
        variants.iter_mut().filter(|variant| variant.name == from).for_each(|variant| variant.name = to.to_owned());
    }
}

#[test]
fn a_mapping_that_does_not_fit_is_said_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.mcap"), folder.path().join("new.mcap"));
    old_log(&old, |_| Then::default(), &Then::data_type());
    for field in [
        "gyroscope = \"noise\"",
        "gyro = \"gyroscope\"",
        "yaw_rate = \"gyroscope.w\"",
        "yaw_rate = { from = \"gyroscope\", scale = 2.0 }",
    ] {
        let robot =
            format!("{ROBOT}\n[replay.Inertial]\ntopic = '/ImuDriver/Inertial'\n[replay.Inertial.fields]\n{field}\n");
        assert_eq!(replay(&robot, &old, &new), ExitCode::from(2), "{field}");
        assert!(!new.exists());
    }
}

const HUSKY: &str = r#"
[cycle.main]
trigger = "ImuDriver"
modules = ["Compass"]

[replay.Inertial]
topic = "/imu/data"
[replay.Inertial.fields]
gyroscope = "angular_velocity"
yaw_rate = { from = "angular_velocity.z", scale = 57.29577951308232 }
"#;

#[test]
fn the_drive_of_another_robot_is_replayed_through_a_mapping() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let drive = shared.join("data/recordings/husky-gps-imu-odom/test1.mcap");
    if !drive.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", drive.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.mcap");
    assert_eq!(replay(HUSKY, &drive, &new), ExitCode::SUCCESS);
    let (recorded, replayed) = (values(&drive, "/imu/data"), values(&new, "/ImuDriver/Inertial"));
    assert_eq!((recorded.len(), replayed.len()), (11_865, 11_865));
    let number = |value: &Value, path: &str| value.get(path).and_then(|value| value.number()).unwrap();
    for (recorded, replayed) in recorded.iter().zip(&replayed) {
        for axis in ["x", "y", "z"] {
            let of = |value, field: &str| number(value, &format!("{field}.{axis}"));
            assert_eq!(of(&recorded.1, "angular_velocity"), of(&replayed.1, "gyroscope"));
        }
        let degrees = number(&recorded.1, "angular_velocity.z").to_degrees();
        assert!((number(&replayed.1, "yaw_rate") - degrees).abs() <= 1e-5 * degrees.abs() + 1e-6);
    }
    // The same distances in time, and the robot's clock begins at zero.
    let first = recorded[0].0 - replayed[0].0;
    assert!(recorded.iter().zip(&replayed).all(|(recorded, replayed)| recorded.0 - replayed.0 == first));
    assert!(replayed[0].0 < 1_000_000_000);
    assert_eq!(values(&new, "/main/Heading").len(), 11_865);
    // Without the mapping nothing in it is for this robot.
    assert_eq!(replay(ROBOT, &drive, &new.with_file_name("none.mcap")), ExitCode::from(2));
}

#[test]
fn a_log_of_another_robot_needs_only_what_modules_read() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.mcap");
    old_log(&old, |_| Then::default(), &Then::data_type());
    let mapping = "[replay.Inertial]\ntopic = '/ImuDriver/Inertial'\n";
    assert_eq!(replay(&format!("{ROBOT}{mapping}"), &old, &folder.path().join("new.mcap")), ExitCode::SUCCESS);
    assert_eq!(values(&folder.path().join("new.mcap"), "/main/Heading").len(), 100);
    let gauged = ROBOT.replace("[\"Compass\"]", "[\"Compass\", \"Gauge\"]");
    assert_ne!(gauged, ROBOT);
    let none = folder.path().join("none.mcap");
    assert_eq!(replay(&format!("{gauged}{mapping}"), &old, &none), ExitCode::from(2), "a module reads the battery");
    assert!(!none.exists());
}
