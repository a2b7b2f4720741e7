mod received;
mod sent;
mod wholes;

pub use received::Received;
pub use sent::Sent;
pub(crate) use wholes::Wholes;

use std::collections::VecDeque;
use std::sync::Arc;

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{self, LinkConfiguration, Subject, SubjectKind};
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{SharedMemory, Wakeup};
use hemiola_runtime::{Change, RobotHandle};
use hemiola_trace::TickScale;

/// The robot whose topics and representations are exchanged.
///
/// See [`Topics`].
#[derive(Clone)]
pub struct Ends {
    /// The bus with its topics and services.
    pub bus: Bus,
    /// The robot's clock.
    pub clock: Arc<RobotClock>,
    /// The scale of the bus's ticks, if messages carry the time at which they were published.
    pub scale: Option<TickScale>,
    /// The robot that has the representations; `None` if there are only topics.
    pub robot: Option<RobotHandle>,
}

/// The ends of a robot's topics and representations. The type of a topic is known once the topic
/// exists in the robot.
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
    /// The topics and representations that are sent, in the order of robot.toml; the index is the
    /// number.
    pub sent: Vec<Sent>,
    /// The topics and representations that are received, in the order of robot.toml.
    pub received: Vec<Received>,
    /// The indices of those that may have something to send.
    marked: VecDeque<usize>,
    wholes: Wholes,
    /// The memory for messages that peers read in place.
    memory: Option<Arc<SharedMemory>>,
}

impl Topics {
    /// Creates the ends. Each thing that is sent comes with the event that is notified when there
    /// is something to send. Each thing that is received comes with the name of the source that
    /// provides it, if it is a representation.
    pub fn new(
        sent: impl IntoIterator<Item = (configuration::Sent, Arc<Wakeup>)>,
        received: impl IntoIterator<Item = (Subject, String)>,
        ends: Ends,
    ) -> Self {
        let robot = ends.robot.as_ref();
        Self {
            sent: sent.into_iter().map(|(sent, event)| Sent::new(sent, event, robot)).collect(),
            received: received.into_iter().map(|(subject, source)| Received::new(subject, &source, robot)).collect(),
            ends,
            marked: VecDeque::new(),
            wholes: Wholes::default(),
            memory: None,
        }
    }

    /// Creates the ends of a link. The event for each thing that it sends has the same index.
    pub(crate) fn of_link(link: &LinkConfiguration, ends: Ends, events: &[Arc<Wakeup>]) -> Self {
        let sent = link.send.iter().cloned().zip(events.iter().cloned());
        let received = link.receive.iter().map(|received| (received.subject.clone(), received.source(&link.name)));
        let mut topics = Self::new(sent, received, ends);
        for (received, configured) in topics.received.iter_mut().zip(&link.receive) {
            received.name_there = configured.name_there().to_owned();
            let robot = topics.ends.robot.as_ref();
            received.news = robot.and_then(|robot| robot.topic_inlet(&configured.source(&link.name)));
        }
        topics.wholes = Wholes::of(&link.send);
        let is_between_parts =
            |robot: &RobotHandle| robot.with_robot(|it| it.configuration().is_between_parts(&link.name));
        if let Some(robot) = topics.ends.robot.as_ref().filter(|robot| is_between_parts(robot)) {
            for sent in topics.sent.iter_mut().filter(|sent| sent.configuration.subject.kind == SubjectKind::Topic) {
                sent.news = robot.topic_news(&sent.configuration.subject.name, sent.event.clone());
            }
        }
        topics
    }

    /// Returns which representations are sent together.
    pub(crate) fn wholes(&self) -> &Wholes {
        &self.wholes
    }

    /// Makes large messages and values be written into memory that peers can read.
    pub(crate) fn write_into(&mut self, memory: Arc<SharedMemory>) {
        self.memory = Some(memory);
    }

    /// Returns the time on the robot's clock.
    pub fn now(&self) -> Time {
        self.ends.clock.now()
    }

    /// Returns whether the robot is in its safe state, or stops; `false` if there are only topics.
    pub fn is_safe_or_stopping(&self) -> bool {
        self.ends.robot.as_ref().is_some_and(|robot| robot.is_in_safe_state() || robot.is_stopping())
    }

    /// Makes the robot enter its safe state, because a peer of the link with that name is lost.
    /// This does nothing if the robot is ending, as it then makes itself safe, or if there are only
    /// topics, which move nothing.
    pub(crate) fn enter_safe_state(&self, link: &str, peer: &str) {
        if let Some(robot) = self.ends.robot.as_ref().filter(|robot| !robot.is_stopping()) {
            _ = robot.change_by(Change::EnterSafeState, &format!("link `{link}` (it has lost `{peer}`)"));
        }
    }

    /// Returns whether something with time stamps is received, which must be converted:
    /// representations, or what messages derive from.
    pub(crate) fn receives_stamps(&self) -> bool {
        let has_stamps = |it: &Received| it.subject.kind == SubjectKind::Representation || it.news.is_some();
        self.received.iter().any(has_stamps)
    }

    /// Updates which topics exist. Returns those that are configured to be sent but cannot leave
    /// the process.
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
                (sent.schema, sent.descriptor) = (schema(descriptor), Some(descriptor));
                opaque.extend(sent.schema.is_none().then(|| name.clone()));
            }
            received
                .iter_mut()
                .filter(|received| received.subject.name == name)
                .for_each(|received| received.descriptor = Some(descriptor));
        }
        opaque
    }
}

/// Returns the type of messages or values; `None` if they are opaque.
fn schema(descriptor: &'static RepresentationDescriptor) -> Option<Arc<MessageSchema>> {
    Some(Arc::new(MessageSchema::of(descriptor.name(), &descriptor.data_type()?)))
}
