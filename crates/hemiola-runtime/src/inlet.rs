//! Values that enter a robot from outside: from whoever feeds a source, such as a link, to the
//! thread of that source.
//!
//! As many values wait as the readers of the source need: all samples, up to a bound, where
//! somebody collects them, otherwise the newest one. One for which there is no room replaces the
//! oldest that the source has not read yet. Those who feed a source take turns, off the real-time
//! threads; the source waits for none of them.
//!
//! The feeder of a source may be lost. Losses are counted, and a delivery records how many came
//! before it: the value becomes stale if there was a loss after the newest delivery, whatever was
//! read first.

mod delays;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_bus::{Bus, Publisher, Queue, Signal, WhenFull};
use hemiola_model::cdr::CdrReader;
use hemiola_model::data::SharedBytes;
use hemiola_model::{RepresentationDescriptor, Time, ValueMut};
use hemiola_realtime::Wakeup;
use hemiola_trace::LinkProfile;

use crate::coherence::Coherence;
use crate::error::RuntimeError;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
pub use delays::Delays;

/// The inlet of a source that is fed from outside:
/// [`RobotHandle::inlet`](crate::RobotHandle::inlet).
///
/// ```
/// # fn receive(robot: &hemiola_runtime::RobotHandle, cdr: &[u8]) {
/// if let Some(ball) = robot.inlet("link.head.BallPercept") {
///     ball.deliver(robot.now(), cdr); // from now on it is the source's newest sample
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct SourceInlet {
    descriptor: &'static RepresentationDescriptor,
    feed: Arc<Mutex<Feed>>,
    shared: Arc<Shared>,
    delays: Delays,
    /// The coherence with values of other sources.
    coherence: Option<Arc<Coherence>>,
}

/// Values that become visible together, once this is dropped: [`SourceInlet::together`].
///
/// ```
/// # fn receive(robot: &hemiola_runtime::RobotHandle, run: [(&str, &[u8]); 2]) {
/// let inlets = run.iter().filter_map(|(source, cdr)| Some((robot.inlet(source)?, cdr)));
/// let mut together = Vec::new();
/// for (inlet, cdr) in inlets {
///     together.push(inlet.together()); // kept until all values of this run are there
///     inlet.deliver(robot.now(), cdr);
/// }
/// # }
/// ```
#[must_use = "values become visible together when it is dropped"]
pub struct Together(Option<Arc<Coherence>>);

/// The end of those who deliver.
struct Feed {
    publisher: Publisher<Delivery>,
    /// The number of deliveries so far.
    delivered: u64,
    /// The maximum number of deliveries that wait.
    capacity: u64,
}

/// The source's end of an inlet.
pub struct Intake {
    deliveries: Queue<Delivery>,
    shared: Arc<Shared>,
    /// The number of losses that were noted, or that came before the delivery that was read last.
    noted: u32,
    /// Set if a delivery was read, and there was no loss since.
    is_fed: bool,
    coherence: Option<Arc<Coherence>>,
}

/// The next item that a source reads from its inlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A delivery.
    Delivery,
    /// The feeder was lost: the last value is stale from now on.
    Loss,
    /// Nothing at present.
    Nothing,
}

#[derive(Default)]
struct Shared {
    /// The event that is notified when there is a new delivery.
    wakeup: Arc<Wakeup>,
    /// The number of deliveries up to the one that was read last.
    read: AtomicU64,
    unreadable: AtomicU64,
    losses: AtomicU32,
}

#[derive(Default)]
struct Delivery {
    stamp: Time,
    /// The value in CDR, unless it is in `shared`.
    cdr: Vec<u8>,
    /// The value in CDR to which the source's value may refer; empty if it is in `cdr`.
    shared: SharedBytes,
    /// The number of losses before the delivery.
    losses: u32,
    /// The number of deliveries up to this one.
    number: u64,
}

/// Creates both ends of an inlet for values of this representation, of which at most `capacity`
/// wait, and which may have to be coherent with values of others.
pub fn inlet(
    descriptor: &'static RepresentationDescriptor,
    capacity: usize,
    coherence: Option<Arc<Coherence>>,
) -> Result<(SourceInlet, Intake), RuntimeError> {
    let wakeup = coherence.as_ref().map(|coherence| coherence.wakeup().clone()).unwrap_or_default();
    // Values that belong together are announced when all of them are there.
    let signal = if coherence.is_some() { Signal::Nothing } else { wakeup.clone().into() };
    let shared = Arc::new(Shared { wakeup, ..Shared::default() });
    let topic = Bus::new().topic("deliveries").map_err(|error| RuntimeError::internal(&error.to_string()))?;
    let deliveries = topic.queue_with_signal(capacity, WhenFull::DropOldest, signal);
    let feed = Feed { publisher: topic.publisher(), delivered: 0, capacity: capacity as u64 };
    let intake = Intake { deliveries, shared: shared.clone(), noted: 0, is_fed: false, coherence: coherence.clone() };
    let (feed, delays) = (Arc::new(Mutex::new(feed)), Delays::default());
    Ok((SourceInlet { descriptor, feed, shared, delays, coherence }, intake))
}

impl SourceInlet {
    /// Returns the descriptor of the values that are delivered here.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Delivers a value in CDR as the source's next sample, which was taken at `stamp` on the
    /// robot's clock. Returns `false` if there was no room for it, so that it replaces the oldest
    /// one that the source had not read yet: there is room for all samples, up to
    /// `sample_capacity`, if somebody reads them with `Samples`, and otherwise for one.
    pub fn deliver(&self, stamp: Time, cdr: &[u8]) -> bool {
        self.deliver_with(stamp, |bytes| bytes.extend_from_slice(cdr))
    }

    /// Delivers a value like [`deliver`](Self::deliver); `append` appends it in CDR to the buffer
    /// from which the source reads it.
    ///
    /// ```
    /// # fn receive(robot: &hemiola_runtime::RobotHandle, parts: [&[u8]; 2]) {
    /// if let Some(ball) = robot.inlet("link.head.BallPercept") {
    ///     ball.deliver_with(robot.now(), |cdr| parts.iter().for_each(|part| cdr.extend_from_slice(part)));
    /// }
    /// # }
    /// ```
    pub fn deliver_with(&self, stamp: Time, append: impl FnOnce(&mut Vec<u8>)) -> bool {
        self.deliver_filled(stamp, |delivery| append(&mut delivery.cdr))
    }

    /// Delivers a value like [`deliver`](Self::deliver), without copying it: the source's value may
    /// refer to large parts of `cdr`, if it has fields of the type [`SharedBytes`].
    ///
    /// ```
    /// # use hemiola_model::data::SharedBytes;
    /// # fn receive(robot: &hemiola_runtime::RobotHandle, cdr: &SharedBytes) {
    /// if let Some(image) = robot.inlet("link.head.UpperImage") {
    ///     image.deliver_shared(robot.now(), cdr);
    /// }
    /// # }
    /// ```
    pub fn deliver_shared(&self, stamp: Time, cdr: &SharedBytes) -> bool {
        self.deliver_filled(stamp, |delivery| delivery.shared = cdr.clone())
    }

    fn deliver_filled(&self, stamp: Time, fill: impl FnOnce(&mut Delivery)) -> bool {
        // A delivery is consistent even if another thread has panicked.
        let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        let Feed { publisher, delivered, capacity } = &mut *feed;
        let mut delivery = publisher.loan();
        delivery.stamp = stamp;
        delivery.cdr.clear();
        delivery.shared = SharedBytes::default();
        fill(&mut delivery);
        // Losses are counted under the same lock.
        delivery.losses = self.shared.losses.load(Ordering::Relaxed);
        delivery.number = *delivered + 1;
        self.coherence.iter().for_each(|coherence| coherence.begin_delivery());
        // A source that reads at this moment makes room, which may not count yet: this is only for
        // statistics.
        let waiting = *delivered - self.shared.read.load(Ordering::Relaxed);
        delivery.publish();
        self.coherence.iter().for_each(|coherence| coherence.end_delivery());
        *delivered += 1;
        waiting < *capacity
    }

    /// Announces that further values of the same run of another process are delivered here, or to
    /// other sources with the same provider: until the result is dropped, cycles keep the values
    /// that they have. Without it, each delivery becomes visible for itself. This does nothing if
    /// the source has no other one with the same
    /// [provider](hemiola_model::configuration::Received::provider).
    pub fn together(&self) -> Together {
        self.coherence.iter().for_each(|coherence| coherence.begin_delivery());
        Together(self.coherence.clone())
    }

    /// Marks the last value that was delivered as stale until the next one: whoever delivered it is
    /// gone. The source then has one more sample, which repeats the value, so that the loss reaches
    /// all readers, and the log.
    ///
    /// ```
    /// # fn part(robot: &hemiola_runtime::RobotHandle) {
    /// if let Some(ball) = robot.inlet("link.head.BallPercept") {
    ///     ball.lose(); // `Fresh::is_stale` is true from now on
    /// }
    /// # }
    /// ```
    pub fn lose(&self) {
        let feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        // Release: whoever sees the loss sees what was delivered before.
        self.shared.losses.fetch_add(1, Ordering::Release);
        drop(feed);
        self.shared.wakeup.notify_all();
    }

    /// Notes the time from the end of the run or sample that provided the last delivery in another
    /// program to the delivery, which is known up to the error of that program's clock. The feeder
    /// calls this; the time is kept in the profile, for bounds on chains that pass through this
    /// inlet.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # fn receive(robot: &hemiola_runtime::RobotHandle, cdr: &[u8]) {
    /// if let Some(ball) = robot.inlet("link.head.BallPercept") {
    ///     ball.deliver(robot.now(), cdr);
    ///     ball.note_delay(Duration::from_micros(180), Duration::from_micros(12));
    /// }
    /// # }
    /// ```
    pub fn note_delay(&self, delay: Duration, clock_error: Duration) {
        self.delays.note(delay, clock_error);
    }

    /// Returns the delays of deliveries so far.
    pub(crate) fn measured(&self) -> LinkProfile {
        self.delays.measured()
    }

    /// Resets the delays of deliveries.
    pub(crate) fn clear_measured(&self) {
        self.delays.clear();
    }

    /// Wakes the source, which then checks whether it is to end.
    pub(crate) fn wake(&self) {
        self.shared.wakeup.notify_all();
    }

    /// Returns the number of deliveries that could not be read as values. The robot's messages give
    /// the reasons.
    pub fn unreadable(&self) -> u64 {
        self.shared.unreadable.load(Ordering::Relaxed)
    }
}

impl Intake {
    /// Returns the next item to read. A loss is noted by this.
    pub fn next(&mut self) -> Next {
        // The losses are read first: what was delivered before them is then visible.
        let losses = self.shared.losses.load(Ordering::Acquire);
        if self.deliveries.has_messages() {
            return Next::Delivery;
        }
        let is_loss = losses != self.noted && std::mem::take(&mut self.is_fed);
        self.noted = losses;
        if is_loss { Next::Loss } else { Next::Nothing }
    }

    /// Returns whether there is a delivery that was not read yet, or a loss that was not noted.
    pub fn has_news(&mut self) -> bool {
        self.deliveries.has_messages() || self.shared.losses.load(Ordering::Acquire) != self.noted
    }

    /// Fills a value with the next delivery, and returns the time stamp of its sample. May run user
    /// code, and so panic.
    ///
    /// # Errors
    /// Returns an error with the reason if there is no delivery, or it is not such a value.
    pub fn take(&mut self, value: &mut ValueMut<'_>) -> Result<Time, String> {
        let Self { deliveries, shared, noted, is_fed, .. } = self;
        let delivery = deliveries.receive().ok_or("nothing was delivered")?;
        shared.read.store(delivery.number, Ordering::Relaxed);
        *noted = delivery.losses;
        let shared = (!delivery.shared.is_empty()).then_some(&delivery.shared);
        let reader = shared.map_or_else(|| CdrReader::new(&delivery.cdr), CdrReader::sharing);
        let mut reader = reader.map_err(|error| error.to_string())?;
        value.read_over(&mut reader).map_err(|error| error.to_string())?;
        *is_fed = true;
        Ok(delivery.stamp)
    }

    /// Returns what is to be coherent with values of other sources, if these are read together.
    pub fn coherence(&self) -> Option<&Arc<Coherence>> {
        self.coherence.as_ref()
    }

    /// Counts a delivery that could not be read.
    pub fn count_unreadable(&self) {
        self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    /// Sleeps until there is a delivery that was not read yet or a loss, or `is_over` returns
    /// `true` and the inlet was [woken](SourceInlet::wake).
    pub fn wait(&mut self, is_over: impl Fn() -> bool) {
        let seen = self.shared.wakeup.generation();
        // What was written before the event was notified is visible by now, or the wait returns at
        // once.
        if !self.has_news() && !is_over() {
            self.shared.wakeup.wait(seen, None);
        }
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        self.0.iter().for_each(|coherence| coherence.end_delivery());
    }
}

impl fmt::Debug for Together {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Together").field(&self.0.is_some()).finish()
    }
}

impl fmt::Debug for SourceInlet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SourceInlet").field("descriptor", &self.descriptor.name()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_model::data::{Data, DataType, Field};
    use hemiola_model::{Name, cdr};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_newest_delivery_is_taken_once_and_one_that_is_no_value_is_an_error() {
        let schema = DataType::structure("test/Count", vec![Field::new("count", u32::data_type(), "")]);
        let descriptor = RepresentationDescriptor::dynamic(Name::intern("Count"), &schema).unwrap();
        let (inlet, mut intake) = inlet(descriptor, 1, None).unwrap();
        let at = Time::from_seconds;
        assert_eq!(intake.next(), Next::Nothing);
        assert!(inlet.deliver(at(1.0), &cdr::encode(&1_u32)));
        assert!(!inlet.deliver(at(2.0), &cdr::encode(&2_u32)), "the first one was not taken");
        assert_eq!(intake.next(), Next::Delivery);
        let mut value = descriptor.create();
        assert_eq!(intake.take(&mut ValueMut::of(&mut value)), Ok(at(2.0)));
        let mut seen = cdr::CdrWriter::default();
        assert!(value.write(&mut seen));
        assert_eq!(seen.finish(), cdr::encode(&2_u32));
        assert_eq!(intake.next(), Next::Nothing);
        inlet.deliver(at(3.0), &[0, 1, 0]);
        assert!(intake.take(&mut ValueMut::of(&mut value)).is_err());
        // There is no wait for a delivery that is already there.
        inlet.deliver(at(4.0), &[]);
        intake.wait(|| false);
        assert!(intake.take(&mut ValueMut::of(&mut value)).is_err());
        intake.wait(|| true);
    }

    #[test]
    fn a_value_is_lost_once_after_it_was_taken_and_not_if_another_one_came_since() {
        let schema = DataType::structure("test/Count", vec![Field::new("count", u32::data_type(), "")]);
        let descriptor = RepresentationDescriptor::dynamic(Name::intern("Count"), &schema).unwrap();
        let (inlet, mut intake) = inlet(descriptor, 1, None).unwrap();
        let mut value = descriptor.create();
        let mut takes = |intake: &mut Intake| {
            let next = intake.next();
            if next == Next::Delivery {
                intake.take(&mut ValueMut::of(&mut value)).unwrap();
            }
            next
        };
        let deliver = || inlet.deliver(Time::from_seconds(1.0), &cdr::encode(&1_u32));
        inlet.lose();
        intake.wait(|| false);
        assert_eq!(takes(&mut intake), Next::Nothing, "there was no value");
        deliver();
        inlet.lose();
        inlet.lose();
        let next = [(); 3].map(|()| takes(&mut intake));
        assert_eq!(next, [Next::Delivery, Next::Loss, Next::Nothing]);
        inlet.lose();
        assert_eq!(takes(&mut intake), Next::Nothing, "it is lost already");
        deliver();
        inlet.lose();
        deliver();
        assert_eq!([(); 2].map(|()| takes(&mut intake)), [Next::Delivery, Next::Nothing], "somebody else is there");
    }

    /// An event in the life of an inlet.
    #[derive(Clone, Copy, Debug)]
    enum Deed {
        Deliver,
        Lose,
        Read,
    }

    proptest! {
        /// The oracle keeps deliveries in a list, and drops the first ones.
        #[test]
        fn deliveries_come_in_their_order_and_those_without_room_cost_the_oldest(
            capacity in 1..5_usize,
            deeds in prop::collection::vec(prop_oneof![Just(Deed::Deliver), Just(Deed::Lose), Just(Deed::Read)], 0..60),
        ) {
            let schema = DataType::structure("test/Count", vec![Field::new("count", u32::data_type(), "")]);
            let descriptor = RepresentationDescriptor::dynamic(Name::intern("Count"), &schema).unwrap();
            let (inlet, mut intake) = inlet(descriptor, capacity, None).unwrap();
            let mut value = descriptor.create();
            let mut waiting = std::collections::VecDeque::new();
            let (mut count, mut is_fed, mut is_lost) = (0_u32, false, false);
            for deed in deeds {
                match deed {
                    Deed::Deliver => {
                        count += 1;
                        let is_room = waiting.len() < capacity;
                        let stamp = Time::from_nanoseconds(i64::from(count));
                        prop_assert_eq!(inlet.deliver(stamp, &cdr::encode(&count)), is_room);
                        waiting.drain(..usize::from(!is_room));
                        waiting.push_back(count);
                        is_lost = false;
                    }
                    Deed::Lose => {
                        inlet.lose();
                        is_lost = true;
                    }
                    Deed::Read => match (intake.next(), waiting.pop_front()) {
                        (Next::Delivery, Some(expected)) => {
                            let stamp = intake.take(&mut ValueMut::of(&mut value));
                            prop_assert_eq!(stamp, Ok(Time::from_nanoseconds(i64::from(expected))));
                            let mut seen = cdr::CdrWriter::default();
                            prop_assert!(value.write(&mut seen));
                            prop_assert_eq!(seen.finish(), cdr::encode(&expected));
                            is_fed = true;
                        }
                        (next, None) => {
                            let is_loss = is_fed && std::mem::take(&mut is_lost);
                            is_fed &= !is_loss;
                            prop_assert_eq!(next, if is_loss { Next::Loss } else { Next::Nothing });
                        }
                        (next, expected) => prop_assert!(false, "{:?} instead of {:?}", next, expected),
                    },
                }
            }
        }
    }
}
