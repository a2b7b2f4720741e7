//! A publisher of the node.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hemiola_link::SentStatistics;
use hemiola_link::ends::Lane;
use hemiola_model::configuration::{Ros2History, Ros2Liveliness, Ros2Published, Ros2Quality};
use hemiola_realtime::Wakeup;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::{Session, Wait};
use zenoh_ext::{AdvancedPublisher, AdvancedPublisherBuilderExt, CacheConfig, MissDetectionConfig};

use super::reactor::unix_now;
use crate::attachment::{Attachment, Gid};
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::lease::Lease;
use crate::lifespan::Kept;

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
    /// The time within which its messages show subscribers that it is alive.
    pub lease: Lease,
    /// The time after which messages expire.
    pub lifespan: Option<Duration>,
    /// The message in the safe state and at the end, if it has one of its own.
    pub rest: Option<Rest>,
    gid: Gid,
    publisher: Kind,
    /// The messages that are kept for subscribers that join later.
    kept: Kept,
    options: Options,
    is_matched: Arc<Mutex<Option<bool>>>,
    _token: LivelinessToken,
}

/// The message of a topic in the safe state and at the end: the type's default value. See
/// [`Publication::come_to_rest`].
pub struct Rest {
    cdr: Vec<u8>,
    /// Set if it was published, and nothing may be published until the robot leaves its safe state.
    pub is_in_force: bool,
}

enum Kind {
    /// A publisher that delivers to present subscribers only.
    Volatile(Publisher<'static>),
    /// A publisher that keeps the last messages for subscribers that join later.
    TransientLocal(AdvancedPublisher<'static>),
}

/// The options of the publisher in Zenoh.
struct Options {
    reliability: Reliability,
    congestion_control: CongestionControl,
    /// The number of messages that are kept for subscribers that join later.
    depth: usize,
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
        let options = Options { reliability, congestion_control, depth: configuration.depth };
        let is_matched = Arc::new(Mutex::new(None));
        let publisher = match configuration.quality {
            Ros2Quality::TransientLocal => Kind::TransientLocal(options.transient_local(session, &key)?),
            Ros2Quality::Reliable | Ros2Quality::BestEffort => {
                let builder = session.declare_publisher(key.clone());
                let publisher = builder.reliability(reliability).congestion_control(congestion_control).wait()?;
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
        let is_manual = configuration.liveliness == Ros2Liveliness::ManualByTopic;
        let lease = Lease::new(configuration.lease.filter(|_| is_manual));
        let lifespan = configuration.lifespan;
        let is_keeping = configuration.quality == Ros2Quality::TransientLocal;
        let kept = Kept::new(lifespan.filter(|_| is_keeping));
        Ok(Self {
            endpoint,
            key,
            lane,
            held: 0,
            deadline,
            lease,
            lifespan,
            rest: None,
            gid,
            publisher,
            kept,
            options,
            is_matched,
            _token: token,
        })
    }

    /// Returns whether messages are needed: there is a subscriber, or there may be one later.
    pub fn is_wanted(&self) -> bool {
        match self.publisher {
            Kind::TransientLocal(_) => true,
            Kind::Volatile(_) => self.is_matched.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(false),
        }
    }

    /// Publishes the message of the safe state in place of those that wait, unless it is in force
    /// already. Returns whether it was published now.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn come_to_rest(&mut self, shown: &mut SentStatistics) -> Result<bool, zenoh::Error> {
        let Some(rest) = self.rest.as_mut().filter(|rest| !rest.is_in_force) else { return Ok(false) };
        rest.is_in_force = true;
        let cdr = rest.cdr.clone();
        let sequence = self.lane.replace(&mut self.held, shown);
        self.put(sequence, unix_now(), &cdr)?;
        shown.messages += 1;
        shown.bytes += cdr.len() as u64;
        Ok(true)
    }

    /// Publishes a message, with the time since 1970 at which that was done in the robot. If the
    /// network does not accept it in time, Zenoh drops it, or waits if all messages are kept.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn put(&mut self, sequence: u64, time_ns: i64, cdr: &[u8]) -> Result<(), zenoh::Error> {
        let attachment = Attachment { sequence: sequence.cast_signed(), time_ns, gid: self.gid }.to_bytes();
        match &self.publisher {
            Kind::Volatile(publisher) => publisher.put(cdr).attachment(&attachment[..]).wait(),
            Kind::TransientLocal(publisher) => {
                let age = u64::try_from(unix_now().saturating_sub(time_ns)).unwrap_or(0);
                self.kept.note(Instant::now(), Duration::from_nanos(age));
                publisher.put(cdr).attachment(&attachment[..]).wait()
            }
        }
    }

    /// Discards the messages that are kept once all of them have expired. Until then, whoever joins
    /// later sees from their times which have.
    ///
    /// # Errors
    /// Returns an error with the reason if the session is closed.
    pub fn expire(&mut self, session: &Session, now: Instant) -> Result<(), zenoh::Error> {
        if self.kept.have_expired(now) {
            // Zenoh's cache lasts as long as its publisher. The new one is there before the other
            // is gone, and subscribers take both for the same, by the attachments.
            self.publisher = Kind::TransientLocal(self.options.transient_local(session, &self.key)?);
        }
        Ok(())
    }

    /// Returns when all messages that are kept have expired.
    pub fn expires(&self) -> Option<Instant> {
        self.kept.due()
    }
}

impl Rest {
    /// Returns a message that has not been published yet.
    pub fn of(cdr: Vec<u8>) -> Self {
        Self { cdr, is_in_force: false }
    }
}

impl Options {
    /// Declares a publisher that keeps its last messages.
    fn transient_local(&self, session: &Session, key: &str) -> Result<AdvancedPublisher<'static>, zenoh::Error> {
        let builder = session.declare_publisher(key.to_owned());
        let builder = builder.reliability(self.reliability).congestion_control(self.congestion_control);
        builder
            .cache(CacheConfig::default().max_samples(self.depth))
            .publisher_detection()
            .sample_miss_detection(MissDetectionConfig::default().sporadic_heartbeat(HEARTBEAT))
            .wait()
    }
}
