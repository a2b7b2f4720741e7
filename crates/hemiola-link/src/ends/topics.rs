use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::configuration::{self, Keep, LinkConfiguration, Subject, SubjectKind};
use hemiola_model::module::UntypedPublisher;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{Wakeup, monotonic_now};
use hemiola_runtime::{Change, Observation, Observer, RobotHandle, SourceInlet};
use hemiola_trace::{TickScale, Ticks};

use super::{Waiting, contained};

/// The robot whose topics and representations are carried.
///
/// See [`Topics`].
#[derive(Clone)]
pub struct Ends {
    /// The bus with its topics and services.
    pub bus: Bus,
    /// Its clock.
    pub clock: Arc<RobotClock>,
    /// The scale of the bus's ticks, if messages carry the time at which they were published.
    pub scale: Option<TickScale>,
    /// The robot with the representations; `None`: there are only topics.
    pub robot: Option<RobotHandle>,
}

/// Ends of a robot's topics and representations. The type of a topic is known as soon as the topic
/// exists there.
///
/// ```
/// use hemiola_bus::{Bus, RobotClock};
/// use hemiola_link::ends::{Ends, Topics};
/// use hemiola_model::configuration::Sent;
/// use hemiola_realtime::Wakeup;
/// use std::sync::Arc;
///
/// let ends = Ends { bus: Bus::new(), clock: Arc::new(RobotClock::running(1.0)), scale: None, robot: None };
/// let mut topics = Topics::new([Sent::topic("Odometry")], [], ends, Arc::new(Wakeup::new()));
/// topics.look();
/// assert!(topics.sent[0].schema.is_none()); // nobody publishes it yet
/// ```
pub struct Topics {
    ends: Ends,
    /// Notified when there is something to send, or a topic is created.
    wakeup: Arc<Wakeup>,
    /// What is sent, in the order of robot.toml: the index is its number.
    pub sent: Vec<Sent>,
    /// What is received, in the order of robot.toml.
    pub received: Vec<Received>,
}

/// A topic or representation that is sent. See [`Topics`].
pub struct Sent {
    /// The configuration in robot.toml.
    pub configuration: configuration::Sent,
    /// The type of the messages or values; `None` as long as the robot has no such thing.
    pub schema: Option<Arc<MessageSchema>>,
    /// Where the messages or values come from, while a peer wants them.
    flow: Option<Flow>,
    /// How many of those that were dropped there were counted already.
    dropped: u64,
}

/// Where messages or values come from that are sent.
enum Flow {
    Messages(AnyQueue),
    Values(Box<Observer>),
}

/// A topic or representation that is received. See [`Topics`].
pub struct Received {
    /// What is received.
    pub subject: Subject,
    /// The type of the messages or values; `None` as long as the robot has no such thing.
    pub descriptor: Option<&'static RepresentationDescriptor>,
    /// The publisher of a topic, which is created for the first message.
    publisher: Option<Box<dyn UntypedPublisher>>,
    /// The inlet of a representation.
    inlet: Option<SourceInlet>,
    /// How many of the values that the inlet could not read were counted already.
    unreadable: u64,
}

/// The least and the most messages of each publisher that wait for the links' thread. The queues of
/// messages that wait for a peer have limits of their own.
const SHORTEST_QUEUE: usize = 16;
const LONGEST_QUEUE: usize = 256;
/// The number of messages or values of one kind that are received before other work has its turn.
const AT_ONCE: usize = 256;

impl Topics {
    /// Creates the ends of what is sent, and of what is received with the names of the sources that
    /// provide it if it is a representation. `wakeup` is notified when there is something to do.
    pub fn new(
        sent: impl IntoIterator<Item = configuration::Sent>,
        received: impl IntoIterator<Item = (Subject, String)>,
        ends: Ends,
        wakeup: Arc<Wakeup>,
    ) -> Self {
        let robot = ends.robot.as_ref();
        let sent = sent.into_iter().map(|sent| {
            let found = robot.filter(|_| sent.subject.kind == SubjectKind::Representation);
            let schema = found.and_then(|robot| schema(robot.representation(&sent.subject.name)?));
            Sent { configuration: sent, schema, flow: None, dropped: 0 }
        });
        let received = received.into_iter().map(|(subject, source)| {
            let found = robot.filter(|_| subject.kind == SubjectKind::Representation);
            let inlet = found.and_then(|robot| robot.inlet(&source));
            Received {
                subject,
                descriptor: inlet.as_ref().map(SourceInlet::descriptor),
                publisher: None,
                inlet,
                unreadable: 0,
            }
        });
        let (sent, received) = (sent.collect(), received.collect());
        Self { ends, wakeup, sent, received }
    }

    /// Creates the ends of a link.
    pub(crate) fn of_link(link: &LinkConfiguration, ends: Ends, wakeup: Arc<Wakeup>) -> Self {
        let received = link.receive.iter().map(|received| (received.subject.clone(), received.source(&link.name)));
        Self::new(link.send.iter().cloned(), received, ends, wakeup)
    }

    /// Returns the time on the robot's clock.
    pub fn now(&self) -> Time {
        self.ends.clock.now()
    }

    /// Has the robot enter its safe state because a peer of the link of that name is lost. A robot
    /// that is ending makes itself safe, and bare topics move nothing.
    pub(crate) fn enter_safe_state(&self, link: &str, peer: &str) {
        if let Some(robot) = self.ends.robot.as_ref().filter(|robot| !robot.is_stopping()) {
            _ = robot.change_by(Change::EnterSafeState, &format!("link `{link}` (it has lost `{peer}`)"));
        }
    }

    /// Returns whether representations are received, whose stamps are to be converted.
    pub(crate) fn receives_values(&self) -> bool {
        self.received.iter().any(|received| received.subject.kind == SubjectKind::Representation)
    }

    /// Notes which topics exist by now. Returns those that are to be sent but cannot leave the
    /// process.
    pub fn look(&mut self) -> Vec<String> {
        let mut opaque = Vec::new();
        let Self { ends, sent, received, .. } = self;
        let is_open = |subject: &Subject, is_known: bool| subject.kind == SubjectKind::Topic && !is_known;
        let mut sent: Vec<_> =
            sent.iter_mut().filter(|sent| is_open(&sent.configuration.subject, sent.schema.is_some())).collect();
        let mut received: Vec<_> =
            received.iter_mut().filter(|it| is_open(&it.subject, it.descriptor.is_some())).collect();
        if sent.is_empty() && received.is_empty() {
            return opaque;
        }
        for (name, descriptor) in ends.bus.readable_topics() {
            for sent in sent.iter_mut().filter(|sent| sent.configuration.subject.name == name) {
                sent.schema = schema(descriptor);
                opaque.extend(sent.schema.is_none().then(|| name.clone()));
            }
            received
                .iter_mut()
                .filter(|received| received.subject.name == name)
                .for_each(|received| received.descriptor = Some(descriptor));
        }
        opaque
    }

    /// Subscribes to what is wanted, or ends the subscription to what is not.
    ///
    /// # Errors
    /// Returns an error with the reason if values cannot be observed.
    pub fn subscribe(&mut self, topic: usize, is_wanted: bool) -> Result<(), String> {
        let sent = &mut self.sent[topic];
        if sent.flow.is_some() == is_wanted {
            return Ok(());
        }
        (sent.flow, sent.dropped) = (None, 0);
        let Subject { kind, name } = &sent.configuration.subject;
        match (kind, &self.ends.robot) {
            _ if !is_wanted => {}
            (SubjectKind::Topic, _) => {
                let capacity = match sent.configuration.keep {
                    Keep::Newest => SHORTEST_QUEUE,
                    Keep::Last(kept) => kept.clamp(SHORTEST_QUEUE, LONGEST_QUEUE),
                };
                let queue = self.ends.bus.read(name, capacity, Signal::Wakeup(self.wakeup.clone()));
                sent.flow = queue.and_then(Result::ok).map(Flow::Messages);
            }
            (SubjectKind::Representation, Some(robot)) => {
                let observation = Observation::of([name.as_str()]).notifying(self.wakeup.clone());
                let observer = robot.observe(observation).map_err(|error| error.to_string())?;
                sent.flow = Some(Flow::Values(Box::new(observer)));
            }
            (SubjectKind::Representation, None) => {}
        }
        Ok(())
    }

    /// Drains the messages or values of one kind: passes each one to `take`, or `None` if it cannot
    /// be serialized. Returns whether there may be more.
    pub fn receive(&mut self, topic: usize, mut take: impl FnMut(Option<Waiting>)) -> bool {
        let Self { sent, ends, .. } = self;
        for _ in 0..AT_ONCE {
            let waiting = match &mut sent[topic].flow {
                Some(Flow::Messages(queue)) => queue.receive().map(|message| {
                    let time = published_at(&message, &ends.clock, ends.scale.as_ref());
                    written(|writer| message.write(writer)).map(|cdr| Waiting { time, stamp: None, cdr })
                }),
                Some(Flow::Values(observer)) => observer.next_value().map(|value| {
                    let (time, stamp) = (value.now().nanoseconds(), Some(value.stamp().nanoseconds()));
                    written(|writer| value.value().write(writer)).map(|cdr| Waiting { time, stamp, cdr })
                }),
                None => None,
            };
            match waiting {
                Some(waiting) => take(waiting),
                None => return false,
            }
        }
        true
    }

    /// Returns how many messages or values of one kind were dropped before the links' thread
    /// received them, since the last call.
    pub fn take_dropped(&mut self, topic: usize) -> u64 {
        let sent = &mut self.sent[topic];
        let dropped = match &mut sent.flow {
            Some(Flow::Messages(queue)) => queue.dropped(),
            Some(Flow::Values(observer)) => observer.dropped().values,
            None => 0,
        };
        dropped - std::mem::replace(&mut sent.dropped, dropped)
    }

    /// Publishes a message of a topic that is received.
    ///
    /// # Errors
    /// Returns an error with the reason if the bytes are no message of the topic, or nobody has
    /// subscribed to it.
    pub fn publish(&mut self, topic: usize, cdr: &[u8]) -> Result<(), String> {
        let Received { subject, publisher, .. } = &mut self.received[topic];
        let published = contained(|| {
            let publisher = match publisher {
                Some(publisher) => publisher,
                None => {
                    let made = self.ends.bus.untyped_publisher(&subject.name).ok_or("nobody has subscribed to it")?;
                    publisher.insert(made.map_err(|error| error.to_string())?)
                }
            };
            let mut reader = CdrReader::new(cdr).map_err(|error| error.to_string())?;
            publisher.publish(&mut reader).map_err(|error| error.to_string())
        });
        published.unwrap_or_else(Err)
    }

    /// Delivers a value of a representation that is received, with its stamp on the robot's clock.
    /// Returns `false` if it takes the place of one that the source had not taken yet.
    pub fn deliver(&mut self, topic: usize, stamp: i64, cdr: &[u8]) -> bool {
        let inlet = self.received[topic].inlet.as_ref();
        inlet.is_none_or(|inlet| inlet.deliver(Time::from_nanoseconds(stamp), cdr))
    }

    /// Returns how many values of a representation the source could not read, since the last call.
    pub fn take_unreadable(&mut self, topic: usize) -> u64 {
        let received = &mut self.received[topic];
        let unreadable = received.inlet.as_ref().map_or(0, SourceInlet::unreadable);
        unreadable - std::mem::replace(&mut received.unreadable, unreadable)
    }
}

/// Returns the type of messages or values; `None` if they are opaque.
fn schema(descriptor: &'static RepresentationDescriptor) -> Option<Arc<MessageSchema>> {
    Some(Arc::new(MessageSchema::of(descriptor.name(), &descriptor.data_type()?)))
}

/// Returns what `write` writes, which is code of users; `None` if it cannot.
fn written(write: impl FnOnce(&mut CdrWriter) -> bool) -> Option<Arc<[u8]>> {
    let written = contained(|| {
        let mut writer = CdrWriter::default();
        write(&mut writer).then(|| writer.finish())
    });
    written.ok().flatten().map(Arc::from)
}

/// Returns when a message was published, in nanoseconds of the robot's clock.
fn published_at(message: &AnyMessage<'_>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let stamped = message.stamp().zip(scale);
    let age = stamped.map_or(0, |(stamp, scale)| scale.nanoseconds_between(stamp, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
