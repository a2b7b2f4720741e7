//! Hands the messages of topics to a recorder.
//!
//! They go the way of all messages: nobody waits for the recorder's queue, and what finds no room in it is counted. Only a robot that is stepped
//! waits, at the beginning of a step, until those of the last one have been taken: then they have the time at which they were sent.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::data::Writer;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::monotonic_now;
use hemiola_trace::{TickScale, Ticks};

use crate::gate::Gate;
use crate::robot_state::RobotState;

/// Takes the messages of a robot's topics, whatever they are: [`RobotHandle::tap_topics`](crate::RobotHandle::tap_topics).
///
/// ```
/// # fn record(robot: &hemiola_runtime::RobotHandle) {
/// let mut tap = robot.tap_topics();
/// for topic in tap.join(|name| name != "chatter") {
///     println!("{} is recorded", topic.name);
/// }
/// while let Some(message) = tap.next() {
///     println!("a message of topic {} at {}", message.topic(), message.time());
/// }
/// # }
/// ```
pub struct TopicTap {
    bus: Bus,
    clock: Arc<RobotClock>,
    scale: TickScale,
    /// If the robot is stepped.
    gate: Option<Arc<Gate>>,
    /// Those that were looked at, chosen or not.
    known: BTreeSet<String>,
    queues: Vec<AnyQueue>,
    /// The queue that is looked at first.
    next: usize,
}

/// A topic that was joined.
///
/// ```
/// # fn show(topic: &hemiola_runtime::TappedTopic) {
/// println!("{}: {}", topic.name, topic.descriptor.name());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TappedTopic {
    /// What it is called.
    pub name: String,
    /// What its messages are.
    pub descriptor: &'static RepresentationDescriptor,
}

/// A message, until the next one is asked for.
///
/// ```
/// # fn show(message: hemiola_runtime::TappedMessage<'_>) {
/// let mut bytes = hemiola_model::cdr::CdrWriter::default();
/// message.write(&mut bytes);
/// println!("{} bytes at {}", bytes.bytes().len(), message.time());
/// # }
/// ```
pub struct TappedMessage<'t> {
    topic: usize,
    time: Time,
    message: AnyMessage<'t>,
}

/// So many messages of each publisher can wait for the recorder. At 1 kHz it may be away for 60 ms.
const CAPACITY: usize = 64;

impl TopicTap {
    pub(crate) fn new(state: &RobotState, scale: TickScale) -> Self {
        // A stepped clock waits for nobody, and for a recorder all the more.
        let gate = state.clock().due(Time::ZERO).is_none().then(|| state.gate().clone());
        Self {
            bus: state.bus().clone(),
            clock: state.clock().clone(),
            scale,
            gate,
            known: BTreeSet::new(),
            queues: Vec::new(),
            next: 0,
        }
    }

    /// Joins those topics that have come since the last time, if they are chosen and not opaque; tells which: their numbers follow those of
    /// before, from zero. Topics that a program made by itself are among them if it made them [readable](Bus::readable_topic).
    pub fn join(&mut self, chosen: impl Fn(&str) -> bool) -> Vec<TappedTopic> {
        let mut joined = Vec::new();
        for (name, descriptor) in self.bus.readable_topics() {
            if !self.known.insert(name.clone()) || !chosen(&name) || descriptor.data_type().is_none() {
                continue;
            }
            let signal = self.gate.as_ref().map_or(Signal::Nothing, |gate| gate.sent.clone().into());
            if let Some(Ok(queue)) = self.bus.read(&name, CAPACITY, signal) {
                self.queues.push(queue);
                joined.push(TappedTopic { name, descriptor });
            }
        }
        if let Some(gate) = self.gate.as_ref().filter(|_| !self.queues.is_empty()) {
            gate.taken().get_or_insert(gate.sent.generation());
        }
        joined
    }

    /// The next message, of the topics in turn; `None` when there is none at present. Never waits.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Option<TappedMessage<'_>> {
        let sent = self.gate.as_ref().map(|gate| gate.sent.generation());
        let count = self.queues.len();
        let found = (self.next..self.next + count).map(|index| index % count).find(|index| {
            // Asked twice: what is found would be borrowed for as long as others are looked at.
            self.queues[*index].has_messages()
        });
        let Some(topic) = found else {
            // All that had been sent before was taken.
            if let (Some(gate), Some(sent)) = (&self.gate, sent) {
                gate.taken().replace(sent);
            }
            return None;
        };
        self.next = (topic + 1) % count;
        let message = self.queues[topic].receive()?;
        let age = message.stamp().map_or(0, |stamp| self.scale.nanoseconds_between(stamp, Ticks::now()));
        let time = self.clock.time_at(monotonic_now() - Duration::from_nanos(age));
        Some(TappedMessage { topic, time, message })
    }

    /// How many messages of a topic found no room so far.
    pub fn dropped(&mut self, topic: usize) -> u64 {
        self.queues[topic].dropped()
    }
}

impl Drop for TopicTap {
    fn drop(&mut self) {
        if let Some(gate) = &self.gate {
            *gate.taken() = None;
        }
    }
}

impl std::fmt::Debug for TopicTap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TopicTap").field("topics", &self.queues.len()).finish_non_exhaustive()
    }
}

impl TappedMessage<'_> {
    /// The number of its topic among those that were joined.
    pub fn topic(&self) -> usize {
        self.topic
    }

    /// When it was sent.
    pub fn time(&self) -> Time {
        self.time
    }

    /// Writes it.
    pub fn write(&self, writer: &mut dyn Writer) {
        // What is opaque is not joined.
        self.message.write(writer);
    }
}

impl std::fmt::Debug for TappedMessage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TappedMessage").field("topic", &self.topic).field("time", &self.time).finish()
    }
}
