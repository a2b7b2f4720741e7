//! Messages that may be of no Rust type, and the ends of topics for modules that have none.

use std::fmt;

use hemiola_model::data::{ReadError, Reader, Writer};
use hemiola_model::module::{Port, PortRecord, UntypedPublisher, UntypedSubscription};
use hemiola_model::{AnyRepresentation, Representation, RepresentationDescriptor};

use super::Subscription;
use crate::topic::{Message, Publisher};

/// A message that can be written, if its representation is not opaque.
pub trait MessageWrite {
    /// Writes it; `false`, and nothing written, when it is opaque.
    fn write_to(&self, writer: &mut dyn Writer) -> bool;
}

/// What the topics of modules carry: representations of Rust types, and [`Untyped`] ones.
pub trait Carried: Message + MessageWrite {
    /// Replaces it by a message of that representation that is read. It is unchanged when that fails.
    fn read_from(
        &mut self,
        message: &'static RepresentationDescriptor,
        reader: &mut dyn Reader,
    ) -> Result<(), ReadError>;
}

impl<T: Representation> MessageWrite for T {
    fn write_to(&self, writer: &mut dyn Writer) -> bool {
        T::form().write(self, writer)
    }
}

impl<T: Representation> Carried for T {
    fn read_from(&mut self, _: &'static RepresentationDescriptor, reader: &mut dyn Reader) -> Result<(), ReadError> {
        if T::form().read(self, reader)? { Ok(()) } else { Err(opaque(T::NAME, reader)) }
    }
}

/// A message whose representation is known at run time; nothing until the first one is read into it.
#[derive(Debug, Default)]
pub struct Untyped(Option<AnyRepresentation>);

impl MessageWrite for Untyped {
    fn write_to(&self, writer: &mut dyn Writer) -> bool {
        self.0.as_ref().is_some_and(|value| value.write(writer))
    }
}

impl Carried for Untyped {
    fn read_from(
        &mut self,
        message: &'static RepresentationDescriptor,
        reader: &mut dyn Reader,
    ) -> Result<(), ReadError> {
        let value = self.0.get_or_insert_with(|| message.create());
        if value.read(reader)? { Ok(()) } else { Err(opaque(message.name(), reader)) }
    }
}

fn opaque(name: &str, reader: &dyn Reader) -> ReadError {
    reader.error(format!("`{name}` is opaque: it has no form outside of the process"))
}

/// A publisher whose messages come as data.
pub struct End<T: Carried> {
    publisher: Publisher<T>,
    message: &'static RepresentationDescriptor,
}

impl<T: Carried> End<T> {
    pub fn new(publisher: Publisher<T>, message: &'static RepresentationDescriptor) -> Self {
        Self { publisher, message }
    }
}

impl<T: Carried> Port for End<T> {
    fn published(&self) -> u64 {
        self.publisher.published()
    }

    fn place(&self) -> Option<u32> {
        u32::try_from(self.publisher.place()).ok()
    }

    fn record(&self) -> Option<&dyn PortRecord> {
        Some(self)
    }

    fn record_mut(&mut self) -> Option<&mut dyn PortRecord> {
        Some(self)
    }
}

impl<T: Carried> PortRecord for End<T> {
    fn publish_again(&mut self, reader: &mut dyn Reader, index: usize) -> Result<(), ReadError> {
        publish_again(&mut self.publisher, self.message, reader, index)
    }
}

impl<T: Carried> UntypedPublisher for End<T> {
    fn publish(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        let mut message = self.publisher.loan();
        message.read_from(self.message, reader)?;
        message.publish();
        Ok(())
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

/// Publishes the message at `index` of a sequence that is read.
pub fn publish_again<T: Carried>(
    publisher: &mut Publisher<T>,
    representation: &'static RepresentationDescriptor,
    reader: &mut dyn Reader,
    index: usize,
) -> Result<(), ReadError> {
    let mut message = publisher.loan();
    reader.begin_sequence()?;
    for _ in 0..=index {
        message.read_from(representation, reader)?;
    }
    message.publish();
    Ok(())
}

impl<T: Carried> fmt::Debug for End<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("End").field(&self.publisher).finish()
    }
}
