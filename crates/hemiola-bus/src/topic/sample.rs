//! The messages that receivers hand out.

use super::pool::Received;
use hemiola_model::module::Place;
use hemiola_trace::Ticks;
use std::fmt;
use std::ops::Deref;
use std::slice;

/// A message that was received, which behaves like a `&T`. It is borrowed from its receiver, which
/// holds the message until it is asked for another.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// #[derive(Default)]
/// struct Goal { scored_by: u8 }
///
/// let topic = Bus::new().topic("goal")?;
/// let mut queue = topic.queue(4, WhenFull::DropOldest);
/// topic.publisher().publish(Goal { scored_by: 5 });
/// let goal = queue.receive().unwrap();
/// assert_eq!((goal.scored_by, goal.sequence(), goal.stamp()), (5, 0, None));
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Sample<'a, T> {
    value: &'a T,
    message: &'a Received<T>,
}

impl<'a, T> Sample<'a, T> {
    #[inline]
    pub(crate) fn new(message: &'a Received<T>) -> Self {
        Self { value: message.value(), message }
    }

    /// Returns the message, for as long as the receiver is not asked for another.
    pub fn value(self) -> &'a T {
        self.value
    }

    /// Returns the number of the message among those of its publisher: a gap shows what was
    /// dropped. A publisher that takes the place of one that left continues its numbers.
    pub fn sequence(&self) -> u64 {
        self.message.header().sequence
    }

    /// Returns the place of the publisher in the topic.
    pub(crate) fn place(&self) -> Place {
        self.message.header().place
    }

    /// Returns when the message was published, on a bus that [measures
    /// time](crate::Bus::with_timing).
    pub fn stamp(&self) -> Option<Ticks> {
        Some(self.message.header().published).filter(|stamp| *stamp != Ticks::default())
    }
}

impl<T> Deref for Sample<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> Clone for Sample<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sample<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Sample<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sample").field("sequence", &self.sequence()).field("value", self.value).finish()
    }
}

/// Messages that were received together, oldest first of each publisher. They are borrowed from
/// their queue.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// let topic = Bus::new().topic("range")?;
/// let mut ranges = topic.queue(64, WhenFull::DropOldest);
/// let mut publisher = topic.publisher();
/// (1..=3).for_each(|metres| publisher.publish(metres as f32));
///
/// let batch = ranges.batch(64);
/// let mean = batch.iter().map(|metres| *metres).sum::<f32>() / batch.len() as f32;
/// assert_eq!(mean, 2.0);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Batch<'a, T>(&'a [Received<T>]);

impl<'a, T> Batch<'a, T> {
    pub(crate) fn new(messages: &'a [Received<T>]) -> Self {
        Self(messages)
    }

    /// Returns how many messages there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns an iterator over all messages, which starts anew with each call.
    pub fn iter(&self) -> BatchIter<'a, T> {
        BatchIter(self.0.iter())
    }
}

/// An iterator over the messages of a [`Batch`] or a [`Subscription`](crate::Subscription).
///
/// ```
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Goal(u32);
/// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
/// let goals = hemiola_bus::Subscription::of([Goal(1), Goal(2)]);
/// let mut sum = 0;
/// for goal in &goals {
///     sum += goal.0;
/// }
/// assert_eq!(sum, 3);
/// ```
pub struct BatchIter<'a, T>(slice::Iter<'a, Received<T>>);

impl<'a, T> Iterator for BatchIter<'a, T> {
    type Item = Sample<'a, T>;

    fn next(&mut self) -> Option<Sample<'a, T>> {
        self.0.next().map(Sample::new)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for BatchIter<'_, T> {}

impl<'a, T> IntoIterator for Batch<'a, T> {
    type Item = Sample<'a, T>;
    type IntoIter = BatchIter<'a, T>;

    fn into_iter(self) -> BatchIter<'a, T> {
        self.iter()
    }
}

impl<T> Clone for Batch<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Batch<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Batch<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}
