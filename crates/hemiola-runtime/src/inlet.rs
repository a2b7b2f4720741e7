//! Values that enter a robot from outside: from whoever feeds a source, such as a link, to the
//! thread of that source.
//!
//! Only the newest value matters: it replaces one that the source has not read yet. Those who feed
//! a source take turns, off the real-time threads; the source waits for none of them.
//!
//! The feeder of a source may be lost. Losses are counted, and a delivery records how many came
//! before it: the value becomes stale if there was a loss after the newest delivery, whatever was
//! read first.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_bus::exchange::{LatestReader, LatestWriter, latest};
use hemiola_model::cdr::CdrReader;
use hemiola_model::{RepresentationDescriptor, Time, ValueMut};
use hemiola_realtime::Wakeup;
use hemiola_trace::{Distribution, LinkProfile};

use crate::sync::{AtomicU32, AtomicU64, Ordering};

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
    writer: Arc<Mutex<LatestWriter<Delivery>>>,
    shared: Arc<Shared>,
    delays: Arc<Mutex<Delays>>,
}

/// The delays of values since they were provided, and the error of these figures.
#[derive(Default)]
struct Delays {
    taken: Distribution,
    /// The maximum error of the sender's clock, in nanoseconds.
    clock_error: u64,
}

/// The source's end of an inlet.
pub struct Intake {
    deliveries: LatestReader<Delivery>,
    shared: Arc<Shared>,
    /// The number of losses that were noted, or that came before the delivery that was read last.
    noted: u32,
    /// Set if a delivery was read, and there was no loss since.
    is_fed: bool,
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
    wakeup: Wakeup,
    unreadable: AtomicU64,
    losses: AtomicU32,
}

#[derive(Default)]
struct Delivery {
    stamp: Time,
    cdr: Vec<u8>,
    /// The number of losses before the delivery.
    losses: u32,
}

/// Creates both ends of an inlet for values of this representation.
pub fn inlet(descriptor: &'static RepresentationDescriptor) -> (SourceInlet, Intake) {
    let (writer, deliveries) = latest(Delivery::default);
    let (writer, shared) = (Arc::new(Mutex::new(writer)), Arc::new(Shared::default()));
    let intake = Intake { deliveries, shared: shared.clone(), noted: 0, is_fed: false };
    (SourceInlet { descriptor, writer, shared, delays: Arc::default() }, intake)
}

impl SourceInlet {
    /// Returns the descriptor of the values that are delivered here.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Delivers a value in CDR as the source's next sample, which was taken at `stamp` on the
    /// robot's clock. Returns `false` if it replaces one that the source had not read yet.
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
        // A delivery is consistent even if another thread has panicked.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.with_back(|delivery| {
            delivery.stamp = stamp;
            delivery.cdr.clear();
            append(&mut delivery.cdr);
            // Losses are counted under the same lock.
            delivery.losses = self.shared.losses.load(Ordering::Relaxed);
        });
        let is_taken = writer.publish();
        drop(writer);
        self.shared.wakeup.notify_all();
        is_taken
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
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Release: whoever sees the loss sees what was delivered before.
        self.shared.losses.fetch_add(1, Ordering::Release);
        drop(writer);
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
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut delays = self.delays.lock().unwrap_or_else(PoisonError::into_inner);
        delays.taken.record(nanoseconds(delay.saturating_add(clock_error)));
        delays.clock_error = delays.clock_error.max(nanoseconds(clock_error));
    }

    /// Returns the delays of deliveries so far.
    pub(crate) fn measured(&self) -> LinkProfile {
        let Delays { taken, clock_error } = &*self.delays.lock().unwrap_or_else(PoisonError::into_inner);
        LinkProfile { delay: taken.into(), clock_error: *clock_error }
    }

    /// Resets the delays of deliveries.
    pub(crate) fn clear_measured(&self) {
        *self.delays.lock().unwrap_or_else(PoisonError::into_inner) = Delays::default();
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
        if self.deliveries.has_new() {
            return Next::Delivery;
        }
        let is_loss = losses != self.noted && std::mem::take(&mut self.is_fed);
        self.noted = losses;
        if is_loss { Next::Loss } else { Next::Nothing }
    }

    fn has_news(&self) -> bool {
        self.deliveries.has_new() || self.shared.losses.load(Ordering::Acquire) != self.noted
    }

    /// Fills a value with the newest delivery, and returns the time stamp of its sample. May run
    /// user code, and so panic.
    ///
    /// # Errors
    /// Returns an error with the reason if the delivery is not such a value.
    pub fn take(&mut self, value: &mut ValueMut<'_>) -> Result<Time, String> {
        self.deliveries.take();
        let Self { deliveries, noted, is_fed, .. } = self;
        deliveries.with_front(|Delivery { stamp, cdr, losses }| {
            *noted = *losses;
            let mut reader = CdrReader::new(cdr).map_err(|error| error.to_string())?;
            value.read(&mut reader).map_err(|error| error.to_string())?;
            *is_fed = true;
            Ok(*stamp)
        })
    }

    /// Counts a delivery that could not be read.
    pub fn count_unreadable(&self) {
        self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    /// Sleeps until there is a delivery that was not read yet or a loss, or `is_over` returns
    /// `true` and the inlet was [woken](SourceInlet::wake).
    pub fn wait(&self, is_over: impl Fn() -> bool) {
        let seen = self.shared.wakeup.generation();
        // What was written before the event was notified is visible by now, or the wait returns at
        // once.
        if !self.has_news() && !is_over() {
            self.shared.wakeup.wait(seen, None);
        }
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

    use super::*;

    #[test]
    fn the_newest_delivery_is_taken_once_and_one_that_is_no_value_is_an_error() {
        let schema = DataType::structure("test/Count", vec![Field::new("count", u32::data_type(), "")]);
        let descriptor = RepresentationDescriptor::dynamic(Name::intern("Count"), &schema).unwrap();
        let (inlet, mut intake) = inlet(descriptor);
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
        let (inlet, mut intake) = inlet(descriptor);
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
}
