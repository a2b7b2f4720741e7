//! The output that modules show, in the same messages as in logs, for a client of Foxglove's
//! protocol.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_model::module::DebugContent;
use hemiola_recording::shown::{self, Gathered, Message};
use hemiola_runtime::{Observation, Observer, RobotHandle};

use super::channels::ShownChannel;
use super::head;
use crate::door::outbox::Outbox;
use crate::protocol::binary::Head;
use crate::whole::clock::Clock;

/// One subscription to a channel. While it exists, modules compute the channel's output.
pub struct ShownStream {
    subscription: u32,
    /// The number of the channel.
    number: u32,
    channel: shown::Channel,
    /// The observers of the modules, and the names that each observes. A channel may get further
    /// names while it is subscribed to.
    seen: Vec<Observer>,
    names: BTreeSet<&'static str>,
    gathered: Gathered,
    /// The time at which the last record arrived.
    came: Instant,
}

/// The time without records after which the drawing of the last run is complete. It is needed
/// because the next run may be a long time away.
const QUIET: Duration = Duration::from_millis(250);

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
        let mut stream = Self {
            subscription,
            number,
            channel: shown.channel.clone(),
            seen: Vec::new(),
            names: BTreeSet::new(),
            gathered: Gathered::over(images.clone()),
            came: Instant::now(),
        };
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
        let new: Vec<_> = shown.names.difference(&self.names).copied().collect();
        if new.is_empty() {
            return Ok(());
        }
        let observation = Observation::default().with_debug_named(new.iter().copied());
        self.seen.push(handle.observe(observation).map_err(|error| error.to_string())?);
        self.names.extend(new);
        Ok(())
    }

    /// Sends the messages that are complete. `places` is the client's subscription to the
    /// placements of spaces, if it has one. All times are converted by `clock`.
    pub fn send(&mut self, places: Option<u32>, clock: Clock, out: &mut Outbox) {
        let Self { subscription, channel, seen, gathered, came, .. } = self;
        let send = |message: Message, out: &mut Outbox| {
            // A name may stand for a plot, an image and a drawing at the same time.
            let is_of_channel = message.topic == channel.topic && message.schema == channel.schema;
            let places = places.filter(|_| message.schema == shown::places().schema);
            let Some(subscription) = is_of_channel.then_some(*subscription).or(places) else { return };
            // Messages for a congested client are dropped.
            if out.is_congested() {
                return;
            }
            let time = message.time.nanoseconds();
            let head = head(Head { subscription, sequence: 0, run: 0, time, stamp: time }, Clock::default());
            out.send_bytes([head, message.bytes].concat());
        };
        for observer in seen {
            while let Some(mut record) = observer.next_debug() {
                *came = Instant::now();
                record.time = Time::from_nanoseconds(clock.convert(record.time.nanoseconds()));
                if matches!(record.content, DebugContent::Image(_)) && out.is_congested() {
                    continue;
                }
                gathered.add(&record).into_iter().for_each(|message| send(message, out));
            }
        }
        let complete = match came.elapsed() < QUIET {
            true => gathered.take_complete(),
            false => gathered.take_all(),
        };
        complete.into_iter().for_each(|message| send(message, out));
    }
}
