//! What others ask of a running cycle: prepared off its threads, done between two of its runs.
//!
//! A command carries all memory that it needs, and comes back with what is to be dropped, so that the cycle's threads neither
//! allocate nor free.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::AnyRepresentation;
use hemiola_model::module::{BetweenRuns, PreparedParameters};

use crate::blackboard::Blackboard;
use crate::error::RuntimeError;
use crate::module_instance::ModuleInstance;
use crate::program::Program;
use crate::record::ChangeNumber;
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

/// Something to be done between two runs. After [`obey`](Self::obey) it holds what is left over.
pub enum Command {
    /// Go on with another program; comes back with the old one.
    Install(Box<Program>, Reason),
    /// Use other parameters; comes back with the old ones, unless the watchdog had the module.
    SetParameters { instance: Arc<ModuleInstance>, parameters: PreparedParameters, done: bool, change: ChangeNumber },
    /// Show this value instead of the provider's; comes back with the one before.
    Override { store: usize, value: AnyRepresentation, done: bool, change: ChangeNumber },
    /// Show the provider's value again.
    EndOverride { store: usize, change: ChangeNumber },
}

/// Why a cycle goes on with another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The same in another order, on other workers.
    Plan,
    /// Others provide something, or a module begins anew.
    Modules(ChangeNumber),
}

impl Command {
    /// The change that has come into force by it, once it was obeyed: runs may have other results.
    pub fn change(&self) -> Option<ChangeNumber> {
        match self {
            Self::Install(_, Reason::Modules(change)) => Some(*change),
            Self::SetParameters { change, done, .. } | Self::Override { change, done, .. } => done.then_some(*change),
            Self::EndOverride { change, .. } => Some(*change),
            Self::Install(_, Reason::Plan) => None,
        }
    }

    /// Does it.
    pub fn obey(mut self, program: &mut Box<Program>, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) -> Self {
        match &mut self {
            Self::Install(other, _) => {
                other.succeed(program, between);
                std::mem::swap(program, other);
            }
            Self::SetParameters { instance, parameters, done, .. } => {
                *done = instance.exchange_parameters(parameters, between);
            }
            Self::Override { store, value, done, .. } => {
                *done = blackboard.store(*store).set_override(value, between);
            }
            Self::EndOverride { store, .. } => blackboard.store(*store).end_override(),
        }
        self
    }
}

/// The cycle's end.
pub struct CommandReader {
    commands: QueueReader<Command>,
    done: QueueWriter<Command>,
}

/// The other end. One command is under way at a time.
pub struct Mailbox {
    commands: QueueWriter<Command>,
    done: QueueReader<Command>,
    /// Commands that were given up waiting for, and will come back some time.
    overdue: usize,
}

/// A mailbox of a cycle.
pub fn mailbox() -> (Mailbox, CommandReader) {
    let (commands, reader) = queue(8);
    let (writer, done) = queue(16);
    (Mailbox { commands, done, overdue: 0 }, CommandReader { commands: reader, done: writer })
}

impl CommandReader {
    pub fn next(&mut self) -> Option<Command> {
        self.commands.pop()
    }

    pub fn give_back(&mut self, command: Command) {
        // There is room for more than can be under way.
        _ = self.done.push(command);
    }
}

impl Mailbox {
    /// Sends a command and waits until the cycle has obeyed it; what is left of it comes back.
    ///
    /// # Errors
    /// The cycle does not take commands, or does not obey within the time; then it will when it runs again.
    pub fn perform(&mut self, cycle: &str, command: Command, patience: Duration) -> Result<Command, RuntimeError> {
        self.send(cycle, command)?;
        self.wait(cycle, patience)
    }

    /// Fails when the cycle has not taken up earlier commands: it does not run.
    fn send(&mut self, cycle: &str, command: Command) -> Result<(), RuntimeError> {
        while self.overdue > 0 && self.done.pop().is_some() {
            self.overdue -= 1;
        }
        self.commands.push(command).map_err(|_| RuntimeError::CycleDoesNotAnswer { cycle: cycle.to_owned() })
    }

    /// Waits until the cycle has obeyed the command that was sent last.
    fn wait(&mut self, cycle: &str, patience: Duration) -> Result<Command, RuntimeError> {
        let until = Instant::now() + patience;
        loop {
            if let Some(command) = self.done.pop() {
                if self.overdue == 0 {
                    return Ok(command);
                }
                self.overdue -= 1;
                continue;
            }
            if Instant::now() > until {
                self.overdue += 1;
                return Err(RuntimeError::CycleDoesNotAnswer { cycle: cycle.to_owned() });
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}
