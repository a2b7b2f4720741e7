use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_trace::{Distribution, LinkProfile};

/// The delays of what comes from other programs, and the error of these figures.
#[derive(Clone, Default)]
pub struct Delays(Arc<Mutex<Measured>>);

#[derive(Default)]
struct Measured {
    taken: Distribution,
    /// The maximum error of the sender's clock, in nanoseconds.
    clock_error: u64,
}

impl Delays {
    /// Notes a delay, which is known up to this error.
    pub fn note(&self, delay: Duration, clock_error: Duration) {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut measured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        measured.taken.record(nanoseconds(delay.saturating_add(clock_error)));
        measured.clock_error = measured.clock_error.max(nanoseconds(clock_error));
    }

    /// Returns the delays so far.
    pub fn measured(&self) -> LinkProfile {
        let Measured { taken, clock_error } = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        LinkProfile { delay: taken.into(), clock_error: *clock_error }
    }

    /// Resets the delays.
    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Measured::default();
    }
}
