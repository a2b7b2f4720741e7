//! A link's ends of the bus.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::RepresentationDescriptor;
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::configuration::{Keep, LinkConfiguration, SentTopic};
use hemiola_model::module::UntypedPublisher;
use hemiola_realtime::{Wakeup, monotonic_now};
use hemiola_trace::{TickScale, Ticks};

use crate::lane::Waiting;
use crate::passage::contained;

/// A link's ends of the bus. What can be sent and received is known as soon as somebody in the
/// robot has made the topic.
pub struct Topics {
    bus: Bus,
    clock: Arc<RobotClock>,
    scale: Option<TickScale>,
    /// Raised when something is published, or a topic comes to be.
    wakeup: Arc<Wakeup>,
    /// In the order of robot.toml: a topic's place is its number.
    pub sent: Vec<Sent>,
    /// In the order of robot.toml.
    pub received: Vec<Received>,
}

/// A topic that is sent.
pub struct Sent {
    /// What robot.toml says of it.
    pub configuration: SentTopic,
    /// What its messages are; `None` as long as nobody has made it.
    pub schema: Option<Arc<MessageSchema>>,
    /// While a peer wants it.
    queue: Option<AnyQueue>,
    /// How many messages the queue had dropped when this was counted last.
    dropped: u64,
}

/// A topic that is received.
pub struct Received {
    /// Its name.
    pub topic: String,
    /// What its messages are; `None` as long as nobody has made it.
    pub descriptor: Option<&'static RepresentationDescriptor>,
    /// Since the first peer has offered it.
    publisher: Option<Box<dyn UntypedPublisher>>,
}

/// So many messages of each publisher wait for the link's thread at least, and at most; what waits
/// for a peer is another matter.
const SHORTEST_QUEUE: usize = 16;
const LONGEST_QUEUE: usize = 256;
/// So many messages of a topic are received before others have their turn.
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

    /// Sees which topics there are by now; those that are to be sent and cannot leave the process.
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

    /// Subscribes to what is wanted, and no longer to what is not.
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

    /// Receives what was published of a topic: each message, or nothing where it cannot be written.
    /// Whether there may be more.
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

    /// How many messages of a topic found no room before the link's thread came, since this was
    /// asked last.
    pub fn take_dropped(&mut self, topic: usize) -> u64 {
        let sent = &mut self.sent[topic];
        let dropped = sent.queue.as_mut().map_or(0, AnyQueue::dropped);
        dropped - std::mem::replace(&mut sent.dropped, dropped)
    }

    /// Publishes a message of a topic that is received.
    ///
    /// # Errors
    /// It is none of the topic: why.
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

/// When a message was published, in nanoseconds of the robot's clock.
fn published_at(message: &AnyMessage<'_>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let stamped = message.stamp().zip(scale);
    let age = stamped.map_or(0, |(stamp, scale)| scale.nanoseconds_between(stamp, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
