//! A robot of two processes that runs in a folder of its own, and commands beside it, as a person
//! types them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::{Value, json};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_convoy");
/// A time that no wait exceeds, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(120);

const ROBOT: &str = "\
# It follows a line.
[cycle.driving]
rate = 50.0
modules = ['Pilot']

[cycle.seeing]
trigger = 'Camera'
modules = ['LineDetector', 'BlindDetector']

[providers]
Line = 'LineDetector'

[process.vision]
cycles = ['seeing']
restart = '10 per minute'
";

/// A robot that runs in a folder of its own.
pub struct Convoy {
    pub child: Child,
    pub folder: PathBuf,
}

impl Convoy {
    /// Starts the robot, and waits until both processes compute something.
    pub fn start(arguments: &[&str]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        // The paths of sockets must be short.
        let name = format!("hemiola-one-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("robot.toml"), ROBOT).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Self::program(&folder)
            .args(["run", "--no-trace"])
            .args(arguments)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        let convoy = Self { child, folder };
        // This is a value of `main` that derives from `vision`.
        convoy.until(&["show", "Drive"], |answer| answer["value"]["offset"] == 0.25);
        convoy.until(&["ps"], |robots| robots[0]["missing"] == json!([]));
        convoy
    }

    pub fn program(folder: &Path) -> Command {
        let mut program = Command::new(PROGRAM);
        program.current_dir(folder).env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).stdin(Stdio::null());
        program
    }

    pub fn command(&self, arguments: &[&str]) -> Output {
        Self::program(&self.folder).args(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its output.
    #[track_caller]
    pub fn prints(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", self.said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn said(&self, output: &Output) -> String {
        let [printed, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let robot = fs::read_to_string(self.folder.join("output")).unwrap();
        format!("{said}{printed}\nthe robot: {robot}")
    }

    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let printed = self.prints(&[arguments, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"))
    }

    /// Runs a command repeatedly until its answer satisfies `is_so`.
    #[track_caller]
    pub fn until(&self, arguments: &[&str], mut is_so: impl FnMut(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            // The robot may not be running yet.
            let output = self.command(&[arguments, &["--json"]].concat());
            if output.status.success()
                && let Ok(answer) = serde_json::from_slice(&output.stdout)
                && is_so(&answer)
            {
                return answer;
            }
            assert!(begin.elapsed() < PATIENCE, "{arguments:?}: {}", self.said(&output));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the ID of the process with that name.
    pub fn process(&self, name: &str) -> Pid {
        let mut found = None;
        self.until(&["ps"], |robots| {
            let processes = robots[0]["processes"].as_array();
            let process = processes.and_then(|all| all.iter().find(|process| process["name"] == name));
            found = process.and_then(|process| Pid::from_raw(i32::try_from(process["process"].as_i64()?).ok()?));
            found.is_some()
        });
        found.expect("it has been found")
    }

    pub fn ends(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Convoy {
    /// Ends the process that has started the others, which end with it.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}
