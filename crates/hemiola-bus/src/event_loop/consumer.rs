//! A reading end of an event loop.
#![expect(unsafe_code, reason = "a consumer reads events that its cursor keeps from being written")]

use super::WaitStrategy;
use super::claims::{Claims, ManyProducers};
use super::ring::{Cursor, NEVER, Ring, next_timed};
use crate::mailbox::Waited;
use crate::panics::Panics;
use crate::sync::Arc;
use hemiola_realtime::{MonotonicTime, Reason, monotonic_now};
use std::time::Duration;

/// The number of times that a spinning consumer polls the ring before it reads the clock.
const LOOKS_PER_CLOCK: u32 = 64;

/// Sees all events of an [`EventLoop`](super::EventLoop), in order. Owned by the thread that
/// handles them.
///
/// ```
/// use hemiola_bus::{EventLoop, WaitStrategy};
/// use hemiola_realtime::{ThreadSettings, spawn};
///
/// let mut events = EventLoop::new(64);
/// let mut consumer = events.consumer(WaitStrategy::Park);
/// let counter = spawn(ThreadSettings::new("counter"), move || {
///     let mut steps = 0;
///     consumer.run_until_closed(|event| steps += event);
///     steps
/// })?;
/// let mut producer = events.producer();
/// producer.publish(|event| *event = 3)?;
/// producer.publish(|event| *event = 4)?;
/// drop(producer);
/// assert_eq!(counter.thread.join().unwrap(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A consumer that is dropped delays nobody any more; those that follow it go on without it.
pub struct Consumer<E, C: Claims = ManyProducers> {
    ring: Arc<Ring<E, C>>,
    cursor: Arc<Cursor>,
    after: Vec<Arc<Cursor>>,
    wait: WaitStrategy,
    /// The number of events that the consumer is done with: its cursor's, or what that will be.
    done: u64,
    panics: Panics,
}

/// Events that a consumer reads together. Their places are free again when this is dropped.
///
/// ```
/// use hemiola_bus::{EventLoop, WaitStrategy};
///
/// let mut events = EventLoop::new(8);
/// let mut consumer = events.consumer(WaitStrategy::Park);
/// let mut producer = events.producer();
/// for sample in [3.0, 5.0, 4.0] {
///     producer.publish(move |event| *event = sample)?;
/// }
/// let batch = consumer.batch(2); // at most two of them
/// assert_eq!(batch.iter().fold(0.0_f64, |largest, sample| largest.max(*sample)), 5.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventBatch<'a, E, C: Claims = ManyProducers> {
    consumer: &'a mut Consumer<E, C>,
    end: u64,
}

impl<E, C: Claims> Consumer<E, C> {
    pub(super) fn new(ring: Arc<Ring<E, C>>, cursor: Arc<Cursor>, after: Vec<Arc<Cursor>>, wait: WaitStrategy) -> Self {
        if wait != WaitStrategy::Spin {
            ring.expect_sleepers();
        }
        Consumer { ring, cursor, after, wait, done: 0, panics: Panics::default() }
    }

    pub(super) fn cursor(&self) -> &Arc<Cursor> {
        &self.cursor
    }

    /// Handles the events that are there now, and returns how many. Never waits. Their places are
    /// freed a quarter of the ring at a time.
    ///
    /// If `handle` panics, so does this method, and the event counts as handled.
    #[inline]
    pub fn poll(&mut self, mut handle: impl FnMut(&E)) -> usize {
        let end = self.available(self.ring.capacity());
        self.cursor.note_depth(end - self.done);
        let mut handled = 0;
        while self.done < end {
            let passed = Passed { start: self.done, consumer: self };
            let Consumer { ring, cursor, done, .. } = &mut *passed.consumer;
            let end = end.min(passed.start + ring.capacity().div_ceil(4));
            while *done < end {
                ring.note_wait(*done, cursor);
                for number in *done..end.min(next_timed(*done)) {
                    *done = number + 1;
                    if !ring.is_void(number) {
                        handled += 1;
                        // SAFETY: it is available, and the cursor is not beyond it before `passed`
                        // is dropped.
                        unsafe { ring.read(number, &mut handle) };
                    }
                }
            }
        }
        handled
    }

    /// Returns the events that are there now, at most `limit`, to be read together. Never waits.
    pub fn batch(&mut self, limit: usize) -> EventBatch<'_, E, C> {
        let end = self.available(limit as u64);
        self.cursor.note_depth(end - self.done);
        let mut number = self.done;
        while number < end {
            self.ring.note_wait(number, &self.cursor);
            number = next_timed(number);
        }
        EventBatch { consumer: self, end }
    }

    /// Waits, in the way that was chosen for this consumer, at most `timeout`, until there are
    /// events or there will be no more.
    ///
    /// ```
    /// use hemiola_bus::{EventLoop, WaitStrategy, Waited};
    /// use std::time::Duration;
    ///
    /// let mut events = EventLoop::<u8>::new(8);
    /// let mut consumer = events.consumer(WaitStrategy::SpinThenPark(Duration::from_micros(20)));
    /// let producer = events.producer();
    /// assert_eq!(consumer.wait(Duration::from_millis(1)), Waited::TimedOut);
    /// drop(producer);
    /// assert_eq!(consumer.wait(Duration::from_secs(1)), Waited::Closed);
    /// ```
    pub fn wait(&mut self, timeout: Duration) -> Waited {
        self.wait_until(Some(monotonic_now() + timeout))
    }

    /// Handles events, and waits for them, until all producers are gone and all that they published
    /// has been handled.
    ///
    /// A panic of `handle` ends the handling of that event, and is [counted](Self::panics).
    pub fn run_until_closed(&mut self, mut handle: impl FnMut(&E)) {
        let mut panics = std::mem::take(&mut self.panics);
        while self.wait_until(None) == Waited::Ready {
            panics.contain(|| while self.poll(&mut handle) > 0 {});
        }
        self.panics = panics;
    }

    /// Returns how many events wait for this consumer.
    pub fn waiting(&self) -> u64 {
        self.available(self.ring.capacity()) - self.done
    }

    /// Returns how many events made [`run_until_closed`](Self::run_until_closed)'s handler panic.
    pub fn panics(&self) -> u64 {
        self.panics.count()
    }

    /// Returns the message and the place of the last panic of
    /// [`run_until_closed`](Self::run_until_closed)'s handler.
    pub fn last_panic(&self) -> Option<&str> {
        self.panics.last()
    }

    /// Returns the number up to which events can be read, at most `limit` of them.
    #[inline]
    fn available(&self, limit: u64) -> u64 {
        let limit = self.done.saturating_add(limit);
        match self.after.iter().map(|cursor| cursor.get()).min() {
            None | Some(NEVER) => self.ring.published(self.done, limit),
            // An event that a consumer has passed is published.
            Some(passed) => passed.min(limit),
        }
    }

    fn look(&self) -> Option<Waited> {
        // This comes first: whoever sees the end sees all events before it.
        let end = self.ring.end();
        if self.available(1) > self.done {
            Some(Waited::Ready)
        } else if self.done == end {
            Some(Waited::Closed)
        } else {
            None
        }
    }

    pub(super) fn wait_until(&mut self, deadline: Option<MonotonicTime>) -> Waited {
        let spin_until = match self.wait {
            WaitStrategy::Spin => None,
            WaitStrategy::Park => return self.park(deadline),
            WaitStrategy::SpinThenPark(time) => Some(monotonic_now() + time),
        };
        loop {
            for _ in 0..LOOKS_PER_CLOCK {
                if let Some(waited) = self.look() {
                    return waited;
                }
                std::hint::spin_loop();
            }
            let passed = |time: MonotonicTime| monotonic_now() >= time;
            if spin_until.is_some_and(passed) {
                return self.park(deadline);
            }
            if deadline.is_some_and(passed) {
                return Waited::TimedOut;
            }
        }
    }

    fn park(&self, deadline: Option<MonotonicTime>) -> Waited {
        loop {
            let seen = self.ring.wakeup.generation();
            if let Some(waited) = self.look() {
                return waited;
            }
            if self.ring.wakeup.wait(seen, deadline) == Reason::TimedOut {
                return Waited::TimedOut;
            }
        }
    }
}

impl<E, C: Claims> EventBatch<'_, E, C> {
    /// Returns the events, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let ring = &*self.consumer.ring;
        let events = (self.consumer.done..self.end).filter(|number| !ring.is_void(*number));
        // SAFETY: they are available, and the cursor is not beyond them before this batch is
        // dropped.
        events.map(|number| unsafe { ring.peek(number) })
    }
}

impl<E, C: Claims> Drop for EventBatch<'_, E, C> {
    fn drop(&mut self) {
        let start = self.consumer.done;
        self.consumer.done = self.end;
        drop(Passed { start, consumer: self.consumer });
    }
}

/// Publishes how far the consumer is, whether or not its handler panics.
struct Passed<'a, E, C: Claims> {
    consumer: &'a mut Consumer<E, C>,
    start: u64,
}

impl<E, C: Claims> Drop for Passed<'_, E, C> {
    #[inline]
    fn drop(&mut self) {
        if self.consumer.done > self.start {
            self.consumer.cursor.set(self.consumer.done);
            self.consumer.ring.signal();
        }
    }
}

impl<E, C: Claims> Drop for Consumer<E, C> {
    fn drop(&mut self) {
        self.cursor.set(NEVER);
        self.ring.signal();
    }
}
