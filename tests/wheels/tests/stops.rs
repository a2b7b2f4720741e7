//! The wheels stand still however a robot ends: the last command on their bus is a stop.
#![forbid(unsafe_code)]

mod run;

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use run::Run;

/// The line that the robot prints before it hangs.
const HANGS: &str = "hangs on purpose";

#[test]
fn the_wheels_stand_still_after_a_signal_and_the_log_is_whole() {
    for (name, signal) in [("int", Signal::INT), ("term", Signal::TERM), ("hup", Signal::HUP)] {
        let run = Run::start(name, "", &["--log", "wheels.mcap"]).drive().signal(signal);
        let folder = run.folder.clone();
        let ended = run.end();
        // 3: on a busy machine the log may lack values.
        assert!([Some(0), Some(3)].contains(&ended.stands_still().status.code()), "{}", ended.text);
        let info = Command::new(env!("CARGO_BIN_EXE_wheels"))
            .args(["log", "info", "wheels.mcap"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&[info.stdout, info.stderr].concat()).into_owned();
        assert!(info.status.success() && !text.contains("damaged"), "{text}");
    }
}

#[test]
fn a_terminal_that_closes_may_say_so_twice() {
    Run::start("hup-twice", "", &[]).drive().signal(Signal::HUP).signal(Signal::HUP).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_at_the_end_of_the_duration() {
    Run::start("duration", "", &["--duration", "1s"]).end().stands_still().with_code(0);
    Run::start("fast", "", &["--fast", "--duration", "5s"]).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_after_a_stop_by_the_program() {
    Run::start("program", "stop by the program", &[]).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_at_the_end_of_a_replay() {
    let live = Run::start("replayed", "", &["--log", "wheels.mcap"]).drive().signal(Signal::INT);
    let folder = live.folder.clone();
    live.end().stands_still();
    fs::remove_file(folder.join("wheels.bus")).unwrap();
    Run::start_in(folder, "", &["--replay", "wheels.mcap"]).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_while_a_cycle_hangs() {
    let stopped = |run: &Run| run.commands().last().is_some_and(|command| command == "stop");
    let arguments = ["--set", "cycle.motion.watchdog='1 s'"];
    let run = Run::start("watchdog", "hang", &arguments).wait_for("the watchdog stops them", stopped);
    let ended = run.signal(Signal::INT).end();
    ended.stands_still().says("is left behind");
}

#[test]
fn the_wheels_stand_still_at_the_end_of_a_cycle_that_hangs_and_that_nobody_watches() {
    for (name, arguments) in [
        ("unwatched", ["--duration", "60s", "--set", "cycle.motion.watchdog=60min"].as_slice()),
        ("stepped", &["--fast", "--duration", "1s"]),
    ] {
        let run = Run::start(name, "hang", arguments).wait_for("it hangs", |run| run.text().contains(HANGS));
        run.signal(Signal::INT).end().stands_still().says("is left behind");
    }
}

#[test]
fn nothing_moves_the_wheels_again_in_the_safe_state() {
    let arguments = ["--set", "module.Saboteur.on_failure=\"safe-state\""];
    let failed = |run: &Run| run.text().contains("Saboteur.sabotage failed");
    let run = Run::start("failure", "failure", &arguments).wait_for("it fails", failed);
    // The cycle goes on in the meantime.
    thread::sleep(Duration::from_millis(500));
    run.signal(Signal::INT).end().stands_still();
}

#[test]
fn the_wheels_stand_still_after_a_panic_in_main() {
    let ended = Run::start("panic", "panic in main", &[]).end();
    ended.stands_still().with_code(101).says("on purpose");
}

#[test]
fn the_wheels_stand_still_after_a_panic_in_a_thread_of_the_robot() {
    let ended = Run::start("panic-in-thread", "panic in a thread", &[]).end();
    ended.stands_still().with_code(1).says("the heartbeat panics on purpose");
}

#[test]
fn the_first_signal_stops_the_wheels_and_the_second_one_the_program_whatever_main_does() {
    let run = Run::start("main", "hang in main", &[]).wait_for("main hangs", |run| run.text().contains(HANGS));
    let stopped = |run: &Run| run.commands().last().is_some_and(|command| command == "stop");
    let run = run.signal(Signal::INT).wait_for("they stop", stopped);
    // A second signal that follows immediately counts as the first one.
    thread::sleep(Duration::from_millis(300));
    run.signal(Signal::INT).end().stands_still().with_code(130);
}

#[test]
fn a_bus_that_refuses_the_stop_is_an_error() {
    let ended =
        Run::start("refused", "", &["--duration", "300ms", "--set", "module.Motors.bus=\"/nowhere/bus\""]).end();
    ended.with_code(1).says("could not be made safe: its `#[safe_state]` method failed: No such file or directory");
}
