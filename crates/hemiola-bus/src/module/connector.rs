//! The bus as the connector of the ports of a robot's modules.

use hemiola_model::module::{ConnectError, Connector, PortDescriptor, UntypedPublisher, UntypedSubscription, Wanted};
use hemiola_model::{Name, RepresentationDescriptor};

use super::Subscription;
use crate::bus::Bus;
use crate::carried::End;
use crate::topic::Seat;

/// The bus as the connector of a robot's cycles, or of its sources: [`Bus::ends_of_cycles`],
/// [`Bus::ends_of_sources`].
///
/// A replay computes what cycles publish, and has everything else from the log, so what comes from
/// which of them is told apart ([`Place`](hemiola_model::module::Place)).
#[derive(Clone, Debug)]
pub struct RobotEnds {
    bus: Bus,
    seat: Seat,
}

impl RobotEnds {
    /// Returns where its publishers are.
    pub(super) fn seat(&self) -> Seat {
        self.seat
    }
}

impl Bus {
    /// Returns the connector of the modules in cycles.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_model::module::{Connector, Place};
    /// use hemiola_model::{Name, RepresentationDescriptor};
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Goal(u32);
    /// # impl Representation for Goal { const NAME: &'static str = "Goal"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// let (bus, goals) = (Bus::new(), Name::intern("goals"));
    /// let end = |connector: &dyn Connector| connector.publisher(goals, RepresentationDescriptor::of::<Goal>());
    /// let publishers = [end(&bus)?, end(&bus.ends_of_cycles())?, end(&bus.ends_of_sources())?];
    /// assert_eq!(publishers.map(|end| end.place()), [Place::Outside(0), Place::Cycle(0), Place::Source(1)].map(Some));
    /// # Ok::<(), hemiola_model::module::ConnectError>(())
    /// ```
    pub fn ends_of_cycles(&self) -> RobotEnds {
        RobotEnds { bus: self.clone(), seat: Seat::Cycle }
    }

    /// Returns the connector of sources. See [`ends_of_cycles`](Self::ends_of_cycles).
    pub fn ends_of_sources(&self) -> RobotEnds {
        RobotEnds { bus: self.clone(), seat: Seat::Source }
    }

    fn publisher_at(
        &self,
        seat: Seat,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedPublisher>, ConnectError> {
        let topic = self.untyped_topic(&topic, message).map_err(ConnectError::refused)?;
        Ok(Box::new(End::new(topic.publisher_at(seat), message)))
    }
}

impl Connector for RobotEnds {
    fn offer<'c>(&'c self, _: &PortDescriptor, wanted: &mut Wanted<'c>) {
        wanted.offer(self).offer(&self.bus);
    }

    fn publisher(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedPublisher>, ConnectError> {
        self.bus.publisher_at(self.seat, topic, message)
    }

    fn subscription(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedSubscription>, ConnectError> {
        self.bus.subscription(topic, message)
    }
}

impl Connector for Bus {
    fn offer<'c>(&'c self, _: &PortDescriptor, wanted: &mut Wanted<'c>) {
        wanted.offer(self);
    }

    fn publisher(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedPublisher>, ConnectError> {
        self.publisher_at(Seat::Outside, topic, message)
    }

    fn subscription(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedSubscription>, ConnectError> {
        let topic = self.untyped_topic(&topic, message).map_err(ConnectError::refused)?;
        Ok(Box::new(Subscription::of_messages(&topic, message)))
    }
}
