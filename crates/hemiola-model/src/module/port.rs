//! What an update holds besides representations: its end of a topic or a service.
//!
//! A port is made when the module is, belongs to one argument of one update, and lives as long as
//! the module. Invariant of a [`PortCell`], kept by whoever runs updates (`unsafe` is needed to do
//! so): it is used by its update, which runs once in a run, and between two runs by the thread that
//! runs the cycle, never by both at the same time.

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
    /// Called before each run of the cycle: what has arrived until now is what the run gets to see,
    /// so that its results do not depend on the order of its tasks. No allocation, no lock, no
    /// system call.
    fn begin_run(&mut self) {}

    /// Tells what the run that begins gets to see of each publisher, if this is a subscription. No
    /// allocation, no lock, no system call.
    fn inlets(&self, _tell: &mut dyn FnMut(Inlet)) {}

    /// The number of the next message, if this is a publisher. No allocation, no lock, no system
    /// call.
    fn published(&self) -> u64 {
        0
    }

    /// How many publishers of the topic come before this one, if it is one. Off the real-time
    /// threads.
    fn place(&self) -> Option<u32> {
        None
    }

    /// What is needed to write messages down; `None`: nothing of this port is recorded.
    fn record(&self) -> Option<&dyn PortRecord> {
        None
    }

    /// What is needed to repeat what was written down.
    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        None
    }
}

/// A port as recorders and replays need it: what went through it can be written down, and repeated.
///
/// A publisher has [`publish_again`](Self::publish_again), a subscription all others.
///
/// ```
/// use hemiola_model::data::Writer;
/// use hemiola_model::module::{Port, PortRecord};
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
///     fn received(&self, tell: &mut dyn FnMut(u32, u32)) { tell(0, self.0) }
///     fn repeat_run(&mut self, wanted: &dyn Fn(u32) -> u32) -> bool {
///         self.0 = wanted(0);
///         true
///     }
/// }
///
/// let mut bells = Bells(0);
/// assert!(bells.record_mut().is_some_and(|record| record.repeat_run(&|_| 3)));
/// assert_eq!(bells.0, 3);
/// ```
pub trait PortRecord {
    /// Tells how many messages of which publisher the run that begins gets to see, by the
    /// publisher's place: what has to be known to repeat it. No allocation, no lock, no system
    /// call.
    fn received(&self, _tell: &mut dyn FnMut(u32, u32)) {}

    /// Begins a run in a replay, in the place of [`Port::begin_run`]: it gets to see as many
    /// messages of each publisher as `wanted` says for its place. `false` when they are not there.
    fn repeat_run(&mut self, _wanted: &dyn Fn(u32) -> u32) -> bool {
        true
    }

    /// Writes the messages that the run gets to see, as a sequence: those of each publisher in
    /// order. No allocation, no lock, no system call but what the writer does.
    fn write_received(&self, _writer: &mut dyn Writer) {}

    /// Publishes the message at `index` of a sequence that is read, as it was before a checkpoint
    /// that the robot goes on from.
    ///
    /// # Errors
    /// What the reader holds is no message.
    fn publish_again(&mut self, _reader: &mut dyn Reader, _index: usize) -> Result<(), ReadError> {
        Ok(())
    }

    /// Has the next run get to see a sequence that is read, whatever arrives, from now on. Off the
    /// real-time threads.
    ///
    /// # Errors
    /// What the reader holds are no messages.
    fn receive(&mut self, _reader: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }
}

/// What a run gets to see of one publisher.
///
/// ```
/// use hemiola_model::module::Inlet;
///
/// let inlet = Inlet { place: 0, first: 7, count: 2 };
/// assert_eq!(inlet.end(), 9); // it gets messages 7 and 8
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inlet {
    /// How many publishers of the topic come before it.
    pub place: u32,
    /// The number of the first message.
    pub first: u64,
    /// How many.
    pub count: u32,
}

impl Inlet {
    /// The number of the first message that the run does not get.
    pub fn end(&self) -> u64 {
        // What a damaged log says may be anything.
        self.first.saturating_add(u64::from(self.count))
    }
}

/// A port without its type: what it is connected to, and how it is made.
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
    /// Makes the port of its Rust type; `None`: it is described at run time.
    connect: Option<Connect>,
    untyped: Option<&'static UntypedEnds>,
}

impl PortDescriptor {
    /// An end of that topic or service, whose messages (`None` for services) are these, and what
    /// makes it.
    pub const fn new(
        name: &'static str,
        role: PortRole,
        message: Option<&'static RepresentationDescriptor>,
        connect: Connect,
    ) -> Self {
        Self { name, role, message, connect: Some(connect), untyped: None }
    }

    /// With ends for modules that have no Rust types, through which they share the topic.
    #[must_use]
    pub const fn with_untyped(self, untyped: &'static UntypedEnds) -> Self {
        Self { untyped: Some(untyped), ..self }
    }

    /// An end that publishes messages to a topic: for modules that are described at run time.
    pub const fn publishes(topic: Name, message: &'static RepresentationDescriptor) -> Self {
        let (name, message) = (topic.as_str(), Some(message));
        Self { name, role: PortRole::Publishes, message, connect: None, untyped: None }
    }

    /// An end that receives the messages of a topic: for modules that are described at run time.
    pub const fn subscribes(topic: Name, message: &'static RepresentationDescriptor) -> Self {
        Self { role: PortRole::Subscribes, ..Self::publishes(topic, message) }
    }

    /// The topic or service.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Which end of it.
    pub fn role(&self) -> PortRole {
        self.role
    }

    /// What messages are; `None` for services.
    pub fn message(&self) -> Option<&'static RepresentationDescriptor> {
        self.message
    }

    /// Whether no Rust type describes it.
    pub(super) fn is_untyped(&self) -> bool {
        self.connect.is_none()
    }

    /// This end of the same topic as `typed`, which is one of a Rust type with messages of the same
    /// name and schema.
    pub(super) fn shared_with(self, typed: &Self) -> Self {
        Self { message: typed.message, untyped: typed.untyped, ..self }
    }

    /// Makes the port; off the real-time threads.
    ///
    /// # Errors
    /// It cannot be connected.
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

/// Makes the port of a Rust type that was described, on what a connector offers. Off the real-time
/// threads.
pub type Connect = fn(end: &PortDescriptor, connector: &dyn Connector) -> Result<Box<dyn Port>, ConnectError>;

/// Which end of a topic or a service a port is.
///
/// ```
/// use hemiola_model::module::PortRole;
/// assert_ne!(PortRole::Publishes, PortRole::Subscribes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// Sends messages to a topic.
    Publishes,
    /// Receives the messages of a topic.
    Subscribes,
    /// Asks a service.
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
    /// A place for a port.
    pub fn new(port: Box<dyn Port>) -> Self {
        Self(UnsafeCell::new(port))
    }

    /// Tells the port that a run begins.
    pub fn begin_run(&self, between: &mut BetweenRuns<'_>) {
        self.port_mut(between).begin_run();
    }

    /// Begins a run in a replay, as [`PortRecord::repeat_run`] does; as any run where the port
    /// keeps no record.
    pub fn repeat_run(&self, between: &mut BetweenRuns<'_>, wanted: &dyn Fn(u32) -> u32) -> bool {
        let port = self.port_mut(between);
        match port.record_mut() {
            Some(record) => return record.repeat_run(wanted),
            None => port.begin_run(),
        }
        true
    }

    /// The port, to be looked at.
    pub fn port<'b>(&'b self, _: &'b BetweenRuns<'_>) -> &'b dyn Port {
        // SAFETY: between two runs, and nobody changes it as long as the witness is borrowed.
        unsafe { &**self.0.get() }
    }

    /// The port, to be used.
    pub fn port_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut dyn Port {
        // SAFETY: between two runs, and the witness is borrowed exclusively as long as this.
        unsafe { &mut **self.0.get() }
    }

    /// The number of the next message, as [`Port::published`] tells it.
    ///
    /// # Safety
    /// The module's invariant: by the task of the port's update, while that is not called.
    pub unsafe fn published(&self) -> u64 {
        // SAFETY: promised by the caller.
        unsafe { &**self.0.get() }.published()
    }

    /// The port, if it is of that type.
    ///
    /// # Safety
    /// The module's invariant: by the port's update, which borrows it once at a time.
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
