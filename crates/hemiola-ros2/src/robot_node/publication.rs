//! A publisher of the node.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_link::ends::Lane;
use hemiola_model::configuration::{Ros2History, Ros2Published, Ros2Quality};
use hemiola_realtime::Wakeup;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::{Session, Wait};
use zenoh_ext::{AdvancedPublisher, AdvancedPublisherBuilderExt, CacheConfig, MissDetectionConfig};

use crate::attachment::{Attachment, Gid};
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;

/// A publisher, declared in the system.
pub struct Publication {
    pub endpoint: Endpoint,
    pub key: String,
    /// The messages that wait because of the topic's rate.
    pub lane: Lane,
    /// The number of bytes that wait.
    pub held: usize,
    /// The deadline that is offered to subscribers.
    pub deadline: Deadline,
    gid: Gid,
    publisher: Kind,
    is_matched: Arc<Mutex<Option<bool>>>,
    _token: LivelinessToken,
}

enum Kind {
    /// A publisher that delivers to present subscribers only.
    Volatile(Publisher<'static>),
    /// A publisher that keeps the last messages for subscribers that join later.
    TransientLocal(AdvancedPublisher<'static>),
}

/// The period at which a publisher that keeps messages announces its last one, as in `rmw_zenoh`.
const HEARTBEAT: Duration = Duration::from_millis(500);

impl Publication {
    /// Declares a publisher, and then announces it with its token.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn declare(
        session: &Session,
        configuration: &Ros2Published,
        endpoint: Endpoint,
        wakeup: Arc<Wakeup>,
    ) -> Result<Self, zenoh::Error> {
        let key = endpoint.key();
        let reliability = match configuration.quality {
            Ros2Quality::BestEffort => Reliability::BestEffort,
            Ros2Quality::Reliable | Ros2Quality::TransientLocal => Reliability::Reliable,
        };
        let congestion_control = match configuration.history {
            Ros2History::KeepLast => CongestionControl::Drop,
            Ros2History::KeepAll => CongestionControl::Block,
        };
        let builder = session.declare_publisher(key.clone());
        let builder = builder.reliability(reliability).congestion_control(congestion_control);
        let is_matched = Arc::new(Mutex::new(None));
        let publisher = match configuration.quality {
            Ros2Quality::TransientLocal => {
                let builder = builder
                    .cache(CacheConfig::default().max_samples(configuration.depth))
                    .publisher_detection()
                    .sample_miss_detection(MissDetectionConfig::default().sporadic_heartbeat(HEARTBEAT));
                Kind::TransientLocal(builder.wait()?)
            }
            Ros2Quality::Reliable | Ros2Quality::BestEffort => {
                let publisher = builder.wait()?;
                let noted = is_matched.clone();
                let listener = publisher.matching_listener().callback(move |status| {
                    *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(status.matching());
                    wakeup.notify_all();
                });
                listener.background().wait()?;
                let is_matched_now = publisher.matching_status().wait()?.matching();
                // What the listener has noted is newer than this.
                is_matched.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(is_matched_now);
                Kind::Volatile(publisher)
            }
        };
        let token = session.liveliness().declare_token(endpoint.token()).wait()?;
        let (gid, lane) = (endpoint.gid(), Lane::new(&configuration.sent));
        let deadline = Deadline::new(configuration.deadline);
        Ok(Self { endpoint, key, lane, held: 0, deadline, gid, publisher, is_matched, _token: token })
    }

    /// Returns whether messages are needed: there is a subscriber, or there may be one later.
    pub fn is_wanted(&self) -> bool {
        match self.publisher {
            Kind::TransientLocal(_) => true,
            Kind::Volatile(_) => self.is_matched.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(false),
        }
    }

    /// Publishes a message. If the network does not accept it in time, Zenoh drops it, or waits if
    /// all messages are kept.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn put(&self, sequence: u64, time_ns: i64, cdr: &[u8]) -> Result<(), zenoh::Error> {
        let attachment = Attachment { sequence: sequence.cast_signed(), time_ns, gid: self.gid }.to_bytes();
        match &self.publisher {
            Kind::Volatile(publisher) => publisher.put(cdr).attachment(&attachment[..]).wait(),
            Kind::TransientLocal(publisher) => publisher.put(cdr).attachment(&attachment[..]).wait(),
        }
    }
}
