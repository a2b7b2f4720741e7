//! The ways in which a send notifies the receiver.

use crate::ready::Ready;
use hemiola_realtime::Wakeup;
use std::sync::Arc;

/// The way in which a send notifies the receiver.
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
    /// Does nothing: the receiver polls when its time has come, as modules do. This is the
    /// cheapest, above all if the receiver runs on another core: a signal waits until the message
    /// has arrived there.
    #[default]
    Nothing,
    /// Wakes the thread that sleeps on it.
    Wakeup(Arc<Wakeup>),
    /// Wakes the threads that sleep on any of these.
    Wakeups(Arc<[Arc<Wakeup>]>),
    /// Notifies a callback executor: see [`Executor::subscribe`](crate::Executor::subscribe).
    Ready(Ready),
}

impl Signal {
    /// Notifies the receiver that something has come.
    pub(crate) fn raise(&self) {
        if let Signal::Ready(ready) = self {
            ready.note_arrival();
        }
        self.tell();
    }

    /// Notifies the receiver of something whose arrival is [noted](Self::executor) already.
    #[inline]
    pub(crate) fn tell(&self) {
        if !matches!(self, Signal::Nothing) {
            self.tell_somebody();
        }
    }

    /// Notifies the receiver. This is not inlined into senders, where it would slow down those that
    /// signal nothing.
    #[inline(never)]
    fn tell_somebody(&self) {
        match self {
            Signal::Nothing => (),
            Signal::Wakeup(wakeup) => wakeup.notify_one(),
            Signal::Wakeups(wakeups) => wakeups.iter().for_each(|wakeup| wakeup.notify_one()),
            Signal::Ready(ready) => ready.tell(),
        }
    }

    /// Returns the executor's callback that is notified by this signal, if one is: messages for it
    /// are received in the order of arrival.
    #[inline]
    pub(crate) fn executor(&self) -> Option<&Ready> {
        match self {
            Signal::Ready(ready) => Some(ready),
            Signal::Nothing | Signal::Wakeup(_) | Signal::Wakeups(_) => None,
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
