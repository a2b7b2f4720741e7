//! Mailboxes, through which commands reach a cycle and their leftovers come back.
//!
//! Any thread posts a command at any time and continues. The cycle executes what was posted between
//! two of its runs, in the order of posting, and hands back what is left over, so that the old
//! program, parameters or value are dropped elsewhere. The mailbox is not locked while a cycle
//! takes its time: the outcome of a command is polled at its [`Sent`].
//!
//! | who | step |
//! |---|---|
//! | sender | acquires its place in the list of answers, then posts: [`Mailbox::post`] |
//! | worker 0, between two runs | executes the oldest command; one that finds what it changes in use is tried again before the next run, [`TRIES`] times: [`CommandReader`] |
//! | anybody who posts, polls or waits, and the upkeep thread | collects what was executed, and puts it into the oldest answer: [`Mailbox::collect`] |
//!
//! Commands come back in the order in which they were sent, so the oldest missing answer belongs to
//! the next command that comes back.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_realtime::Containment;

use crate::command::Command;
use crate::error::RuntimeError;

/// The number of commands that can be in transit to a cycle.
pub const MOST_ON_THE_WAY: usize = 32;
/// The number of runs before which a command is tried that finds its target in use.
const TRIES: u32 = 20;
/// The interval between two checks of a thread that waits.
const LOOK_PERIOD: Duration = Duration::from_micros(200);

/// The senders' end.
pub struct Mailbox {
    cycle: Arc<str>,
    ends: Mutex<Ends>,
}

struct Ends {
    commands: QueueWriter<Command>,
    executed: QueueReader<Command>,
    /// The answers to the commands in transit, the oldest first.
    missing: VecDeque<Arc<Answer>>,
    /// The answers that have arrived, until they are [collected](Mailbox::collect).
    answered: Vec<Arc<Answer>>,
}

/// The slot for a command that comes back.
#[derive(Default)]
struct Answer(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Missing,
    Back(Box<Command>),
    /// The command has been returned.
    Taken,
}

/// A command in transit. It is executed even if this is dropped.
pub struct Sent {
    mailbox: Arc<Mailbox>,
    answer: Arc<Answer>,
}

/// The cycle's end.
pub struct CommandReader {
    commands: QueueReader<Command>,
    executed: QueueWriter<Command>,
    /// The command that found its target in use.
    again: Option<Command>,
    /// The number of times that it was tried.
    tries: u32,
}

/// Creates both ends.
pub fn mailbox(cycle: &str) -> (Arc<Mailbox>, CommandReader) {
    let (ends, reader) = both_ends();
    (Arc::new(Mailbox { cycle: cycle.into(), ends: Mutex::new(ends) }), reader)
}

fn both_ends() -> (Ends, CommandReader) {
    let (commands, reader) = queue(MOST_ON_THE_WAY);
    let (writer, executed) = queue(MOST_ON_THE_WAY);
    let ends = Ends { commands, executed, missing: VecDeque::with_capacity(MOST_ON_THE_WAY), answered: Vec::new() };
    (ends, CommandReader { commands: reader, executed: writer, again: None, tries: 0 })
}

impl Mailbox {
    /// Sends a command. Never waits for the cycle.
    ///
    /// # Errors
    /// Returns an error if the cycle has not executed [`MOST_ON_THE_WAY`] earlier commands.
    pub fn post(self: &Arc<Self>, command: Command) -> Result<Sent, RuntimeError> {
        self.take_back();
        let mut ends = self.ends();
        if ends.missing.len() == MOST_ON_THE_WAY || ends.commands.push(command).is_err() {
            return Err(self.does_not_answer());
        }
        let answer = Arc::<Answer>::default();
        ends.missing.push_back(answer.clone());
        Ok(Sent { mailbox: self.clone(), answer })
    }

    /// Returns whether no command is in transit.
    pub fn is_idle(&self) -> bool {
        self.take_back();
        self.ends().missing.is_empty()
    }

    /// Returns the number of commands that can be sent now.
    pub fn room(&self) -> usize {
        self.take_back();
        MOST_ON_THE_WAY - self.ends().missing.len()
    }

    /// Collects what the cycle has executed, and drops what nobody waits for. Nothing is locked
    /// meanwhile, because that may be a user's module, which takes its time, or accesses its robot.
    pub fn collect(&self) {
        self.take_back();
        let answered = mem::take(&mut self.ends().answered);
        let _quiet = Containment::new();
        drop(answered);
    }

    /// Drops everything in transit to a cycle that has ended, which would keep its modules. Nothing
    /// is locked meanwhile.
    pub fn clear(&self) {
        let (ends, _) = both_ends();
        let all = mem::replace(&mut *self.ends(), ends);
        let _quiet = Containment::new();
        drop(all);
    }

    /// Collects what the cycle has executed. Drops nothing: the caller may hold a lock.
    fn take_back(&self) {
        let mut ends = self.ends();
        while let Some(command) = ends.executed.pop() {
            if let Some(answer) = ends.missing.pop_front() {
                *answer.state() = State::Back(Box::new(command));
                ends.answered.push(answer);
            }
        }
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn does_not_answer(&self) -> RuntimeError {
        RuntimeError::CycleDoesNotAnswer { cycle: self.cycle.to_string() }
    }
}

impl Answer {
    fn take(&self) -> Option<Command> {
        let mut state = self.state();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Back(command) => Some(*command),
            before => {
                *state = before;
                None
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sent {
    /// Returns what is left of the command, once the cycle has executed it, and only once. Never
    /// waits.
    pub fn poll(&self) -> Option<Command> {
        self.mailbox.collect();
        self.answer.take()
    }

    /// Waits for what is left of the command, unless the robot `is_stopping`.
    ///
    /// # Errors
    /// Returns an error if the command was not executed until then, in which case it will be when
    /// the cycle runs again; or if the robot stopped before.
    pub fn wait_until(&self, end: Instant, is_stopping: impl Fn() -> bool) -> Result<Command, RuntimeError> {
        loop {
            let is_over = is_stopping();
            if let Some(command) = self.poll() {
                return Ok(command);
            }
            if is_over {
                return Err(RuntimeError::CycleHasStopped { cycle: self.mailbox.cycle.to_string() });
            }
            if Instant::now() >= end {
                return Err(self.mailbox.does_not_answer());
            }
            std::thread::sleep(LOOK_PERIOD);
        }
    }
}

impl CommandReader {
    /// Returns the next command to execute.
    pub fn next(&mut self) -> Option<Command> {
        self.again.take().or_else(|| self.commands.pop())
    }

    /// Returns whether a command found its target in use and is to be tried again.
    pub fn is_trying(&self) -> bool {
        self.again.is_some()
    }

    /// Hands back what is left of the last command; returns `false` if it is to be tried again
    /// before the next run, and all later ones with it.
    pub fn give_back(&mut self, command: Command) -> bool {
        self.tries += 1;
        if command.found_in_use() && self.tries < TRIES {
            self.again = Some(command);
            return false;
        }
        self.tries = 0;
        // The queue has room for all commands that can be in transit.
        _ = self.executed.push(command);
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
