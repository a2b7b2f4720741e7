//! Publishers for programs that do not know the type of what they publish: modules without Rust
//! types, and links.

use std::fmt;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::{Place, Port, PortRecord, UntypedPublisher};

use super::Carried;
use crate::topic::Publisher;

/// A publisher whose messages are given as data.
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

    fn place(&self) -> Option<Place> {
        Some(self.publisher.place())
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

    fn continue_at(&mut self, number: u64) {
        self.publisher.continue_at(number);
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
