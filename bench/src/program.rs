//! Programs that a turn starts. Each ends with it, and with the bench, however that ends: the
//! kernel kills it when the bench dies.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::{BenchError, EntryError};

/// A running program, and its output. Dropped, it is killed with all that it has started.
pub struct Program {
    label: &'static str,
    child: Child,
    lines: Receiver<String>,
    /// The last line of its output, for when it fails.
    last: String,
}

impl Program {
    /// Makes the command for a program that the kernel kills when the thread that starts it ends.
    pub fn command(program: &Path) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program);
        command
    }

    /// Starts a program in a process group of its own.
    pub fn start(label: &'static str, mut command: Command) -> Result<Self, BenchError> {
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| EntryError::Start {
            label,
            program: format!("{:?}", command.get_program()),
            error,
        })?;
        let (said, lines) = channel();
        if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
            listen(output, said.clone());
            listen(errors, said);
        }
        Ok(Self { label, child, lines, last: String::new() })
    }

    /// Returns the number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to its input.
    pub fn say(&mut self, line: &str) -> Result<(), BenchError> {
        let said = self.child.stdin.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        match said {
            Some(Ok(())) => Ok(()),
            _ => Err(self.failed("it has ended")),
        }
    }

    /// Waits for the first line of its output that `pick` has a use for.
    pub fn hear<T>(&mut self, limit: Duration, pick: impl Fn(&str) -> Option<T>) -> Result<T, BenchError> {
        let end = Instant::now() + limit;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if let Some(found) = pick(&line) {
                return Ok(found);
            }
            self.last = line;
        }
        match self.child.try_wait() {
            Ok(None) => Err(EntryError::Stuck { label: self.label, limit }.into()),
            _ => Err(self.failed("it has ended")),
        }
    }

    /// Waits until it ends by itself, successfully and within the limit.
    pub fn finish(mut self, limit: Duration) -> Result<(), BenchError> {
        let end = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(self.failed(&status.to_string())),
                Ok(None) if Instant::now() < end => thread::sleep(LOOK),
                Ok(None) => return Err(EntryError::Stuck { label: self.label, limit }.into()),
                Err(error) => return Err(self.failed(&error.to_string())),
            }
        }
    }

    fn failed(&mut self, why: &str) -> BenchError {
        // Output from before the failure may still be on its way.
        while let Ok(line) = self.lines.recv_timeout(LAST_WORDS) {
            self.last = line;
        }
        EntryError::Failed { label: self.label, message: format!("{why}: {}", self.last) }.into()
    }
}

/// The interval between two checks whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);
const LAST_WORDS: Duration = Duration::from_millis(200);

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            // The group may be empty already.
            _ = kill_process_group(group, Signal::KILL);
        }
        _ = self.child.wait();
    }
}

/// Hands on the lines of an output, until it is closed.
fn listen(from: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            // A program continues even if its lines are no longer received.
            _ = to.send(line);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Program {
        let mut command = Program::command(Path::new("sh"));
        command.args(["-c", script]);
        Program::start("a shell", command).expect("there is a shell")
    }

    fn lives(process: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
    }

    #[test]
    fn what_a_program_has_started_ends_with_it() {
        let mut program = shell("sleep 60 & echo $!; wait");
        let sleeper = program.hear(LIMIT, |line| Some(line.to_owned())).expect("it says a number");
        assert!(lives(&sleeper));
        drop(program);
        let end = Instant::now() + LIMIT;
        while lives(&sleeper) {
            assert!(Instant::now() < end, "process {sleeper} is left");
            thread::sleep(LOOK);
        }
    }

    #[test]
    fn who_says_nothing_is_not_waited_for_longer_than_the_limit() {
        let mut program = shell("exec sleep 60");
        let heard = program.hear(Duration::from_millis(50), |line| Some(line.to_owned()));
        assert!(matches!(heard, Err(BenchError::Contest(EntryError::Stuck { .. }))), "{heard:?}");
        assert!(program.finish(Duration::from_millis(50)).is_err());
    }

    #[test]
    fn a_failure_is_told_with_the_last_words() {
        let program = shell("echo 'no such robot' >&2; exit 3");
        let error = program.finish(LIMIT).expect_err("it fails").to_string();
        assert!(error.contains("no such robot"), "{error}");
    }

    const LIMIT: Duration = Duration::from_secs(20);
}
