//! A subscriber of the node.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::configuration::{Ros2Quality, Ros2Subscribed};
use hemiola_realtime::Wakeup;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};
use zenoh_ext::{AdvancedSubscriber, AdvancedSubscriberBuilderExt, HistoryConfig, RecoveryConfig};

use super::inbox::Inbox;
use crate::attachment::{Attachment, Gid};
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::lease::{Lost, Publishers};
use crate::lifespan::has_expired;

/// A subscriber, declared in the system.
pub struct Subscription {
    pub endpoint: Endpoint,
    pub key: String,
    pub inbox: Arc<Inbox<Arrived>>,
    /// The deadline that is requested of publishers.
    pub deadline: Deadline,
    /// The publishers whose liveliness is supervised, if that is requested.
    pub publishers: Option<Publishers>,
    /// The publisher of the last message.
    pub last_from: Option<Gid>,
    /// The age from which on messages have expired, whatever their publishers say.
    lifespan: Option<Duration>,
    /// The lifespans of the publishers that say one.
    lifespans: BTreeMap<Gid, Duration>,
    /// The sequence number of the last message of each publisher.
    last: BTreeMap<Gid, i64>,
    _subscriber: Kind,
    _token: LivelinessToken,
}

enum Kind {
    Volatile(#[expect(dead_code, reason = "it is declared as long as it is kept")] Subscriber<()>),
    TransientLocal(#[expect(dead_code, reason = "it is declared as long as it is kept")] AdvancedSubscriber<()>),
}

/// A message that has arrived.
pub struct Arrived {
    pub at: Instant,
    pub cdr: Vec<u8>,
    pub attachment: Vec<u8>,
}

/// The place of a message in the sequence of its publisher.
#[derive(Debug, PartialEq, Eq)]
pub enum Order {
    /// The message is the next one, or the first one of its publisher.
    Next,
    /// The given number of messages before this one was lost.
    After(u64),
    /// A later message has arrived before.
    Late,
}

/// The maximum number of publishers of a topic whose sequence numbers are kept.
const MOST_PUBLISHERS: usize = 1024;

impl Subscription {
    /// Declares a subscriber, and then announces it with its token.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(
        session: &Session,
        configuration: &Ros2Subscribed,
        endpoint: Endpoint,
        wakeup: Arc<Wakeup>,
    ) -> Result<Self, zenoh::Error> {
        let key = endpoint.key();
        let inbox = Inbox::new(configuration.depth, wakeup);
        let entry = inbox.clone();
        let arrive = move |sample: Sample| {
            if sample.kind() == SampleKind::Put {
                let attachment = sample.attachment().map(|bytes| bytes.to_bytes().into_owned()).unwrap_or_default();
                let cdr = sample.payload().to_bytes().into_owned();
                entry.push(Arrived { at: Instant::now(), cdr, attachment });
            }
        };
        let builder = session.declare_subscriber(key.clone()).callback(arrive);
        let subscriber = match configuration.quality {
            Ros2Quality::Reliable | Ros2Quality::BestEffort => Kind::Volatile(builder.wait()?),
            Ros2Quality::TransientLocal => {
                let history = HistoryConfig::default().detect_late_publishers().max_samples(configuration.depth);
                let builder = builder.history(history).recovery(RecoveryConfig::default().heartbeat());
                Kind::TransientLocal(builder.subscriber_detection().wait()?)
            }
        };
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        Ok(Self {
            endpoint,
            key,
            inbox,
            deadline: Deadline::new(configuration.deadline),
            publishers: configuration.lease.map(|_| Publishers::default()),
            last_from: None,
            lifespan: configuration.lifespan,
            lifespans: BTreeMap::new(),
            last: BTreeMap::new(),
            _subscriber: subscriber,
            _token: token,
        })
    }

    /// Returns the place of a message in the sequence of its publisher, and keeps its number.
    pub fn order(&mut self, attachment: &Attachment) -> Order {
        order(&mut self.last, attachment)
    }

    /// Returns whether a message has expired at this time since 1970.
    pub fn has_expired(&self, attachment: &Attachment, now_ns: i64) -> bool {
        let lifespans = [self.lifespan, self.lifespans.get(&attachment.gid).copied()];
        has_expired(now_ns.saturating_sub(attachment.time_ns), lifespans)
    }

    /// Notes which publishers there are, and forgets those that are no longer there. Returns those
    /// whose liveliness is lost therefore.
    pub fn meet(&mut self, publishers: &BTreeMap<Gid, &Endpoint>) -> Vec<Lost> {
        self.last.retain(|gid, _| publishers.contains_key(gid));
        let mine = publishers.iter().filter(|(_, publisher)| publisher.key() == self.key);
        self.lifespans = mine.clone().filter_map(|(gid, it)| Some((*gid, it.quality.lifespan?))).collect();
        self.publishers.as_mut().map(|known| known.meet(mine.map(|(_, publisher)| *publisher))).unwrap_or_default()
    }
}

fn order(last: &mut BTreeMap<Gid, i64>, Attachment { sequence, gid, .. }: &Attachment) -> Order {
    let is_full = last.len() >= MOST_PUBLISHERS;
    match last.entry(*gid) {
        Entry::Vacant(_) if is_full => Order::Next,
        Entry::Vacant(entry) => {
            entry.insert(*sequence);
            Order::Next
        }
        Entry::Occupied(mut entry) => {
            let before = entry.get_mut();
            if *sequence <= *before {
                return Order::Late;
            }
            let skipped = sequence.abs_diff(*before) - 1;
            *before = *sequence;
            if skipped == 0 { Order::Next } else { Order::After(skipped) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_counted_for_each_publisher_and_what_is_late_is_known() {
        let mut last = BTreeMap::new();
        let mut order = |publisher, sequence| {
            super::order(&mut last, &Attachment { sequence, time_ns: 0, gid: Gid([publisher; 16]) })
        };
        // A subscriber that joins late has lost nothing.
        assert_eq!([order(1, 7), order(1, 8), order(2, 1)], [Order::Next, Order::Next, Order::Next]);
        assert_eq!([order(1, 11), order(1, 9), order(1, 12)], [Order::After(2), Order::Late, Order::Next]);
        assert_eq!([order(3, i64::MIN), order(3, i64::MAX)], [Order::Next, Order::After(u64::MAX - 1)]);
    }
}
