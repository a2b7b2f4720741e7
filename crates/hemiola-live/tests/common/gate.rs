//! Blocks code of users until a test has observed what it needs.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Blocks the threads that pass it, from the time when it is closed until it is opened.
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Closed,
    Holding,
}

/// A closed gate, which opens when it is dropped, even if a test fails.
pub struct Closed<'g>(&'g Gate);

/// The longest time for which a thread is blocked, whatever happens to a test.
const LIMIT: Duration = Duration::from_secs(50);

impl Gate {
    pub const fn new() -> Self {
        Self { state: Mutex::new(State::Open), changed: Condvar::new() }
    }

    pub fn close(&self) -> Closed<'_> {
        *self.state() = State::Closed;
        Closed(self)
    }

    /// Returns whether a thread waits at the gate.
    pub fn is_holding(&self) -> bool {
        *self.state() == State::Holding
    }

    pub fn pass(&self) {
        let mut state = self.state();
        if *state == State::Open {
            return;
        }
        *state = State::Holding;
        let (mut state, _) = self.changed.wait_timeout_while(state, LIMIT, |state| *state == State::Holding).unwrap();
        *state = State::Open;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        *self.0.state() = State::Open;
        self.0.changed.notify_all();
    }
}
