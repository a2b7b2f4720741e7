//! The record of what a run began with, so that it can be repeated.

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::module::{Inlet, Place, SafeState};

/// The record of what a run of a cycle began with:
/// [`Observation::with_runs`](crate::Observation::with_runs).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_model::{Form, Representation};
/// use hemiola_runtime::{Observation, Robot, RunRecord};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// let mut seen = stepper.handle().observe(Observation::default().with_runs())?;
/// stepper.step();
/// stepper.step();
/// let runs: Vec<RunRecord> = std::iter::from_fn(|| seen.next_run()).collect();
/// assert_eq!((runs[1].run, runs[1].now.seconds(), runs[1].order), (1, 0.01, 1));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The cycle.
    pub cycle: Arc<str>,
    /// The number of the run within the cycle.
    pub run: u32,
    /// The time on the cycle's clock.
    pub now: Time,
    /// The place in the order of the runs of all cycles.
    pub order: u64,
    /// The safe state of the robot.
    pub safe_state: SafeState,
    /// The numbers of the changes from outside that came into force with it:
    /// [`JournalEvent::Change`](crate::JournalEvent::Change).
    pub changes: Vec<u32>,
    /// The inputs that it read from each cycle and source.
    pub inputs: Vec<InputRecord>,
    /// The messages of topics that its updates received.
    pub messages: Vec<MessageRecord>,
}

/// The input that a run read from another cycle or a source.
///
/// ```
/// use hemiola_runtime::InputRecord;
///
/// let camera = InputRecord { from: "Camera".into(), snapshot: Some(17), samples: Vec::new() };
/// assert_eq!(camera.last(), Some(17));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRecord {
    /// The cycle or source.
    pub from: Arc<str>,
    /// The run or sample from which the snapshot comes; `None` if there was no new one.
    pub snapshot: Option<u32>,
    /// The samples that were in each of the sample queues.
    pub samples: Vec<SampleRecord>,
}

/// The samples that a run found in a queue.
///
/// ```
/// use hemiola_runtime::{SampleRecord, SampleSpan};
///
/// let heights = SampleRecord { representation: "Height".into(), span: SampleSpan { first: 40, count: 4 } };
/// assert_eq!(heights.span.last(), Some(43));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleRecord {
    /// The representation.
    pub representation: Arc<str>,
    /// The samples.
    pub span: SampleSpan,
}

/// Messages of one publisher that a subscription received.
///
/// ```
/// use hemiola_model::module::Place;
/// use hemiola_runtime::MessageRecord;
///
/// let publisher = Place::Outside(0); // such as a link
/// let two_whistles = MessageRecord { topic: "WhistleHeard".into(), subscriber: 0, publisher, first: 17, count: 2 };
/// assert_eq!(two_whistles.inlet().end(), 19);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// The topic.
    pub topic: Arc<str>,
    /// The number of earlier subscriptions to the same topic in the cycle.
    pub subscriber: u32,
    /// The place of the publisher.
    pub publisher: Place,
    /// The number of the first message among those of its publisher.
    pub first: u64,
    /// The number of messages.
    pub count: u32,
}

impl MessageRecord {
    /// Returns the publisher, and which of its messages these are.
    pub fn inlet(&self) -> Inlet {
        Inlet { place: self.publisher, first: self.first, count: self.count }
    }
}

/// Samples of successive runs.
///
/// ```
/// use hemiola_runtime::SampleSpan;
///
/// assert_eq!(SampleSpan::default().last(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleSpan {
    /// The run or sample of the first one.
    pub first: u32,
    /// The number of samples.
    pub count: u32,
}

impl InputRecord {
    /// Returns the last run or sample of which something was read.
    pub fn last(&self) -> Option<u32> {
        self.samples.iter().map(|samples| samples.span.last()).chain([self.snapshot]).flatten().max()
    }
}

/// The count that marks samples as not consecutive: one in between was lost while these were read.
const TORN: u32 = u32::MAX;
/// The number that stands for the absence of a new snapshot.
pub const NO_SNAPSHOT: u32 = u32::MAX;

impl SampleSpan {
    /// Returns the run or sample of the last one.
    pub fn last(self) -> Option<u32> {
        (self.count > 0).then(|| self.first.wrapping_add(self.count - 1))
    }

    /// Returns whether one in between was lost, so that it is no longer known which ones these are.
    pub fn is_torn(self) -> bool {
        self.first == TORN
    }

    pub(crate) fn extend(&mut self, run: u32) {
        if self.count == 0 {
            self.first = run;
        } else if self.first.wrapping_add(self.count) != run {
            self.first = TORN;
        }
        self.count += 1;
    }
}
