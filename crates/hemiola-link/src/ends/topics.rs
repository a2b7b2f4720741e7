use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, Bus, RobotClock, Signal};
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::configuration::{self, Keep, LinkConfiguration, Subject, SubjectKind};
use hemiola_model::module::UntypedPublisher;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{SharedMemory, Wakeup, monotonic_now};
use hemiola_runtime::{Change, News, Observation, Observer, RobotHandle, SourceInlet, Together, TopicInlet, TopicNews};
use hemiola_trace::{TickScale, Ticks};

use super::buffers::Buffers;
use super::{Cdr, Contents, Waiting, contained};

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
    /// The indices of the representations of each cycle or source that is to be sent whole.
    wholes: Vec<Vec<usize>>,
    /// The memory for messages that peers read in place.
    memory: Option<Arc<SharedMemory>>,
}

/// A topic or representation that is sent. See [`Topics`].
pub struct Sent {
    /// The configuration in robot.toml.
    pub configuration: configuration::Sent,
    /// The type of the messages or values; `None` until the robot has such a topic or
    /// representation.
    pub schema: Option<Arc<MessageSchema>>,
    /// The descriptor of that type.
    descriptor: Option<&'static RepresentationDescriptor>,
    /// The source of the messages or values, while a peer wants them.
    flow: Option<Flow>,
    /// Notified when there is something to send.
    event: Arc<Wakeup>,
    is_marked: bool,
    /// The news about a topic, if the peer is another process of the robot.
    news: Option<TopicNews>,
    /// Set while messages are received, up to which there may be news.
    is_receiving: bool,
    buffers: Buffers,
    /// The number of messages dropped in `flow` that have been counted already.
    dropped: u64,
}

/// The source of the messages or values that are sent.
enum Flow {
    Messages(AnyQueue),
    Values(Box<Observer>),
}

/// A topic or representation that is received. See [`Topics`].
pub struct Received {
    /// The topic or representation.
    pub subject: Subject,
    /// The name by which others offer it.
    pub name_there: String,
    /// The type of the messages or values; `None` until the robot has such a topic or
    /// representation.
    pub descriptor: Option<&'static RepresentationDescriptor>,
    /// The publisher of a topic, which is created for the first message.
    publisher: Option<Box<dyn UntypedPublisher>>,
    /// The inlet of a representation.
    inlet: Option<SourceInlet>,
    /// The inlet for what a topic's messages derive from, if the peer is another process of the
    /// robot.
    news: Option<TopicInlet>,
    /// The number of values unreadable for the inlet that have been counted already.
    unreadable: u64,
}

/// The bounds on the queue of each publisher's messages for the links' thread. The queues for peers
/// have limits of their own.
const SHORTEST_QUEUE: usize = 16;
const LONGEST_QUEUE: usize = 256;

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
        let sent = sent.into_iter().map(|(sent, event)| {
            let found = robot.filter(|_| sent.subject.kind == SubjectKind::Representation);
            let descriptor = found.and_then(|robot| robot.representation(&sent.subject.name));
            Sent {
                configuration: sent,
                schema: descriptor.and_then(schema),
                descriptor,
                flow: None,
                event,
                is_marked: false,
                news: None,
                is_receiving: false,
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
                news: None,
                unreadable: 0,
            }
        });
        let (sent, received) = (sent.collect(), received.collect());
        Self { ends, sent, received, marked: VecDeque::new(), wholes: Vec::new(), memory: None }
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
        topics.wholes = wholes(&link.send);
        let is_between_parts =
            |robot: &RobotHandle| robot.with_robot(|it| it.configuration().is_between_parts(&link.name));
        if let Some(robot) = topics.ends.robot.as_ref().filter(|robot| is_between_parts(robot)) {
            for sent in topics.sent.iter_mut().filter(|sent| sent.configuration.subject.kind == SubjectKind::Topic) {
                sent.news = robot.topic_news(&sent.configuration.subject.name, sent.event.clone());
            }
        }
        topics
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

    /// Returns the default value of a topic or representation that is sent, in CDR; `None` if its
    /// type is not known yet, or cannot be serialized.
    pub fn default_value(&self, topic: usize) -> Option<Vec<u8>> {
        let descriptor = self.sent[topic].descriptor?;
        // Creating a value calls code of users.
        let written = contained(|| {
            let mut writer = CdrWriter::default();
            descriptor.create().write(&mut writer).then(|| writer.finish())
        });
        written.ok().flatten()
    }

    /// Subscribes to a topic or representation if it is wanted, and otherwise ends the
    /// subscription.
    ///
    /// # Errors
    /// Returns an error with the reason if values cannot be observed.
    pub fn subscribe(&mut self, topic: usize, is_wanted: bool) -> Result<(), String> {
        let sent = &mut self.sent[topic];
        if sent.flow.is_some() == is_wanted {
            return Ok(());
        }
        (sent.flow, sent.dropped, sent.is_receiving) = (None, 0, false);
        sent.news.iter_mut().for_each(|news| news.want(is_wanted));
        let Subject { kind, name } = &sent.configuration.subject;
        let event = sent.event.clone();
        match (kind, &self.ends.robot) {
            _ if !is_wanted => {}
            (SubjectKind::Topic, _) => {
                let capacity = match sent.configuration.keep {
                    // The newest message waits in the queue until it may be sent.
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

    /// Returns the representations of each cycle or source that is to be sent whole.
    pub(crate) fn wholes(&self) -> &[Vec<usize>] {
        &self.wholes
    }

    /// Determines which values are received until the next call: of a cycle that is sent whole,
    /// those up to the last run of which all have been handed over.
    pub(crate) fn hold_on(&mut self) {
        let Self { sent, wholes, .. } = self;
        for whole in wholes {
            let mut run = None;
            for &topic in whole.iter() {
                if let Some(Flow::Values(observer)) = &mut sent[topic].flow {
                    run = run.or_else(|| observer.last_complete_run());
                    run.into_iter().for_each(|run| observer.read_until(run));
                }
            }
        }
    }

    /// Notes that a topic or representation may have something to send, and with it all others of a
    /// cycle that is sent whole.
    pub fn mark(&mut self, topic: usize) {
        match self.wholes.iter().position(|whole| whole.contains(&topic)) {
            Some(whole) => (0..self.wholes[whole].len()).for_each(|index| self.mark_one(self.wholes[whole][index])),
            None => self.mark_one(topic),
        }
    }

    fn mark_one(&mut self, topic: usize) {
        if !std::mem::replace(&mut self.sent[topic].is_marked, true) {
            self.marked.push_back(topic);
        }
    }

    /// Returns the number of topics and representations that are marked.
    pub fn marked(&self) -> usize {
        self.marked.len()
    }

    /// Returns one of the marked topics or representations, and removes its mark.
    pub fn next_marked(&mut self) -> Option<usize> {
        let topic = self.marked.pop_front()?;
        self.sent[topic].is_marked = false;
        Some(topic)
    }

    /// Receives the next message or value of one topic or representation: `None` if there is none,
    /// `Some(None)` if it cannot be serialized. After the last message of a topic there may be
    /// [news](Waiting::is_news).
    pub fn next(&mut self, topic: usize) -> Option<Option<Waiting>> {
        let Self { sent, ends, memory, .. } = self;
        let Sent { flow, buffers, news, is_receiving, .. } = &mut sent[topic];
        Some(match flow.as_mut()? {
            Flow::Messages(queue) => next_message((queue, news, is_receiving), ends, |time, stamp, message| {
                let cdr = match message {
                    Some(message) => match message.in_cdr() {
                        Some(in_cdr) => buffers.published(memory.as_ref(), in_cdr),
                        None => buffers.written(memory.as_ref(), |writer| message.write(writer))?,
                    },
                    None => Cdr::default(),
                };
                Some(Waiting { time, stamp, cdr })
            })?,
            Flow::Values(observer) => loop {
                let value = observer.next_value()?;
                // The value has been sent already; the only news is that it is stale.
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

    /// Receives the next message of a topic as [`next`](Self::next) does, and appends it to `frame`
    /// behind the head that `write_head` writes of its time and stamp. Returns the length of its
    /// CDR, which is 0 for news. If it cannot be serialized, a part of it may be appended.
    pub(crate) fn append_next(
        &mut self,
        topic: usize,
        frame: &mut Vec<u8>,
        write_head: impl FnOnce(i64, Option<i64>, &mut Vec<u8>),
    ) -> Option<Option<usize>> {
        let Self { sent, ends, .. } = self;
        let Sent { flow, buffers, news, is_receiving, .. } = &mut sent[topic];
        let Some(Flow::Messages(queue)) = flow else { return None };
        next_message((queue, news, is_receiving), ends, |time, stamp, message| {
            write_head(time, stamp, frame);
            match message {
                Some(message) => buffers.append(frame, |writer| message.write(writer)),
                None => Some(0),
            }
        })
    }

    /// Returns whether this is a topic whose last message was small.
    pub(crate) fn is_small(&self, topic: usize) -> bool {
        let Sent { flow, buffers, .. } = &self.sent[topic];
        matches!(flow, Some(Flow::Messages(_))) && buffers.are_small()
    }

    /// Receives the next message or value of one topic or representation, and discards it. Returns
    /// whether there was one.
    pub fn skip(&mut self, topic: usize) -> bool {
        match &mut self.sent[topic].flow {
            Some(Flow::Messages(queue)) => queue.receive().is_some(),
            Some(Flow::Values(observer)) => observer.next_value().is_some(),
            None => false,
        }
    }

    /// Discards all values of one representation except the newest, which waits in this robot until
    /// it may be sent. Returns the number of discarded values. A queue of messages keeps only the
    /// newest by itself.
    pub fn keep_newest(&mut self, topic: usize) -> u64 {
        match &mut self.sent[topic].flow {
            Some(Flow::Values(observer)) => observer.keep_newest_value(),
            Some(Flow::Messages(_)) | None => 0,
        }
    }

    /// Returns the number of messages or values that were dropped before the links' thread received
    /// them, since the last call.
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
    /// Returns an error with the reason if the bytes are not a message of the topic, or it has no
    /// subscriber.
    pub fn publish<'c>(&mut self, topic: usize, message: impl Into<Contents<'c>>) -> Result<(), String> {
        let message = message.into();
        let Self { ends, received, .. } = self;
        let published = contained(|| {
            let publisher = received[topic].publisher(&ends.bus)?;
            let mut reader = message.reader().map_err(|error| error.to_string())?;
            publisher.publish(&mut reader).map_err(|error| error.to_string())
        });
        published.unwrap_or_else(Err)
    }

    /// Notes that everything that was published of a topic that is received, and that nothing else
    /// was, derives from samples up to that time on the robot's clock; `None` if that is not known
    /// any more.
    pub(crate) fn hear_news(&mut self, topic: usize, stamp: Option<i64>) {
        let Self { ends, received, .. } = self;
        let received = &mut received[topic];
        let Some(news) = received.news.clone() else { return };
        // Creating a publisher calls code of users.
        let publisher = contained(|| {
            let publisher = received.publisher(&ends.bus)?;
            Ok::<_, String>((publisher.place(), publisher.published()))
        });
        if let Ok(Ok((Some(place), next))) = publisher {
            news.hear(place, next, stamp.map(Time::from_nanoseconds));
        }
    }

    /// Delivers a value of a representation that is received, with its time stamp on the robot's
    /// clock. Returns `false` if it replaces a value that the source had not received yet.
    pub fn deliver<'c>(&mut self, topic: usize, stamp: i64, value: impl Into<Contents<'c>>) -> bool {
        let (value, stamp) = (value.into(), Time::from_nanoseconds(stamp));
        let inlet = self.received[topic].inlet.as_ref();
        inlet.is_none_or(|inlet| match value {
            Contents::Own(cdr) => inlet.deliver(stamp, cdr),
            Contents::Lent(lent) => inlet.deliver_with(stamp, |cdr| lent.append_to(cdr)),
            Contents::Shared(cdr) => inlet.deliver_shared(stamp, cdr),
        })
    }

    /// Announces that further values follow which belong together with one of this representation.
    pub(crate) fn together(&self, topic: usize) -> Option<Together> {
        self.received[topic].inlet.as_ref().map(SourceInlet::together)
    }

    /// Notes the delay of the last delivered value of a representation, or of the last news of a
    /// topic, and the error of the clock by which the delay was measured.
    pub(crate) fn note_delay(&self, topic: usize, delay: Duration, clock_error: Duration) {
        let Received { inlet, news, .. } = &self.received[topic];
        inlet.iter().for_each(|inlet| inlet.note_delay(delay, clock_error));
        news.iter().for_each(|news| news.note_delay(delay, clock_error));
    }

    /// Marks the last value of a representation that is received as stale, because no peer sends it
    /// any more; or notes that silence about a topic tells nothing any more.
    pub fn lose(&mut self, topic: usize) {
        if let Some(inlet) = &self.received[topic].inlet {
            inlet.lose();
        }
        self.hear_news(topic, None);
    }

    /// Returns the number of values of a representation that the source could not read since the
    /// last call.
    pub fn take_unreadable(&mut self, topic: usize) -> u64 {
        let received = &mut self.received[topic];
        let unreadable = received.inlet.as_ref().map_or(0, SourceInlet::unreadable);
        unreadable - std::mem::replace(&mut received.unreadable, unreadable)
    }
}

impl Received {
    /// Returns the publisher of a topic, which is created if there is none yet.
    fn publisher(&mut self, bus: &Bus) -> Result<&mut Box<dyn UntypedPublisher>, String> {
        let Self { subject, publisher, .. } = self;
        Ok(match publisher {
            Some(publisher) => publisher,
            None => {
                let made = bus.untyped_publisher(&subject.name).ok_or("it has no subscriber")?;
                publisher.insert(made.map_err(|error| error.to_string())?)
            }
        })
    }
}

/// Returns the representations of each cycle or source of which several are sent, but for those of
/// which more than the newest value is kept: these are sent one by one.
fn wholes(sent: &[configuration::Sent]) -> Vec<Vec<usize>> {
    let mut wholes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, sent) in sent.iter().enumerate().filter(|(_, sent)| sent.keep == Keep::Newest) {
        sent.provider.iter().for_each(|provider| wholes.entry(provider).or_default().push(index));
    }
    wholes.into_values().filter(|whole| whole.len() > 1).collect()
}

/// Applies `act` to the next message of a topic with its time; or to the time and the stamp of news
/// that follows the last one, and no message. Returns `None` if there is neither.
fn next_message<R>(
    (queue, news, is_receiving): (&mut AnyQueue, &mut Option<TopicNews>, &mut bool),
    ends: &Ends,
    act: impl FnOnce(i64, Option<i64>, Option<&AnyMessage<'_>>) -> R,
) -> Option<R> {
    if !std::mem::replace(is_receiving, true) {
        news.iter_mut().for_each(TopicNews::look);
    }
    let time_of = |at| time_of(at, &ends.clock, ends.scale.as_ref());
    if let Some(message) = queue.receive() {
        return Some(act(time_of(message.stamp()), None, Some(&message)));
    }
    *is_receiving = false;
    let News { stamp, since } = news.as_mut()?.hear()?;
    Some(act(time_of(since), Some(stamp.nanoseconds()), None))
}

/// Returns the type of messages or values; `None` if they are opaque.
fn schema(descriptor: &'static RepresentationDescriptor) -> Option<Arc<MessageSchema>> {
    Some(Arc::new(MessageSchema::of(descriptor.name(), &descriptor.data_type()?)))
}

/// Returns the time at which something was published or handed over, in nanoseconds of the robot's
/// clock; the current time if it is unknown.
fn time_of(at: Option<Ticks>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let age = at.zip(scale).map_or(0, |(at, scale)| scale.nanoseconds_between(at, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
