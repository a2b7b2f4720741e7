//! Calls of what users wrote to make modules, sources and values while a robot is put together: a
//! panic is an error that names what cannot be made.

use hemiola_model::RepresentationDescriptor;
use hemiola_model::module::{CreationError, Instance};
use hemiola_realtime::{Containment, take_place};

use crate::containment::contained;
use crate::error::RuntimeError;

/// What is to be made: a module or a source.
pub struct Blueprint<'b> {
    pub name: &'static str,
    /// File and line where it is declared.
    pub location: &'static str,
    /// Where its table stands, if it has one.
    pub place: Option<&'b str>,
}

impl Blueprint<'_> {
    /// An instance.
    pub fn instance(&self, create: impl FnOnce() -> Result<Instance, CreationError>) -> Result<Instance, RuntimeError> {
        // What a constructor panics with is part of the error.
        let quiet = Containment::new();
        let made = create();
        drop(quiet);
        made.map_err(|error| match error {
            CreationError::Parameters(errors) => RuntimeError::Parameters { name: self.name.to_owned(), errors },
            CreationError::Panicked(panicked) => RuntimeError::Constructor {
                name: self.name.to_owned(),
                location: self.location.to_owned(),
                place: self.place.map(str::to_owned),
                reason: format!("panicked{}: {panicked}", take_place()),
            },
        })
    }
}

/// What is made of default values of a representation.
pub fn of_defaults<R>(descriptor: &RepresentationDescriptor, make: impl FnOnce() -> R) -> Result<R, RuntimeError> {
    contained(make).map_err(|reason| RuntimeError::DefaultValue { name: descriptor.name().to_owned(), reason })
}
