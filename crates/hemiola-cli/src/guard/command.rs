//! The command of `[guard]`, which stops the actuators.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use hemiola_config::Base;
use hemiola_model::configuration::GuardConfiguration;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::error::CommandError;

/// The command that stops the actuators.
pub struct StopCommand {
    program: PathBuf,
    arguments: Vec<String>,
}

/// The time after which a command that has not ended is killed.
const PATIENCE: Duration = Duration::from_secs(10);

impl StopCommand {
    /// Locates the program: relative to robot.toml if its name has a `/`, and in the `PATH`
    /// otherwise.
    ///
    /// # Errors
    /// Returns an error if there is no such program.
    pub fn of(guard: &GuardConfiguration, base: &Base) -> Result<Self, CommandError> {
        let mut words = guard.command.iter().cloned();
        let name = words.next().unwrap_or_default();
        let program = find(&name, base).ok_or_else(|| {
            CommandError::Usage(format!(
                "there is no program `{name}` of `[guard] command`: it would not stop anything; a name with a `/` is looked \
                 for beside robot.toml, others in the PATH"
            ))
        })?;
        Ok(Self { program, arguments: words.collect() })
    }

    /// Runs the command, and returns the result in words.
    pub fn run(&self) -> String {
        let begin = Instant::now();
        let mut command = Command::new(&self.program);
        let child = command.args(&self.arguments).stdin(Stdio::null()).spawn();
        let ended = child.and_then(|mut child| {
            if !ends_within(&child, PATIENCE) {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            child.wait().map(Some)
        });
        let took = hemiola_words::duration(begin.elapsed());
        match ended {
            Ok(Some(status)) if status.success() => format!("`{self}` succeeded after {took}"),
            Ok(Some(status)) => format!("`{self}` FAILED after {took}: {}", in_words(status)),
            Ok(None) => format!("`{self}` DID NOT END, and was killed after {took}"),
            Err(error) => format!("`{self}` CANNOT BE RUN: {error}"),
        }
    }
}

impl fmt::Display for StopCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.program.display())?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {argument}"))
    }
}

/// Returns `exit status: 1`, or `signal: 9 (SIGKILL)`.
pub fn in_words(status: ExitStatus) -> String {
    status.to_string()
}

fn find(name: &str, base: &Base) -> Option<PathBuf> {
    let is_there = |path: &PathBuf| path.is_file();
    if name.contains('/') {
        let beside = match base {
            Base::File(path) => path.parent().unwrap_or(Path::new("")).join(name),
            _ => PathBuf::from(name),
        };
        return Some(beside).filter(is_there).and_then(|path| path.canonicalize().ok());
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(is_there)
}

fn ends_within(child: &Child, patience: Duration) -> bool {
    let Ok(process) = pidfd_open(Pid::from_child(child), PidfdFlags::empty()) else { return true };
    let mut ends = [PollFd::new(&process, PollFlags::IN)];
    let limit = Timespec::try_from(patience).ok();
    poll(&mut ends, limit.as_ref()).is_ok_and(|ready| ready > 0)
}
