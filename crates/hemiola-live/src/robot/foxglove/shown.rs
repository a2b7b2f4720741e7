//! The output that modules show, in the same messages as in logs, for a client of Foxglove's
//! protocol.

use std::collections::BTreeSet;

use hemiola_recording::shown::{self, Message};
use hemiola_runtime::RobotHandle;

use super::channels::ShownChannel;
use super::send_message;
use super::showing::Showing;
use crate::door::outbox::Outbox;
use crate::whole::clock::Clock;

/// One subscription to a channel. A channel may get further names while it is subscribed to.
pub struct ShownStream {
    subscription: u32,
    /// The number of the channel.
    number: u32,
    channel: shown::Channel,
    showing: Showing,
}

impl ShownStream {
    /// Subscribes to a channel with this number.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn open(
        handle: &RobotHandle,
        subscription: u32,
        (number, shown): (u32, &ShownChannel),
        images: &BTreeSet<String>,
    ) -> Result<Self, String> {
        let showing = Showing::over(images.clone());
        let mut stream = Self { subscription, number, channel: shown.channel.clone(), showing };
        stream.follow(handle, shown)?;
        Ok(stream)
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Returns the number of the channel.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Subscribes to the names that the channel has got since the last call.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn follow(&mut self, handle: &RobotHandle, shown: &ShownChannel) -> Result<(), String> {
        self.showing.show(handle, &shown.names)
    }

    /// Sends the messages that are complete, with all times converted by `clock`.
    pub fn send(&mut self, clock: Clock, out: &mut Outbox) {
        let Self { subscription, channel, showing, .. } = self;
        let send = |message: Message, out: &mut Outbox| {
            // A name may stand for a plot, an image and a drawing at the same time.
            if message.topic == channel.topic && message.schema == channel.schema {
                send_message(*subscription, message, out);
            }
        };
        showing.drain(clock, out, |_| {}, send);
    }
}
