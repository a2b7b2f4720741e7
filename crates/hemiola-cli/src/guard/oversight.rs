//! The guard's process: waits until the robot has ended, has died, or sends no heartbeats, and
//! reacts to that.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use hemiola_config::Base;
use hemiola_model::configuration::GuardConfiguration;
use hemiola_realtime::{KernelThread, Niceness, Policy, Priority};
use hemiola_words::counted;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2};
use signal_hook::low_level;

use super::command::{StopCommand, in_words};
use super::line::{GUARD, Post};
use super::message::{self, Message, RESTARTS};
use crate::error::CommandError;
use crate::notes::tell;

/// The guard of a robot: the command that stops the actuators, and the limits within which it acts.
pub struct Oversight {
    command: StopCommand,
    /// The longest time between two heartbeats.
    beat: Duration,
    restarts: u32,
    signals: Vec<ForwardedSignal>,
}

/// The way in which a robot's process has ended.
enum Ended {
    /// The robot was safe, or has never begun.
    Safely(ExitStatus),
    /// The robot died without stopping its actuators.
    Died(ExitStatus),
    /// The robot sent no heartbeats, and was killed.
    Silent(ExitStatus),
}

/// A process with the robot in it.
struct Guarded<'o> {
    oversight: &'o Oversight,
    child: Child,
    process: OwnedFd,
    post: Post,
    life: Life,
    log: Option<PathBuf>,
    /// Set if a signal has requested the robot's end.
    is_to_end: bool,
}

enum Life {
    NotBegun,
    Seen(Instant),
    Safe,
}

/// A signal that is forwarded: a signal to the guard is meant for the robot.
struct ForwardedSignal {
    signal: Signal,
    arrivals: UnixStream,
    registration: SigId,
}

impl Oversight {
    /// Locates the command, and registers the signals that are forwarded.
    ///
    /// # Errors
    /// Returns an error if the command does not exist, or the system refuses what a guard needs.
    pub fn of(guard: &GuardConfiguration, base: &Base) -> Result<Self, CommandError> {
        let command = StopCommand::of(guard, base)?;
        // A signal that ended the guard would leave the robot without one.
        let pairs = [
            (SIGINT, Signal::INT),
            (SIGTERM, Signal::TERM),
            (SIGHUP, Signal::HUP),
            (SIGQUIT, Signal::QUIT),
            (SIGTSTP, Signal::TSTP),
            (SIGUSR1, Signal::USR1),
            (SIGUSR2, Signal::USR2),
        ];
        let signals = pairs.into_iter().map(|(number, signal)| ForwardedSignal::of(number, signal));
        let signals = signals.collect::<io::Result<_>>().map_err(CommandError::Guard)?;
        Ok(Self { command, beat: guard.beat, restarts: guard.restarts, signals })
    }

    /// Starts the robot, with the arguments of this program, and supervises it until it has ended.
    ///
    /// # Errors
    /// Returns an error if the system refuses a process or a socket.
    pub fn oversee(&self) -> Result<ExitCode, CommandError> {
        let mut restarts = 0;
        loop {
            let mut guarded = Guarded::start(self, restarts).map_err(CommandError::Guard)?;
            let ended = guarded.watch().map_err(CommandError::Guard)?;
            let (status, what) = match ended {
                Ended::Safely(status) => return Ok(code(status)),
                Ended::Died(status) => (status, format!("the robot's process has died: {}", in_words(status))),
                Ended::Silent(status) => {
                    let beat = hemiola_words::duration(self.beat);
                    (status, format!("the robot's process sent no heartbeat for {beat}, and was killed"))
                }
            };
            let noticed = Instant::now();
            let stopped = self.command.run();
            let elapsed = hemiola_words::duration(noticed.elapsed());
            tell(format_args!("guard: {what}; {stopped}, {elapsed} after that was detected"));
            if let Some(log) = &guarded.log {
                tell(format_args!("guard: {}", recovered(log)));
            }
            if guarded.is_to_end || restarts == self.restarts {
                return Ok(code(status));
            }
            restarts += 1;
            tell(format_args!("guard: restarting the robot, {restarts} of at most {} times", self.restarts));
        }
    }
}

impl<'o> Guarded<'o> {
    fn start(oversight: &'o Oversight, restarts: u32) -> io::Result<Self> {
        let post = Post::open()?;
        let child = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(GUARD, &post.name)
            .env(RESTARTS, (message::restarts() + restarts).to_string())
            .spawn()?;
        let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        tell(format_args!("guard: process {} watches over the robot, process {}", std::process::id(), child.id()));
        Ok(Self { oversight, child, process, post, life: Life::NotBegun, log: None, is_to_end: false })
    }

    /// Waits until the robot has ended.
    fn watch(&mut self) -> io::Result<Ended> {
        // The guard runs with a priority above time-sharing programs, if that is permitted; if not,
        // the robot itself reports it. Processes that the guard starts must not inherit the
        // priority.
        let thread = KernelThread::current();
        _ = thread.set_policy(Policy::Fifo(Priority::LOWEST));
        let ended = self.wait();
        _ = thread.set_policy(Policy::TimeSharing { nice: Niceness::default() });
        ended
    }

    fn wait(&mut self) -> io::Result<Ended> {
        loop {
            let patience = match self.life {
                Life::Seen(last) => Some((last + self.oversight.beat).saturating_duration_since(Instant::now())),
                Life::NotBegun | Life::Safe => None,
            };
            self.wait_for_news(patience)?;
            self.forward_signals();
            while let Some(message) = self.post.receive() {
                self.note(message);
            }
            if let Some(status) = self.child.try_wait()? {
                let is_safe = match self.life {
                    Life::NotBegun => status.code().is_some(),
                    Life::Seen(_) => false,
                    Life::Safe => true,
                };
                return Ok(if is_safe { Ended::Safely(status) } else { Ended::Died(status) });
            }
            if let Life::Seen(last) = self.life
                && last.elapsed() > self.oversight.beat
            {
                // A robot that wakes up later must not move anything any more.
                self.child.kill()?;
                return Ok(Ended::Silent(self.child.wait()?));
            }
        }
    }

    fn wait_for_news(&self, patience: Option<Duration>) -> io::Result<()> {
        let mut ends = vec![PollFd::new(&self.process, PollFlags::IN), PollFd::new(&self.post.socket, PollFlags::IN)];
        ends.extend(self.oversight.signals.iter().map(|signal| PollFd::new(&signal.arrivals, PollFlags::IN)));
        let limit = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match poll(&mut ends, limit.as_ref()) {
            Err(error) if error != rustix::io::Errno::INTR => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn forward_signals(&mut self) {
        for forwarded in &self.oversight.signals {
            // The guard keeps running when the whole job is stopped: a stopped robot sends no
            // heartbeats.
            if forwarded.has_arrived() && forwarded.signal != Signal::TSTP {
                self.is_to_end |= !matches!(forwarded.signal, Signal::USR1 | Signal::USR2);
                _ = kill_process(Pid::from_child(&self.child), forwarded.signal);
            }
        }
    }

    fn note(&mut self, message: Message) {
        match message {
            Message::Alive => self.life = Life::Seen(Instant::now()),
            Message::Safe => self.life = Life::Safe,
            Message::Log(path) => self.log = Some(path),
        }
    }
}

impl ForwardedSignal {
    fn of(number: i32, signal: Signal) -> io::Result<Self> {
        let (arrivals, sender) = UnixStream::pair()?;
        arrivals.set_nonblocking(true)?;
        let registration = low_level::pipe::register(number, sender)?;
        Ok(Self { signal, arrivals, registration })
    }

    fn has_arrived(&self) -> bool {
        let mut bytes = [0; 64];
        io::Read::read(&mut &self.arrivals, &mut bytes).is_ok_and(|length| length > 0)
    }
}

impl Drop for ForwardedSignal {
    fn drop(&mut self) {
        low_level::unregister(self.registration);
    }
}

/// Returns the exit code as shells do.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Recovers the log of a robot that has died, so that any program can read it; returns the result
/// in words.
fn recovered(path: &Path) -> String {
    match hemiola_log::recover_in_place(path) {
        Ok((path, recovery)) => {
            format!("the log was recovered: {} has {}", path.display(), counted(recovery.messages, "message"))
        }
        Err(error) => format!("the log cannot be recovered, and is as the robot left it: {error}"),
    }
}
