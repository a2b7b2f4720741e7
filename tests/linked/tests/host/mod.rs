//! The part of a robot that runs on one host, as two machines would have it: a folder of sockets
//! and a starter of its own.

#[path = "../../../addresses.rs"]
pub mod addresses;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::Value;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_convoy");
/// A time that no wait exceeds, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The addresses of the two hosts of a test, which no other test uses at the same time.
#[derive(Clone, Copy)]
pub struct Addresses {
    pub body: Ipv4Addr,
    pub head: Ipv4Addr,
}

impl Addresses {
    /// Returns those of the test with this number.
    pub fn of_test(number: u8) -> Self {
        Self { body: addresses::own_loopback(2 * number), head: addresses::own_loopback(2 * number + 1) }
    }
}

/// Returns a robot.toml in which `main` runs on the first host, and `vision` on the other one.
pub fn robot(addresses: Addresses, vision: &str) -> String {
    let port = TcpListener::bind((addresses.body, 0)).unwrap().local_addr().unwrap().port().min(65_000);
    robot_at(addresses, port, vision)
}

/// Returns the same robot, whose first host listens at this port and those that follow.
pub fn robot_at(Addresses { body, head }: Addresses, port: u16, vision: &str) -> String {
    format!(
        "[cycle.driving]\nrate = 50.0\nmodules = ['Pilot']\n\
         [cycle.seeing]\ntrigger = 'Camera'\nmodules = ['LineDetector', 'BlindDetector']\n\
         [providers]\nLine = 'LineDetector'\n\
         [host.body]\naddress = '{body}'\nport = {port}\n[host.head]\naddress = '{head}'\n\
         [process.vision]\ncycles = ['seeing']\nhost = 'head'\n{vision}"
    )
}

/// Returns the same robot with a token, by which its hosts act as one.
pub fn one_robot(addresses: Addresses, vision: &str) -> String {
    format!("{}[page]\ntoken = '{TOKEN}'\n", robot(addresses, vision))
}

pub const TOKEN: &str = "the-secret-of-this-cart";

/// The part of a robot that runs on one host.
pub struct Host {
    name: &'static str,
    pub child: Child,
    pub folder: PathBuf,
}

impl Host {
    pub fn start(test: &str, name: &'static str, robot: &str, arguments: &[&str]) -> Self {
        Self::start_by(&[PROGRAM], test, name, robot, arguments)
    }

    /// Starts a host by this command, to which the program's arguments are added.
    pub fn start_by(command: &[&str], test: &str, name: &'static str, robot: &str, arguments: &[&str]) -> Self {
        // The paths of sockets must be short.
        let folder = std::env::temp_dir().join(format!("hemiola-{test}-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("robot.toml"), robot).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let child = Self::program(command[0], &folder)
            .args(&command[1..])
            .args(["run", "--no-trace", "--host", name])
            .args(arguments)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Self { name, child, folder }
    }

    fn program(program: &str, folder: &Path) -> Command {
        let mut program = Command::new(program);
        program.current_dir(folder).env("XDG_RUNTIME_DIR", folder).env("XDG_STATE_HOME", folder).stdin(Stdio::null());
        program
    }

    pub fn command(&self, arguments: &[&str]) -> Output {
        Self::program(PROGRAM, &self.folder).args(arguments).output().unwrap()
    }

    pub fn said(&self) -> String {
        fs::read_to_string(self.folder.join("output")).unwrap()
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
            let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(begin.elapsed() < PATIENCE, "{}: {arguments:?}: {printed}{}", self.name, self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until this host, which drives, follows the line that the other one sees.
    #[track_caller]
    pub fn follows(&self, offset: f64) {
        self.until(&["show", "Drive"], |answer| answer["value"]["offset"] == offset);
    }

    /// Runs a command that must succeed, and returns what it printed.
    #[track_caller]
    pub fn prints(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {arguments:?}: {printed}{said}{}", self.name, self.said());
        printed.into_owned()
    }

    /// Waits until commands on this host reach both processes.
    #[track_caller]
    pub fn has_both(&self) {
        self.until(&["ps"], |robots| {
            let processes = &robots[0]["processes"];
            processes.as_array().map(Vec::len) == Some(2)
                && processes[0]["time"].is_i64()
                && processes[1]["time"].is_i64()
        });
    }

    /// Waits until a process is in its safe state because of something of which this is a part.
    #[track_caller]
    pub fn is_safe_because(&self, process: &str, cause: &str) {
        self.until(&["top", "--process", process], |top| {
            top["safe_state"]["cause"].as_str().is_some_and(|it| it.contains(cause))
        });
    }

    /// Waits until a process says whether it is in its safe state; returns the cause.
    #[track_caller]
    pub fn is_safe(&self, process: &str, is_safe: bool) -> String {
        let top = self.until(&["top", "--process", process], |top| top["safe_state"].is_object() == is_safe);
        top["safe_state"]["cause"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the ID of the process with that name that was started last.
    pub fn process(&self, name: &str) -> Pid {
        let begin = format!("process `{name}` is ");
        let text = self.said();
        let last = text.lines().filter_map(|line| line.strip_prefix(&begin)?.parse().ok()).next_back();
        Pid::from_raw(last.unwrap()).unwrap()
    }

    pub fn ends(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end: {}", self.said());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Host {
    /// Ends the process that has started the others, which end with it.
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}
