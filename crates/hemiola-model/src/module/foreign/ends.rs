//! Ends of topics for modules that are not Rust types: messages pass through them as data.

use std::fmt;

use crate::data::{ReadError, Reader, Value, ValueReader, ValueWriter, Writer};
use crate::module::{ConnectError, Connector, Inlet, Place, Port, PortDescriptor, PortRecord};

/// A publisher whose messages are data, whatever their type in the program. Carriers of messages
/// implement it; modules use it as a [`ForeignPublisher`].
pub trait UntypedPublisher: Port {
    /// Publishes a message that is read from `reader`.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the messages' schema, or they are opaque;
    /// nothing is published then.
    fn publish(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError>;
}

/// A subscription whose messages are data, whatever their type in the program. Carriers of messages
/// implement it; modules use it as a [`ForeignSubscription`].
pub trait UntypedSubscription: Port {
    /// Returns how many messages the run sees.
    fn count(&self) -> usize;

    /// Writes the message at `index`, those of each publisher in order; returns `false`, and writes
    /// nothing, if there is none or it is opaque.
    fn write(&self, index: usize, writer: &mut dyn Writer) -> bool;
}

/// The ends of a topic with messages of a Rust type, for modules that are not Rust types. Where no
/// Rust type is known, [`Connector::publisher`] creates ends.
#[derive(Debug)]
pub struct UntypedEnds {
    /// Creates a publisher.
    pub publisher: MakeEnd<dyn UntypedPublisher>,
    /// Creates a subscription.
    pub subscription: MakeEnd<dyn UntypedSubscription>,
}

/// A function that creates an end on a carrier of the connector.
pub type MakeEnd<End> = fn(end: &PortDescriptor, connector: &dyn Connector) -> Result<Box<End>, ConnectError>;

/// The end through which a foreign module publishes:
/// [`ForeignArguments::publisher`](super::ForeignArguments::publisher).
///
/// ```
/// use hemiola_model::data::{ReadError, Value};
/// use hemiola_model::module::ForeignPublisher;
///
/// fn blow(whistle: &mut ForeignPublisher) -> Result<(), ReadError> {
///     whistle.publish_value(&Value::Table([("loudness".to_owned(), Value::Float(0.9))].into()))
/// }
/// ```
pub struct ForeignPublisher(Box<dyn UntypedPublisher>);

/// The end through which a foreign module receives:
/// [`ForeignArguments::subscription`](super::ForeignArguments::subscription).
///
/// ```
/// use hemiola_model::module::ForeignSubscription;
///
/// fn print(messages: &ForeignSubscription) {
///     messages.values().for_each(|message| println!("{message}"));
/// }
/// ```
pub struct ForeignSubscription(Box<dyn UntypedSubscription>);

impl ForeignPublisher {
    pub(in crate::module) fn new(end: Box<dyn UntypedPublisher>) -> Self {
        Self(end)
    }

    /// Publishes a message that is read from `reader`.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the messages' schema, or they are opaque;
    /// nothing is published then.
    pub fn publish(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        self.0.publish(reader)
    }

    /// Publishes a message in text form.
    ///
    /// # Errors
    /// Returns the errors of [`publish`](Self::publish).
    pub fn publish_value(&mut self, value: &Value) -> Result<(), ReadError> {
        self.publish(&mut ValueReader::new(value))
    }
}

impl ForeignSubscription {
    pub(in crate::module) fn new(end: Box<dyn UntypedSubscription>) -> Self {
        Self(end)
    }

    /// Returns how many messages the run sees.
    pub fn len(&self) -> usize {
        self.0.count()
    }

    /// Returns whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the message at `index`, those of each publisher in order; returns `false`, and writes
    /// nothing, if there is none or it is opaque.
    pub fn write(&self, index: usize, writer: &mut dyn Writer) -> bool {
        self.0.write(index, writer)
    }

    /// Returns the text forms of all messages.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        (0..self.len()).filter_map(|index| {
            let mut writer = ValueWriter::default();
            self.write(index, &mut writer).then(|| writer.finish())
        })
    }
}

// A type that wraps a port forwards all calls to it.
macro_rules! wrapping_port {
    ($port:ty) => {
        impl Port for $port {
            fn begin_run(&mut self) {
                self.0.begin_run();
            }

            fn inlets(&self, tell: &mut dyn FnMut(Inlet)) {
                self.0.inlets(tell);
            }

            fn published(&self) -> u64 {
                self.0.published()
            }

            fn place(&self) -> Option<Place> {
                self.0.place()
            }

            fn record(&self) -> Option<&dyn PortRecord> {
                self.0.record()
            }

            fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
                self.0.record_mut()
            }
        }
    };
}

wrapping_port!(ForeignPublisher);
wrapping_port!(ForeignSubscription);

impl fmt::Debug for ForeignPublisher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ForeignPublisher")
    }
}

impl fmt::Debug for ForeignSubscription {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ForeignSubscription({} messages)", self.len())
    }
}
