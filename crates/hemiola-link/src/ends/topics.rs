use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{self, Keep, LinkConfiguration, Subject, SubjectKind};
use hemiola_model::module::UntypedPublisher;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{SharedMemory, Wakeup, monotonic_now};
use hemiola_runtime::{Change, Observation, Observer, RobotHandle, SourceInlet};
use hemiola_trace::{TickScale, Ticks};

use super::buffers::Buffers;
use super::{Contents, Waiting, contained};

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
/// let mut topics = Topics::new([(Sent::topic("Odometry"), Arc::new(Wakeup::new()))], [], ends);
/// topics.look();
/// assert!(topics.sent[0].schema.is_none()); // nobody publishes it yet
/// ```
pub struct Topics {
    ends: Ends,
    /// What is sent, in the order of robot.toml: the index is its number.
    pub sent: Vec<Sent>,
    /// What is received, in the order of robot.toml.
    pub received: Vec<Received>,
    /// What is sent of which there may be something.
    marked: VecDeque<usize>,
    /// Where messages are written that peers read there.
    memory: Option<Arc<SharedMemory>>,
}

/// A topic or representation that is sent. See [`Topics`].
pub struct Sent {
    /// The configuration in robot.toml.
    pub configuration: configuration::Sent,
    /// The type of the messages or values; `None` as long as the robot has no such thing.
    pub schema: Option<Arc<MessageSchema>>,
    /// Where the messages or values come from, while a peer wants them.
    flow: Option<Flow>,
    /// Notified when there is something to send.
    event: Arc<Wakeup>,
    is_marked: bool,
    buffers: Buffers,
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
    /// The name by which others offer it.
    pub name_there: String,
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

impl Topics {
    /// Creates the ends of what is sent, each with the event that is notified when there is
    /// something to send, and of what is received with the names of the sources that provide it if
    /// it is a representation.
    pub fn new(
        sent: impl IntoIterator<Item = (configuration::Sent, Arc<Wakeup>)>,
        received: impl IntoIterator<Item = (Subject, String)>,
        ends: Ends,
    ) -> Self {
        let robot = ends.robot.as_ref();
        let sent = sent.into_iter().map(|(sent, event)| {
            let found = robot.filter(|_| sent.subject.kind == SubjectKind::Representation);
            let schema = found.and_then(|robot| schema(robot.representation(&sent.subject.name)?));
            Sent {
                configuration: sent,
                schema,
                flow: None,
                event,
                is_marked: false,
                buffers: Buffers::default(),
                dropped: 0,
            }
        });
        let received = received.into_iter().map(|(subject, source)| {
            let found = robot.filter(|_| subject.kind == SubjectKind::Representation);
            let inlet = found.and_then(|robot| robot.inlet(&source));
            Received {
                name_there: subject.name.clone(),
                subject,
                descriptor: inlet.as_ref().map(SourceInlet::descriptor),
                publisher: None,
                inlet,
                unreadable: 0,
            }
        });
        let (sent, received) = (sent.collect(), received.collect());
        Self { ends, sent, received, marked: VecDeque::new(), memory: None }
    }

    /// Creates the ends of a link. Whatever it sends is notified by the event at the same place.
    pub(crate) fn of_link(link: &LinkConfiguration, ends: Ends, events: &[Arc<Wakeup>]) -> Self {
        let sent = link.send.iter().cloned().zip(events.iter().cloned());
        let received = link.receive.iter().map(|received| (received.subject.clone(), received.source(&link.name)));
        let mut topics = Self::new(sent, received, ends);
        for (received, configured) in topics.received.iter_mut().zip(&link.receive) {
            received.name_there = configured.name_there().to_owned();
        }
        topics
    }

    /// Has large messages and values written into memory that peers can read.
    pub(crate) fn write_into(&mut self, memory: Arc<SharedMemory>) {
        self.memory = Some(memory);
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
        let event = sent.event.clone();
        match (kind, &self.ends.robot) {
            _ if !is_wanted => {}
            (SubjectKind::Topic, _) => {
                let capacity = match sent.configuration.keep {
                    // The newest one waits there until it may be sent.
                    Keep::Newest if sent.configuration.rate.is_some() => 1,
                    Keep::Newest => SHORTEST_QUEUE,
                    Keep::Last(kept) => kept.clamp(SHORTEST_QUEUE, LONGEST_QUEUE),
                };
                let queue = self.ends.bus.read(name, capacity, Signal::Wakeup(event));
                sent.flow = queue.and_then(Result::ok).map(Flow::Messages);
            }
            (SubjectKind::Representation, Some(robot)) => {
                let observation = Observation::of([name.as_str()]).notifying(event);
                let observer = robot.observe(observation).map_err(|error| error.to_string())?;
                sent.flow = Some(Flow::Values(Box::new(observer)));
            }
            (SubjectKind::Representation, None) => {}
        }
        self.mark(topic);
        Ok(())
    }

    /// Notes that there may be something to send.
    pub fn mark(&mut self, topic: usize) {
        if !std::mem::replace(&mut self.sent[topic].is_marked, true) {
            self.marked.push_back(topic);
        }
    }

    /// Returns how much is marked.
    pub fn marked(&self) -> usize {
        self.marked.len()
    }

    /// Returns one of what is marked, and removes its mark.
    pub fn next_marked(&mut self) -> Option<usize> {
        let topic = self.marked.pop_front()?;
        self.sent[topic].is_marked = false;
        Some(topic)
    }

    /// Receives the next message or value of one kind that this robot sends: `Some(None)` if it
    /// cannot be serialized, `None` if there is none.
    pub fn next(&mut self, topic: usize) -> Option<Option<Waiting>> {
        let Self { sent, ends, memory, .. } = self;
        let Sent { flow, buffers, .. } = &mut sent[topic];
        Some(match flow.as_mut()? {
            Flow::Messages(queue) => {
                let message = queue.receive()?;
                let time = time_of(message.stamp(), &ends.clock, ends.scale.as_ref());
                let cdr = buffers.written(memory.as_ref(), |writer| message.write(writer));
                cdr.map(|cdr| Waiting { time, stamp: None, cdr })
            }
            Flow::Values(observer) => loop {
                let value = observer.next_value()?;
                // It has been sent already: only that it is stale is new.
                if value.is_stale() {
                    continue;
                }
                let time = time_of(Some(value.handed_over()), &ends.clock, ends.scale.as_ref());
                let stamp = Some(value.stamp().nanoseconds());
                let cdr = buffers.written(memory.as_ref(), |writer| value.value().write(writer));
                break cdr.map(|cdr| Waiting { time, stamp, cdr });
            },
        })
    }

    /// Receives the next message or value of one kind, and does nothing with it. Returns whether
    /// there was one.
    pub fn skip(&mut self, topic: usize) -> bool {
        match &mut self.sent[topic].flow {
            Some(Flow::Messages(queue)) => queue.receive().is_some(),
            Some(Flow::Values(observer)) => observer.next_value().is_some(),
            None => false,
        }
    }

    /// Lets go of all values of one kind but the newest, which waits in this robot until it may be
    /// sent. Returns how many these were. A queue of messages keeps the newest by itself.
    pub fn keep_newest(&mut self, topic: usize) -> u64 {
        match &mut self.sent[topic].flow {
            Some(Flow::Values(observer)) => observer.keep_newest_value(),
            Some(Flow::Messages(_)) | None => 0,
        }
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
    pub fn publish<'c>(&mut self, topic: usize, message: impl Into<Contents<'c>>) -> Result<(), String> {
        let message = message.into();
        let Received { subject, publisher, .. } = &mut self.received[topic];
        let published = contained(|| {
            let publisher = match publisher {
                Some(publisher) => publisher,
                None => {
                    let made = self.ends.bus.untyped_publisher(&subject.name).ok_or("nobody has subscribed to it")?;
                    publisher.insert(made.map_err(|error| error.to_string())?)
                }
            };
            let mut reader = message.reader().map_err(|error| error.to_string())?;
            publisher.publish(&mut reader).map_err(|error| error.to_string())
        });
        published.unwrap_or_else(Err)
    }

    /// Delivers a value of a representation that is received, with its stamp on the robot's clock.
    /// Returns `false` if it takes the place of one that the source had not taken yet.
    pub fn deliver<'c>(&mut self, topic: usize, stamp: i64, value: impl Into<Contents<'c>>) -> bool {
        let (value, stamp) = (value.into(), Time::from_nanoseconds(stamp));
        let inlet = self.received[topic].inlet.as_ref();
        inlet.is_none_or(|inlet| match value {
            Contents::Own(cdr) => inlet.deliver(stamp, cdr),
            Contents::Lent(lent) => inlet.deliver_with(stamp, |cdr| lent.append_to(cdr)),
        })
    }

    /// Notes how long the last value of a representation took that was delivered, and the error of
    /// the clock by which that is known.
    pub(crate) fn note_delay(&self, topic: usize, delay: Duration, clock_error: Duration) {
        if let Some(inlet) = &self.received[topic].inlet {
            inlet.note_delay(delay, clock_error);
        }
    }

    /// Marks the last value of a representation that is received as stale: nobody brings it any
    /// more.
    pub fn lose(&mut self, topic: usize) {
        if let Some(inlet) = &self.received[topic].inlet {
            inlet.lose();
        }
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

/// Returns when something was published or handed over, in nanoseconds of the robot's clock: now if
/// that is not known.
fn time_of(at: Option<Ticks>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let age = at.zip(scale).map_or(0, |(at, scale)| scale.nanoseconds_between(at, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
