//! Streams that are being opened for a client.
//!
//! A subscription makes values of users' types, whose `Default` may take its time or never return:
//! that happens on a thread of its own, and the door's goes on. By the time a stream is there, its
//! client may have ended the subscription, and may even have begun another one under the same
//! number.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::Value;

use crate::door::errands::{Lane, Runner};

/// Those of one client.
pub struct Opening<S> {
    /// By the subscription, which of all that were ever begun it waits for.
    under_way: BTreeMap<u32, u64>,
    begun: u64,
    opened: (Sender<Opened<S>>, Receiver<Opened<S>>),
}

/// One that is there, or could not be had.
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
    /// Whether this subscription is being opened.
    pub fn has(&self, subscription: u32) -> bool {
        self.under_way.contains_key(&subscription)
    }

    /// How many are being opened.
    pub fn count(&self) -> usize {
        self.under_way.len()
    }

    /// Opens one elsewhere; the client's session gets the answer for this request.
    ///
    /// # Errors
    /// Too much is waiting.
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
            // A client that has left wants none of it.
            _ = opened.send(Opened { subscription, number, stream });
            outcome
        })?;
        self.begun += 1;
        self.under_way.insert(subscription, number);
        Ok(())
    }

    /// The client does not want it any more.
    pub fn cancel(&mut self, subscription: u32) {
        self.under_way.remove(&subscription);
    }

    /// The streams that have been opened since, and are still wanted.
    pub fn take(&mut self) -> Vec<S> {
        let Self { under_way, opened, .. } = self;
        let wanted = opened.1.try_iter().filter_map(|Opened { subscription, number, stream }| {
            (under_way.get(&subscription) == Some(&number)).then(|| under_way.remove(&subscription))?;
            stream
        });
        wanted.collect()
    }
}
