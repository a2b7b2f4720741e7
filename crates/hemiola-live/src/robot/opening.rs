//! Streams that are being opened for a client.
//!
//! A subscription creates values of users' types, whose `Default` may be slow or never return. A
//! separate thread does this, so that the door's thread does not block. By the time the stream is
//! open, its client may have ended the subscription, and may even have begun another one with the
//! same number.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::Value;

use crate::door::errands::{Lane, Runner};

/// The streams that are being opened for one client.
pub struct Opening<S> {
    /// The serial number of the pending attempt, for each subscription.
    under_way: BTreeMap<u32, u64>,
    begun: u64,
    opened: (Sender<Opened<S>>, Receiver<Opened<S>>),
}

/// The result of opening a stream.
struct Opened<S> {
    subscription: u32,
    number: u64,
    stream: Option<S>,
}

impl<S> Default for Opening<S> {
    fn default() -> Self {
        Self { under_way: BTreeMap::new(), begun: 0, opened: channel() }
    }
}

impl<S: Send + 'static> Opening<S> {
    /// Returns whether this subscription is being opened.
    pub fn has(&self, subscription: u32) -> bool {
        self.under_way.contains_key(&subscription)
    }

    /// Returns the number of streams that are being opened.
    pub fn count(&self) -> usize {
        self.under_way.len()
    }

    /// Opens a stream on another thread. The client's session receives the answer to this request.
    ///
    /// # Errors
    /// Returns an error if too many errands wait.
    pub fn begin(
        &mut self,
        runner: &Runner,
        request: Value,
        subscription: u32,
        open: impl FnOnce() -> Result<(S, Value), String> + Send + 'static,
    ) -> Result<(), String> {
        let (number, opened) = (self.begun, self.opened.0.clone());
        runner.run(Lane::Subscriptions, request, move || {
            let (stream, outcome) = match open() {
                Ok((stream, answer)) => (Some(stream), Ok(answer)),
                Err(error) => (None, Err(error)),
            };
            // Sending fails only if the client has disconnected.
            _ = opened.send(Opened { subscription, number, stream });
            outcome
        })?;
        self.begun += 1;
        self.under_way.insert(subscription, number);
        Ok(())
    }

    /// Cancels a subscription that the client has ended.
    pub fn cancel(&mut self, subscription: u32) {
        self.under_way.remove(&subscription);
    }

    /// Returns the streams that have been opened since the last call and are still wanted.
    pub fn take(&mut self) -> Vec<S> {
        let Self { under_way, opened, .. } = self;
        let wanted = opened.1.try_iter().filter_map(|Opened { subscription, number, stream }| {
            (under_way.get(&subscription) == Some(&number)).then(|| under_way.remove(&subscription))?;
            stream
        });
        wanted.collect()
    }
}
