//! A robot in which nothing happens: its threads sleep until something does.
#![forbid(unsafe_code)]

#[path = "../../addresses.rs"]
mod addresses;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::{Address, Connection};
use hemiola_live::protocol::Request;

/// A robot that runs in a process of its own.
struct Robot {
    process: Child,
    folder: PathBuf,
}

impl Robot {
    /// Starts the robot of `examples/hello.rs`.
    fn hello(arguments: &[&str]) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("hemiola-idle-{}-{number}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hello"));
        let command = command.args(["run", "--headless", "--no-trace"]).args(arguments).current_dir(&folder);
        let command = command.env("XDG_RUNTIME_DIR", &folder).env("XDG_STATE_HOME", &folder);
        Self { process: command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap(), folder }
    }

    /// Starts that robot with a source that samples once in a quarter of an hour.
    fn idle(arguments: &[&str]) -> Self {
        Self::hello(&[&["--set", "source.World.rate=0.001"], arguments].concat())
    }

    /// Starts a replay of what another run has recorded, and pauses it.
    fn paused() -> Self {
        let mut recorded = Self::hello(&["--log", "run.mcap", "--duration", "500ms"]);
        assert!(recorded.process.wait().unwrap().success());
        let log = recorded.folder.join("run.mcap");
        // The replay is so slow that it does not end before it is paused.
        let robot = Self::hello(&["--replay", log.to_str().unwrap(), "--speed", "0.001"]);
        robot.door().request(Request::Pause {}).unwrap();
        robot
    }

    /// Connects to the robot, which opens its door when it begins.
    fn door(&self) -> Connection {
        let socket = self.folder.join(format!("hemiola/hello.{}.sock", self.process.id()));
        let deadline = Instant::now() + PATIENCE;
        loop {
            match Connection::open(&Address::Unix(socket.clone())) {
                Ok(door) => return door,
                Err(error) if Instant::now() >= deadline => panic!("there is no door: {error}"),
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Returns how often each thread has left its core, by number and name: whenever it slept, or
    /// was interrupted.
    fn switches(&self) -> BTreeMap<String, u64> {
        let tasks = format!("/proc/{}/task", self.process.id());
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
        format!("{} hello", self.process.id())
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
        _ = fs::remove_dir_all(&self.folder);
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

/// The time that a busy machine may take to start a robot.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whatever happens when it begins has happened after a while. Nothing that recurs within `time`
/// passes.
#[track_caller]
fn comes_to_rest(robot: &Robot, time: Duration) {
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
    comes_to_rest(&Robot::idle(&[]), Duration::from_secs(3));
}

#[test]
fn the_watchdog_of_a_cycle_with_priority_sleeps_while_that_does_not_run() {
    comes_to_rest(&Robot::idle(&["--set", "cycle.control.priority=50"]), Duration::from_secs(3));
}

#[test]
fn no_thread_runs_while_nobody_looks_at_the_page() {
    comes_to_rest(&Robot::idle(&["--page", &addresses::free_port().to_string()]), Duration::from_secs(3));
}

#[test]
fn no_thread_runs_while_there_is_nothing_to_record() {
    comes_to_rest(&Robot::idle(&["--log", "idle.mcap"]), Duration::from_secs(3));
}

#[test]
fn the_log_of_a_robot_at_rest_has_everything() {
    let robot = Robot::idle(&["--log", "idle.mcap"]);
    robot.door().request(Request::Mark { text: "here".to_owned() }).unwrap();
    comes_to_rest(&robot, Duration::from_secs(3));
    // The robot is killed, and nothing is written after this.
    let log = fs::read(robot.folder.join("idle.mcap")).unwrap();
    assert!(log.windows(4).any(|window| window == b"here"), "the mark is in the log");
}

#[test]
fn a_paused_replay_runs_only_for_who_asks_something() {
    let robot = Robot::paused();
    let mut awake = BTreeMap::new();
    for _ in 0..10 {
        awake = robot.awake_within(Duration::from_secs(3));
        // The line that the main thread prints once a second shows a value.
        awake.retain(|thread, count| !(thread.ends_with("hemiola player") && *count < 15));
        if awake.is_empty() {
            let threads = robot.switches();
            assert!(threads.keys().any(|thread| thread.ends_with("hemiola player")), "it runs: {threads:?}");
            return;
        }
    }
    panic!("these have run, and there was nothing to do: {awake:?}");
}

#[test]
#[ignore = "takes at least ten seconds: `.ci/long` runs it"]
fn no_thread_runs_within_ten_seconds() {
    comes_to_rest(&Robot::idle(&[]), Duration::from_secs(10));
}
