//! What modules show, on its way to a client of Foxglove's protocol: the messages that logs have.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hemiola_model::module::DebugContent;
use hemiola_recording::shown::{self, Gathered, Message};
use hemiola_runtime::{Observation, Observer, RobotHandle};

use super::channels::ShownChannel;
use super::head;
use crate::door::outbox::Outbox;
use crate::protocol::binary::Head;

/// One subscription. While it is there, modules compute what it is to.
pub struct ShownStream {
    subscription: u32,
    /// The channel's number.
    number: u32,
    channel: shown::Channel,
    /// What is seen of modules, and under which names. More names come to a channel while it is
    /// subscribed to.
    seen: Vec<Observer>,
    names: BTreeSet<&'static str>,
    gathered: Gathered,
    /// When something has come last.
    came: Instant,
}

/// When nothing has come for so long, the run that has drawn is over: the next one may be far away.
const QUIET: Duration = Duration::from_millis(250);

impl ShownStream {
    /// Begins it, to a channel of this number.
    ///
    /// # Errors
    /// The robot has stopped.
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

    /// Its number.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// The channel's number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Sees the names as well that have come to the channel since.
    ///
    /// # Errors
    /// The robot has stopped.
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

    /// Sends what has come; `places` is the client's subscription to places, if it has one.
    pub fn send(&mut self, places: Option<u32>, out: &mut Outbox) {
        let Self { subscription, channel, seen, gathered, came, .. } = self;
        let send = |message: Message, out: &mut Outbox| {
            // A name may be that of a number, an image and a drawing at once.
            let is_of_channel = message.topic == channel.topic && message.schema == channel.schema;
            let places = places.filter(|_| message.schema == shown::places().schema);
            let Some(subscription) = is_of_channel.then_some(*subscription).or(places) else { return };
            // Whoever is behind gets what comes later.
            if out.is_congested() {
                return;
            }
            let time = message.time.nanoseconds();
            let head = head(Head { subscription, sequence: 0, run: 0, time, stamp: time });
            out.send_bytes([head, message.bytes].concat());
        };
        for observer in seen {
            while let Some(record) = observer.next_debug() {
                *came = Instant::now();
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
