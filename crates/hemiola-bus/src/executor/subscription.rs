//! Callbacks that are called for messages.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::agenda::Kind;
use super::callback::{Call, CallbackId, Figures, Left, Priority, Reason, Runnable};
use super::registry::{Command, Messages, Newcomer, Registry};
use super::{Executor, ExecutorHandle};
use crate::error::BusError;
use crate::topic::{Batch, Message, Queue, Topic};
use crate::when_full::WhenFull;

impl Executor {
    /// Calls `callback` for every message of a topic, in the order of each publisher.
    ///
    /// Up to `capacity` messages of each publisher wait to be delivered; `when_full` decides what
    /// happens to further ones. Callbacks that subscribe to a topic with the same priority,
    /// capacity and policy are called one after the other for each message, and count as one.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock, WhenFull};
    /// use std::sync::{Arc, mpsc};
    ///
    /// let topic = Bus::new().topic("whistle")?;
    /// let mut executor = Executor::new("behaviour", &Arc::new(RobotClock::running(1.0)));
    /// let (received, whistles) = mpsc::channel();
    /// executor.subscribe(&topic, Priority(10), 4, WhenFull::DropOldest, move |confidence: &f32| received.send(*confidence).unwrap())?;
    /// topic.publisher().publish(0.9);
    /// executor.run_ready();
    /// assert_eq!(whistles.try_iter().collect::<Vec<_>>(), [0.9]);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn subscribe<T: Message>(
        &mut self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: impl FnMut(&T) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.add_subscription::<T, Single<T>>(topic, priority, capacity, when_full, Box::new(callback))
    }

    /// Calls `callback` with all messages that wait (at most `capacity`) instead of one at a time
    /// as [`subscribe`](Self::subscribe) does: for many small messages, where a call for each would
    /// cost more than its work.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    ///
    /// ```
    /// use hemiola_bus::{Batch, Bus, Executor, Priority, RobotClock, WhenFull};
    /// use std::sync::{Arc, mpsc};
    ///
    /// let topic = Bus::new().topic("range")?;
    /// let mut executor = Executor::new("mapping", &Arc::new(RobotClock::running(1.0)));
    /// let (summed, sums) = mpsc::channel();
    /// executor.subscribe_batched(&topic, Priority(10), 64, WhenFull::DropOldest, move |ranges: Batch<f32>| {
    ///     summed.send(ranges.iter().map(|range| *range).sum::<f32>()).unwrap();
    /// })?;
    /// let mut publisher = topic.publisher();
    /// (1..=4).for_each(|metres| publisher.publish(metres as f32));
    /// executor.run_ready();
    /// assert_eq!(sums.try_iter().collect::<Vec<_>>(), [10.0]);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn subscribe_batched<T: Message>(
        &mut self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: impl FnMut(Batch<'_, T>) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.add_subscription::<T, Batched<T>>(topic, priority, capacity, when_full, Box::new(callback))
    }

    fn add_subscription<T: Message, C: Callback<T>>(
        &mut self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: C,
    ) -> Result<CallbackId, BusError> {
        let (handle, messages) = (self.handle.clone(), Messages::of::<T, C>(topic, capacity, when_full));
        let priority = handle.priority(topic.name(), priority);
        let joined = handle.join(&messages, priority, callback, |_, index, mut carrier| {
            // Changes that were sent before are applied first, so that the registry knows the order
            // of the callbacks.
            self.make_changes();
            self.put_in(index, &mut carrier);
            Ok(())
        });
        joined.unwrap_or_else(|callback| {
            let added = handle.open(topic, messages, priority, callback);
            self.make_changes();
            added
        })
    }
}

impl ExecutorHandle {
    /// Calls `callback` for every message of a topic: see [`Executor::subscribe`].
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn subscribe<T: Message>(
        &self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: impl FnMut(&T) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.add_subscription::<T, Single<T>>(topic, priority, capacity, when_full, Box::new(callback))
    }

    /// Calls `callback` with all messages that are there: see [`Executor::subscribe_batched`].
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn subscribe_batched<T: Message>(
        &self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: impl FnMut(Batch<'_, T>) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.add_subscription::<T, Batched<T>>(topic, priority, capacity, when_full, Box::new(callback))
    }

    fn add_subscription<T: Message, C: Callback<T>>(
        &self,
        topic: &Topic<T>,
        priority: Priority,
        capacity: usize,
        when_full: WhenFull,
        callback: C,
    ) -> Result<CallbackId, BusError> {
        let messages = Messages::of::<T, C>(topic, capacity, when_full);
        let priority = self.priority(topic.name(), priority);
        let put_in = |registry: &mut Registry, index, carrier: Carrier<C>| {
            self.send(registry, Command::PutIn { index, carrier: Box::new(carrier) })
        };
        let joined = self.join(&messages, priority, callback, put_in);
        joined.unwrap_or_else(|callback| self.open(topic, messages, priority, callback))
    }

    /// Adds the first callback for these messages.
    fn open<T: Message, C: Callback<T>>(
        &self,
        topic: &Topic<T>,
        messages: Messages,
        priority: Priority,
        callback: C,
    ) -> Result<CallbackId, BusError> {
        let (name, capacity, when_full) = (topic.name().to_owned(), messages.capacity, messages.when_full);
        let (kind, of_topic, messages) = (Kind::Message, Some(name.clone()), Some(messages));
        let newcomer = Newcomer { kind, name, topic: of_topic, priority, period: None, messages };
        self.add(newcomer, |ready, figures| {
            let queue = topic.queue_with_signal(capacity, when_full, ready.into());
            Ok(Box::new(Subscription { queue, callbacks: vec![callback], figures }))
        })
    }
}

impl Messages {
    /// Describes the messages that callbacks of type `C` receive from a topic.
    fn of<T: Message, C: Callback<T>>(topic: &Topic<T>, capacity: usize, when_full: WhenFull) -> Self {
        Self {
            topic: topic.address(),
            capacity,
            when_full,
            callback: TypeId::of::<C>(),
            carrier: || Box::new(Carrier::<C>::empty()),
        }
    }
}

/// All callbacks for the messages of one topic that share a priority: a message is received once
/// and handed to all of them.
pub(super) struct Subscription<T: Message, C: Callback<T>> {
    queue: Queue<T>,
    callbacks: Vec<C>,
    figures: Arc<Figures>,
}

/// A callback for messages, with one at a time or with all that are there.
pub(super) trait Callback<T: Message>: Send + 'static {
    /// Receives messages and hands them to all callbacks, for as long as the call goes on.
    fn deliver(queue: &mut Queue<T>, callbacks: &mut [Self], call: &mut Call<'_>, figures: &Figures) -> Left
    where
        Self: Sized;
}

/// A callback with one message.
pub(super) type Single<T> = Box<dyn FnMut(&T) + Send>;

/// A callback with all messages that are there.
pub(super) type Batched<T> = Box<dyn FnMut(Batch<'_, T>) + Send>;

impl<T: Message> Callback<T> for Single<T> {
    #[inline]
    fn deliver(queue: &mut Queue<T>, callbacks: &mut [Self], call: &mut Call<'_>, figures: &Figures) -> Left {
        let mut reception = queue.reception();
        while let Some(message) = reception.next() {
            call.note(Reason::Message { sequence: message.sequence(), published: message.stamp() }, 1);
            figures.count(0);
            hand_to_all(callbacks, call, figures, |callback| callback(&message));
            // This is checked first, because mostly there is only one message.
            if !reception.has_more() {
                return Left::Nothing;
            }
            if !call.goes_on() {
                return Left::More;
            }
        }
        Left::WasIdle
    }
}

impl<T: Message> Callback<T> for Batched<T> {
    #[inline]
    fn deliver(queue: &mut Queue<T>, callbacks: &mut [Self], call: &mut Call<'_>, figures: &Figures) -> Left {
        loop {
            let messages = queue.batch(call.limit - call.done.count);
            let Some(oldest) = messages.iter().next() else { return Left::WasIdle };
            call.note(Reason::Message { sequence: oldest.sequence(), published: oldest.stamp() }, messages.len());
            figures.count(0);
            hand_to_all(callbacks, call, figures, |callback| callback(messages));
            if !queue.has_messages() {
                return Left::Nothing;
            }
            if !call.goes_on() {
                return Left::More;
            }
        }
    }
}

/// Calls `hand` for all callbacks under one guard against panics, so that a delivery costs no more
/// than the call.
#[inline]
fn hand_to_all<C>(callbacks: &mut [C], call: &mut Call<'_>, figures: &Figures, mut hand: impl FnMut(&mut C)) {
    let mut left = callbacks;
    while !left.is_empty() {
        figures.contain(call, || {
            while let Some((callback, others)) = std::mem::take(&mut left).split_first_mut() {
                left = others;
                hand(callback);
            }
        });
    }
}

/// Carries a callback to a subscription, or from it.
pub(super) struct Carrier<C> {
    callback: Option<C>,
    /// Room for more callbacks, for a subscription that has none left; afterwards, the vector in
    /// which they were.
    room: Vec<C>,
}

impl<C> Carrier<C> {
    /// Carries a callback to a subscription that has `others` of them.
    pub(super) fn with(callback: C, others: usize) -> Self {
        let room = if others.is_power_of_two() { Vec::with_capacity(2 * others) } else { Vec::new() };
        Self { callback: Some(callback), room }
    }

    /// Creates a carrier that fetches a callback.
    pub(super) fn empty() -> Self {
        Self { callback: None, room: Vec::new() }
    }
}

impl<T: Message, C: Callback<T>> Runnable for Subscription<T, C> {
    #[inline]
    fn run(&mut self, call: &mut Call<'_>) -> Left {
        C::deliver(&mut self.queue, &mut self.callbacks, call, &self.figures)
    }

    fn arrived(&mut self) -> Option<u64> {
        self.queue.next_arrival()
    }

    fn waiting(&mut self) -> usize {
        self.queue.waiting()
    }

    fn put_in(&mut self, carrier: &mut dyn Any) {
        let Some(Carrier { callback, room }) = carrier.downcast_mut() else { return };
        if self.callbacks.len() == self.callbacks.capacity() {
            room.append(&mut self.callbacks);
            std::mem::swap(room, &mut self.callbacks);
        }
        self.callbacks.extend(callback.take());
    }

    fn take_out(&mut self, position: usize, carrier: &mut dyn Any) {
        let Some(Carrier { callback, .. }) = carrier.downcast_mut() else { return };
        *callback = Some(self.callbacks.remove(position));
    }
}
