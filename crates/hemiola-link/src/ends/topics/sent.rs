//! The robot's topics and representations that are sent.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{AnyMessage, AnyQueue, RobotClock, Signal};
use hemiola_model::RepresentationDescriptor;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::configuration::{self, Keep, Subject, SubjectKind};
use hemiola_realtime::{Wakeup, monotonic_now};
use hemiola_runtime::{News, Observation, Observer, RobotHandle, TopicNews};
use hemiola_trace::{TickScale, Ticks};

use super::{Ends, Topics};
use crate::ends::buffers::Buffers;
use crate::ends::{Cdr, Waiting, contained};

/// A topic or representation that is sent. See [`Topics`].
pub struct Sent {
    /// The configuration in robot.toml.
    pub configuration: configuration::Sent,
    /// The type of the messages or values; `None` until the robot has such a topic or
    /// representation.
    pub schema: Option<Arc<MessageSchema>>,
    /// The descriptor of that type.
    pub(super) descriptor: Option<&'static RepresentationDescriptor>,
    /// The source of the messages or values, while a peer wants them.
    flow: Option<Flow>,
    /// Notified when there is something to send.
    pub(super) event: Arc<Wakeup>,
    is_marked: bool,
    /// The news about a topic, if the peer is another process of the robot.
    pub(super) news: Option<TopicNews>,
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

impl Sent {
    pub(super) fn new(configuration: configuration::Sent, event: Arc<Wakeup>, robot: Option<&RobotHandle>) -> Self {
        let robot = robot.filter(|_| configuration.subject.kind == SubjectKind::Representation);
        let descriptor = robot.and_then(|robot| robot.representation(&configuration.subject.name));
        Self {
            configuration,
            schema: descriptor.and_then(super::schema),
            descriptor,
            flow: None,
            event,
            is_marked: false,
            news: None,
            is_receiving: false,
            buffers: Buffers::default(),
            dropped: 0,
        }
    }
}

/// The bounds on the queue of each publisher's messages for the links' thread. The queues for peers
/// have limits of their own.
const SHORTEST_QUEUE: usize = 16;
const LONGEST_QUEUE: usize = 256;

impl Topics {
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

    /// Determines which values are received until the next call: of a cycle that is sent whole,
    /// those up to the last run of which all have been handed over.
    pub(crate) fn hold_on(&mut self) {
        let Self { sent, wholes, .. } = self;
        for whole in wholes.iter() {
            let mut run = None;
            for &topic in whole {
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
        let Self { sent, marked, wholes, .. } = self;
        let unmarked = |&topic: &usize| !std::mem::replace(&mut sent[topic].is_marked, true);
        marked.extend(wholes.with(topic).filter(unmarked));
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

/// Returns the time at which something was published or handed over, in nanoseconds of the robot's
/// clock; the current time if it is unknown.
fn time_of(at: Option<Ticks>, clock: &RobotClock, scale: Option<&TickScale>) -> i64 {
    let age = at.zip(scale).map_or(0, |(at, scale)| scale.nanoseconds_between(at, Ticks::now()));
    clock.time_at(monotonic_now() - Duration::from_nanos(age)).nanoseconds()
}
