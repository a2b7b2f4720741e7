//! The writing end of an event loop.
#![expect(unsafe_code, reason = "a producer writes the events that it has claimed")]

use super::claims::{Claims, Content, ManyProducers};
#[cfg(not(loom))]
use super::report::EventLoopReport;
use super::ring::{Cursor, NEVER, Ring};
use crate::error::SendError;
use crate::sync::Arc;
use hemiola_realtime::monotonic_now;
#[cfg(not(loom))]
use hemiola_trace::TickScale;
use std::marker::PhantomData;
use std::time::Duration;

/// Publishes events. A clone, which [`ManyProducers`] allow, is another producer.
///
/// ```
/// use hemiola_bus::{EventLoop, SendError, WaitStrategy};
///
/// let mut events = EventLoop::<[f32; 3]>::new(2);
/// let mut consumer = events.consumer(WaitStrategy::Park);
/// let mut producer = events.producer();
/// producer.publish(|acceleration| acceleration[2] = 9.81)?;
/// producer.publish(|acceleration| acceleration[2] = 9.79)?;
/// assert!(matches!(producer.publish(|acceleration| acceleration[2] = 9.8), Err(SendError::Full(_))));
/// assert_eq!(producer.refused(), 1);
/// consumer.poll(|acceleration| assert!(acceleration[2] > 9.7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A producer writes over the event that was in that place one round ago: buffers in it can be
/// reused.
pub struct Producer<E, C: Claims = ManyProducers> {
    ring: Arc<Ring<E, C>>,
    cursors: Arc<Vec<Arc<Cursor>>>,
    /// The number below which all were free when the cursors were last read.
    free_below: u64,
}

/// Events of a batch to write, one after the other.
///
/// ```
/// use hemiola_bus::{EventLoop, WaitStrategy};
///
/// let mut events = EventLoop::for_one_producer(8);
/// let mut consumer = events.consumer(WaitStrategy::Park);
/// let mut producer = events.producer();
/// producer.publish_batch(3, |slots| slots.zip(1..).for_each(|(event, number)| *event = number))?;
/// let mut seen = Vec::new();
/// consumer.poll(|number| seen.push(*number));
/// assert_eq!(seen, [1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventSlots<'a, E, C: Claims> {
    ring: &'a Ring<E, C>,
    next: u64,
    end: u64,
    events: PhantomData<&'a mut E>,
}

impl<E, C: Claims> Producer<E, C> {
    pub(super) fn new(ring: Arc<Ring<E, C>>, cursors: Arc<Vec<Arc<Cursor>>>) -> Self {
        ring.producer_joins();
        Producer { free_below: ring.capacity(), ring, cursors }
    }

    /// Writes an event in place and publishes it. Never waits.
    ///
    /// If `write` panics, there is no event.
    ///
    /// # Errors
    /// Fails if the ring is full, or if all consumers are gone (which is noticed at the latest when
    /// the ring is full). The closure is returned.
    #[inline]
    pub fn publish<F: FnOnce(&mut E)>(&mut self, write: F) -> Result<(), SendError<F>> {
        match self.claim(1) {
            Ok(first) => {
                self.write(first, 1, |mut slots| slots.next().map_or((), write));
                Ok(())
            }
            Err(refusal) => Err(self.refuse(1, refusal, write)),
        }
    }

    /// Writes and publishes `count` events, which lie together in the order of all events; or none.
    /// Events that `write` skips are published as they were.
    ///
    /// # Errors
    /// Returns the errors of [`publish`](Self::publish).
    #[inline]
    pub fn publish_batch<F: FnOnce(EventSlots<'_, E, C>)>(
        &mut self,
        count: usize,
        write: F,
    ) -> Result<(), SendError<F>> {
        match self.claim(count as u64) {
            Ok(first) => {
                self.write(first, count as u64, write);
                Ok(())
            }
            Err(refusal) => Err(self.refuse(count as u64, refusal, write)),
        }
    }

    /// Writes an event in place and publishes it; waits for room, but not longer than `timeout`.
    /// Not for real-time threads.
    ///
    /// Sleeps if the consumers sleep; spins if they spin.
    ///
    /// # Errors
    /// Fails if the ring was full all the time, or if all consumers are gone. The closure is
    /// returned.
    ///
    /// ```
    /// use hemiola_bus::{EventLoop, WaitStrategy};
    /// use std::time::Duration;
    ///
    /// let mut events = EventLoop::new(8);
    /// let mut consumer = events.consumer(WaitStrategy::Park);
    /// let mut producer = events.producer();
    /// let sum = std::thread::spawn(move || {
    ///     let mut sum = 0;
    ///     consumer.run_until_closed(|number| sum += number);
    ///     sum
    /// });
    /// for number in 1..=100 {
    ///     producer.publish_waiting(move |event| *event = number, Duration::from_secs(1))?;
    /// }
    /// drop(producer);
    /// assert_eq!(sum.join().unwrap(), 5050);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn publish_waiting<F: FnOnce(&mut E)>(&mut self, write: F, timeout: Duration) -> Result<(), SendError<F>> {
        let deadline = monotonic_now() + timeout;
        loop {
            let seen = self.ring.wakeup.generation();
            match self.claim(1) {
                Ok(first) => {
                    self.write(first, 1, |mut slots| slots.next().map_or((), write));
                    return Ok(());
                }
                Err(SendError::Full(())) if monotonic_now() < deadline => {
                    if self.ring.may_sleep() {
                        self.ring.wakeup.wait(seen, Some(deadline));
                    } else {
                        std::thread::yield_now();
                    }
                }
                Err(refusal) => return Err(self.refuse(1, refusal, write)),
            }
        }
    }

    /// Measures latencies from now on.
    #[cfg(not(loom))]
    pub(crate) fn measure(&self, scale: &TickScale) {
        self.cursors.iter().for_each(|cursor| cursor.measure(scale));
        self.ring.measure();
    }

    /// Returns a function that reports on the event loop, for as long as that has producers or
    /// consumers.
    #[cfg(not(loom))]
    pub(crate) fn reporter(&self) -> impl Fn(&str) -> Option<EventLoopReport> + Send + Sync + use<E, C>
    where
        E: Send + Sync + 'static,
    {
        let (ring, cursors) = (Arc::downgrade(&self.ring), self.cursors.clone());
        move |name| Some(ring.upgrade()?.report(name, cursors.iter().map(|cursor| &**cursor)))
    }

    /// Returns how many events, of all producers, were refused because the ring was full.
    pub fn refused(&self) -> u64 {
        self.ring.refused()
    }

    #[inline]
    fn claim(&mut self, count: u64) -> Result<u64, SendError<()>> {
        let Producer { ring, cursors, free_below } = self;
        // More events than the ring holds never fit; and the sums below must not overflow.
        if count > ring.capacity() {
            return Err(SendError::Full(()));
        }
        let mut refusal = SendError::Full(());
        let room = |first: u64| {
            if first + count > *free_below {
                match slowest(cursors) {
                    NEVER => refusal = SendError::NoReceiver(()),
                    done => *free_below = done + ring.capacity(),
                }
            }
            first + count <= *free_below
        };
        ring.claims.claim(count, room).ok_or(refusal)
    }

    /// Writes the claimed events, and publishes their numbers even if `write` panics.
    #[inline]
    fn write(&self, first: u64, count: u64, write: impl FnOnce(EventSlots<'_, E, C>)) {
        let mut claimed = Claimed { ring: &*self.ring, first, count, content: Content::Void };
        write(EventSlots { ring: &self.ring, next: first, end: first + count, events: PhantomData });
        self.ring.stamp(first..first + count);
        claimed.content = Content::Event;
    }

    #[cold]
    fn refuse<F>(&self, count: u64, refusal: SendError<()>, write: F) -> SendError<F> {
        if refusal == SendError::Full(()) {
            self.ring.count_refused(count);
        }
        refusal.map(|()| write)
    }
}

/// Returns how many events the slowest consumer is done with.
fn slowest(cursors: &[Arc<Cursor>]) -> u64 {
    cursors.iter().map(|cursor| cursor.get()).min().unwrap_or(NEVER)
}

/// Claimed numbers, which are published when this is dropped, whether or not writing them panicked.
struct Claimed<'a, E, C: Claims> {
    ring: &'a Ring<E, C>,
    first: u64,
    count: u64,
    content: Content,
}

impl<E, C: Claims> Drop for Claimed<'_, E, C> {
    #[inline]
    fn drop(&mut self) {
        self.ring.publish(self.first, self.count, self.content);
        self.ring.signal();
    }
}

impl<'a, E, C: Claims> Iterator for EventSlots<'a, E, C> {
    type Item = &'a mut E;

    #[inline]
    fn next(&mut self) -> Option<&'a mut E> {
        (self.next < self.end).then(|| {
            let number = self.next;
            self.next += 1;
            // SAFETY: the number is claimed, and is published after 'a; it is handed out once.
            unsafe { &mut *self.ring.write(number) }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl<E, C: Claims> ExactSizeIterator for EventSlots<'_, E, C> {}

impl<E> Clone for Producer<E, ManyProducers> {
    fn clone(&self) -> Self {
        Producer::new(self.ring.clone(), self.cursors.clone())
    }
}

impl<E, C: Claims> Drop for Producer<E, C> {
    fn drop(&mut self) {
        self.ring.producer_leaves();
    }
}
