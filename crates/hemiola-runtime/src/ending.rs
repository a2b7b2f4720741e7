//! The end of a robot: after the last update, and before the process ends, what moves is made safe,
//! even where a cycle hangs.
//!
//! | who | when | what |
//! |---|---|---|
//! | a cycle's thread, or whoever steps the robot | after the last run | makes the modules of the cycle safe |
//! | the watchdog, which is above all cycles | a cycle has not ended within half of the available time | makes them safe from outside, with a thread for each such cycle |
//! | whoever ends the robot | after both | continues when everything is safe, or the time is over, which is a fault |
//!
//! The time is that of `[safe_state] within` in robot.toml.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hemiola_realtime::{MonotonicTime, monotonic_now, sleep_until};

use crate::actuators::Actuators;
use crate::faults::{Fault, Faults};
use crate::sync::{AtomicBool, Ordering};

/// The end of a robot: what moves in its cycles, and the time within which it must be safe.
pub struct Ending {
    cycles: Box<[EndingCycle]>,
    /// The time from the end of the robot until everything is safe.
    within: Duration,
    faults: Arc<Faults>,
    /// Set if a thread takes care of cycles that hang.
    is_overseen: AtomicBool,
}

struct EndingCycle {
    actuators: Arc<Actuators>,
    is_safe: AtomicBool,
}

impl EndingCycle {
    /// Puts the modules into their safe state, and returns those that are in use; `None` if they
    /// are being exchanged at this moment.
    fn make_safe(&self) -> Option<Vec<&'static str>> {
        let busy = self.actuators.enter_safe_state()?;
        if busy.is_empty() {
            // Release: what the modules did is visible to the thread that ends the process.
            self.is_safe.store(true, Ordering::Release);
        }
        Some(busy)
    }
}

/// The interval between two attempts to reach a module that is in use.
const TRY_PERIOD: Duration = Duration::from_millis(1);

impl Ending {
    /// Creates the end of a robot whose cycles have these actuators, in their order.
    pub fn new(actuators: impl IntoIterator<Item = Arc<Actuators>>, within: Duration, faults: Arc<Faults>) -> Self {
        let cycle = |actuators| EndingCycle { actuators, is_safe: AtomicBool::new(false) };
        Self { cycles: actuators.into_iter().map(cycle).collect(), within, faults, is_overseen: AtomicBool::new(false) }
    }

    /// Returns whether there is anything to make safe.
    pub fn moves_something(&self) -> bool {
        self.cycles.iter().any(|cycle| !cycle.actuators.is_empty())
    }

    /// Returns the time from the end of the robot until everything is safe.
    pub fn within(&self) -> Duration {
        self.within
    }

    /// Makes safe what moves in the cycle with that number, which has ended. Called on its thread,
    /// or on the one that steps it.
    pub fn end_cycle(&self, index: usize) {
        while self.cycles[index].make_safe().is_none() {
            sleep_until(monotonic_now() + TRY_PERIOD);
        }
    }

    /// Takes care of the cycles that do not end by themselves, once the robot is ending, until
    /// everything is safe or the time is over. Returns at once if another thread does so already.
    pub fn oversee(self: &Arc<Self>) {
        if self.is_overseen.swap(true, Ordering::Relaxed) {
            return;
        }
        let begin = monotonic_now();
        if self.wait_until(begin + self.within / 2) {
            return;
        }
        let end = begin + self.within;
        for (index, _) in self.unsafe_cycles() {
            let ending = self.clone();
            // The thread inherits the priority of the one that creates it.
            let made = thread::Builder::new().name("hemiola end".into()).spawn(move || ending.reach(index, end));
            if made.is_err() {
                self.reach(index, end);
            }
        }
        self.wait_until(end + TRY_PERIOD * 10);
    }

    /// Waits until everything is safe, but not longer than is allowed; returns whether it is.
    pub fn wait(&self) -> bool {
        self.wait_until(monotonic_now() + self.within + TRY_PERIOD * 20)
    }

    /// Makes the modules of a cycle safe that has not ended.
    fn reach(&self, index: usize, end: MonotonicTime) {
        let cycle = &self.cycles[index];
        let mut busy = Vec::new();
        while !cycle.is_safe.load(Ordering::Acquire) {
            busy = cycle.make_safe().unwrap_or(busy);
            if monotonic_now() >= end {
                return busy.into_iter().for_each(|module| self.note_unreached(module));
            }
            sleep_until(monotonic_now() + TRY_PERIOD);
        }
    }

    fn note_unreached(&self, module: &'static str) {
        self.faults.note(Fault::Unreached { module, within: self.within });
    }

    fn wait_until(&self, end: MonotonicTime) -> bool {
        while self.unsafe_cycles().next().is_some() {
            if monotonic_now() >= end {
                return false;
            }
            sleep_until(monotonic_now() + TRY_PERIOD);
        }
        true
    }

    fn unsafe_cycles(&self) -> impl Iterator<Item = (usize, &EndingCycle)> {
        let is_due = |cycle: &EndingCycle| !cycle.is_safe.load(Ordering::Acquire) && !cycle.actuators.is_empty();
        self.cycles.iter().enumerate().filter(move |(_, cycle)| is_due(cycle))
    }
}
