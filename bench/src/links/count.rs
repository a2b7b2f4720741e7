//! The counted cost of a message: figures without noise of the machine.
//!
//! A contestant is run with some number of messages and with twice as many; the difference is what
//! the messages took, without start and end. `strace` counts system calls, the kernel the threads
//! that slept, valgrind the instructions outside the kernel.

mod calls;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{COMMAND, IMAGE_BYTES};
use crate::error::BenchError;
use calls::Calls;

/// A case: which messages, and over how many connections.
struct Counted {
    name: &'static str,
    bytes: u64,
    messages: u64,
    idle: u64,
    contestants: &'static [&'static str],
}

/// Pauses long enough for a process whose system calls are watched: each message comes to a thread
/// that sleeps.
const PERIOD_NS: u64 = 10_000_000;

const CASES: [Counted; 3] = [
    Counted {
        name: "100 bytes",
        bytes: 100,
        messages: 500,
        idle: 0,
        contestants: &[
            "hemiola-shm",
            "hemiola-unix",
            "hemiola-tcp",
            "hemiola-udp",
            "hemiola-shm-polled",
            "hemiola-unix-polled",
            "unix-stream",
            "tcp",
            "udp",
        ],
    },
    Counted {
        name: "614 kB",
        bytes: IMAGE_BYTES,
        messages: 100,
        idle: 0,
        contestants: &["hemiola-shm", "hemiola-unix", "hemiola-tcp", "unix-stream", "tcp"],
    },
    Counted {
        name: "100 bytes beside 200 idle connections",
        bytes: 100,
        messages: 200,
        idle: 200,
        contestants: &["hemiola-unix", "unix-epoll"],
    },
];

/// Counts, and prints the figures of each contestant.
pub fn run(program: &Path) -> Result<(), BenchError> {
    for case in &CASES {
        println!("\n{}, for each message", case.name);
        println!("  {:<20} {:>10} {:>12}  system calls", "", "wake-ups", "instructions");
        for contestant in case.contestants {
            let wake_ups = case.wake_ups(program, contestant)?;
            let instructions = match case.instructions(program, contestant, 2)? {
                Some(twice) => {
                    let once = case.instructions(program, contestant, 1)?.unwrap_or(twice);
                    (twice.saturating_sub(once) / case.messages).to_string()
                }
                None => "?".to_owned(),
            };
            println!("  {contestant:<20} {wake_ups:>10} {instructions:>12}");
            let more = case.calls(program, contestant, 2)?;
            let [sender, receiver] = more.since(&case.calls(program, contestant, 1)?).per(case.messages);
            println!("  {:<44}   sender: {sender}", "");
            println!("  {:<44}   receiver: {receiver}", "");
        }
    }
    Ok(())
}

impl Counted {
    /// Returns the command that runs a contestant, below a program that watches it.
    fn command(&self, watcher: &[&str], program: &Path, contestant: &str, times: u64) -> Command {
        let mut command = match watcher {
            [first, words @ ..] => {
                let mut command = Command::new(first);
                command.args(words).arg(program);
                command
            }
            [] => Command::new(program),
        };
        let numbers = [
            ("--bytes", self.bytes),
            ("--messages", times * self.messages),
            ("--period-ns", PERIOD_NS),
            ("--window", 64),
            ("--cores", 2),
            ("--idle", self.idle),
            ("--spins", 0),
        ];
        command.args([COMMAND, contestant, "--workload", if self.idle > 0 { "connections" } else { "one-way" }]);
        numbers.iter().for_each(|(name, number)| _ = command.args([name, &*number.to_string()]));
        command.stdin(Stdio::null());
        command
    }

    /// Returns how often threads slept for each message, of the sender and the receiver.
    fn wake_ups(&self, program: &Path, contestant: &str) -> Result<String, BenchError> {
        let output = output(self.command(&[], program, contestant, 1), contestant)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let figure = |side: &str| {
            let prefix = format!("{side}_wake_ups_per_100 ");
            let number = text.lines().find_map(|line| line.strip_prefix(&prefix)).and_then(|it| it.parse::<f64>().ok());
            number.map_or("?".to_owned(), |number| format!("{:.1}", number / 100.0))
        };
        Ok(format!("{} + {}", figure("sender"), figure("receiver")))
    }

    /// Returns the instructions of both processes, outside the kernel; `None` without valgrind.
    fn instructions(&self, program: &Path, contestant: &str, times: u64) -> Result<Option<u64>, BenchError> {
        let watcher = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
            "--trace-children=yes",
            "--fair-sched=yes",
        ];
        if self.idle > 0 || Command::new("valgrind").arg("--version").output().is_err() {
            return Ok(None);
        }
        let output = output(self.command(&watcher, program, contestant, times), contestant)?;
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Some(report.lines().filter_map(crate::instructions::counted).sum()))
    }

    /// Returns the system calls of both processes.
    fn calls(&self, program: &Path, contestant: &str, times: u64) -> Result<Calls, BenchError> {
        let file = std::env::temp_dir().join(format!("hemiola-bench-calls-{}", std::process::id()));
        let text = file.to_string_lossy().into_owned();
        let watcher = ["strace", "-f", "-qq", "-s", "16", "-o", &text];
        let counted = output(self.command(&watcher, program, contestant, times), contestant)
            .and_then(|_| crate::error::read(&file))
            .map(|trace| Calls::of(&trace));
        _ = std::fs::remove_file(&file);
        counted
    }
}

/// Runs a command to its end.
fn output(mut command: Command, contestant: &str) -> Result<Output, BenchError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| BenchError::Start { program: program.clone(), error })?;
    if output.status.success() {
        return Ok(output);
    }
    let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it prints nothing").to_owned();
    Err(BenchError::Assignment(format!("{contestant} has failed below {program}: {last}")))
}
