//! However a robot ends, its wheels stand still: the last command on their bus is a stop.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A run of the robot, in a folder of its own.
struct Run {
    folder: PathBuf,
    child: Child,
}

struct Ended {
    commands: Vec<String>,
    status: ExitStatus,
    text: String,
}

/// Nothing that is waited for takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

impl Run {
    fn start(name: &str, fault: &str, arguments: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wheels-{name}"));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self::start_in(folder, fault, arguments)
    }

    fn start_in(folder: PathBuf, fault: &str, arguments: &[&str]) -> Self {
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_wheels"))
            .args(["run", "--headless", "--no-trace"])
            .args(arguments)
            .env("FAULT", fault)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { folder, child }
    }

    fn commands(&self) -> Vec<String> {
        let bus = fs::read_to_string(self.folder.join("wheels.bus")).unwrap_or_default();
        bus.lines().map(str::to_owned).collect()
    }

    /// Waits until it drives.
    fn drive(self) -> Self {
        self.wait_for("it drives", |run| run.commands().len() > 20)
    }

    fn wait_for(self, what: &str, is_so: impl Fn(&Self) -> bool) -> Self {
        let begin = Instant::now();
        while !is_so(&self) {
            assert!(begin.elapsed() < PATIENCE, "{what}: {}", self.text());
            thread::sleep(Duration::from_millis(2));
        }
        self
    }

    fn signal(self, signal: Signal) -> Self {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    fn end(mut self) -> Ended {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                _ = self.child.kill();
                panic!("it does not end: {}", self.text());
            }
            thread::sleep(Duration::from_millis(2));
        };
        Ended { commands: self.commands(), status, text: self.text() }
    }
}

impl Ended {
    fn stands_still(&self) -> &Self {
        assert!(self.commands.iter().any(|command| command.starts_with("speed")), "it has driven: {}", self.text);
        assert_eq!(self.commands.last().map(String::as_str), Some("stop"), "{}", self.text);
        let stops = self.commands.iter().filter(|command| *command == "stop").count();
        assert_eq!(stops, 1, "nothing undoes it: {:?}", self.commands);
        self
    }

    fn with_code(&self, code: i32) -> &Self {
        assert_eq!(self.status.code(), Some(code), "{}", self.text);
        self
    }

    fn says(&self, words: &str) {
        assert!(self.text.contains(words), "`{words}` is not in: {}", self.text);
    }
}

#[test]
fn the_wheels_stand_still_after_a_signal_and_the_log_is_whole() {
    for (name, signal) in [("int", Signal::INT), ("term", Signal::TERM), ("hup", Signal::HUP)] {
        let run = Run::start(name, "", &["--log", "wheels.mcap"]).drive().signal(signal);
        let folder = run.folder.clone();
        run.end().stands_still().with_code(0);
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
    Run::start("duration", "", &["--duration", "500ms"]).end().stands_still().with_code(0);
    Run::start("fast", "", &["--fast", "--duration", "5s"]).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_at_the_end_of_a_replay() {
    let live = Run::start("replayed", "", &["--duration", "500ms", "--log", "wheels.mcap"]);
    let folder = live.folder.clone();
    live.end().stands_still();
    fs::remove_file(folder.join("wheels.bus")).unwrap();
    Run::start_in(folder, "", &["--replay", "wheels.mcap"]).end().stands_still().with_code(0);
}

#[test]
fn the_wheels_stand_still_while_a_cycle_hangs() {
    let stopped = |run: &Run| run.commands().last().is_some_and(|command| command == "stop");
    let run = Run::start("watchdog", "hang", &[]).wait_for("the watchdog stops them", stopped);
    let ended = run.signal(Signal::INT).end();
    ended.stands_still().says("is left behind");
}

#[test]
fn the_wheels_stand_still_at_the_end_of_a_cycle_that_hangs_and_that_nobody_watches() {
    let arguments = ["--duration", "1s", "--set", "cycle.motion.watchdog=60min"];
    Run::start("unwatched", "hang", &arguments).end().stands_still().says("is left behind");
    let arguments = ["--fast", "--duration", "1s"];
    let run = Run::start("stepped", "hang", &arguments).drive().signal(Signal::INT);
    run.end().stands_still().says("is left behind");
}

#[test]
fn nothing_moves_the_wheels_again_in_the_safe_state() {
    let arguments = ["--duration", "1s", "--set", "module.Saboteur.on_failure=\"safe-state\""];
    Run::start("failure", "failure", &arguments).end().stands_still().says("Saboteur.sabotage failed");
}

#[test]
fn the_wheels_stand_still_after_a_panic_in_main() {
    let ended = Run::start("panic", "panic in main", &[]).end();
    ended.stands_still().with_code(101).says("on purpose");
}

#[test]
fn the_first_signal_stops_the_wheels_and_the_second_one_the_program_whatever_main_does() {
    let run = Run::start("main", "hang in main", &[]).drive().wait_for("main hangs", |run| run.commands().len() > 130);
    let stopped = |run: &Run| run.commands().last().is_some_and(|command| command == "stop");
    let run = run.signal(Signal::INT).wait_for("they stop", stopped);
    run.signal(Signal::INT).end().stands_still().with_code(130);
}

#[test]
fn a_bus_that_refuses_the_stop_is_an_error() {
    let ended =
        Run::start("refused", "", &["--duration", "300ms", "--set", "module.Motors.bus=\"/nowhere/bus\""]).end();
    ended.with_code(1).says("could not be made safe: its `#[safe_state]` method failed: No such file or directory");
}
