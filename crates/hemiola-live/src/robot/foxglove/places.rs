//! The placements of spaces, in one channel for a client of Foxglove's protocol.
//!
//! Modules place spaces in their drawings, so that only those drawings must be computed for this
//! channel. Which these are shows when they are computed: all drawings are, for a moment.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hemiola_model::module::{DebugContent, DebugRecord, Shape};
use hemiola_recording::shown;
use hemiola_runtime::RobotHandle;

use super::channels::Channels;
use super::send_message;
use super::showing::Showing;
use crate::door::outbox::Outbox;
use crate::whole::clock::Clock;

/// A subscription to all placements.
pub struct PlacesStream {
    subscription: u32,
    showing: Showing,
    /// The names of drawings in which a space was placed, and of those that were looked at.
    placing: BTreeSet<&'static str>,
    tried: BTreeSet<&'static str>,
    /// The time at which all drawings were last looked at.
    looked: Option<Instant>,
}

/// The period at which all drawings are looked at again: a module may place nothing in a drawing at
/// first.
const AGAIN: Duration = Duration::from_secs(10);

impl PlacesStream {
    /// Subscribes to the placements in these channels.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn open(handle: &RobotHandle, subscription: u32, channels: &Channels) -> Result<Self, String> {
        let mut showing = Showing::over(channels.images().clone());
        // The next look may come at once, so that these drawings do not count as looked at yet.
        showing.show_only(handle, channels.drawings().clone())?;
        let (placing, tried, looked) = Default::default();
        Ok(Self { subscription, showing, placing, tried, looked })
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Looks at drawings that are new, and from time to time at all, until the next call, which
    /// comes with the next look for new channels. `computed` are those that the client is
    /// subscribed to.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn follow(
        &mut self,
        handle: &RobotHandle,
        channels: &Channels,
        computed: &BTreeSet<&'static str>,
    ) -> Result<(), String> {
        if self.looked.is_none_or(|looked| looked.elapsed() >= AGAIN) {
            self.looked = Some(Instant::now());
            self.tried.clear();
        }
        let is_wanted =
            |name: &&'static str| self.placing.contains(name) || computed.contains(name) || !self.tried.contains(name);
        let wanted: BTreeSet<_> = channels.drawings().iter().copied().filter(is_wanted).collect();
        self.tried.extend(channels.drawings());
        self.showing.show_only(handle, wanted)
    }

    /// Sends the placements that are complete. All times are converted by `clock`.
    pub fn send(&mut self, clock: Clock, out: &mut Outbox) {
        let Self { subscription, showing, placing, .. } = self;
        let look = |record: &DebugRecord| {
            if let DebugContent::Draw { shape: Shape::Place { .. } | Shape::Place3d { .. }, .. } = record.content {
                placing.insert(record.name);
            }
        };
        showing.drain(clock, out, look, |message, out| {
            if message.schema == shown::places().schema {
                send_message(*subscription, message, out);
            }
        });
    }
}
