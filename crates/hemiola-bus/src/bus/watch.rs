//! Notifications of new topics and services.

use crate::signal::Signal;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The signals of all watches of a bus.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<Vec<Weak<Signal>>>);

/// Raises its signal whenever a topic or a service appears, until it is dropped. See
/// [`Bus::watch`](crate::Bus::watch).
///
/// ```
/// use hemiola_bus::{Bus, Watch};
/// use hemiola_realtime::Wakeup;
/// use std::sync::Arc;
///
/// struct Recorder { wakeup: Arc<Wakeup>, _topics: Watch }
/// let (bus, wakeup) = (Bus::new(), Arc::new(Wakeup::new()));
/// let recorder = Recorder { _topics: bus.watch(wakeup.clone().into()), wakeup };
/// ```
#[must_use = "dropping it ends the watch"]
pub struct Watch {
    _signal: Arc<Signal>,
}

impl Watchers {
    pub(crate) fn add(&self, signal: Signal) -> Watch {
        let signal = Arc::new(signal);
        self.lock().push(Arc::downgrade(&signal));
        Watch { _signal: signal }
    }

    /// Raises all signals: a topic or a service has appeared.
    pub(crate) fn raise(&self) {
        self.lock().retain(|watcher| match watcher.upgrade() {
            Some(signal) => {
                signal.raise();
                true
            }
            None => false,
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Signal>>> {
        // A list is whole even if the thread that changed it panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watch")
    }
}
