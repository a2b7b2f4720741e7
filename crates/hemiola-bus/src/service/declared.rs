//! Services whose types a program says before its robot runs.

use std::fmt;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::data::{Data, DataType};

use super::answers::{Answer, answers_of};
use crate::bus::Bus;

/// A service with the types of its requests and answers: other programs and other processes of a
/// robot may call it, and the answers that modules get are in logs.
///
/// ```
/// use hemiola_bus::{Bus, DeclaredService};
///
/// let double = DeclaredService::of::<u8, u16>("double");
/// let bus = Bus::new();
/// double.allow(&bus);
/// assert_eq!(bus.callable_services()[0].response, double.response());
/// ```
#[derive(Clone)]
pub struct DeclaredService {
    name: String,
    request: fn() -> DataType,
    response: fn() -> DataType,
    answers: &'static RepresentationDescriptor,
    allow: fn(&Bus, &str),
}

impl DeclaredService {
    /// Declares the service of that name with these types.
    pub fn of<Request, Response>(name: impl Into<String>) -> Self
    where
        Request: Data + Send + 'static,
        Response: Data + Send + 'static,
    {
        Self {
            name: name.into(),
            request: Request::data_type,
            response: Response::data_type,
            answers: RepresentationDescriptor::of::<Answer<Response>>(),
            allow: |bus, name| bus.allow_calls::<Request, Response>(name),
        }
    }

    /// Returns the name of the service.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of its requests.
    pub fn request(&self) -> DataType {
        (self.request)()
    }

    /// Returns the type of its answers.
    pub fn response(&self) -> DataType {
        (self.response)()
    }

    /// Returns the messages of a topic, if it is the one that has the answers.
    pub fn message(&self, topic: &str) -> Option<&'static RepresentationDescriptor> {
        (answers_of(&self.name) == topic).then_some(self.answers)
    }

    /// Makes its types known on a bus: see [`Bus::allow_calls`].
    pub fn allow(&self, bus: &Bus) {
        (self.allow)(bus, &self.name);
    }
}

impl fmt::Debug for DeclaredService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("DeclaredService").field(&self.name).finish()
    }
}
