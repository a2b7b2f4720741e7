//! Hands over the messages of topics to an observer.
//!
//! They are published like all messages: nothing waits for the observer's queue, and messages for
//! which there is no room in it are counted. Only a stepped robot waits for observers that want
//! everything, at the beginning of a step, until they have received the messages of the last one:
//! then these have the time at which they were sent.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal, Watch};
use hemiola_model::data::{SharedBytes, Writer};
use hemiola_model::module::Place;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{Generation, Wakeup, monotonic_now};
use hemiola_trace::{TickScale, Ticks};

use super::observation::Choice;
use crate::gate::Pass;
use crate::robot_state::RobotState;

/// The observer's end of topics.
pub struct TopicLine {
    bus: Bus,
    clock: Arc<RobotClock>,
    scale: TickScale,
    chosen: Choice,
    /// The pass, if the robot waits for the observer.
    pass: Option<Pass>,
    /// The signal that is notified of each message.
    signal: Signal,
    /// The signal that is notified when there are new topics.
    news: Arc<Wakeup>,
    seen_news: Generation,
    _watches: Vec<Watch>,
    /// The topics that are known, chosen or not.
    known: BTreeSet<String>,
    queues: Vec<AnyQueue>,
    topics: Vec<SeenTopic>,
    /// The queue that is polled first.
    next: usize,
}

/// A topic that is observed.
///
/// ```
/// # fn show(topic: &hemiola_runtime::SeenTopic) {
/// println!("{}: {}", topic.name, topic.descriptor.name());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SeenTopic {
    /// The name of the topic.
    pub name: String,
    /// The descriptor of its messages.
    pub descriptor: &'static RepresentationDescriptor,
}

/// A message, which is valid until the observer is asked for the next item.
///
/// ```
/// # fn show(message: hemiola_runtime::SeenMessage<'_>) {
/// let mut bytes = hemiola_model::cdr::CdrWriter::default();
/// message.write(&mut bytes);
/// println!("{}: {} bytes at {}", message.name(), bytes.bytes().len(), message.time());
/// # }
/// ```
pub struct SeenMessage<'o> {
    name: &'o str,
    topic: usize,
    time: Time,
    message: AnyMessage<'o>,
}

/// The number of messages of each publisher that can wait for an observer. At 1 kHz it may be away
/// for 60 ms.
const CAPACITY: usize = 64;

impl TopicLine {
    /// Subscribes to the existing topics that are chosen. A stepped robot waits for the observer if
    /// `is_awaited`. The observer's event, if it has one, is notified of each message and of new
    /// topics.
    pub fn new(
        state: &RobotState,
        scale: TickScale,
        chosen: Choice,
        is_awaited: bool,
        wakeup: Option<Arc<Wakeup>>,
    ) -> Self {
        let news = Arc::new(Wakeup::new());
        let watched = [Some(news.clone()), wakeup.clone()];
        let watches = watched.into_iter().flatten().map(|event| state.bus().watch(event.into())).collect();
        let pass = is_awaited.then(|| state.gate().enter());
        let signal = match (pass.as_ref().map(|pass| pass.sent().clone()), wakeup) {
            (Some(sent), Some(wakeup)) => Signal::Wakeups([sent, wakeup].into()),
            (sent, wakeup) => sent.or(wakeup).map_or(Signal::Nothing, Signal::from),
        };
        let mut line = Self {
            bus: state.bus().clone(),
            clock: state.clock().clone(),
            scale,
            chosen,
            pass,
            signal,
            seen_news: news.generation(),
            news,
            _watches: watches,
            known: BTreeSet::new(),
            queues: Vec::new(),
            topics: Vec::new(),
            next: 0,
        };
        line.join();
        line
    }

    /// Subscribes to topics that were created since the last time.
    pub fn join_new(&mut self) {
        if self.news.generation() != self.seen_news {
            self.join();
        }
    }

    /// Subscribes to topics that were created since the last time, if they are chosen and not
    /// opaque.
    fn join(&mut self) {
        self.seen_news = self.news.generation();
        for (name, descriptor) in self.bus.readable_topics() {
            if !self.known.insert(name.clone()) || !(self.chosen)(&name) || descriptor.data_type().is_none() {
                continue;
            }
            if let Some(Ok(queue)) = self.bus.read(&name, CAPACITY, self.signal.clone()) {
                self.queues.push(queue);
                self.topics.push(SeenTopic { name, descriptor });
            }
        }
        if let Some(pass) = self.pass.as_ref().filter(|_| !self.queues.is_empty()) {
            pass.begin();
        }
    }

    /// Returns the topic of the next message, taking topics in turn; `None` if there is none at
    /// present. Never waits.
    pub fn find(&mut self) -> Option<usize> {
        let sent = self.pass.as_ref().map(|pass| pass.sent().generation());
        let count = self.queues.len();
        let found =
            (self.next..self.next + count).map(|index| index % count).find(|index| self.queues[*index].has_messages());
        match found {
            Some(topic) => self.next = (topic + 1) % count,
            // All messages that had been published before were received.
            None => {
                if let (Some(pass), Some(sent)) = (&self.pass, sent)
                    && count > 0
                {
                    pass.take(sent);
                }
            }
        }
        found
    }

    /// Receives the next message of a topic.
    pub fn receive(&mut self, topic: usize) -> Option<SeenMessage<'_>> {
        let name = &self.topics.get(topic)?.name;
        let message = self.queues.get_mut(topic)?.receive()?;
        let age = message.stamp().map_or(0, |stamp| self.scale.nanoseconds_between(stamp, Ticks::now()));
        let time = self.clock.time_at(monotonic_now() - Duration::from_nanos(age));
        Some(SeenMessage { name, topic, time, message })
    }

    /// Returns the observed topics, by their numbers.
    pub fn topics(&self) -> &[SeenTopic] {
        &self.topics
    }

    /// Returns the number of messages of a topic for which there was no room so far.
    pub fn dropped(&mut self, topic: usize) -> u64 {
        self.queues.get_mut(topic).map_or(0, AnyQueue::dropped)
    }
}

impl SeenMessage<'_> {
    /// Returns the name of its topic.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Returns the number of its topic within [`Observer::topics`](crate::Observer::topics).
    pub fn topic(&self) -> usize {
        self.topic
    }

    /// Returns the place of its publisher in the topic.
    pub fn publisher(&self) -> Place {
        self.message.place()
    }

    /// Returns its number among the messages of its publisher.
    pub fn number(&self) -> u64 {
        self.message.number()
    }

    /// Returns the time at which it was published.
    pub fn time(&self) -> Time {
        self.time
    }

    /// Writes the message.
    pub fn write(&self, writer: &mut dyn Writer) {
        // Opaque messages are not observed.
        self.message.write(writer);
    }

    /// Returns the message in CDR, if it is one already: see [`AnyMessage::in_cdr`].
    pub fn in_cdr(&self) -> Option<&SharedBytes> {
        self.message.in_cdr()
    }
}

impl std::fmt::Debug for SeenMessage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SeenMessage").field("topic", &self.name).field("time", &self.time).finish()
    }
}
