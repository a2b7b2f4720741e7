//! Topics whose messages can be read without knowing their type: by recorders and tools.

use super::Bus;
use crate::BusError;
use crate::carried::{Carried, End, MessageWrite, Untyped};
use crate::signal::Signal;
use crate::topic::{Queue, Seat, Topic};
use crate::when_full::WhenFull;
use hemiola_model::data::{Reader, SharedBytes, ValueReader, Writer};
use hemiola_model::module::{Place, UntypedPublisher};
use hemiola_model::{Representation, RepresentationDescriptor, Value};
use hemiola_trace::Ticks;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The readable topics by name.
#[derive(Default)]
pub(super) struct Readable(Mutex<BTreeMap<String, View>>);

/// The way to read and publish the messages of a topic.
#[derive(Clone, Copy)]
struct View {
    descriptor: &'static RepresentationDescriptor,
    join: fn(&Bus, &str, usize, Signal) -> Result<AnyQueue, BusError>,
    publisher: JoinPublisher,
}

/// A function that makes a publisher of messages that come as data.
type JoinPublisher =
    fn(&Bus, &str, &'static RepresentationDescriptor, Seat) -> Result<Box<dyn UntypedPublisher>, BusError>;

fn publisher<T: Carried>(
    bus: &Bus,
    name: &str,
    descriptor: &'static RepresentationDescriptor,
    seat: Seat,
) -> Result<Box<dyn UntypedPublisher>, BusError> {
    Ok(Box::new(End::new(bus.topic::<T>(name)?.publisher_at(seat), descriptor)))
}

impl Bus {
    /// Returns a [`topic`](Self::topic) whose messages recorders and tools can read, as they can
    /// those of modules. Allocates and takes a lock: not for real-time threads.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Signal};
    /// use hemiola_model::{Representation, data::ValueWriter};
    /// # use hemiola_model::{Data, Form, data::{DataType, ReadError, Reader, Writer}};
    /// # #[derive(Default)] struct Goal(u8);
    /// # impl Data for Goal {
    /// #     fn data_type() -> DataType { u8::data_type() }
    /// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
    /// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { u8::read(reader).map(Self) }
    /// # }
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::data() } }
    ///
    /// let bus = Bus::new();
    /// let mut referee = bus.readable_topic::<Goal>("goals")?.publisher();
    /// let (name, goal) = bus.readable_topics().remove(0);
    /// assert_eq!((name.as_str(), goal.name()), ("goals", "Goal"));
    /// let _private = bus.topic::<f32>("noise")?;
    /// assert_eq!(bus.unreadable_topics(), ["noise"]);
    ///
    /// let mut queue = bus.read(&name, 16, Signal::Nothing).expect("it is readable")?;
    /// referee.publish(Goal(5));
    /// let mut text = ValueWriter::default();
    /// queue.receive().expect("it was published").write(&mut text);
    /// assert_eq!(text.finish().to_string(), "5");
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages.
    pub fn readable_topic<T: Representation>(&self, name: &str) -> Result<Topic<T>, BusError> {
        // Locked throughout: whoever sees the topic also finds what its messages are.
        let mut views = self.0.readable.views();
        let topic = self.topic(name)?;
        let view = View {
            descriptor: RepresentationDescriptor::of::<T>(),
            join: |bus, name, capacity, signal| {
                let queue: Queue<T> = bus.topic(name)?.queue_with_signal(capacity, WhenFull::DropOldest, signal);
                Ok(AnyQueue(Box::new(queue)))
            },
            publisher: publisher::<T>,
        };
        if views.insert(name.to_owned(), view).is_none() {
            // The topic may have been there, and could not be read.
            self.0.watchers.raise();
        }
        Ok(topic)
    }

    /// Returns the topic of that name whose messages are of a representation that need not be a
    /// Rust type.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages.
    pub(crate) fn untyped_topic(
        &self,
        name: &str,
        message: &'static RepresentationDescriptor,
    ) -> Result<Topic<Untyped>, BusError> {
        // The map stays locked: whoever creates the topic enters in the same step what its messages
        // are.
        let mut views = self.0.readable.views();
        let is_there = self.registered().get(name).is_some_and(|topic| topic.strong_count() > 0);
        if let Some(existing) = views.get(name).filter(|view| is_there && view.descriptor != message) {
            let (existing, asked) = (existing.descriptor.name(), message.name());
            return Err(BusError::OtherType { name: name.to_owned(), existing, asked });
        }
        let topic = self.topic(name)?;
        let view = View {
            descriptor: message,
            join: |bus, name, capacity, signal| {
                let queue: Queue<Untyped> = bus.topic(name)?.queue_with_signal(capacity, WhenFull::DropOldest, signal);
                Ok(AnyQueue(Box::new(queue)))
            },
            publisher: publisher::<Untyped>,
        };
        views.insert(name.to_owned(), view);
        Ok(topic)
    }

    /// Returns the [readable](Self::readable_topic) topics, by name, and what their messages are.
    /// Takes a lock: not for real-time threads.
    pub fn readable_topics(&self) -> Vec<(String, &'static RepresentationDescriptor)> {
        self.0.readable.views().iter().map(|(name, view)| (name.clone(), view.descriptor)).collect()
    }

    /// Returns the names of the topics that somebody holds and that are not readable. Takes locks:
    /// not for real-time threads.
    pub fn unreadable_topics(&self) -> Vec<String> {
        let topics = self.registered();
        let held = topics.iter().filter(|(_, topic)| topic.strong_count() > 0).map(|(name, _)| name.clone());
        let held: Vec<_> = held.collect();
        drop(topics);
        let views = self.0.readable.views();
        held.into_iter().filter(|name| !views.contains_key(name)).collect()
    }

    /// Creates a receiver of the messages of a [readable](Self::readable_topic) topic, which keeps
    /// the newest `capacity` of each publisher until they are received; `None` if the topic is not
    /// readable. No publisher waits for it. Allocates and takes locks: not for real-time threads.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages by now.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn read(&self, name: &str, capacity: usize, signal: Signal) -> Option<Result<AnyQueue, BusError>> {
        let view = *self.0.readable.views().get(name)?;
        Some((view.join)(self, name, capacity, signal))
    }

    /// Publishes a message whose type is not known here: the text form of a value, as tools write
    /// it. Returns `None` if the topic is not readable. Allocates and takes locks: not for
    /// real-time threads.
    ///
    /// ```
    /// use hemiola_bus::{Bus, WhenFull};
    /// use hemiola_model::{Representation, Value};
    /// # use hemiola_model::{Data, Form, data::{DataType, ReadError, Reader, Writer}};
    /// # #[derive(Default)] struct Goal(u8);
    /// # impl Data for Goal {
    /// #     fn data_type() -> DataType { u8::data_type() }
    /// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
    /// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { u8::read(reader).map(Self) }
    /// # }
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::data() } }
    ///
    /// let bus = Bus::new();
    /// let mut goals = bus.readable_topic::<Goal>("goals")?.queue(4, WhenFull::DropOldest);
    /// bus.publish_value("goals", &Value::Integer(5)).expect("it is readable")?;
    /// assert_eq!(goals.receive().map(|goal| goal.value().0), Some(5));
    /// assert!(bus.publish_value("goals", &Value::Text("five".into())).expect("it is readable").is_err());
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the value is not a message of the topic, or if the topic carries other messages by
    /// now.
    pub fn publish_value(&self, name: &str, value: &Value) -> Option<Result<(), BusError>> {
        self.publish_from(name, &mut ValueReader::new(value))
    }

    /// Publishes a message as [`publish_value`](Self::publish_value) does, read from bytes.
    ///
    /// # Errors
    /// Returns the errors of [`publish_value`](Self::publish_value).
    pub fn publish_from(&self, name: &str, reader: &mut dyn Reader) -> Option<Result<(), BusError>> {
        let read = |mut publisher: Box<dyn UntypedPublisher>| {
            publisher
                .publish(reader)
                .map_err(|error| BusError::NoMessage { name: name.to_owned(), reason: error.to_string() })
        };
        Some(self.untyped_publisher(name)?.and_then(read))
    }

    /// Creates a publisher of a [readable](Self::readable_topic) topic whose messages come as data:
    /// for programs, such as links, that publish many messages and do not know their type. Returns
    /// `None` if the topic is not readable. Allocates and takes locks: not for real-time threads.
    ///
    /// ```
    /// use hemiola_bus::{Bus, WhenFull};
    /// use hemiola_model::cdr::CdrReader;
    /// use hemiola_model::Representation;
    /// # use hemiola_model::{Data, Form, data::{DataType, ReadError, Reader, Writer}};
    /// # #[derive(Default)] struct Goal(u8);
    /// # impl Data for Goal {
    /// #     fn data_type() -> DataType { u8::data_type() }
    /// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
    /// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { u8::read(reader).map(Self) }
    /// # }
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::data() } }
    ///
    /// let bus = Bus::new();
    /// let mut goals = bus.readable_topic::<Goal>("goals")?.queue(4, WhenFull::DropOldest);
    /// let mut referee = bus.untyped_publisher("goals").expect("it is readable")?;
    /// referee.publish(&mut CdrReader::new(&[0, 1, 0, 0, 5])?)?;
    /// assert_eq!(goals.receive().map(|goal| goal.value().0), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages by now.
    pub fn untyped_publisher(&self, name: &str) -> Option<Result<Box<dyn UntypedPublisher>, BusError>> {
        self.publisher_of_data(name, Seat::Outside)
    }

    /// Creates a publisher as [`untyped_publisher`](Self::untyped_publisher) does, which stands in
    /// for the one that had that place in a recording: runs that are repeated receive its messages,
    /// and no others that do not come from cycles.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages by now.
    pub fn stand_in(&self, name: &str, place: Place) -> Option<Result<Box<dyn UntypedPublisher>, BusError>> {
        self.publisher_of_data(name, Seat::StandIn(place))
    }

    fn publisher_of_data(&self, name: &str, seat: Seat) -> Option<Result<Box<dyn UntypedPublisher>, BusError>> {
        let view = *self.0.readable.views().get(name)?;
        Some((view.publisher)(self, name, view.descriptor, seat))
    }
}

impl Readable {
    fn views(&self) -> MutexGuard<'_, BTreeMap<String, View>> {
        // A map is whole even if the thread that changed it panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives the messages of a topic without knowing their type: see [`Bus::read`].
///
/// ```
/// # fn f(queue: &mut hemiola_bus::AnyQueue, writer: &mut dyn hemiola_model::data::Writer) {
/// while let Some(message) = queue.receive() {
///     message.write(writer);
/// }
/// println!("{} were dropped", queue.dropped());
/// # }
/// ```
pub struct AnyQueue(Box<dyn Receive>);

/// A message of any type. It is borrowed from its queue.
///
/// ```
/// # fn f(message: hemiola_bus::AnyMessage<'_>) {
/// let mut text = hemiola_model::data::ValueWriter::default();
/// if message.write(&mut text) {
///     println!("{}", text.finish());
/// }
/// # }
/// ```
pub struct AnyMessage<'q> {
    value: &'q dyn MessageWrite,
    stamp: Option<Ticks>,
    place: Place,
    number: u64,
}

trait Receive: Send {
    fn receive_any(&mut self) -> Option<AnyMessage<'_>>;
    fn has_any(&mut self) -> bool;
    fn count_dropped(&mut self) -> u64;
}

impl<T: Carried> Receive for Queue<T> {
    fn receive_any(&mut self) -> Option<AnyMessage<'_>> {
        let sample = self.receive()?;
        let (stamp, place, number) = (sample.stamp(), sample.place(), sample.sequence());
        Some(AnyMessage { value: sample.value(), stamp, place, number })
    }

    fn has_any(&mut self) -> bool {
        self.has_messages()
    }

    fn count_dropped(&mut self) -> u64 {
        self.dropped()
    }
}

impl AnyQueue {
    /// Receives the oldest message of the publisher whose turn it is; `None` if there is none.
    /// Releases what was received before.
    pub fn receive(&mut self) -> Option<AnyMessage<'_>> {
        self.0.receive_any()
    }

    /// Returns whether there is a message. Releases what was received before.
    pub fn has_messages(&mut self) -> bool {
        self.0.has_any()
    }

    /// Returns how many messages were dropped so far because there was no room.
    pub fn dropped(&mut self) -> u64 {
        self.0.count_dropped()
    }
}

impl AnyMessage<'_> {
    /// Writes the message. Returns `false`, and writes nothing, if it is opaque.
    pub fn write(&self, writer: &mut dyn Writer) -> bool {
        self.value.write_to(writer)
    }

    /// Returns the message in CDR, if it is one already ([`Wire`](hemiola_model::Wire)): its bytes
    /// can be kept and sent without [writing](Self::write) them.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Signal};
    /// use hemiola_model::Wire;
    /// # use hemiola_model::{Data, Form, Representation, data::{DataType, ReadError, Reader, Writer}};
    /// # use hemiola_model::wire::{InPlace, ViewReader};
    /// # #[derive(Default)] struct Goal(u8);
    /// # impl Data for Goal {
    /// #     fn data_type() -> DataType { u8::data_type() }
    /// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
    /// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { u8::read(reader).map(Self) }
    /// # }
    /// # impl InPlace for Goal {
    /// #     type View<'w> = u8;
    /// #     fn view<'w>(reader: &mut ViewReader<'w>) -> Result<u8, ReadError> { reader.value() }
    /// # }
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::data() } }
    ///
    /// let bus = Bus::new();
    /// let goals = bus.readable_topic::<Wire<Goal>>("goals")?;
    /// let mut queue = bus.read("goals", 16, Signal::Nothing).expect("it is readable")?;
    /// let goal = Wire::encode(&Goal(5));
    /// goals.publisher().publish(goal.clone());
    /// let received = queue.receive().expect("it was published");
    /// assert_eq!(received.in_cdr().map(|cdr| cdr.as_ptr()), Some(goal.message().as_ptr()));
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn in_cdr(&self) -> Option<&SharedBytes> {
        self.value.in_cdr()
    }

    /// Returns when the message was published, on a bus that [measures
    /// time](crate::Bus::with_timing).
    pub fn stamp(&self) -> Option<Ticks> {
        self.stamp
    }

    /// Returns the place of its publisher in the topic.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the number of the message among those of its publisher.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl fmt::Debug for AnyQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyQueue")
    }
}

impl fmt::Debug for AnyMessage<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnyMessage").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}
