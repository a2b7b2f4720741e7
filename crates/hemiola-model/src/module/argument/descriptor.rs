//! Descriptors of arguments, without their types.

use crate::module::PortDescriptor;
use crate::{Representation, RepresentationDescriptor};

/// The descriptor of an argument, without its type.
///
/// ```
/// use hemiola_model::Clock;
/// use hemiola_model::module::{Argument, ArgumentDescriptor, ArgumentKind};
///
/// let clock: ArgumentDescriptor = <&Clock>::describe();
/// assert_eq!(clock.kind(), ArgumentKind::Service);
/// assert!(clock.representation().is_none() && clock.port().is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArgumentDescriptor {
    kind: ArgumentKind,
    representation: Option<&'static RepresentationDescriptor>,
    port: Option<PortDescriptor>,
}

/// The kind of an argument.
///
/// ```
/// use hemiola_model::module::{Argument, ArgumentKind, Samples};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Imu(f32);
/// # impl Representation for Imu { const NAME: &'static str = "Imu"; fn form() -> Form<Self> { Form::opaque() } }
///
/// assert_eq!(<&mut Imu>::describe().kind(), ArgumentKind::Provides);
/// assert_eq!(<Samples<Imu>>::describe().kind(), ArgumentKind::Collects);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// `&T` or `Fresh<T>`
    Requires,
    /// `Previous<T>`
    Uses,
    /// `Samples<T>`
    Collects,
    /// `&mut T`
    Provides,
    /// A service of the framework.
    Service,
    /// `&SafeState`: the update shows that it handles the safe state of the robot itself.
    SafeState,
    /// An end of a topic or a service.
    Port,
}

impl ArgumentKind {
    /// Returns how an argument of this kind for that representation is written in Rust.
    pub(in crate::module) fn written(self, representation: &str) -> String {
        match self {
            Self::Requires => format!("&{representation}"),
            Self::Uses => format!("Previous<{representation}>"),
            Self::Collects => format!("Samples<{representation}>"),
            Self::Provides => format!("&mut {representation}"),
            Self::Service | Self::SafeState | Self::Port => "a service".to_owned(),
        }
    }
}

impl ArgumentDescriptor {
    pub(super) fn of<T: Representation>(kind: ArgumentKind) -> Self {
        Self { kind, representation: Some(RepresentationDescriptor::of::<T>()), port: None }
    }

    pub(super) const SERVICE: Self = Self { kind: ArgumentKind::Service, representation: None, port: None };
    pub(super) const SAFE_STATE: Self = Self { kind: ArgumentKind::SafeState, ..Self::SERVICE };

    /// Describes an end of a topic or a service.
    pub const fn of_port(port: PortDescriptor) -> Self {
        Self { kind: ArgumentKind::Port, representation: None, port: Some(port) }
    }

    /// Describes an argument that reads this run's value, for modules that are described at run
    /// time. Rust modules have their types for that.
    pub fn requires(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Requires, representation: Some(representation), port: None }
    }

    /// Describes an argument that reads the value of the previous run, for modules that are
    /// described at run time.
    pub fn uses(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Uses, ..Self::requires(representation) }
    }

    /// Describes an argument that reads all samples since the last run, for modules that are
    /// described at run time.
    pub fn collects(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Collects, ..Self::requires(representation) }
    }

    /// Describes an argument that provides the value, for modules that are described at run time.
    pub fn provides(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Provides, ..Self::requires(representation) }
    }

    /// Returns the same argument for a representation of the same name and schema.
    pub(in crate::module) fn with_representation(self, representation: &'static RepresentationDescriptor) -> Self {
        Self { representation: Some(representation), ..self }
    }

    /// Returns the kind of the argument.
    pub fn kind(&self) -> ArgumentKind {
        self.kind
    }

    /// Returns the representation of the argument; `None` for services and ports.
    pub fn representation(&self) -> Option<&'static RepresentationDescriptor> {
        self.representation
    }

    /// Returns the end of a topic or a service that the argument is bound to, if it is one.
    pub fn port(&self) -> Option<PortDescriptor> {
        self.port
    }
}
