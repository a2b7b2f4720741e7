//! What an update holds besides representations: its end of a topic or a service.
//!
//! A port is made when the module is, belongs to one argument of one update, and lives as long as the module. Invariant of a
//! [`PortCell`], kept by whoever runs updates (`unsafe` is needed to do so): it is used by its update, which runs once in a run, and
//! between two runs by the thread that runs the cycle, never by both at the same time.

#![expect(
    unsafe_code,
    reason = "a port is shared by its update and the thread between two runs; the invariant orders them"
)]

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;

use super::BetweenRuns;
use crate::RepresentationDescriptor;
use crate::data::{DataType, ReadError, Reader, Writer};

/// A module's end of a topic or a service: a publisher, a subscription, a client.
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
    /// Called before each run of the cycle: what has arrived until now is what the run gets to see, so that its results do not
    /// depend on the order of its tasks. No allocation, no lock, no system call.
    fn begin_run(&mut self) {}

    /// Tells how many messages of which publisher the run that begins gets to see, by the publisher's place: what has to be known to repeat it.
    /// No allocation, no lock, no system call.
    fn received(&self, _tell: &mut dyn FnMut(u32, u32)) {}

    /// Called in the place of [`begin_run`](Self::begin_run) in a replay: the run gets to see as many messages of each publisher as `wanted` tells
    /// for its place. `false` when they are not there.
    fn repeat_run(&mut self, wanted: &dyn Fn(u32) -> u32) -> bool {
        _ = wanted;
        self.begin_run();
        true
    }

    /// Of a publisher: how many of its topic come before it. Off the real-time threads.
    fn place(&self) -> Option<u32> {
        None
    }

    /// Of a publisher: the number of its next message. No allocation, no lock, no system call.
    fn published(&self) -> u64 {
        0
    }

    /// Of a subscription: what its messages are, if they can be written down.
    fn message_type(&self) -> Option<DataType> {
        None
    }

    /// Of a subscription: what the run that begins gets to see of each publisher. No allocation, no lock, no system call.
    fn inlets(&self, _tell: &mut dyn FnMut(Inlet)) {}

    /// Writes down these messages, as a sequence: those of each publisher in order. No allocation, no lock, no system call but what the writer does.
    fn write_received(&self, _writer: &mut dyn Writer) {}

    /// Of a publisher: publishes the message at `index` of a sequence that is read, as it did before a snapshot that the robot goes on from.
    ///
    /// # Errors
    /// What the reader holds is no message.
    fn publish_again(&mut self, _reader: &mut dyn Reader, _index: usize) -> Result<(), ReadError> {
        Ok(())
    }

    /// Of a subscription: what its next run gets to see is a sequence that is read, whatever arrives, from now on. Off the real-time threads.
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
        self.first + u64::from(self.count)
    }
}

/// A port without its type: what it is connected to, and how it is made.
///
/// ```
/// use hemiola_model::module::{Port, PortDescriptor, PortRole};
///
/// struct Horn;
/// impl Port for Horn {}
///
/// let descriptor = PortDescriptor::new("Honk", PortRole::Publishes, None, |_bus| Ok(Box::new(Horn)));
/// assert!(descriptor.connect(&()).is_ok());
/// ```
#[derive(Clone, Copy)]
pub struct PortDescriptor {
    name: &'static str,
    role: PortRole,
    message: Option<&'static RepresentationDescriptor>,
    connect: Connect,
}

impl PortDescriptor {
    /// An end of that topic or service, whose messages (`None` for services) are these, and what makes it.
    pub const fn new(
        name: &'static str,
        role: PortRole,
        message: Option<&'static RepresentationDescriptor>,
        connect: Connect,
    ) -> Self {
        Self { name, role, message, connect }
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

    /// Makes the port, on this bus; off the real-time threads.
    ///
    /// # Errors
    /// In words: it cannot be connected.
    pub fn connect(&self, bus: &dyn Any) -> Result<Box<dyn Port>, String> {
        (self.connect)(bus)
    }
}

/// Makes a port, given the robot's bus, whose type this crate does not know. Off the real-time threads. The error is for people.
pub type Connect = fn(bus: &dyn Any) -> Result<Box<dyn Port>, String>;

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

    /// As [`Port::received`].
    pub fn received(&self, between: &BetweenRuns<'_>, tell: &mut dyn FnMut(u32, u32)) {
        self.port(between).received(tell);
    }

    /// As [`Port::repeat_run`].
    pub fn repeat_run(&self, between: &mut BetweenRuns<'_>, wanted: &dyn Fn(u32) -> u32) -> bool {
        self.port_mut(between).repeat_run(wanted)
    }

    /// The port, to be looked at.
    pub fn port<'b>(&'b self, _: &'b BetweenRuns<'_>) -> &'b dyn Port {
        // SAFETY: between two runs, and nobody changes it as long as the witness is borrowed.
        unsafe { &**self.0.get() }
    }

    fn port_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut dyn Port {
        // SAFETY: between two runs, and the witness is borrowed exclusively as long as this.
        unsafe { &mut **self.0.get() }
    }

    /// As [`Port::published`].
    ///
    /// # Safety
    /// The module's invariant: by the task of the port's update, while that is not called.
    pub unsafe fn published(&self) -> u64 {
        // SAFETY: promised by the caller.
        unsafe { &**self.0.get() }.published()
    }

    /// As [`Port::publish_again`].
    ///
    /// # Errors
    /// What the reader holds is no message.
    pub fn publish_again(
        &self,
        reader: &mut dyn Reader,
        index: usize,
        between: &mut BetweenRuns<'_>,
    ) -> Result<(), ReadError> {
        self.port_mut(between).publish_again(reader, index)
    }

    /// As [`Port::receive`].
    ///
    /// # Errors
    /// What the reader holds are no messages.
    pub fn receive(&self, reader: &mut dyn Reader, between: &mut BetweenRuns<'_>) -> Result<(), ReadError> {
        self.port_mut(between).receive(reader)
    }

    /// The port, if it is of that type.
    ///
    /// # Safety
    /// The module's invariant: by the port's update.
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
