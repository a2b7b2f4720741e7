//! The commands for logs, as somebody types them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;

fn log(arguments: &[&str]) -> ExitCode {
    Application::embedded("[cycle.main]\nrate = 1.0\n").run_with([&["robot", "log"], arguments].concat())
}

#[track_caller]
fn exits(arguments: &[&str], code: u8) {
    assert_eq!(log(arguments), ExitCode::from(code), "log {}", arguments.join(" "));
}

/// Returns the folder with the recordings; prints that the test is skipped where it is missing.
fn recordings() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let path = shared.join("data/recordings");
    if !path.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn every_command_for_logs_works_and_says_so_by_its_exit_code() {
    let Some(recordings) = recordings() else { return };
    let folder = std::env::temp_dir().join(format!("hemiola-logs-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let path = |name: &str| folder.join(name).to_str().expect("it is UTF-8").to_owned();
    let drive = recordings.join("husky-gps-imu-odom/test1.mcap");
    let bytes = std::fs::read(&drive).expect("it is there");
    let (cut, whole) = (path("cut.mcap"), path("whole.mcap"));
    std::fs::write(&cut, &bytes[..700_000]).expect("as before");
    let drive = drive.to_str().expect("it is UTF-8");

    exits(&["info", drive], 0);
    exits(&["info", drive, "--json"], 0);
    exits(&["cat", drive, "--topic", "/fix", "--from", "100s", "--for", "2s"], 0);
    exits(&["cat", drive, "--topic", "/fi*", "--first", "3", "--format", "json"], 0);
    exits(&["cat", drive, "--first", "3", "--format", "raw"], 0);
    for command in [["cat", drive, "", ""], ["diff", drive, drive, ""], ["filter", drive, &path("none.mcap"), ""]] {
        let arguments: Vec<_> = command.into_iter().filter(|part| !part.is_empty()).collect();
        exits(&[&arguments[..], &["--topic", "/nope"]].concat(), 2);
        exits(&[&arguments[..], &["--topic", "/nope*"]].concat(), 2);
    }
    exits(&["export", drive, &path("none"), "--topic", "/nope"], 2);
    assert!(
        !folder.join("none.mcap").exists() && !folder.join("none").exists(),
        "nothing is written for a topic that is not there"
    );
    let (bag, imported) = (recordings.join("husky-gps-imu-odom/test1.bag"), path("imported.mcap"));
    exits(&["import", bag.to_str().expect("it is UTF-8"), &imported], 0);
    exits(&["diff", drive, &imported], 0);
    exits(&["import", bag.to_str().expect("it is UTF-8"), &path("none.mcap"), "--rate", "5"], 1);
    let whistles = recordings.join("nao-whistles");
    exits(&["import", whistles.to_str().expect("it is UTF-8"), &path("whistles.mcap")], 0);
    exits(&["plot", &imported, "/imu/data.angular_velocity.z", "--output", &path("imported.svg")], 0);
    exits(&["info", &cut], 3);
    exits(&["cat", &cut, "--topic", "/nothing"], 3);
    exits(&["recover", &cut, &whole], 3);
    exits(&["info", &whole], 0);
    exits(&["recover", &whole, &path("again.mcap")], 0);
    exits(&["filter", drive, &path("fix.mcap"), "--topic", "/fix", "--from", "10s", "--for", "5s"], 0);
    exits(&["info", &path("fix.mcap")], 0);
    exits(&["export", drive, &path("tables"), "--for", "10s"], 0);
    exits(&["export", drive, &path("tables")], 1);
    exits(&["plot", drive, "/imu/data.angular_velocity.z", "/fix.altitude", "--output", &path("plot.svg")], 0);
    exits(&["plot", drive, "/fix.position_covariance[8]", "--output", &path("plot.svg")], 0);
    exits(&["plot", drive, "/imu/data.angular_velocity"], 2);
    exits(&["plot", drive, "/imu/date.x"], 2);
    exits(&["diff", &whole, &path("again.mcap")], 0);
    exits(&["diff", drive, &whole], 1);
    exits(&["diff", drive, drive, "--tolerance", "/fix.altitude=0.1", "--tolerance", "1e-9", "--topic", "/fix"], 0);
    exits(&["diff", &cut, &whole], 3);
    exits(&["diff", drive, drive, "--tolerance", "few"], 2);
    exits(&["merge", &whole, &path("fix.mcap"), "--output", &path("merged.mcap")], 0);
    exits(&["merge", &whole, "--output", &path("merged.mcap")], 1);
    // An existing file is never overwritten.
    exits(&["recover", &cut, &whole], 1);
    let euroc = recordings.join("euroc-v1-01-mini");
    let road = recordings.join("road-lane-video");
    let [euroc, road] = [&euroc, &road].map(|path| path.to_str().expect("it is UTF-8"));
    exits(&["import", euroc, &path("euroc.mcap")], 0);
    exits(&["info", &path("euroc.mcap")], 0);
    exits(&["import", euroc, &path("euroc.mcap")], 1);
    exits(&["import", road, &path("road.mcap")], 1);
    exits(&["import", road, &path("road.mcap"), "--rate", "25", "--compression", "none"], 0);
    exits(&["import", road, &path("other.mcap"), "--rate", "0"], 2);
    exits(&["import", road, &path("other.mcap"), "--time", "stamp"], 2);
    exits(&["info", &path("gone.mcap")], 2);
    exits(&["info", "/dev/null"], 2);
    exits(&["cat", drive, "--from", "later"], 2);
    exits(&["cat", "--help"], 0);
    std::fs::remove_dir_all(&folder).expect("as before");
}

#[test]
fn where_a_new_log_goes_is_said_by_the_last_word_or_by_output() {
    let folder = tempfile::tempdir().expect("the folder for temporary files can be written");
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/logs/arm.mcap");
    let path = |name: &str| folder.path().join(name).to_str().expect("it is UTF-8").to_owned();
    exits(&["filter", arm, &path("last.mcap"), "--for", "100ms"], 0);
    exits(&["filter", arm, "--output", &path("output.mcap"), "--for", "100ms"], 0);
    let [last, output] = ["last.mcap", "output.mcap"].map(|name| std::fs::read(path(name)).expect("it is written"));
    assert_eq!(last, output);
    exits(&["recover", &path("last.mcap"), "--output", &path("whole.mcap")], 0);
    exits(&["export", &path("last.mcap"), "--output", &path("tables")], 0);
    exits(&["import", &path("tables"), "--output", &path("again.mcap"), "--rate", "100"], 0);

    exits(&["filter", arm], 2);
    exits(&["filter", arm, &path("a.mcap"), "--output", &path("b.mcap")], 2);
    assert!(!Path::new(&path("a.mcap")).exists() && !Path::new(&path("b.mcap")).exists());
}
