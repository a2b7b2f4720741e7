//! Faults: unexpected events that make the run of a robot end with an error, such as a thread that
//! ended unexpectedly, or a module that cannot be dropped or made safe.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_realtime::Wakeup;

use crate::error::RuntimeError;

/// An unexpected event that makes the run of a robot end with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A thread of the robot ended, or panicked, unexpectedly.
    Thread { name: String, reason: String },
    /// A module's `#[safe_state]` method failed.
    Unsafe { module: &'static str, location: String, reason: String },
    /// A module was in use for the whole time within which it should have been made safe.
    Unreached { module: &'static str, within: Duration },
    /// A source has ended before its first sample.
    NoSample { source: &'static str },
    /// A module's or source's destructor panicked.
    Destructor { module: &'static str, location: String, reason: String },
}

impl Fault {
    /// Returns the fault as an error.
    pub fn error(&self) -> RuntimeError {
        match self.clone() {
            Self::Thread { name, reason } => RuntimeError::ThreadEnded { thread: name, reason },
            Self::Unsafe { module, location, reason } => {
                RuntimeError::NotSafe { module: module.to_owned(), location, reason }
            }
            Self::Unreached { module, within } => RuntimeError::Unreached { module: module.to_owned(), within },
            Self::NoSample { source } => RuntimeError::NoSample { name: source.to_owned() },
            Self::Destructor { module, location, reason } => {
                RuntimeError::Destructor { name: module.to_owned(), location, reason }
            }
        }
    }
}

/// All faults of a robot. The lock is held only for a moment, off the real-time threads or on one
/// that ends.
#[derive(Default)]
pub struct Faults {
    all: Mutex<Vec<Fault>>,
    /// The signal that is notified when there is a new one.
    news: Arc<Wakeup>,
}

impl Faults {
    /// Returns no faults. The signal is notified of each new one.
    pub fn telling(news: Arc<Wakeup>) -> Self {
        Self { all: Mutex::default(), news }
    }

    pub fn note(&self, fault: Fault) {
        let mut faults = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if !faults.contains(&fault) {
            faults.push(fault);
            self.news.notify_all();
        }
    }

    /// Returns the first fault.
    pub fn first(&self) -> Option<Fault> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// Returns the faults with this number or a later one.
    pub fn since(&self, number: usize) -> Vec<Fault> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).get(number..).unwrap_or_default().to_vec()
    }
}
