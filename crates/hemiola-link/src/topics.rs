//! A link's ends of the bus.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::configuration::{Keep, LinkConfiguration, SentTopic};
use hemiola_model::module::UntypedPublisher;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{Wakeup, monotonic_now};
use hemiola_trace::{TickScale, Ticks};

use crate::lane::Waiting;
use crate::passage::contained;

/// A link's ends of the bus. The type of a topic is known as soon as the topic exists in the robot.
pub struct Topics {
    bus: Bus,
    clock: Arc<RobotClock>,
    scale: Option<TickScale>,
    /// Notified when a message is published, or a topic is created.
    wakeup: Arc<Wakeup>,
    /// The topics that are sent, in the order of robot.toml: the index of a topic is its number.
    pub sent: Vec<Sent>,
    /// The topics that are received, in the order of robot.toml.
    pub received: Vec<Received>,
}

/// A topic that is sent.
pub struct Sent {
    /// The configuration in robot.toml.
    pub configuration: SentTopic,
    /// The type of the topic's messages; `None` as long as the topic does not exist.
    pub schema: Option<Arc<MessageSchema>>,
    /// The subscription, which exists while a peer wants the topic.
    queue: Option<AnyQueue>,
    /// How many dropped messages of the queue were counted already.
    dropped: u64,
}

/// A topic that is received.
pub struct Received {
    /// The topic's name.
    pub topic: String,
    /// The type of the topic's messages; `None` as long as the topic does not exist.
    pub descriptor: Option<&'static RepresentationDescriptor>,
    /// The publisher, which is created for the first message.
    publisher: Option<Box<dyn UntypedPublisher>>,
}

/// The least and the most messages of each publisher that wait for the links' thread. The queues of
/// messages that wait for a peer have limits of their own.
const SHORTEST_QUEUE: usize = 16;
const LONGEST_QUEUE: usize = 256;
/// The number of messages of a topic that are received before other work has its turn.
const AT_ONCE: usize = 256;

impl Topics {
    pub fn new(
        link: &LinkConfiguration,
        bus: Bus,
        clock: Arc<RobotClock>,
        scale: Option<TickScale>,
        wakeup: Arc<Wakeup>,
    ) -> Self {
        let sent = link.send.iter().cloned();
        let sent = sent.map(|configuration| Sent { configuration, schema: None, queue: None, dropped: 0 }).collect();
        let received = link.receive.iter().cloned();
        let received = received.map(|topic| Received { topic, descriptor: None, publisher: None }).collect();
        Self { bus, clock, scale, wakeup, sent, received }
    }

    /// Returns the time on the robot's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Notes which topics exist by now. Returns those that are to be sent but cannot leave the
    /// process.
    pub fn look(&mut self) -> Vec<String> {
        let mut opaque = Vec::new();
        if self.sent.iter().all(|sent| sent.schema.is_some())
            && self.received.iter().all(|received| received.descriptor.is_some())
        {
            return opaque;
        }
        for (name, descriptor) in self.bus.readable_topics() {
            for sent in self.sent.iter_mut().filter(|sent| sent.configuration.topic == name && sent.schema.is_none()) {
                match descriptor.data_type() {
                    Some(data_type) => sent.schema = Some(Arc::new(MessageSchema::of(descriptor.name(), &data_type))),
                    None => opaque.push(name.clone()),
                }
            }
            self.received
                .iter_mut()
                .filter(|received| received.topic == name)
                .for_each(|received| received.descriptor = Some(descriptor));
        }
        opaque
    }

    /// Subscribes to a topic that is wanted, or ends the subscription to one that is not.
    pub fn subscribe(&mut self, topic: usize, is_wanted: bool) {
        let sent = &mut self.sent[topic];
        if sent.queue.is_some() == is_wanted {
            return;
        }
        let capacity = match sent.configuration.keep {
            Keep::Newest => SHORTEST_QUEUE,
            Keep::Last(kept) => kept.clamp(SHORTEST_QUEUE, LONGEST_QUEUE),
        };
        let queue = || self.bus.read(&sent.configuration.topic, capacity, Signal::Wakeup(self.wakeup.clone()));
        sent.queue = if is_wanted { queue().and_then(Result::ok) } else { None };
        sent.dropped = 0;
    }

    /// Drains the messages of a topic: passes each one to `take`, or `None` if it cannot be
    /// serialized. Returns whether there may be more.
    pub fn receive(&mut self, topic: usize, mut take: impl FnMut(Option<Waiting>)) -> bool {
        let Self { sent, clock, scale, .. } = self;
        let Some(queue) = &mut sent[topic].queue else { return false };
        for _ in 0..AT_ONCE {
            let Some(message) = queue.receive() else { return false };
            let time = published_at(&message, clock, scale.as_ref());
            let written = contained(|| {
                let mut writer = CdrWriter::default();
                message.write(&mut writer).then(|| writer.finish())
            });
            take(written.ok().flatten().map(|cdr| Waiting { time, cdr: cdr.into() }));
        }
        true
    }

    /// Returns how many messages of a topic were dropped before the links' thread received them,
    /// since the last call.
    pub fn take_dropped(&mut self, topic: usize) -> u64 {
        let sent = &mut self.sent[topic];
        let dropped = sent.queue.as_mut().map_or(0, AnyQueue::dropped);
        dropped - std::mem::replace(&mut sent.dropped, dropped)
    }

    /// Publishes a message of a topic that is received.
    ///
    /// # Errors
    /// Returns an error with the reason if the bytes are no message of the topic, or nobody has
    /// subscribed to it.
    pub fn publish(&mut self, topic: usize, cdr: &[u8]) -> Result<(), String> {
        let Received { topic, publisher, .. } = &mut self.received[topic];
        let published = contained(|| {
            let publisher = match publisher {
                Some(publisher) => publisher,
                None => {
                    let made = self.bus.untyped_publisher(topic).ok_or("nobody has subscribed to it")?;
                    publisher.insert(made.map_err(|error| error.to_string())?)
                }
            };
            let mut reader = CdrReader::new(cdr).map_err(|error| error.to_string())?;
            publisher.publish(&mut reader).map_err(|error| error.to_string())
        });
        published.unwrap_or_else(Err)
    }
}

/// Returns when a message was published, in nanoseconds of the robot's clock.
fn published_at(message: &AnyMessage<'_>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let stamped = message.stamp().zip(scale);
    let age = stamped.map_or(0, |(stamp, scale)| scale.nanoseconds_between(stamp, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
