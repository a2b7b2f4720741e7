//! What should not have happened, and makes the run of a robot end with an error: a thread that ended without being asked to, a module that
//! cannot be made or dropped.

use std::sync::{Mutex, PoisonError};

use hemiola_realtime::Containment;

use crate::containment::contained;
use crate::error::RuntimeError;

/// What a module was asked for when it panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Creation,
    Drop,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A thread of the robot ended, or stumbled, without being asked to.
    Thread { name: String, reason: String },
    /// A module's or source's constructor or destructor panicked.
    Module { module: &'static str, location: String, moment: Moment, reason: String },
}

impl Fault {
    /// As an error.
    pub fn error(&self) -> RuntimeError {
        match self.clone() {
            Self::Thread { name, reason } => RuntimeError::ThreadEnded { thread: name, reason },
            Self::Module { module, location, moment: Moment::Creation, reason } => {
                RuntimeError::Creation { module: module.to_owned(), location, reason }
            }
            Self::Module { module, location, moment: Moment::Drop, reason } => {
                RuntimeError::Destruction { module: module.to_owned(), location, reason }
            }
        }
    }
}

/// All that happened. Locked for a moment, off the real-time threads or on one that ends.
#[derive(Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    pub fn note(&self, fault: Fault) {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }

    /// The first one.
    pub fn first(&self) -> Option<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// All from that one on.
    pub fn since(&self, number: usize) -> Vec<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(number..).unwrap_or_default().to_vec()
    }
}

/// Makes a module or source whose constructor may panic.
///
/// # Errors
/// It did.
pub fn create<I>(module: &'static str, location: &str, create: impl FnOnce() -> I) -> Result<I, RuntimeError> {
    let _quiet = Containment::new();
    contained(create).map_err(|reason| {
        Fault::Module { module, location: location.to_owned(), moment: Moment::Creation, reason }.error()
    })
}
