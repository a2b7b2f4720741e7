//! Values that come into a robot from outside: from whoever feeds a source, as a link does, to that
//! source's thread.
//!
//! The newest value counts: it takes the place of one that the source has not taken yet. Those who
//! feed a source take turns, off the real-time threads; the source waits for none of them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hemiola_bus::exchange::{LatestReader, LatestWriter, latest};
use hemiola_model::cdr::CdrReader;
use hemiola_model::{RepresentationDescriptor, Time, ValueMut};
use hemiola_realtime::Wakeup;

use crate::sync::{AtomicU64, Ordering};

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
}

/// The source's end of an inlet.
pub struct Intake {
    deliveries: LatestReader<Delivery>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Notified when there is a new delivery.
    wakeup: Wakeup,
    unreadable: AtomicU64,
}

#[derive(Default)]
struct Delivery {
    stamp: Time,
    cdr: Vec<u8>,
}

/// Creates both ends of an inlet for values of this representation.
pub fn inlet(descriptor: &'static RepresentationDescriptor) -> (SourceInlet, Intake) {
    let (writer, deliveries) = latest(Delivery::default);
    let (writer, shared) = (Arc::new(Mutex::new(writer)), Arc::new(Shared::default()));
    (SourceInlet { descriptor, writer, shared: shared.clone() }, Intake { deliveries, shared })
}

impl SourceInlet {
    /// Returns the descriptor of the values that are delivered here.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Delivers a value in CDR as the source's next sample, which was taken at `stamp` on the
    /// robot's clock. Returns `false` if it takes the place of one that the source had not taken
    /// yet.
    pub fn deliver(&self, stamp: Time, cdr: &[u8]) -> bool {
        // A delivery is whole even if another thread has panicked.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.with_back(|delivery| {
            delivery.stamp = stamp;
            delivery.cdr.clear();
            delivery.cdr.extend_from_slice(cdr);
        });
        let is_taken = writer.publish();
        drop(writer);
        self.shared.wakeup.notify_all();
        is_taken
    }

    /// Wakes the source, which then looks whether it is to end.
    pub(crate) fn wake(&self) {
        self.shared.wakeup.notify_all();
    }

    /// Returns how many deliveries could not be read as values. The robot's messages say why.
    pub fn unreadable(&self) -> u64 {
        self.shared.unreadable.load(Ordering::Relaxed)
    }
}

impl Intake {
    /// Returns whether there is a delivery that was not taken yet.
    pub fn has_new(&self) -> bool {
        self.deliveries.has_new()
    }

    /// Fills a value with the newest delivery, and returns when its sample was taken. May run code
    /// of the representation, and so panic.
    ///
    /// # Errors
    /// The reason why the delivery is no such value.
    pub fn take(&mut self, value: &mut ValueMut<'_>) -> Result<Time, String> {
        self.deliveries.take();
        self.deliveries.with_front(|Delivery { stamp, cdr }| {
            let mut reader = CdrReader::new(cdr).map_err(|error| error.to_string())?;
            value.read(&mut reader).map_err(|error| error.to_string())?;
            Ok(*stamp)
        })
    }

    /// Counts a delivery that could not be read.
    pub fn count_unreadable(&self) {
        self.shared.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    /// Sleeps until there is a delivery that was not taken yet, or `is_over` and the inlet was
    /// [woken](SourceInlet::wake).
    pub fn wait(&self, is_over: impl Fn() -> bool) {
        let seen = self.shared.wakeup.generation();
        // What was written before the event was notified is seen by now, or the wait is none.
        if !self.has_new() && !is_over() {
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
        assert!(!intake.has_new());
        assert!(inlet.deliver(at(1.0), &cdr::encode(&1_u32)));
        assert!(!inlet.deliver(at(2.0), &cdr::encode(&2_u32)), "the first one was not taken");
        let mut value = descriptor.create();
        assert_eq!(intake.take(&mut ValueMut::of(&mut value)), Ok(at(2.0)));
        let mut seen = cdr::CdrWriter::default();
        assert!(value.write(&mut seen));
        assert_eq!(seen.finish(), cdr::encode(&2_u32));
        assert!(!intake.has_new());
        inlet.deliver(at(3.0), &[0, 1, 0]);
        assert!(intake.take(&mut ValueMut::of(&mut value)).is_err());
        // Nobody is waited for that is there already.
        inlet.deliver(at(4.0), &[]);
        intake.wait(|| false);
        assert!(intake.take(&mut ValueMut::of(&mut value)).is_err());
        intake.wait(|| true);
    }
}
