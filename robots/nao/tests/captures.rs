//! Tests that the robot's beliefs at a fall are saved in a file.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hemiola::Representation;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::{Robot, Stepper};
use nao::announcer::Announcer;
use nao::captures::{self, CaptureSaved, SaveSnapshot};
use nao::representations::events::Fell;

fn robot() -> Stepper {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let loaded = load(&LoadOptions::new(path), &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    Robot::assemble(loaded.configuration).expect("the robot is complete").into_stepper().expect("the robot can be made")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nao-{}-{name}", std::process::id()));
    _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_fall_leaves_a_file_with_what_every_cycle_believed_and_a_remark_where_it_is() {
    let (mut stepper, folder) = (robot(), folder("falls"));
    let robot = stepper.handle().clone();
    let mut announcer = Announcer::start(&robot).unwrap();
    let _server = captures::serve(&robot, &folder).unwrap();
    while stepper.now().seconds() < 0.2 {
        stepper.step().unwrap();
    }
    robot.bus().topic(Fell::NAME).unwrap().publisher().publish(Fell { at: robot.now(), inclination: 1.0 });

    // The file is written on another thread while the robot continues.
    let path = folder.join("nao-snapshot-1.json");
    let patience = Instant::now() + Duration::from_secs(120);
    let remarked = |line: &String| line.contains(&path.display().to_string());
    while !announcer.last_lines(100).1.iter().any(remarked) {
        assert!(Instant::now() < patience, "{:?}", announcer.last_lines(100));
        stepper.step().expect("the game lasts longer");
    }
    let text = fs::read_to_string(&path).unwrap();
    let capture: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&capture["reason"], capture["silent"].as_array().map(Vec::len)), (&"fell".into(), Some(0)));
    assert!(capture["at"].as_f64().unwrap() >= 0.2);
    let cycles = &capture["cycles"];
    assert!(cycles["motion"]["FallState"]["state"].is_string(), "{}", cycles["motion"]["FallState"]);
    assert!(cycles["cognition"]["RobotPose"]["quality"].is_number() && cycles["audio"].is_object());
    let service = || robot.bus().services().remove(0);
    // The server counts an answer slightly later than it is known.
    while service().answered == 0 {
        assert!(Instant::now() < patience, "{:?}", service());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!((service().name.as_str(), service().answered, service().panics), ("SaveSnapshot", 1, 0));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn who_asks_learns_why_there_is_no_file() {
    let (stepper, folder) = (robot(), folder("none"));
    fs::write(&folder, "this is no folder").unwrap();
    let _server = captures::serve(stepper.handle(), &folder).unwrap();
    let mut client = stepper.handle().bus().client::<SaveSnapshot, CaptureSaved>(SaveSnapshot::NAME).unwrap();
    let reason = client.call(SaveSnapshot::default(), Duration::from_secs(60)).unwrap().unwrap_err();
    assert!(reason.starts_with(&format!("no capture in {}: ", folder.display())), "{reason}");
    fs::remove_file(folder).unwrap();
}
