//! Runs of the robot whose wheels must stand still at the end.
#![allow(dead_code, reason = "each test uses some of it")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A run of the robot in a folder of its own.
pub struct Run {
    pub folder: PathBuf,
    child: Child,
}

/// The end of a run: commands on the bus, exit status and output.
pub struct Ended {
    pub commands: Vec<String>,
    pub status: ExitStatus,
    pub text: String,
}

/// The longest time to wait for anything, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// The options for a robot that does not stop because others have the cores for some time.
const PATIENT: [&str; 4] = ["--set", "cycle.motion.watchdog='20 s'", "--set", "safe_state.within='2 s'"];

impl Run {
    pub fn start(name: &str, fault: &str, arguments: &[&str]) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wheels-{name}"));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self::start_in(folder, fault, arguments)
    }

    pub fn start_in(folder: PathBuf, fault: &str, arguments: &[&str]) -> Self {
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_wheels"))
            .args(["run", "--headless"])
            .args(if arguments.contains(&"--trace") { None } else { Some("--no-trace") })
            .args(PATIENT)
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

    pub fn commands(&self) -> Vec<String> {
        let bus = fs::read_to_string(self.folder.join("wheels.bus")).unwrap_or_default();
        bus.lines().map(str::to_owned).collect()
    }

    /// Waits until the robot drives.
    pub fn drive(self) -> Self {
        self.wait_for("it drives", |run| run.commands().len() > 20)
    }

    pub fn wait_for(self, what: &str, is_so: impl Fn(&Self) -> bool) -> Self {
        self.look_every(Duration::from_millis(2), what, is_so)
    }

    /// Waits with short intervals, for a precise time. This keeps a core busy.
    pub fn wait_closely_for(self, what: &str, is_so: impl Fn(&Self) -> bool) -> Self {
        self.look_every(Duration::from_micros(50), what, is_so)
    }

    fn look_every(self, period: Duration, what: &str, is_so: impl Fn(&Self) -> bool) -> Self {
        let begin = Instant::now();
        while !is_so(&self) {
            assert!(begin.elapsed() < PATIENCE, "{what}: {}", self.text());
            thread::sleep(period);
        }
        self
    }

    pub fn signal(self, signal: Signal) -> Self {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self
    }

    pub fn text(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
    }

    pub fn end(mut self) -> Ended {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.text());
            thread::sleep(Duration::from_millis(2));
        };
        Ended { commands: self.commands(), status, text: self.text() }
    }
}

impl Drop for Run {
    /// Kills the robot, so that nothing is left behind if a test fails. A robot does not outlive
    /// its guard, and without a guard it is the child process itself.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Ended {
    pub fn stands_still(&self) -> &Self {
        assert!(self.commands.iter().any(|command| command.starts_with("speed")), "it has driven: {}", self.text);
        assert_eq!(self.commands.last().map(String::as_str), Some("stop"), "{}", self.text);
        let stops = self.commands.iter().filter(|command| *command == "stop").count();
        assert_eq!(stops, 1, "nothing undoes it: {:?}", self.commands);
        self
    }

    pub fn with_code(&self, code: i32) -> &Self {
        assert_eq!(self.status.code(), Some(code), "{}", self.text);
        self
    }

    pub fn says(&self, words: &str) {
        assert!(self.text.contains(words), "`{words}` is not in: {}", self.text);
    }
}
