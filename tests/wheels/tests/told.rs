//! Requests that cannot be fulfilled are reported, and the exit code is not 0.
#![forbid(unsafe_code)]

mod run;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::Signal;

use run::Run;

/// Starts the robot beside a folder that disappears while it runs.
fn without_its_folder(name: &str, arguments: &[&str]) -> Run {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wheels-{name}"));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("gone")).unwrap();
    let run = Run::start_in(folder.clone(), "", arguments).drive();
    fs::remove_dir_all(folder.join("gone")).unwrap();
    run
}

#[test]
fn a_log_whose_folder_vanishes_is_told_and_an_error() {
    let ended = without_its_folder("no-log", &["--log", "gone/wheels.mcap"]).signal(Signal::INT).end();
    ended.stands_still().with_code(3).says("it was removed while it was written");
}

#[test]
fn a_trace_whose_folder_vanishes_is_told_and_an_error() {
    let ended = without_its_folder("no-trace", &["--trace", "gone/wheels.pftrace"]).signal(Signal::INT).end();
    ended.stands_still().with_code(1).says("it was removed while it was written");
    assert!(!ended.text.contains("open it in https://ui.perfetto.dev"), "{}", ended.text);
}

#[test]
fn a_full_disk_is_told_and_an_error() {
    if !fs::exists("/dev/full").unwrap() {
        eprintln!("SKIPPED: there is no /dev/full here");
        return;
    }
    let ended = Run::start("full-trace", "", &["--duration", "500ms", "--trace", "/dev/full"]).end();
    ended.stands_still().with_code(1).says("No space left on device");
}

#[test]
fn a_log_on_a_full_disk_is_told_and_an_error() {
    let disk = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wheels-disk");
    fs::create_dir_all(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "hemiola"]).arg(&disk).output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return;
    }
    let log = disk.join("wheels.mcap");
    let log = ["--log", log.to_str().unwrap(), "--log-compression", "none", "--set", "log.reserve=\"1 kB\""];
    let is_told = |run: &Run| run.text().contains("No space left on device");
    let run = Run::start("full-log", "", &log).wait_for("the disk is full", is_told);
    let ended = run.signal(Signal::INT).end();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    ended.stands_still().with_code(3).says("ended early");
}
