//! Commands to a running cycle: prepared off its threads, executed between two of its runs.
//!
//! A command carries all memory that it needs, and comes back with what is to be dropped, so that
//! the cycle's threads neither allocate nor free.

use std::sync::Arc;

use hemiola_model::AnyRepresentation;
use hemiola_model::module::{BetweenRuns, PreparedParameters};

use crate::blackboard::Blackboard;
use crate::module_instance::ModuleInstance;
use crate::program::Planned;
use crate::record::ChangeNumber;

/// A command that is executed between two runs. After [`obey`](Self::obey) it holds what is left
/// over, to be dropped.
pub enum Command {
    /// Continues with another program; returns the old one.
    Install(Box<Planned>, Reason),
    /// Sets other parameters; returns the old ones, unless the watchdog was using the module.
    SetParameters { instance: Arc<ModuleInstance>, parameters: PreparedParameters, done: bool, change: ChangeNumber },
    /// Shows this value instead of the provider's; returns the one before.
    Override { store: usize, value: AnyRepresentation, done: bool, change: ChangeNumber },
    /// Shows the provider's value again.
    EndOverride { store: usize, change: ChangeNumber },
}

/// The reason why a cycle continues with another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The plan has another order, or another number of workers.
    Plan,
    /// Other modules provide something, or a module is restarted.
    Modules(ChangeNumber),
}

impl Command {
    /// Returns the change that has come into force, once the command was executed: runs may have
    /// other results from then on.
    pub fn change(&self) -> Option<ChangeNumber> {
        match self {
            Self::Install(_, Reason::Modules(change)) => Some(*change),
            Self::SetParameters { change, done, .. } | Self::Override { change, done, .. } => done.then_some(*change),
            Self::EndOverride { change, .. } => Some(*change),
            Self::Install(_, Reason::Plan) => None,
        }
    }

    /// Returns whether the command was due for execution, and what it changes was in use.
    pub fn found_in_use(&self) -> bool {
        matches!(self, Self::SetParameters { done: false, .. } | Self::Override { done: false, .. })
    }

    /// Executes the command.
    pub fn obey(mut self, program: &mut Box<Planned>, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) -> Self {
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
