//! Calls user code that creates modules, sources and values during the assembly of a robot: a panic
//! becomes an error that names what cannot be created.

use hemiola_model::RepresentationDescriptor;
use hemiola_model::module::{CreationError, Instance};
use hemiola_realtime::{Containment, take_place};

use crate::containment::contained;
use crate::error::RuntimeError;

/// A module or a source that is to be created.
pub struct Blueprint<'b> {
    pub name: &'static str,
    /// The file and line where it is declared.
    pub location: &'static str,
    /// The place of its table in the configuration, if it has one.
    pub place: Option<&'b str>,
}

impl Blueprint<'_> {
    /// Creates an instance.
    pub fn instance(&self, create: impl FnOnce() -> Result<Instance, CreationError>) -> Result<Instance, RuntimeError> {
        // The panic of a constructor is part of the error.
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

/// Creates something from default values of a representation.
pub fn of_defaults<R>(descriptor: &RepresentationDescriptor, make: impl FnOnce() -> R) -> Result<R, RuntimeError> {
    contained(make).map_err(|reason| RuntimeError::DefaultValue { name: descriptor.name().to_owned(), reason })
}
