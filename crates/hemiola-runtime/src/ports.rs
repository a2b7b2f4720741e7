use hemiola_model::module::{Connector, Place, PortCell, Update};

use crate::containment::contained;
use crate::error::RuntimeError;

/// The ends of topics and services that an update holds, one for each of its arguments.
pub struct Ports(Box<[Option<Connected>]>);

struct Connected {
    /// The end, in a box, so that its address does not change.
    cell: Box<PortCell>,
    place: Option<Place>,
}

impl Ports {
    /// Connects to all topics and services that the update's arguments name. Not for real-time
    /// threads.
    pub fn connect(owner: &str, update: &Update, connector: &dyn Connector) -> Result<Self, RuntimeError> {
        let connect = |argument: &hemiola_model::module::ArgumentDescriptor| {
            let Some(port) = argument.port() else { return Ok(None) };
            // Connecting creates messages, with their `Default`.
            let connected = contained(|| port.connect(connector).map_err(|error| error.to_string()));
            let connected = connected.and_then(|connected| connected).map_err(|reason| RuntimeError::Port {
                owner: format!("{owner}.{}", update.name()),
                name: port.name().to_owned(),
                reason,
            })?;
            let place = connected.place();
            Ok(Some(Connected { cell: Box::new(PortCell::new(connected)), place }))
        };
        update.arguments().iter().map(connect).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the port of that argument, if it has one.
    pub fn get(&self, argument: usize) -> Option<&PortCell> {
        self.0.get(argument)?.as_ref().map(|port| &*port.cell)
    }

    /// Returns the place of that argument's publisher, if it is one.
    pub fn place(&self, argument: usize) -> Option<Place> {
        self.0.get(argument)?.as_ref()?.place
    }

    /// Iterates over all ports.
    pub fn iter(&self) -> impl Iterator<Item = &PortCell> {
        self.0.iter().flatten().map(|port| &*port.cell)
    }
}
