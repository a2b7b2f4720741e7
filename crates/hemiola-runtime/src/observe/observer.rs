//! The observer's end of everything that it observes.

use std::fmt;
use std::sync::Arc;

use hemiola_model::module::DebugRecord;
use hemiola_trace::{Event, Report, WorkerId};

use super::hand_over::{Presence, Taker};
use super::parts::PartLine;
use super::runs::RunLine;
use super::topics::{SeenMessage, SeenTopic, TopicLine};
use super::values::{PassedValue, SeenValue, ValueChannel, ValueLine};
use crate::journal::JournalEntry;
use crate::record::{CyclePart, RunRecord};

/// An observer, which receives what it requested of a running robot:
/// [`RobotHandle::observe`](crate::RobotHandle::observe).
///
/// It never waits and nothing waits for it; what it is too slow for is lost to it alone, and
/// [counted](Self::dropped). Dropping it leaves the robot as it was.
///
/// ```
/// use hemiola_runtime::{JournalEvent, Observation, Pace, Robot, Seen};
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let robot = Robot::assemble(configuration)?;
/// let everything = robot.recordable();
/// let running = robot.start(Pace::RealTime)?;
///
/// let mut seen = running.handle().observe(Observation::of(everything).with_topics().with_journal())?;
/// while let Some(item) = seen.next() {
///     match item {
///         Seen::Value(value) => println!("{} at {}", value.representation(), value.now()),
///         Seen::Message(message) => println!("{} says something", message.name()),
///         Seen::Journal(entry) => println!("{:?}", entry.event),
///         _ => {}
///     }
/// }
/// # running.stop();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Default)]
pub struct Observer {
    visit: Option<Visit>,
    /// The number of cycles and sources that will attach it.
    pub(super) expected: u32,
    pub(super) values: Vec<ValueLine>,
    pub(super) runs: Vec<RunLine>,
    pub(super) parts: Vec<PartLine>,
    topics: Option<TopicLine>,
    gathered: Gathered,
    /// The line of values that is polled first.
    next: usize,
}

/// The receiving ends of what the service thread gathers.
#[derive(Default)]
pub struct Gathered {
    pub journal: Option<Taker<JournalEntry>>,
    pub debug: Option<Taker<DebugRecord>>,
    pub statistics: Option<Taker<Arc<Report>>>,
    pub events: Option<Taker<SeenEvents>>,
}

/// An item that an observer receives.
///
/// See [`Observer`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Seen<'o> {
    /// A value of a representation.
    Value(SeenValue<'o>),
    /// A message of a topic.
    Message(SeenMessage<'o>),
    /// The record of what a run began with.
    Run(RunRecord),
    /// A cycle's part of a checkpoint of all that later runs depend on.
    Part(CyclePart),
    /// A plot, drawing or text of an update.
    Debug(DebugRecord),
    /// An event besides the runs.
    Journal(JournalEntry),
    /// The timing statistics so far.
    Statistics(Arc<Report>),
    /// Events of a worker or source.
    Events(SeenEvents),
}

/// Events of one worker or source, in order;
/// [`RobotHandle::capture_events`](crate::RobotHandle::capture_events) has the names in them.
#[derive(Clone, Debug)]
pub struct SeenEvents {
    /// The worker or source.
    pub worker: WorkerId,
    /// The events.
    pub events: Vec<Event>,
    /// The number of events before these that were overwritten.
    pub lost: u64,
}

/// The numbers of items for which an observer was too slow: [`Observer::dropped`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The number of values; [`ValueChannel::dropped`] has it by representation.
    pub values: u64,
    /// The number of messages of topics.
    pub messages: u64,
    /// The number of records of what runs began with.
    pub runs: u64,
    /// The number of parts of checkpoints.
    pub parts: u64,
    /// The number of plots, drawings and texts of updates, including those that did not fit into
    /// the queues that all observers share.
    pub debug: u64,
    /// The number of entries of the journal.
    pub entries: u64,
    /// The number of pieces of events.
    pub events: u64,
}

impl Observer {
    pub(crate) fn of(presence: Arc<Presence>) -> Self {
        Self { visit: Some(Visit(presence)), ..Self::default() }
    }

    pub(crate) fn see_topics(&mut self, line: TopicLine) {
        self.topics = Some(line);
    }

    pub(crate) fn see_gathered(&mut self, gathered: Gathered) {
        self.gathered = gathered;
    }

    /// Returns the next item; `None` if there is none at present. Never waits.
    ///
    /// The record of a run comes before what it provided, and messages when there are no more
    /// values: in a stepped robot, all values that were provided with them have arrived by then.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Option<Seen<'_>> {
        if let Some(run) = self.next_run() {
            return Some(Seen::Run(run));
        }
        if let Some(part) = self.next_part() {
            return Some(Seen::Part(part));
        }
        if let Some((line, passed)) = self.take_value() {
            return Some(Seen::Value(self.value(line, passed)));
        }
        if let Some(topic) = self.find_message() {
            return self.topics.as_mut()?.receive(topic).map(Seen::Message);
        }
        if let Some(entry) = self.next_entry() {
            return Some(Seen::Journal(entry));
        }
        let Gathered { debug, statistics, events, .. } = &mut self.gathered;
        take(debug)
            .map(Seen::Debug)
            .or_else(|| take(statistics).map(Seen::Statistics))
            .or_else(|| take(events).map(Seen::Events))
    }

    /// Returns the next value, taking cycles and sources in turn.
    pub fn next_value(&mut self) -> Option<SeenValue<'_>> {
        let (line, passed) = self.take_value()?;
        Some(self.value(line, passed))
    }

    /// Releases all values that have arrived so far except the newest one of each cycle and source.
    /// Returns the number of released values. For observers of one representation that need only
    /// its newest value and so need not look at the others.
    ///
    /// ```
    /// # fn show(mut ball: hemiola_runtime::Observer) {
    /// let passed_over = ball.keep_newest_value();
    /// if let Some(newest) = ball.next_value() {
    ///     println!("{} after {passed_over} others", newest.now());
    /// }
    /// # }
    /// ```
    pub fn keep_newest_value(&mut self) -> u64 {
        self.values.iter_mut().map(ValueLine::keep_newest).sum()
    }

    /// Returns the number of the last run, or sample, of which everything has been passed on to all
    /// observers; `None` for an observer of no values, or of several cycles and sources.
    pub fn last_complete_run(&self) -> Option<u32> {
        match &self.values[..] {
            [line] => Some(line.complete()),
            _ => None,
        }
    }

    /// Leaves the values of later runs than this one where they are, so that several observers of
    /// one cycle read what belongs together.
    ///
    /// ```
    /// # use hemiola_runtime::Observer;
    /// fn read_together(mut pose: Observer, mut ball: Observer) {
    ///     let Some(run) = pose.last_complete_run() else { return };
    ///     [&mut pose, &mut ball].map(|observer| observer.read_until(run));
    ///     let newest = [pose, ball].map(|mut observer| {
    ///         observer.keep_newest_value();
    ///         observer.next_value().map(|value| value.run())
    ///     });
    ///     assert!(newest.iter().flatten().all(|newest| *newest <= run)); // until numbers wrap around
    /// }
    /// ```
    pub fn read_until(&mut self, run: u32) {
        self.values.iter_mut().for_each(|line| line.read_until(run));
    }

    /// Returns the next message, taking topics in turn.
    pub fn next_message(&mut self) -> Option<SeenMessage<'_>> {
        let topic = self.find_message()?;
        self.topics.as_mut()?.receive(topic)
    }

    /// Returns the record of what the next run began with, taking cycles in turn.
    pub fn next_run(&mut self) -> Option<RunRecord> {
        self.runs.iter_mut().find_map(RunLine::next)
    }

    /// Returns the next part of a checkpoint, taking cycles in turn.
    pub fn next_part(&mut self) -> Option<CyclePart> {
        self.parts.iter_mut().find_map(PartLine::next)
    }

    /// Returns the next entry of the journal.
    pub fn next_entry(&mut self) -> Option<JournalEntry> {
        take(&mut self.gathered.journal)
    }

    /// Returns the next plot, drawing or text of an update.
    pub fn next_debug(&mut self) -> Option<DebugRecord> {
        take(&mut self.gathered.debug)
    }

    /// Returns the representations that it observes, each with its number: [`SeenValue::channel`].
    pub fn channels(&self) -> Vec<ValueChannel> {
        self.values.iter().flat_map(ValueLine::channels).collect()
    }

    /// Returns the topics that it observes, each with its number: [`SeenMessage::topic`]. More may
    /// be added.
    pub fn topics(&mut self) -> &[SeenTopic] {
        let Some(line) = &mut self.topics else { return &[] };
        line.join_new();
        line.topics()
    }

    /// Returns the number of messages of that topic for which it was too slow.
    pub fn dropped_messages(&mut self, topic: usize) -> u64 {
        self.topics.as_mut().map_or(0, |line| line.dropped(topic))
    }

    /// Returns the numbers of items for which it was too slow, and which it will never receive.
    pub fn dropped(&mut self) -> Dropped {
        let topics = self.topics.as_ref().map_or(0, |line| line.topics().len());
        let Gathered { journal, debug, events, .. } = &self.gathered;
        Dropped {
            values: self.values.iter().flat_map(ValueLine::channels).map(|channel| channel.dropped).sum(),
            runs: self.runs.iter().map(RunLine::dropped).sum(),
            parts: self.parts.iter().map(PartLine::dropped).sum(),
            debug: debug.as_ref().map_or(0, Taker::dropped),
            entries: journal.as_ref().map_or(0, Taker::dropped),
            events: events.as_ref().map_or(0, Taker::dropped),
            messages: (0..topics).map(|topic| self.dropped_messages(topic)).sum(),
        }
    }

    /// Returns whether all cycles and sources that it observes have attached it: from then on it
    /// misses nothing except what it is too slow for. An observer that is created before the robot
    /// begins misses nothing in any case.
    pub fn is_attached(&self) -> bool {
        self.visit.as_ref().is_none_or(|Visit(presence)| presence.attached() >= self.expected)
    }

    fn take_value(&mut self) -> Option<(usize, PassedValue)> {
        let count = self.values.len();
        let (line, passed) = (self.next..self.next + count).find_map(|line| {
            let line = line % count;
            self.values[line].take().map(|passed| (line, passed))
        })?;
        self.next = (line + 1) % count;
        Some((line, passed))
    }

    fn value(&self, line: usize, passed: PassedValue) -> SeenValue<'_> {
        let first = self.values[..line].iter().map(ValueLine::width).sum();
        self.values[line].see(passed, first)
    }

    fn find_message(&mut self) -> Option<usize> {
        let line = self.topics.as_mut()?;
        line.join_new();
        line.find()
    }
}

fn take<T>(taker: &mut Option<Taker<T>>) -> Option<T> {
    taker.as_mut()?.take()
}

/// The guard of the observer's presence, which ends when it is dropped, before the received items.
struct Visit(Arc<Presence>);

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.channels()).finish()
    }
}
