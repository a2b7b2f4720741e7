//! Callbacks for one message.

use std::sync::Arc;

use super::agenda::Kind;
use super::callback::{Call, CallbackId, Figures, Left, Priority, Reason, Runnable};
use super::registry::Newcomer;
use super::{Executor, ExecutorHandle};
use crate::error::BusError;
use crate::topic::{Message, Queue, Topic};
use crate::when_full::WhenFull;

impl Executor {
    /// Calls `callback` for the next message of a topic, and for no other.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock};
    /// use std::sync::{Arc, mpsc};
    ///
    /// let topic = Bus::new().topic("kick-off")?;
    /// let mut executor = Executor::new("behaviour", &Arc::new(RobotClock::running(1.0)));
    /// let (received, began) = mpsc::channel();
    /// executor.subscribe_once(&topic, Priority(1), move |time: &f32| received.send(*time).unwrap())?;
    /// let mut referee = topic.publisher();
    /// [3.0, 603.0].into_iter().for_each(|time| referee.publish(time));
    /// executor.run_ready();
    /// assert_eq!(began.try_iter().collect::<Vec<_>>(), [3.0]);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn subscribe_once<T: Message>(
        &mut self,
        topic: &Topic<T>,
        priority: Priority,
        callback: impl FnOnce(&T) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.subscribe_once(topic, priority, callback);
        self.make_changes();
        added
    }
}

impl ExecutorHandle {
    /// Calls `callback` for the next message of a topic: see [`Executor::subscribe_once`].
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    pub fn subscribe_once<T: Message>(
        &self,
        topic: &Topic<T>,
        priority: Priority,
        callback: impl FnOnce(&T) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let name = topic.name().to_owned();
        let (kind, of_topic) = (Kind::Message, Some(name.clone()));
        let newcomer = Newcomer { kind, topic: of_topic, name, priority, period: None, messages: None };
        self.add(newcomer, |ready, figures| {
            let queue = topic.queue_with_signal(1, WhenFull::DropNewest, ready.into());
            Ok(Box::new(Once { queue, callback: Some(callback), figures }))
        })
    }
}

struct Once<T: Message, C> {
    queue: Queue<T>,
    callback: Option<C>,
    figures: Arc<Figures>,
}

impl<T: Message, C: FnOnce(&T) + Send> Runnable for Once<T, C> {
    fn arrived(&mut self) -> Option<u64> {
        self.queue.next_arrival()
    }

    fn waiting(&mut self) -> usize {
        self.queue.waiting()
    }

    fn run(&mut self, call: &mut Call<'_>) -> Left {
        let Self { queue, callback, figures } = self;
        let Some(message) = queue.receive() else { return Left::WasIdle };
        call.note(Reason::Message { sequence: message.sequence(), published: message.stamp() }, 1);
        figures.count(0);
        if let Some(callback) = callback.take() {
            figures.contain(call, || callback(&message));
        }
        Left::Over
    }
}
