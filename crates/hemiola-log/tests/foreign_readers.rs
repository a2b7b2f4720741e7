//! Recovered and imported logs are read by others: the MCAP project's reader, and rosbags, which
//! decodes the same values. Imported logs have the values that the makers' own tools read from the
//! recordings: rosbags and pyulog.

mod ulogs;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hemiola_log::{Entry, LogCompression, LogReader, Timing, import, recover};

#[test]
fn a_recovered_log_is_read_and_decoded_alike_by_others() {
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(|| workspace_root().join("../shared"), PathBuf::from);
    let drive = shared.join("data/recordings/husky-gps-imu-odom/test1.mcap");
    let Ok(bytes) = std::fs::read(&drive) else {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", drive.display());
        return;
    };
    let Some(python) = python() else { return };
    let file = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (cut, whole, values) = (file("cut.mcap"), file("recovered.mcap"), file("recovered.jsonl"));
    // The file is a tenth of the drive, with its last chunk cut.
    std::fs::write(&cut, &bytes[..bytes.len() / 10]).expect("the folder for temporary files can be written");
    _ = std::fs::remove_file(&whole);
    let mut log = LogReader::open(&cut).expect("it is a log");
    let recovery = recover(&mut log, &whole, |_, _| {}).expect("as before");
    assert!(recovery.messages > 1000 && recovery.has_losses(), "{recovery:?}");

    let mut lines = write_values(&whole);
    std::fs::write(&values, lines.join("\n")).expect("as before");
    let (agrees, text) = checked(&python, &whole, &values);
    assert!(agrees, "{text}");
    println!("{text}");

    // The check can fail, at a value and at a message.
    let right = std::mem::take(&mut lines[7]);
    lines[7] = right.replacen("0.", "1.", 1);
    std::fs::write(&values, lines.join("\n")).expect("as before");
    let (agrees, text) = checked(&python, &whole, &values);
    assert!(!agrees && text.contains("decodes another value"), "{text}");
    lines.remove(7);
    std::fs::write(&values, lines.join("\n")).expect("as before");
    let (agrees, text) = checked(&python, &whole, &values);
    assert!(!agrees && text.contains("finds other messages"), "{text}");
}

#[test]
fn an_imported_directory_is_read_and_decoded_alike_by_others() {
    let Some(python) = python() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imported");
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("in/img")).expect("the folder for temporary files can be written");
    let table =
        "t_s,Gyro X (deg/s),count,file,note\n0.5,1.25,9007199254740993,img/a.jpg,\"a, b\"\n1.5,-2,7,img/b.jpg,\n";
    for (name, content) in
        [("index.csv", table.as_bytes()), ("img/a.jpg", b"\xff\xd8 a"), ("img/b.jpg", b"\xff\xd8 bb")]
    {
        std::fs::write(folder.join("in").join(name), content).expect("as before");
    }
    let (log, values) = (folder.join("out.mcap"), folder.join("out.jsonl"));
    let imported = import(&folder.join("in"), &log, LogCompression::Zstd, &Timing::default(), |_, _| {});
    assert_eq!(imported.expect("there is something to import").problem_count, 0);
    let lines = write_values(&log);
    assert_eq!(lines.len(), 4);
    std::fs::write(&values, lines.join("\n")).expect("as before");
    let (agrees, text) = checked(&python, &log, &values);
    assert!(agrees, "{text}");
    println!("{text}");
}

#[test]
fn bags_have_the_values_that_rosbags_reads_from_them() {
    let Some(python) = python() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bags");
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let make = workspace_root().join("tests/foreign/make_bags.py");
    let made = Command::new(&python).arg(make).arg(&folder).output().expect("Python starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for packing in ["none", "bz2", "lz4"] {
        check_import(&python, &folder.join(packing).with_extension("bag"));
    }
    if let Some(drive) = shared("husky-gps-imu-odom/test1.bag") {
        check_import(&python, &drive);
    }
}

#[test]
fn flights_have_the_values_that_pyulog_reads_from_them() {
    let Some(python) = python() else { return };
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made.ulg");
    std::fs::write(&made, ulogs::whole()).expect("the folder for temporary files can be written");
    check_import(&python, &made);
    if let Some(packed) = shared("px4-flight-log/sample.ulg.gz") {
        let flight = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample.ulg");
        let packed = std::fs::File::open(packed).expect("it is there");
        let mut file = std::fs::File::create(&flight).expect("as before");
        std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut file).expect("as before");
        check_import(&python, &flight);
    }
}

/// Imports a recording and compares it with what others read from it; then makes sure that the
/// comparison can fail.
fn check_import(python: &Path, recording: &Path) {
    let log = recording_log(recording);
    _ = std::fs::remove_file(&log);
    let imported = import(recording, &log, LogCompression::Lz4, &Timing::default(), |_, _| {});
    let imported = imported.unwrap_or_else(|error| panic!("{error}"));
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    let values = log.with_extension("jsonl");
    let check = |lines: &[String]| {
        std::fs::write(&values, lines.join("\n")).expect("the folder for temporary files can be written");
        let check = workspace_root().join("tests/foreign/check_import.py");
        let output = Command::new(python).arg(check).args([recording, &log, &values]).output().expect("Python starts");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        (output.status.success(), text)
    };
    let mut lines = write_values(&log);
    let (agrees, text) = check(&lines);
    assert!(agrees, "{text}");
    println!("{text}");
    lines.remove(lines.len() / 2);
    let (agrees, text) = check(&lines);
    assert!(!agrees, "{text}");
}

fn recording_log(recording: &Path) -> PathBuf {
    let name = recording.file_name().expect("it is a file").to_string_lossy();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.mcap"))
}

fn shared(name: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(|| workspace_root().join("../shared"), PathBuf::from);
    let path = shared.join("data/recordings").join(name);
    if !path.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", path.display());
        return None;
    }
    Some(path)
}

fn write_values(path: &Path) -> Vec<String> {
    let mut log = LogReader::open(path).expect("it is a log");
    let mut lines = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.expect("it is whole") {
            let mut line = Vec::new();
            let value = serde_json::to_string(&message.decode().expect("it fits")).expect("it is JSON");
            let (topic, time) = (&message.channel.topic, message.log_time.nanoseconds());
            write!(line, r#"{{"topic": "{topic}", "log_time": {time}, "value": {value}}}"#)
                .expect("memory can be written");
            lines.push(String::from_utf8(line).expect("it is UTF-8"));
        }
    }
    lines
}

fn checked(python: &Path, log: &Path, values: &Path) -> (bool, String) {
    let check = workspace_root().join("tests/foreign/check_log.py");
    let output = Command::new(python).arg(check).args([log, values]).output().expect("Python starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

/// Returns a Python that has the packages, or prints that there is none.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign/bin/python");
    let has_packages = |python: &PathBuf| {
        let output = Command::new(python).args(["-c", "import mcap.reader, rosbags.highlevel, pyulog"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let known = [named, Some(workspace_root().join("target/foreign/bin/python")), Some(installed)];
    let python = known.into_iter().flatten().find(has_packages);
    if python.is_none() {
        eprintln!(
            "SKIPPED: no Python with the packages `mcap`, `rosbags` and `pyulog`; install tests/foreign/requirements.txt into target/foreign or \
             set HEMIOLA_PYTHON"
        );
    }
    python
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
