//! The robot's topics and representations that are received.

use std::time::Duration;

use hemiola_bus::Bus;
use hemiola_model::configuration::{Subject, SubjectKind};
use hemiola_model::module::UntypedPublisher;
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_runtime::{RobotHandle, SourceInlet, Together, TopicInlet};

use super::Topics;
use crate::ends::{Contents, contained};

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
    pub(super) news: Option<TopicInlet>,
    /// The number of values unreadable for the inlet that have been counted already.
    unreadable: u64,
}

impl Topics {
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
    pub(super) fn new(subject: Subject, source: &str, robot: Option<&RobotHandle>) -> Self {
        let robot = robot.filter(|_| subject.kind == SubjectKind::Representation);
        let inlet = robot.and_then(|robot| robot.inlet(source));
        Self {
            name_there: subject.name.clone(),
            subject,
            descriptor: inlet.as_ref().map(SourceInlet::descriptor),
            publisher: None,
            inlet,
            news: None,
            unreadable: 0,
        }
    }

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
