//! The messages that topics of modules carry: their representation is a Rust type, or known at run
//! time only.

mod end;

pub use end::{End, publish_again};

use hemiola_model::data::{ReadError, Reader, SharedBytes, Writer};
use hemiola_model::{AnyRepresentation, Representation, RepresentationDescriptor};

use crate::topic::Message;

/// A message that can be written, if its representation is not opaque.
pub trait MessageWrite {
    /// Writes the message. Returns `false`, and writes nothing, if it is opaque.
    fn write_to(&self, writer: &mut dyn Writer) -> bool;

    /// Returns the message in CDR, if it is one already.
    fn in_cdr(&self) -> Option<&SharedBytes>;
}

/// The messages that topics of modules carry: representations of Rust types, and [`Untyped`] ones.
pub trait Carried: Message + MessageWrite {
    /// Replaces the message by one of that representation, read from `reader`, and keeps its
    /// memory. The message may be a mixture of both if that fails.
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

    fn in_cdr(&self) -> Option<&SharedBytes> {
        T::form().message(self)
    }
}

impl<T: Representation> Carried for T {
    fn read_from(&mut self, _: &'static RepresentationDescriptor, reader: &mut dyn Reader) -> Result<(), ReadError> {
        if T::form().read_over(self, reader)? { Ok(()) } else { Err(opaque(T::NAME, reader)) }
    }
}

/// A message whose representation is known at run time; empty until the first one is read into it.
#[derive(Debug, Default)]
pub struct Untyped(Option<AnyRepresentation>);

impl MessageWrite for Untyped {
    fn write_to(&self, writer: &mut dyn Writer) -> bool {
        self.0.as_ref().is_some_and(|value| value.write(writer))
    }

    fn in_cdr(&self) -> Option<&SharedBytes> {
        None
    }
}

impl Carried for Untyped {
    fn read_from(
        &mut self,
        message: &'static RepresentationDescriptor,
        reader: &mut dyn Reader,
    ) -> Result<(), ReadError> {
        let value = self.0.get_or_insert_with(|| message.create());
        if value.read_over(reader)? { Ok(()) } else { Err(opaque(message.name(), reader)) }
    }
}

fn opaque(name: &str, reader: &dyn Reader) -> ReadError {
    reader.error(format!("`{name}` is opaque: it has no form outside of the process"))
}
