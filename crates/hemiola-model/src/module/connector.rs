//! Connectors, which carry messages, as ports see them.

use std::any::{Any, TypeId, type_name};

use thiserror::Error;

use super::{PortDescriptor, UntypedPublisher, UntypedSubscription};
use crate::{Name, RepresentationDescriptor};

/// The carrier of messages and requests by name: a robot's bus, or a link to other processes.
///
/// A port of a Rust type is written for one kind of carrier (the publisher of `hemiola-bus` for its
/// bus), and asks a connector for one of that kind, which may depend on the topic. A port that is
/// described at run time only has the name of its topic and the type of its messages: any carrier
/// can create it. Ports are created outside of the real-time threads.
///
/// ```
/// use hemiola_model::module::{ConnectError, Connector, PortDescriptor, UntypedPublisher, UntypedSubscription, Wanted};
/// use hemiola_model::{Name, RepresentationDescriptor};
///
/// /// Keeps the topics of one team apart, and leaves the carrying to another connector.
/// struct Team<C>(C);
///
/// impl<C: Connector> Connector for Team<C> {
///     fn offer<'c>(&'c self, end: &PortDescriptor, wanted: &mut Wanted<'c>) {
///         self.0.offer(end, wanted);
///     }
///
///     fn publisher(&self, topic: Name, message: &'static RepresentationDescriptor) -> Result<Box<dyn UntypedPublisher>, ConnectError> {
///         self.0.publisher(Name::intern(&format!("red/{topic}")), message)
///     }
///
///     fn subscription(&self, topic: Name, message: &'static RepresentationDescriptor) -> Result<Box<dyn UntypedSubscription>, ConnectError> {
///         self.0.subscription(Name::intern(&format!("red/{topic}")), message)
///     }
/// }
/// ```
pub trait Connector {
    /// [Offers](Wanted::offer) the carriers that this end of Rust types may be connected to.
    fn offer<'c>(&'c self, end: &PortDescriptor, wanted: &mut Wanted<'c>);

    /// Creates an end that publishes messages of that representation.
    ///
    /// # Errors
    /// Fails if the topic carries other messages, or none can be carried.
    fn publisher(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedPublisher>, ConnectError>;

    /// Creates an end that receives messages of that representation.
    ///
    /// # Errors
    /// Fails if the topic carries other messages, or none can be carried.
    fn subscription(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedSubscription>, ConnectError>;
}

impl dyn Connector + '_ {
    /// Returns the carrier of type `T` for an end, to which ports of Rust types are connected.
    ///
    /// # Errors
    /// Returns [`ConnectError::NotCarried`] if it is not offered.
    pub fn carrier<T: 'static>(&self, end: &PortDescriptor) -> Result<&T, ConnectError> {
        let mut wanted = Wanted { type_id: TypeId::of::<T>(), offered: None };
        self.offer(end, &mut wanted);
        let offered = wanted.offered.and_then(|offered| offered.downcast_ref());
        offered.ok_or_else(|| ConnectError::NotCarried { name: end.name().to_owned(), wanted: type_name::<T>() })
    }
}

/// The kind of carrier that a port is written for, to be filled in by a [`Connector`].
///
/// ```
/// use hemiola_model::module::Wanted;
///
/// struct Radio;
/// struct Wires { radio: Radio }
///
/// fn offer<'c>(wires: &'c Wires, wanted: &mut Wanted<'c>) {
///     wanted.offer(wires).offer(&wires.radio); // whichever is wanted
/// }
/// ```
#[derive(Debug)]
pub struct Wanted<'c> {
    type_id: TypeId,
    offered: Option<&'c dyn Any>,
}

impl<'c> Wanted<'c> {
    /// Offers a carrier; it is ignored if another type is wanted, or one was offered before.
    pub fn offer<T: 'static>(&mut self, carrier: &'c T) -> &mut Self {
        if self.offered.is_none() && self.type_id == TypeId::of::<T>() {
            self.offered = Some(carrier);
        }
        self
    }
}

/// The reason why a port cannot be connected.
///
/// ```
/// use hemiola_model::module::ConnectError;
///
/// let error = ConnectError::NotCarried { name: "MapTile".into(), wanted: "hemiola_bus::Bus" };
/// assert_eq!(error.to_string(), "nothing here carries `MapTile` as its type asks, by a `hemiola_bus::Bus`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConnectError {
    /// The kind of carrier that the port's type is written for is not offered.
    #[error("nothing here carries `{name}` as its type asks, by a `{wanted}`")]
    NotCarried {
        /// The name of the topic or service.
        name: String,
        /// The type of the carrier that is missing.
        wanted: &'static str,
    },
    /// A port that is described at run time asks for something other than a topic.
    #[error(
        "`{name}` is no topic with messages of a representation, and modules without Rust types have ends of such topics only"
    )]
    NoTopic {
        /// The name of the service.
        name: String,
    },
    /// The carrier refuses.
    #[error("{reason}")]
    Refused {
        /// The carrier's own message.
        reason: String,
    },
}

impl ConnectError {
    /// Creates the refusal of a carrier from its own message.
    pub fn refused(reason: impl ToString) -> Self {
        Self::Refused { reason: reason.to_string() }
    }
}
