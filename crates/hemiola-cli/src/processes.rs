//! A robot that is split into processes: one process starts them all, restarts those that die, and
//! ends them together.
//!
//! It runs the same program, and shares no memory with the robot. No process outlives it: the
//! kernel then sends each of them SIGTERM.
//!
//! | file | contents |
//! |---|---|
//! | `standing` | the state of the robot: its safe state, and the changes that were made |
//! | `met` | the other hosts, as far as processes that begin wait for them |
//! | `hub`, `member` | the two ends of the connections over which that is exchanged, here and in the processes |
//! | `words` | the messages |
//! | `hosts` | the other hosts of the robot, whose processes are part of it |
//! | `gate`, `proof` | the way in for other hosts, which prove that they know the robot's token |
//! | `entries` | the safe state, as several hosts know it |
//! | `passage` | the ways to the processes of other hosts |
//! | `started` | one process, as seen here |
//! | `death` | how a process has ended, and the processes that it has left behind |

mod death;
mod entries;
mod gate;
mod hosts;
mod hub;
mod member;
mod met;
mod passage;
mod proof;
mod standing;
mod started;
mod words;

pub use member::Membership;

mod host;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::mem;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hemiola_model::configuration::ProcessConfiguration;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use crate::command_line::{ConfigurationArguments, RunArguments};
use crate::commands::warn;
use crate::error::CommandError;
use crate::guard::RESTARTS;
use crate::notes::tell;
use crate::program::Program;
use crate::ros_args;
use crate::session::{self, PROCESSES, Session};
use death::{code, end_what_is_left, has_died};
use hosts::{HostEvent, OtherHosts};
use hub::Line;
use standing::{NoRoom, Standing};
use started::Member;
use words::{Said, Told};

/// The processes of a robot.
pub struct Processes {
    members: Vec<Member>,
    arguments: Vec<OsString>,
    events: Receiver<Event>,
    /// Events that were dequeued while another one was awaited.
    early: VecDeque<Event>,
    sender: SyncSender<Event>,
    standing: Standing,
    /// The other hosts of the robot, if they act as one.
    hosts: Option<OtherHosts>,
    /// The time since which the robot is ending.
    ending: Option<Instant>,
    /// The exit code of the first process that ended with one other than 0.
    code: u8,
}

enum Event {
    /// The process of that number has ended, and its exit status can be read.
    Ended(usize),
    Signal(i32),
    /// The process of that number is about to begin, and requests the state to begin with.
    Begins(usize, Line),
    Said(usize, Said),
    Host(HostEvent),
}

/// The largest number of events in the queue; senders wait while it is full.
const MOST_EVENTS: usize = 256;

/// The time after which a process that does not end is killed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes this process one of a robot's processes, if it was started as such: it ends with the one
/// that has started it. The folder of their sockets exists from now on.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub fn join() -> Result<(), CommandError> {
    #[cfg(target_os = "linux")]
    if is_member() {
        _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
        // A parent that has ended before sends no signal any more.
        if !is_member() {
            return Err(CommandError::Processes(io::Error::other("the process that started them has ended")));
        }
    }
    make_folder(&session::sockets()).map_err(CommandError::Processes)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    hemiola_link::make_socket_folder()?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}

/// Returns the folder of the sockets of the processes that this one starts.
fn folder() -> PathBuf {
    hemiola_link::socket_folder().join(session::sockets_of(std::process::id()))
}

/// Returns whether this process was started as one of several of a robot.
fn is_member() -> bool {
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().to_string());
    parent.is_some() && std::env::var(PROCESSES).ok() == parent
}

impl Processes {
    /// Returns the processes of the robot of that name; `None` if it is a single process, or one of
    /// them was selected. On success, each of them can be assembled.
    ///
    /// # Errors
    /// Returns an error if the configuration is wrong, or the robot cannot be split as configured.
    pub fn of(program: &Program, name: &str, arguments: &RunArguments) -> Result<Option<Self>, CommandError> {
        if !program.is_process || arguments.configuration.process.is_some() {
            return Ok(None);
        }
        let (loaded, _) = session::configuration(program, &arguments.configuration)?;
        let host = host::this_host(&loaded.configuration, arguments.host.as_deref())?;
        let names = match &host {
            Some(host) => loaded.configuration.processes_of(host),
            None => loaded.configuration.process_names(),
        };
        if names.is_empty() {
            return Ok(None);
        }
        warn(&loaded.warnings, &[]);
        for name in &names {
            let arguments =
                ConfigurationArguments { process: Some((*name).to_owned()), ..arguments.configuration.clone() };
            Session::open(program, &arguments)?;
        }
        let member = |name: &str| {
            let configured = loaded.configuration.processes.iter().find(|it| it.name == name);
            let main = ProcessConfiguration::new(name, []);
            Member::of(configured.unwrap_or(&main))
        };
        let (sender, events) = sync_channel(MOST_EVENTS);
        let mut typed = ros_args::ended(std::env::args_os().skip(1).collect());
        if !arguments.headless {
            // Several processes cannot share the terminal.
            typed.push("--headless".into());
        }
        let hosts = host.as_ref().and_then(|host| OtherHosts::of(&loaded.configuration, name, host));
        if hosts.is_none() && loaded.configuration.hosts.len() > 1 && loaded.configuration.page.token.is_none() {
            tell(NOT_ONE);
        }
        let to_meet = hosts.as_ref().map(OtherHosts::to_meet).unwrap_or_default();
        let standing = Standing::of(names.iter().copied(), run_of(host.as_deref()));
        let standing = standing.waiting_for(|name| loaded.configuration.is_needed(name), to_meet);
        let members = names.into_iter().map(member).collect();
        let (arguments, early) = (typed, VecDeque::new());
        Ok(Some(Self { members, arguments, events, early, sender, standing, hosts, ending: None, code: 0 }))
    }

    /// Starts the processes, and supervises them until all have ended. A process that ends by
    /// itself ends the robot.
    ///
    /// # Errors
    /// Returns an error if the system refuses a process or a thread.
    pub fn run(mut self) -> Result<ExitCode, CommandError> {
        let ran = self.run_all();
        for child in self.members.iter_mut().filter_map(|member| member.child.as_mut()) {
            _ = child.kill();
            _ = child.wait();
        }
        _ = std::fs::remove_dir_all(folder());
        self.hosts.take().into_iter().for_each(OtherHosts::end);
        ran.map_err(CommandError::Processes)?;
        Ok(ExitCode::from(self.code))
    }

    fn run_all(&mut self) -> io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2])?;
        let sender = self.sender.clone();
        let pass_on = move || signals.forever().all(|signal| sender.send(Event::Signal(signal)).is_ok());
        thread::Builder::new().name("hemiola signals".into()).spawn(pass_on)?;
        make_folder(&folder())?;
        let names = self.members.iter().map(|member| member.name.clone()).collect();
        hub::open(&folder(), names, self.sender.clone())?;
        self.hosts.iter().try_for_each(|hosts| hosts.open(&self.sender))?;
        (0..self.members.len()).try_for_each(|number| self.start(number))?;
        while self.members.iter().any(|member| member.child.is_some()) {
            match self.next_event() {
                Some(Event::Ended(number)) => self.note_end(number)?,
                Some(Event::Signal(signal)) => self.pass_on(signal),
                Some(Event::Begins(number, line)) => self.begin(number, line),
                Some(Event::Said(number, said)) => self.hear(number, said),
                Some(Event::Host(event)) => self.note_host(event),
                None if self.ending.is_none() => self.note_late()?,
                None => {
                    let hanging =
                        self.members.iter_mut().filter_map(|member| Some((&member.name, member.child.as_mut()?)));
                    for (name, child) in hanging {
                        tell(format_args!("process `{name}` does not end, and is killed"));
                        child.kill()?;
                    }
                    self.ending = Some(Instant::now());
                }
            }
        }
        Ok(())
    }

    /// Waits for the next event; returns `None` if the processes do not end although they were
    /// requested to, or one does not begin.
    fn next_event(&mut self) -> Option<Event> {
        if let Some(event) = self.early.pop_front() {
            return Some(event);
        }
        let due = match self.ending {
            Some(since) => Some(since + PATIENCE),
            None => self.members.iter().filter_map(|member| member.begins_by).min(),
        };
        match due {
            Some(due) => self.events.recv_timeout(due.saturating_duration_since(Instant::now())).ok(),
            None => self.events.recv().ok(),
        }
    }

    /// Reports the processes that have not begun in time. One that may be restarted is killed, and
    /// so has died.
    fn note_late(&mut self) -> io::Result<()> {
        let now = Instant::now();
        self.members.iter_mut().try_for_each(|member| member.note_late(now))
    }

    fn start(&mut self, number: usize) -> io::Result<()> {
        let arguments = match number {
            0 => self.arguments.clone(),
            // One of the processes has the given port; others use the next free one.
            _ => without_page(&self.arguments),
        };
        let member = &mut self.members[number];
        let child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .args(["--process", &member.name])
            .env(PROCESSES, std::process::id().to_string())
            .env(RESTARTS, member.restarts.to_string())
            // Ctrl-C reaches this process only, which forwards it.
            .process_group(0)
            .spawn()?;
        let process = Pid::from_child(&child);
        tell(format_args!("process `{}` is {}", member.name, child.id()));
        member.child = Some(child);
        member.begins_by = Some(Instant::now() + member.begin_within);
        let sender = self.sender.clone();
        let wait = move || {
            // It is not reaped until its number is no longer in use here.
            let ended = || waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            while matches!(ended(), Err(rustix::io::Errno::INTR)) {}
            _ = sender.send(Event::Ended(number));
        };
        thread::Builder::new().name("hemiola process".into()).spawn(wait).map(drop)
    }

    fn note_end(&mut self, number: usize) -> io::Result<()> {
        let member = &mut self.members[number];
        member.begins_by = None;
        let Some(mut child) = member.child.take() else { return Ok(()) };
        let group = Pid::from_child(&child);
        let status = child.wait()?;
        if let Some(line) = member.line.take() {
            // What it has sent still counts, and the process that replaces it has to know it.
            line.end(|| self.early.extend(self.events.try_iter()));
        }
        self.change_standing(|standing| {
            standing.end(number);
            standing.note_waits()
        });
        let member = &mut self.members[number];
        let (has_died, name) = (has_died(status), member.name.clone());
        if self.ending.is_none()
            && has_died
            && let Some(limit) = member.restart
            && member.may_start(limit, Instant::now())
        {
            member.restarts += 1;
            let (count, within) = (limit.count, hemiola_words::duration(limit.within));
            let now = member.recent.len();
            tell(format_args!(
                "process `{name}` has died: {status}; it is restarted, {now} of at most {count} times in {within}"
            ));
            end_what_is_left(group);
            return self.start(number);
        }
        if has_died || !status.success() {
            let end = if self.ending.is_none() { "; the robot ends" } else { "" };
            tell(format_args!("process `{name}` {}: {status}{end}", if has_died { "has died" } else { "has ended" }));
        }
        if self.code == 0 {
            self.code = code(status);
        }
        if self.ending.is_none() {
            self.pass_on(SIGTERM);
        }
        Ok(())
    }

    /// Lets a process begin with the state of the robot.
    fn begin(&mut self, number: usize, line: Line) {
        if let Some(before) = self.members[number].line.take() {
            // Its guard has restarted it. What it had sent before comes first.
            before.end(|| self.early.extend(self.events.try_iter()));
            self.early.extend(self.events.try_iter());
            self.early.push_back(Event::Begins(number, line));
            return;
        }
        let member = &mut self.members[number];
        (member.line, member.begins_by) = (Some(line), None);
        if let Some(hosts) = self.hosts.as_ref().map(OtherHosts::known) {
            self.tell(number, &Told::Hosts(hosts));
        }
        self.change_standing(|standing| {
            let mut told = vec![(number, standing.begin(number))];
            told.extend(standing.note_waits());
            told
        });
    }

    /// Handles a message of a process, and sends the others what concerns them.
    fn hear(&mut self, number: usize, said: Said) {
        self.change_standing(|standing| standing.hear(number, &said));
        let member = &mut self.members[number];
        if let Said::Changed(change) = said
            && self.standing.keep(number, change) == Err(NoRoom)
            && !mem::replace(&mut member.is_full, true)
        {
            let name = &member.name;
            tell(format_args!(
                "process `{name}` has more changes than can be kept: after a restart it would lack some of them"
            ));
        }
    }

    /// Handles what has happened between this host and others.
    fn note_host(&mut self, event: HostEvent) {
        let Some(hosts) = &mut self.hosts else { return };
        match event {
            HostEvent::Said(number, connection, knows) => {
                return self.change_standing(|standing| standing.join(number, connection, knows));
            }
            HostEvent::Silent(number, connection) => {
                return self.change_standing(|standing| standing.part(number, &connection));
            }
            HostEvent::Away(number) => return self.change_standing(|standing| standing.note_absence(number)),
            HostEvent::Met(number, line, clock) => {
                hosts.meet(number, line, clock);
                hosts.tell(Some(number), &self.standing.knows());
            }
            HostEvent::Clock(number, clock) => hosts.note_clock(number, clock),
            HostEvent::Lost(number) => hosts.lose(number),
        }
        let known = hosts.known();
        (0..self.members.len()).for_each(|number| self.tell(number, &Told::Hosts(known.clone())));
    }

    /// Changes the state of the robot, and sends processes and hosts what concerns them.
    fn change_standing(&mut self, change: impl FnOnce(&mut Standing) -> Vec<(usize, Told)>) {
        let before = self.standing.knows();
        for (number, told) in change(&mut self.standing) {
            self.tell(number, &told);
        }
        let knows = self.standing.knows();
        if let Some(hosts) = self.hosts.as_ref().filter(|_| knows != before) {
            hosts.tell(None, &knows);
        }
    }

    /// Sends a message to a process, if it is connected. A process that cannot be reached notices
    /// that.
    fn tell(&mut self, number: usize, told: &Told) {
        let line = &mut self.members[number].line;
        if line.as_ref().is_some_and(|line| line.tell(told).is_err()) {
            self.standing.end(number);
        }
    }

    fn pass_on(&mut self, signal: i32) {
        let (signal, ends) = match signal {
            SIGUSR1 => (Signal::USR1, false),
            SIGUSR2 => (Signal::USR2, false),
            SIGINT => (Signal::INT, true),
            SIGHUP => (Signal::HUP, true),
            _ => (Signal::TERM, true),
        };
        for child in self.members.iter().filter_map(|member| member.child.as_ref()) {
            _ = kill_process(Pid::from_child(child), signal);
        }
        if ends && self.ending.is_none() {
            self.ending = Some(Instant::now());
        }
    }
}

/// The note on hosts that have no token by which they know each other.
const NOT_ONE: &str = "note: the processes of other hosts are not reached from here, and the safe state is that of \
                       this host: write the same `token` in [page] of robot.toml on all hosts";

/// Returns a name for this run of a host, which no other run has.
fn run_of(host: Option<&str>) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{} {}", host.unwrap_or_default(), since.as_nanos())
}

/// Returns the arguments without `--page`.
fn without_page(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--page" {
            rest.next();
        } else if !text.starts_with("--page=") {
            kept.push(argument.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_only_has_the_port_that_was_typed() {
        let typed = ["run", "--page", "9000", "--headless", "--page=9000", "--no-page"].map(OsString::from);
        assert_eq!(without_page(&typed), ["run", "--headless", "--no-page"]);
    }
}
