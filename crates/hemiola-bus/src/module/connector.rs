//! The bus as the connector of the ports of a robot's modules.

use hemiola_model::module::{ConnectError, Connector, PortDescriptor, UntypedPublisher, UntypedSubscription, Wanted};
use hemiola_model::{Name, RepresentationDescriptor};

use super::Subscription;
use crate::bus::Bus;
use crate::carried::End;

impl Connector for Bus {
    fn offer<'c>(&'c self, _: &PortDescriptor, wanted: &mut Wanted<'c>) {
        wanted.offer(self);
    }

    fn publisher(
        &self,
        topic: Name,
        message: &'static RepresentationDescriptor,
    ) -> Result<Box<dyn UntypedPublisher>, ConnectError> {
        let topic = self.untyped_topic(&topic, message).map_err(ConnectError::refused)?;
        Ok(Box::new(End::new(topic.publisher(), message)))
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
