//! Ports: the ends of topics and services that an update holds besides its representations.
//!
//! A port is created with its module, belongs to one argument of one update, and lives as long as
//! the module. Invariant of a [`PortCell`], kept by the code that runs updates (`unsafe` is needed
//! to do so): it is used by its update, which runs once in a run, and between two runs by the
//! thread that runs the cycle, never by both at the same time.

#![expect(
    unsafe_code,
    reason = "a port is shared by its update and the thread between two runs; the invariant orders them"
)]

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;

use super::{BetweenRuns, ConnectError, Connector, ForeignPublisher, ForeignSubscription, UntypedEnds};
use crate::data::{ReadError, Reader, Writer};
use crate::{Name, RepresentationDescriptor};

/// A module's end of a topic or a service, as runs need it: a publisher, a subscription, a client.
///
/// ```
/// use hemiola_model::module::Port;
///
/// /// Counts the runs.
/// struct Counter(u32);
///
/// impl Port for Counter {
///     fn begin_run(&mut self) {
///         self.0 += 1;
///     }
/// }
///
/// let mut port: Box<dyn Port> = Box::new(Counter(0));
/// port.begin_run();
/// ```
pub trait Port: Any + Send {
    /// Begins a run of the cycle: the run sees the messages that have arrived until now, so that
    /// its results do not depend on the order of its tasks. No allocation, no lock, no system call.
    fn begin_run(&mut self) {}

    /// Passes to `tell` the messages of each publisher that the run that begins sees, if this is a
    /// subscription. No allocation, no lock, no system call.
    fn inlets(&self, _tell: &mut dyn FnMut(Inlet)) {}

    /// Returns the number of the next message, if this is a publisher. No allocation, no lock, no
    /// system call.
    fn published(&self) -> u64 {
        0
    }

    /// Returns its place among the publishers of the topic, if it is one. Not for real-time
    /// threads.
    fn place(&self) -> Option<Place> {
        None
    }

    /// Returns access for recording messages; `None` if nothing of this port is recorded.
    fn record(&self) -> Option<&dyn PortRecord> {
        None
    }

    /// Returns access for repeating recorded messages.
    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        None
    }
}

/// The access of recorders and replays to a port whose messages can be recorded and repeated.
///
/// A publisher implements [`publish_again`](Self::publish_again) and
/// [`continue_at`](Self::continue_at), a subscription all other methods.
///
/// ```
/// use hemiola_model::module::{Inlet, Place, Port, PortRecord};
///
/// /// Received this many messages of its one publisher.
/// struct Bells(u32);
///
/// impl Port for Bells {
///     fn record(&self) -> Option<&dyn PortRecord> { Some(self) }
///     fn record_mut(&mut self) -> Option<&mut dyn PortRecord> { Some(self) }
/// }
///
/// impl PortRecord for Bells {
///     fn repeat_run(&mut self, wanted: &[Inlet]) -> bool {
///         self.0 = wanted.iter().map(|inlet| inlet.count).sum();
///         true
///     }
/// }
///
/// let mut bells = Bells(0);
/// let three = Inlet { place: Place::Cycle(0), first: 7, count: 3 };
/// assert!(bells.record_mut().is_some_and(|record| record.repeat_run(&[three])));
/// assert_eq!(bells.0, 3);
/// ```
pub trait PortRecord {
    /// Passes to `tell` which messages of which publisher the run that begins sees, in the order in
    /// which it sees them: everything that must be known to repeat it. No allocation, no lock, no
    /// system call.
    fn received(&self, _tell: &mut dyn FnMut(Inlet)) {}

    /// Begins a run in a replay, instead of [`Port::begin_run`]: it sees these messages, in this
    /// order. Those of cycles are the next ones, as a cycle counts its messages from the point at
    /// which the replay began. Returns `false` if they are not there.
    fn repeat_run(&mut self, _wanted: &[Inlet]) -> bool {
        true
    }

    /// Writes the messages that the run sees, as a sequence: those of each publisher in order. No
    /// allocation, no lock, no system call but those of the writer.
    fn write_received(&self, _writer: &mut dyn Writer) {}

    /// Publishes the message at `index` of a sequence that is read, as it was published before a
    /// checkpoint from which the robot resumes.
    ///
    /// # Errors
    /// Fails if what the reader holds is not a message.
    fn publish_again(&mut self, _reader: &mut dyn Reader, _index: usize) -> Result<(), ReadError> {
        Ok(())
    }

    /// Gives the next message that number: a replay publishes only messages that somebody receives.
    fn continue_at(&mut self, _number: u64) {}

    /// Makes the next run see a sequence that is read, whatever arrives from now on. Not for
    /// real-time threads.
    ///
    /// # Errors
    /// Fails if what the reader holds are not messages.
    fn receive(&mut self, _reader: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }
}

/// The messages of one publisher that a run sees.
///
/// See [`Port::inlets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inlet {
    /// The place of the publisher.
    pub place: Place,
    /// The number of the first message.
    pub first: u64,
    /// The number of messages.
    pub count: u32,
}

/// The place of a publisher among those of its topic. A replay computes the messages of cycles
/// anew, and has all others from the log.
///
/// ```
/// use hemiola_model::module::Place;
///
/// // Two publishers in cycles, one in a source, and that of a link, which counts by itself.
/// let mut places = [Place::Outside(0), Place::Source(2), Place::Cycle(1), Place::Cycle(0)];
/// places.sort();
/// assert_eq!(places, [Place::Cycle(0), Place::Cycle(1), Place::Source(2), Place::Outside(0)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a module of a cycle, after that many publishers in cycles and sources.
    Cycle(u32),
    /// In a source, after that many publishers in cycles and sources.
    Source(u32),
    /// Elsewhere, after that many others there: in a link, a callback, a thread beside the cycles.
    Outside(u32),
}

impl Default for Place {
    fn default() -> Self {
        Self::Cycle(0)
    }
}

impl Inlet {
    /// Returns the number of the first message that the run does not see.
    pub fn end(&self) -> u64 {
        // The numbers may come from a damaged log.
        self.first.saturating_add(u64::from(self.count))
    }
}

/// The descriptor of a port, without its type: its connection, and how it is created.
///
/// ```
/// use hemiola_model::module::{PortDescriptor, PortRole};
/// use hemiola_model::{Name, RepresentationDescriptor};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Goal(u32);
/// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
///
/// // For a module that is described at run time; those of Rust types describe themselves.
/// let goals = PortDescriptor::publishes(Name::intern("Goal"), RepresentationDescriptor::of::<Goal>());
/// assert_eq!((goals.name(), goals.role()), ("Goal", PortRole::Publishes));
/// ```
#[derive(Clone, Copy)]
pub struct PortDescriptor {
    name: &'static str,
    role: PortRole,
    message: Option<&'static RepresentationDescriptor>,
    /// Creates the port of its Rust type; `None` if it is described at run time.
    connect: Option<Connect>,
    untyped: Option<&'static UntypedEnds>,
}

impl PortDescriptor {
    /// Describes an end of that topic or service with messages of that type (`None` for services),
    /// and how it is created.
    pub const fn new(
        name: &'static str,
        role: PortRole,
        message: Option<&'static RepresentationDescriptor>,
        connect: Connect,
    ) -> Self {
        Self { name, role, message, connect: Some(connect), untyped: None }
    }

    /// Adds ends for modules that are not Rust types, through which they share the topic.
    #[must_use]
    pub const fn with_untyped(self, untyped: &'static UntypedEnds) -> Self {
        Self { untyped: Some(untyped), ..self }
    }

    /// Describes an end that publishes messages to a topic, for modules that are described at run
    /// time.
    pub const fn publishes(topic: Name, message: &'static RepresentationDescriptor) -> Self {
        let (name, message) = (topic.as_str(), Some(message));
        Self { name, role: PortRole::Publishes, message, connect: None, untyped: None }
    }

    /// Describes an end that receives the messages of a topic, for modules that are described at
    /// run time.
    pub const fn subscribes(topic: Name, message: &'static RepresentationDescriptor) -> Self {
        Self { role: PortRole::Subscribes, ..Self::publishes(topic, message) }
    }

    /// Returns the name of the topic or service.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the end of the topic or service that the port is.
    pub fn role(&self) -> PortRole {
        self.role
    }

    /// Returns the type of the messages; `None` for services.
    pub fn message(&self) -> Option<&'static RepresentationDescriptor> {
        self.message
    }

    /// Returns whether no Rust type describes the port.
    pub(super) fn is_untyped(&self) -> bool {
        self.connect.is_none()
    }

    /// Returns this end for the same topic as `typed`, which is an end of a Rust type with messages
    /// of the same name and schema.
    pub(super) fn shared_with(self, typed: &Self) -> Self {
        Self { message: typed.message, untyped: typed.untyped, ..self }
    }

    /// Creates the port. Not for real-time threads.
    ///
    /// # Errors
    /// Fails if the port cannot be connected.
    pub fn connect(&self, connector: &dyn Connector) -> Result<Box<dyn Port>, ConnectError> {
        if let Some(connect) = self.connect {
            return connect(self, connector);
        }
        let no_topic = || ConnectError::NoTopic { name: self.name.to_owned() };
        let (topic, message) = (Name::new(self.name), self.message.ok_or_else(no_topic)?);
        match (self.role, self.untyped) {
            (PortRole::Publishes, ends) => {
                let made = match ends {
                    Some(ends) => (ends.publisher)(self, connector),
                    None => connector.publisher(topic, message),
                };
                Ok(Box::new(ForeignPublisher::new(made?)))
            }
            (PortRole::Subscribes, ends) => {
                let made = match ends {
                    Some(ends) => (ends.subscription)(self, connector),
                    None => connector.subscription(topic, message),
                };
                Ok(Box::new(ForeignSubscription::new(made?)))
            }
            (PortRole::Calls, _) => Err(no_topic()),
        }
    }
}

/// A function that creates the port of a Rust type on a carrier that a connector offers. It is
/// called outside of the real-time threads.
pub type Connect = fn(end: &PortDescriptor, connector: &dyn Connector) -> Result<Box<dyn Port>, ConnectError>;

/// The end of a topic or a service that a port is.
///
/// See [`PortDescriptor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// Sends messages to a topic.
    Publishes,
    /// Receives the messages of a topic.
    Subscribes,
    /// Calls a service.
    Calls,
}

impl fmt::Debug for PortDescriptor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PortDescriptor({:?} {})", self.role, self.name)
    }
}

impl PartialEq for PortDescriptor {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.role) == (other.name, other.role)
    }
}

/// The place of a port, as updates see it.
///
/// ```
/// use hemiola_model::module::{BetweenRuns, Port, PortCell};
///
/// struct Horn;
/// impl Port for Horn {}
///
/// let cell = PortCell::new(Box::new(Horn));
/// // SAFETY: nothing runs here, and nobody else uses it.
/// cell.begin_run(&mut unsafe { BetweenRuns::assume() });
/// ```
pub struct PortCell(UnsafeCell<Box<dyn Port>>);

// SAFETY: ports are Send, and the module's invariant orders every use.
unsafe impl Sync for PortCell {}

impl PortCell {
    /// Creates a place for a port.
    pub fn new(port: Box<dyn Port>) -> Self {
        Self(UnsafeCell::new(port))
    }

    /// Notifies the port that a run begins.
    pub fn begin_run(&self, between: &mut BetweenRuns<'_>) {
        self.port_mut(between).begin_run();
    }

    /// Begins a run in a replay, as [`PortRecord::repeat_run`] does, or as any run if the port
    /// keeps no record.
    pub fn repeat_run(&self, between: &mut BetweenRuns<'_>, wanted: &[Inlet]) -> bool {
        let port = self.port_mut(between);
        match port.record_mut() {
            Some(record) => return record.repeat_run(wanted),
            None => port.begin_run(),
        }
        true
    }

    /// Returns the port, for reading.
    pub fn port<'b>(&'b self, _: &'b BetweenRuns<'_>) -> &'b dyn Port {
        // SAFETY: between two runs, and nobody changes it as long as the witness is borrowed.
        unsafe { &**self.0.get() }
    }

    /// Returns the port, for changing it.
    pub fn port_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut dyn Port {
        // SAFETY: between two runs, and the witness is borrowed exclusively as long as this.
        unsafe { &mut **self.0.get() }
    }

    /// Returns the number of the next message, as [`Port::published`] does.
    ///
    /// # Safety
    /// The module's invariant holds: this is called by the task of the port's update, while the
    /// update is not running.
    pub unsafe fn published(&self) -> u64 {
        // SAFETY: promised by the caller.
        unsafe { &**self.0.get() }.published()
    }

    /// Returns the port, if it is of that type.
    ///
    /// # Safety
    /// The module's invariant holds: this is called by the port's update, which borrows it once at
    /// a time.
    #[expect(clippy::mut_from_ref, reason = "the module's invariant makes the use exclusive")]
    #[inline]
    pub unsafe fn get<P: Port>(&self) -> Option<&mut P> {
        // SAFETY: promised by the caller.
        let port: &mut dyn Any = unsafe { &mut **self.0.get() };
        port.downcast_mut()
    }
}

impl fmt::Debug for PortCell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PortCell")
    }
}
