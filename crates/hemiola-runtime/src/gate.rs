//! Where a stepped robot waits for who records its messages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::{Generation, Wakeup};

/// Where a stepped robot waits for its recorder.
#[derive(Default)]
pub struct Gate {
    /// Signalled with each message.
    pub sent: Arc<Wakeup>,
    /// Up to which signal the recorder has taken all; `None`: there is none.
    taken: Mutex<Option<Generation>>,
}

impl Gate {
    /// Returns when the recorder has taken all that was sent so far, or has gone.
    pub fn wait(&self) {
        while self.taken().is_some_and(|taken| taken != self.sent.generation()) {
            std::thread::yield_now();
        }
    }

    pub fn taken(&self) -> MutexGuard<'_, Option<Generation>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
