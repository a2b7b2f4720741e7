//! Third-party nodes: Python programs with ROBOTIS's zenoh-ros2-sdk, which follows the conventions
//! of rmw_zenoh.

#![allow(dead_code, reason = "each test uses some of it")]

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// A foreign node, which executes commands from its standard input. Dropping this kills it, as
/// `kill -9` does.
pub struct Foreign {
    process: Child,
    commands: ChildStdin,
    said: Receiver<String>,
}

impl Foreign {
    /// Starts a program of `tests/foreign` in the system of the router at `address`; reports it and
    /// returns `None` if the SDK is not installed.
    pub fn start(program: &str, address: &str) -> Option<Self> {
        let python = python()?;
        let (host, port) = address.strip_prefix("tcp/").and_then(|it| it.rsplit_once(':')).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(program);
        let mut command = Command::new(python);
        command.arg(script).args([host, port]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (commands, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (say, said) = channel();
        std::thread::spawn(move || {
            BufReader::new(output)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| say.send(line.clone()).is_ok())
                .count()
        });
        Some(Self { process, commands, said })
    }

    pub fn tell(&mut self, command: &str) {
        writeln!(self.commands, "{command}").unwrap();
    }

    /// Returns the next line of output.
    pub fn hear(&self) -> String {
        self.said.recv_timeout(PATIENCE).expect("it says something")
    }

    /// Returns the next line of output that begins with a word, and skips others.
    pub fn hear_of(&self, word: &str) -> String {
        self.hear_of_any(&[word])
    }

    /// Returns the next line of output that begins with one of these words, and skips others.
    pub fn hear_of_any(&self, words: &[&str]) -> String {
        loop {
            let line = self.hear();
            if words.contains(&line.split(' ').next().unwrap_or_default()) {
                return line;
            }
        }
    }

    /// Sends a command, and returns the next line of output that begins with a word.
    pub fn hear_after(&mut self, command: &str, word: &str) -> String {
        self.tell(command);
        self.hear_of(word)
    }

    /// Sends a command, and returns the answer.
    pub fn ask(&mut self, command: &str) -> String {
        self.tell(command);
        self.hear()
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Returns a Python interpreter that has the SDK.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = [
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign/bin/python"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/foreign/bin/python"),
        "python3".into(),
    ];
    let has_it = |python: &PathBuf| {
        let tried = Command::new(python).args(["-c", "import zenoh_ros2_sdk"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let python = named.into_iter().chain(installed).find(has_it);
    if python.is_none() {
        // The output of `eprintln!` in a test that passes is captured.
        _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no foreign node of ROS 2, because there is no Python with zenoh-ros2-sdk (tests/foreign/requirements.txt)"
        );
    }
    python
}
