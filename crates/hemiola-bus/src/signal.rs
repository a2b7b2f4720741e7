//! What a send does so that the receiver learns of it.

use crate::executor::Ready;
use hemiola_realtime::Wakeup;
use std::sync::Arc;

/// What a send does so that the receiver learns of it.
///
/// ```
/// use hemiola_bus::{Bus, Signal, WhenFull};
/// use hemiola_realtime::Wakeup;
/// use std::sync::Arc;
///
/// let (bus, wakeup) = (Bus::new(), Arc::new(Wakeup::new()));
/// let (whistles, goals) = (bus.topic::<f32>("whistle")?, bus.topic::<u8>("goal")?);
/// let _whistles = whistles.queue_with_signal(4, WhenFull::DropOldest, wakeup.clone().into());
/// let _goals = goals.queue_with_signal(4, WhenFull::DropOldest, wakeup.clone().into());
///
/// let seen = wakeup.generation();
/// goals.publisher().publish(1);
/// wakeup.wait(seen, None); // one thread waits for both
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Signal {
    /// Nothing: the receiver looks when its time has come, as modules do. The cheapest, above all if the receiver runs on another core:
    /// a signal waits until the message has got there.
    #[default]
    Nothing,
    /// Wakes who sleeps on it.
    Wakeup(Arc<Wakeup>),
    /// Tells a callback executor: see [`Executor::subscribe`](crate::Executor::subscribe).
    Ready(Ready),
}

impl Signal {
    #[inline]
    pub(crate) fn raise(&self) {
        if !matches!(self, Signal::Nothing) {
            self.tell();
        }
    }

    /// Not within the sender's code, where it would cost those who signal nothing.
    #[inline(never)]
    fn tell(&self) {
        match self {
            Signal::Nothing => (),
            Signal::Wakeup(wakeup) => wakeup.notify_one(),
            Signal::Ready(ready) => ready.raise(),
        }
    }
}

impl From<Ready> for Signal {
    fn from(ready: Ready) -> Self {
        Signal::Ready(ready)
    }
}

impl From<Arc<Wakeup>> for Signal {
    fn from(wakeup: Arc<Wakeup>) -> Self {
        Signal::Wakeup(wakeup)
    }
}
