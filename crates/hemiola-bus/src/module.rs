//! Ends of topics and services as arguments of updates.
//!
//! A module's topic has the name of the representation that it carries: `&mut
//! Publisher<WhistleHeard>` in one module and `&Subscription<WhistleHeard>` in another are all that
//! is needed to connect them. A module's service has the name of the representation of its
//! requests: [`Requests`].
#![expect(unsafe_code, reason = "arguments of updates are promised to fetch what they describe")]

mod connector;
mod heard;
mod notes;
mod requests;

pub use connector::RobotEnds;
pub use requests::Requests;

use std::fmt;

use hemiola_model::data::{FixedLength, ReadError, Reader, Writer};
use hemiola_model::module::{
    Argument, ArgumentDescriptor, Binding, ConnectError, Connector, Context, Inlet, Place, Port, PortDescriptor,
    PortRecord, PortRole, UntypedEnds, UntypedSubscription,
};
use hemiola_model::{Representation, RepresentationDescriptor};

use crate::bus::Bus;
use crate::carried::{Carried, End, publish_again};
use crate::topic::{BatchIter, Publisher, Queue, Sample, Seat, Topic};
use crate::when_full::WhenFull;
use heard::Heard;

/// The messages of a topic as an update receives them: those that had arrived when the run of its
/// cycle began.
///
/// So what an update receives does not depend on when exactly in the run it is called, and what is
/// published in a run is received in a later one. A subscription keeps up to 32 messages of each
/// publisher between two runs; if more arrive, the oldest are dropped and counted.
///
/// ```
/// use hemiola_bus::{Bus, Subscription};
/// use hemiola_model::module::Port;
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct WhistleHeard(f32);
/// # impl Representation for WhistleHeard { const NAME: &'static str = "WhistleHeard"; fn form() -> Form<Self> { Form::opaque() } }
///
/// // As an argument: `heard: &Subscription<WhistleHeard>`. In a test of an update:
/// let topic = Bus::new().topic::<WhistleHeard>("whistle")?;
/// let mut heard = Subscription::new(&topic);
/// let mut publisher = topic.publisher();
/// publisher.publish(WhistleHeard(0.5));
/// publisher.publish(WhistleHeard(1.0));
/// heard.begin_run();
/// publisher.publish(WhistleHeard(2.0)); // too late for this run
/// assert_eq!(heard.iter().map(|whistle| whistle.0).sum::<f32>(), 1.5);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Subscription<T: Carried> {
    queue: Queue<T>,
    message: &'static RepresentationDescriptor,
    heard: Heard,
}

/// The number of messages of each publisher that may wait for the next run.
const CAPACITY: usize = 32;

impl<T: Representation> Subscription<T> {
    /// Creates a subscription, which receives what is published from now on.
    pub fn new(topic: &Topic<T>) -> Self {
        Self::of_messages(topic, RepresentationDescriptor::of::<T>())
    }

    /// Creates a subscription in which these messages have arrived, to test an update by hand.
    ///
    /// ```
    /// use hemiola_bus::Subscription;
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Goal(u32);
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// let goals = Subscription::of([Goal(1), Goal(2)]);
    /// assert_eq!(goals.last().unwrap().0, 2);
    /// ```
    pub fn of(messages: impl IntoIterator<Item = T>) -> Self {
        Self::with_arrived(messages, RepresentationDescriptor::of::<T>())
    }
}

impl<T: Carried> Subscription<T> {
    fn of_messages(topic: &Topic<T>, message: &'static RepresentationDescriptor) -> Self {
        let queue = topic.queue_with_signal(CAPACITY, WhenFull::DropOldest, crate::Signal::Nothing);
        Self { queue, message, heard: Heard::default() }
    }

    fn with_arrived(messages: impl IntoIterator<Item = T>, message: &'static RepresentationDescriptor) -> Self {
        let topic = lonely_topic(message.name());
        let mut subscription = Self::of_messages(&topic, message);
        let mut publisher = topic.publisher();
        messages.into_iter().for_each(|message| publisher.publish(message));
        subscription.begin_run();
        subscription
    }

    /// Returns how many messages arrived since the last run.
    pub fn len(&self) -> usize {
        self.queue.last_batch().len()
    }

    /// Returns whether no message arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the messages, those of each publisher in order.
    pub fn iter(&self) -> BatchIter<'_, T> {
        self.queue.last_batch().iter()
    }

    /// Returns the last message.
    pub fn last(&self) -> Option<Sample<'_, T>> {
        self.iter().last()
    }
}

impl<'s, T: Carried> IntoIterator for &'s Subscription<T> {
    type Item = Sample<'s, T>;
    type IntoIter = BatchIter<'s, T>;

    fn into_iter(self) -> BatchIter<'s, T> {
        self.iter()
    }
}

impl<T: Carried> Subscription<T> {
    /// Notes which messages were received.
    #[inline]
    fn note_received(&mut self) {
        self.heard.begin_run();
        for message in self.queue.last_batch() {
            self.heard.note(message.place(), message.sequence());
        }
    }
}

impl<T: Carried> Port for Subscription<T> {
    fn begin_run(&mut self) {
        self.queue.batch(CAPACITY);
        self.note_received();
    }

    fn inlets(&self, tell: &mut dyn FnMut(Inlet)) {
        self.heard.all().iter().copied().for_each(tell);
    }

    fn record(&self) -> Option<&dyn PortRecord> {
        Some(self)
    }

    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        Some(self)
    }
}

impl<T: Carried> UntypedSubscription for Subscription<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn write(&self, index: usize, writer: &mut dyn Writer) -> bool {
        self.iter().nth(index).is_some_and(|message| message.write_to(writer))
    }
}

impl<T: Carried> PortRecord for Subscription<T> {
    fn received(&self, tell: &mut dyn FnMut(Inlet)) {
        self.heard.received().iter().copied().for_each(tell);
    }

    fn repeat_run(&mut self, wanted: &[Inlet]) -> bool {
        let are_there = self.queue.batch_again(wanted);
        self.note_received();
        are_there
    }

    fn write_received(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        for message in self.iter() {
            message.write_to(writer);
        }
        writer.end_sequence();
    }

    fn receive(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        let mut messages = Vec::new();
        for _ in 0..reader.begin_sequence()? {
            let mut message = T::default();
            message.read_from(self.message, reader)?;
            messages.push(message);
        }
        *self = Self::with_arrived(messages, self.message);
        Ok(())
    }
}

impl<T: Representation> Port for Publisher<T> {
    fn place(&self) -> Option<Place> {
        Some(Self::place(self))
    }

    fn published(&self) -> u64 {
        Self::published(self)
    }

    fn record(&self) -> Option<&dyn PortRecord> {
        Some(self)
    }

    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        Some(self)
    }
}

impl<T: Representation> PortRecord for Publisher<T> {
    fn publish_again(&mut self, reader: &mut dyn Reader, index: usize) -> Result<(), ReadError> {
        publish_again(self, RepresentationDescriptor::of::<T>(), reader, index)
    }

    fn continue_at(&mut self, number: u64) {
        Self::continue_at(self, number);
    }
}

impl<T: Representation> Publisher<T> {
    /// Creates a publisher without subscribers, to test an update by hand.
    ///
    /// ```
    /// use hemiola_bus::Publisher;
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Goal(u32);
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// Publisher::to_nobody().publish(Goal(1));
    /// ```
    pub fn to_nobody() -> Self {
        lonely_topic(T::NAME).publisher()
    }
}

/// Returns a topic on a bus of its own.
fn lonely_topic<T: Carried>(name: &str) -> Topic<T> {
    Bus::new().topic(name).unwrap_or_else(|error| unreachable!("a new bus has no other topic: {error}"))
}

/// Returns the topic of a representation on the bus that a connector offers.
fn topic<T: Representation>(end: &PortDescriptor, connector: &dyn Connector) -> Result<Topic<T>, ConnectError> {
    connector.carrier::<Bus>(end)?.readable_topic(T::NAME).map_err(ConnectError::refused)
}

/// Creates a publisher of a topic, where the connector says that it is.
fn publisher<T: Representation>(end: &PortDescriptor, connector: &dyn Connector) -> Result<Publisher<T>, ConnectError> {
    let topic = topic::<T>(end, connector)?;
    // Another connector may offer the bus alone.
    let seat = connector.carrier::<RobotEnds>(end).map_or(Seat::Outside, RobotEnds::seat);
    Ok(topic.publisher_at(seat))
}

/// Describes an end of a topic whose messages are of a type, which modules without Rust types
/// share.
fn end_of_topic<T: Representation>(role: PortRole, connect: hemiola_model::module::Connect) -> ArgumentDescriptor {
    let untyped = const {
        &UntypedEnds {
            publisher: |end, connector| {
                Ok(Box::new(End::new(publisher::<T>(end, connector)?, RepresentationDescriptor::of::<T>())))
            },
            subscription: |end, connector| Ok(Box::new(Subscription::new(&topic::<T>(end, connector)?))),
        }
    };
    let message = Some(RepresentationDescriptor::of::<T>());
    ArgumentDescriptor::of_port(PortDescriptor::new(T::NAME, role, message, connect).with_untyped(untyped))
}

// SAFETY: the port is the publisher that `connect` makes; each argument has one of its own.
unsafe impl<T: Representation> Argument for &mut Publisher<T> {
    type Item<'f> = &'f mut Publisher<T>;

    fn describe() -> ArgumentDescriptor {
        end_of_topic::<T>(PortRole::Publishes, |end, connector| Ok(Box::new(publisher::<T>(end, connector)?) as _))
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> &'f mut Publisher<T> {
        // SAFETY: promised by the caller.
        unsafe { binding.port() }
    }
}

// SAFETY: the port is the subscription that `connect` makes; each argument has one of its own.
unsafe impl<T: Representation> Argument for &Subscription<T> {
    type Item<'f> = &'f Subscription<T>;

    fn describe() -> ArgumentDescriptor {
        end_of_topic::<T>(PortRole::Subscribes, |end, connector| {
            Ok(Box::new(Subscription::new(&topic::<T>(end, connector)?)) as _)
        })
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> &'f Subscription<T> {
        // SAFETY: promised by the caller.
        unsafe { binding.port() }
    }
}

impl<T: Carried> fmt::Debug for Subscription<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Subscription").field(&self.queue).finish()
    }
}
