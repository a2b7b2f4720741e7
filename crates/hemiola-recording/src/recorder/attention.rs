//! The attention of the recorder: how long it polls for something to record, and sleeps.
//!
//! Waking a thread is a system call of whoever wakes it, so that a robot in which something happens
//! again and again is polled, and none of its threads is held up. When nothing has happened for
//! [`REST`], the recorder sleeps until something does.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_realtime::{Generation, Wakeup, monotonic_now};

/// The time without anything to record after which the recorder sleeps until there is something.
const REST: Duration = Duration::from_millis(50);

/// The attention that a thread pays to an event.
pub struct Attention {
    event: Arc<Wakeup>,
    /// The generation of the event at the beginning of the last round; `None` before the first one.
    seen: Option<Generation>,
    /// The beginning of the last round before which the event was notified.
    active: Instant,
}

impl Attention {
    pub fn new(event: Arc<Wakeup>) -> Self {
        Self { event, seen: None, active: Instant::now() }
    }

    /// Begins a round, before anything is looked at: what happens later is noticed in the next one.
    /// Returns whether there may be something new, as in the first round.
    pub fn begin_round(&mut self) -> bool {
        let seen = self.event.generation();
        let is_new = self.seen.replace(seen) != Some(seen);
        if is_new {
            self.active = Instant::now();
        }
        is_new
    }

    /// Returns whether something has happened not long ago, so that the next round follows soon.
    pub fn is_awake(&self) -> bool {
        self.active.elapsed() < REST
    }

    /// Waits for the next round, for which nobody makes a system call.
    pub fn doze(&self, period: Duration) {
        thread::sleep(period);
    }

    /// Sleeps until something has happened since the round began, or for `patience`, if that is
    /// given.
    pub fn sleep(&self, patience: Option<Duration>) {
        if let Some(seen) = self.seen {
            self.event.wait(seen, patience.map(|patience| monotonic_now() + patience));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_brings_something_to_record_wakes_the_recorder_and_is_noticed_once() {
        let event = Arc::new(Wakeup::new());
        let mut attention = Attention::new(event.clone());
        assert!(attention.begin_round(), "the first round looks at what was there before");
        assert!(!attention.begin_round());
        event.notify_all();
        attention.sleep(None);
        assert!(attention.begin_round());
        assert!(!attention.begin_round());
    }

    #[test]
    fn what_comes_during_a_round_is_not_slept_over() {
        let event = Arc::new(Wakeup::new());
        let mut attention = Attention::new(event.clone());
        attention.begin_round();
        event.notify_all();
        attention.sleep(None);
        assert!(attention.begin_round());
    }
}
