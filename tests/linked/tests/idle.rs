//! A robot in which nothing happens: its threads sleep until something does.
#![forbid(unsafe_code)]

#[path = "../../addresses.rs"]
mod addresses;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A robot that runs in a process of its own.
struct Robot(Child);

impl Robot {
    /// Starts the robot of `examples/hello.rs`, whose source samples once in a quarter of an hour.
    fn idle(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hello"));
        let idle = ["run", "--headless", "--no-trace", "--set", "source.World.rate=0.001"];
        let command = command.args(idle).args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR"));
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Returns how often each thread has left its core, by number and name: whenever it slept, or
    /// was interrupted.
    fn switches(&self) -> BTreeMap<String, u64> {
        let tasks = format!("/proc/{}/task", self.0.id());
        let tasks = fs::read_dir(tasks).unwrap().filter_map(Result::ok);
        tasks.filter_map(|task| Some((name(&task.path())?, switches(&task.path())?))).collect()
    }

    /// Returns the threads that have run meanwhile, with how often they have left their cores.
    fn awake_within(&self, time: Duration) -> BTreeMap<String, u64> {
        let before = self.switches();
        thread::sleep(time);
        let mut after = self.switches();
        after.retain(|thread, count| {
            *count -= before.get(thread).copied().unwrap_or_default();
            // The main thread prints a line each second.
            *count > 0 && *thread != self.main_thread()
        });
        after
    }

    fn main_thread(&self) -> String {
        format!("{} hello", self.0.id())
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Returns the number and name of a thread.
fn name(task: &Path) -> Option<String> {
    let name = fs::read_to_string(task.join("comm")).ok()?;
    Some(format!("{} {}", task.file_name()?.to_str()?, name.trim()))
}

fn switches(task: &Path) -> Option<u64> {
    let status = fs::read_to_string(task.join("status")).ok()?;
    let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
    counts.map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum()
}

/// Whatever happens when it begins has happened after a while. Nothing that recurs within `time`
/// passes.
#[track_caller]
fn comes_to_rest(arguments: &[&str], time: Duration) {
    let robot = Robot::idle(arguments);
    let mut awake = BTreeMap::new();
    for _ in 0..10 {
        awake = robot.awake_within(time);
        if awake.is_empty() {
            assert!(robot.switches().len() > 5, "it runs: {:?}", robot.switches());
            return;
        }
    }
    panic!("these have run within {time:?}, and there was nothing to do: {awake:?}");
}

#[test]
fn no_thread_runs_while_there_is_nothing_to_do() {
    comes_to_rest(&[], Duration::from_secs(3));
}

#[test]
fn the_watchdog_of_a_cycle_with_priority_sleeps_while_that_does_not_run() {
    comes_to_rest(&["--set", "cycle.control.priority=50"], Duration::from_secs(3));
}

#[test]
fn no_thread_runs_while_nobody_looks_at_the_page() {
    comes_to_rest(&["--page", &addresses::free_port().to_string()], Duration::from_secs(3));
}

#[test]
#[ignore = "takes at least ten seconds: `.ci/long` runs it"]
fn no_thread_runs_within_ten_seconds() {
    comes_to_rest(&[], Duration::from_secs(10));
}
