//! The wheels stop however the process of a guarded robot dies.
#![forbid(unsafe_code)]

mod run;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use run::Run;

/// The options for the guard's command, which alone can stop the wheels after their process has
/// died.
const GUARD: [&str; 2] = ["--set", "guard.command=[\"sh\", \"-c\", \"echo stop >> wheels.bus\"]"];

/// The options for a patient guard. A process that dies shows no life while the kernel tears it
/// down, which may last longer than the default limit of 100 ms when the machine is busy. The guard
/// would then kill it, with another message and exit code than these tests are about.
const PATIENT: [&str; 2] = ["--set", "guard.beat=\"10 s\""];

/// Starts a run with a guard that acts on the death of the process, and not on its silence.
fn guarded(name: &str, fault: &str, arguments: &[&str]) -> Run {
    Run::start(name, fault, &[&GUARD, &PATIENT, arguments].concat())
}

impl Run {
    /// Returns the process of the robot that was started last.
    fn robot(&self) -> Option<Pid> {
        let text = self.text();
        let (_, number) = text.rsplit_once("watches over the robot, process ")?;
        Pid::from_raw(number.lines().next()?.parse().ok()?)
    }

    fn kill(self, signal: Signal) -> Self {
        kill_process(self.robot().unwrap(), signal).unwrap();
        self
    }

    fn stops(&self) -> usize {
        self.commands().iter().filter(|command| *command == "stop").count()
    }
}

#[test]
fn the_wheels_stand_still_after_the_process_was_killed_and_the_log_is_whole() {
    let run = guarded("killed", "", &["--log", "wheels.mcap"]).drive();
    let folder = run.folder.clone();
    let log = folder.join("wheels.mcap");
    let written = || fs::metadata(&log).map_or(0, |file| file.len());
    // Before the robot drives, only the head of the log has been written.
    let head = written();
    let run = run.wait_for("what it does is on the disk", |_| written() > head);
    let ended = run.kill(Signal::KILL).end();
    ended.stands_still().with_code(137).says("the robot's process has died: signal: 9 (SIGKILL)");
    ended.says("the log was recovered");
    let info = Command::new(env!("CARGO_BIN_EXE_wheels"))
        .args(["log", "info", "wheels.mcap"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[info.stdout, info.stderr].concat()).into_owned();
    assert!(info.status.success() && !text.contains("damaged"), "{text}");
}

#[test]
fn the_wheels_stand_still_when_the_process_shows_no_life() {
    let beat = ["--set", "guard.beat=\"1 s\""];
    let ended = Run::start("stopped", "", &[&GUARD[..], &beat].concat()).drive().kill(Signal::STOP).end();
    ended.stands_still().with_code(137).says("sent no heartbeat for 1.00 s, and was killed");
}

#[test]
fn the_wheels_stand_still_when_a_module_ends_the_process() {
    guarded("exit", "exit", &[]).end().stands_still().with_code(7).says("exit status: 7");
}

#[test]
fn the_wheels_stand_still_after_an_abort_and_after_a_stack_overflow() {
    for fault in ["abort", "overflow"] {
        guarded(fault, fault, &[]).end().stands_still().with_code(134).says("signal: 6 (SIGABRT)");
    }
}

#[test]
fn a_guarded_robot_ends_like_any_other() {
    for (name, signal) in [("guarded-int", Signal::INT), ("guarded-term", Signal::TERM), ("guarded-hup", Signal::HUP)] {
        let ended = guarded(name, "", &[]).drive().signal(signal).end();
        ended.stands_still().with_code(0);
        assert!(!ended.text.contains("has died"), "{}", ended.text);
    }
    guarded("guarded-duration", "", &["--duration", "300ms"]).end().stands_still().with_code(0);
}

#[test]
fn a_signal_to_the_guard_is_meant_for_the_robot_and_ends_no_guard() {
    // The robot does not handle these signals, and is killed by them.
    for (name, signal, code) in [("quit", Signal::QUIT, 131), ("usr1", Signal::USR1, 138), ("usr2", Signal::USR2, 140)]
    {
        let ended = guarded(name, "", &[]).drive().signal(signal).end();
        ended.stands_still().with_code(code).says("the robot's process has died");
    }
}

#[test]
fn a_robot_does_not_outlive_its_guard() {
    let run = guarded("orphan", "", &[]).drive();
    let robot = run.robot().unwrap();
    let run = run.signal(Signal::KILL).wait_for("it stops", |run| run.stops() == 1);
    run.wait_for("it ends", |_| !fs::exists(format!("/proc/{}", robot.as_raw_nonzero())).unwrap());
}

#[test]
fn a_robot_that_died_is_started_again_but_not_for_ever() {
    let run = guarded("restarts", "", &["--set", "guard.restarts=2", "--log", "wheels.mcap"]);
    let mut run = run.drive();
    let folder = run.folder.clone();
    for restart in 1..=2 {
        let before = run.robot();
        run = run.kill(Signal::KILL).wait_for("it is started again", |run| run.robot() != before);
        let log = folder.join(format!("wheels-restart-{restart}.mcap"));
        let drives = |run: &Run| run.commands().last().is_some_and(|command| command != "stop");
        run = run.wait_for("it drives and records", |run| drives(run) && log.exists());
    }
    let ended = run.kill(Signal::KILL).end();
    assert_eq!(ended.commands.iter().filter(|command| *command == "stop").count(), 3, "{}", ended.text);
    ended.with_code(137).says("restarting the robot, 2 of at most 2 times");
}

#[test]
fn a_guard_without_a_command_that_is_there_is_refused_before_anything_moves() {
    let arguments = ["--set", "guard.command=[\"./stop-motors\"]"];
    let ended = Run::start("no-command", "", &arguments).end();
    ended.with_code(2).says("there is no program `./stop-motors`");
    assert!(ended.commands.is_empty());
}

/// Measures the time from the death of the process to the last command on the bus. It is ignored by
/// default, because it kills 200 robots.
#[test]
#[ignore = "takes some minutes; `.ci/long` runs it"]
fn how_long_the_wheels_turn_after_the_process_was_killed() {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..200 {
        let run = guarded("measured", "", &[]).drive();
        let killed = Instant::now();
        let run = run.kill(Signal::KILL).wait_closely_for("it stops", |run| run.stops() == 1);
        times.push(killed.elapsed());
        run.end().stands_still();
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("from kill -9 to the stop on the bus: median {:?}, p99 {:?}, longest {:?}", at(0.5), at(0.99), at(1.0));
}
