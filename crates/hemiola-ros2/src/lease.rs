//! The liveliness of publishers: within which time each must show that it is alive.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::attachment::Gid;
use crate::endpoint::Endpoint;
use crate::quality::Liveliness;

/// The supervision of a publisher that shows by its messages that it is alive, which begins with
/// the first one.
#[derive(Debug, Default, PartialEq)]
pub struct Lease {
    period: Option<Duration>,
    /// The time until which the next message must come; `None` before the first one, and after the
    /// liveliness is lost.
    due: Option<Instant>,
}

/// The publishers of a topic whose liveliness is supervised.
#[derive(Debug, Default)]
pub struct Publishers {
    known: BTreeMap<Gid, Known>,
}

#[derive(Debug)]
struct Known {
    /// The full name of its node.
    node: String,
    lease: Lease,
    is_alive: bool,
}

/// A publisher whose liveliness is lost.
#[derive(Debug, PartialEq, Eq)]
pub struct Lost {
    pub publisher: Gid,
    /// The full name of its node.
    pub node: String,
    /// The time within which nothing came; `None` if the publisher is gone.
    pub silent_for: Option<Duration>,
}

impl Lease {
    /// Begins to supervise a publisher; without a period it never has to show that it is alive.
    pub fn new(period: Option<Duration>) -> Self {
        Self { period, due: None }
    }

    /// Returns the supervision that an endpoint's quality of service asks for.
    fn of(endpoint: &Endpoint) -> Self {
        let is_manual = endpoint.quality.liveliness == Liveliness::ManualByTopic;
        // Zero stands for the default, which is unlimited.
        Self::new(endpoint.quality.lease.filter(|lease| is_manual && !lease.is_zero()))
    }

    /// Notes a message. Returns whether the lease was over before it.
    pub fn note(&mut self, at: Instant) -> bool {
        let was_over = self.is_over(at);
        self.due = self.period.and_then(|period| at.checked_add(period));
        was_over
    }

    /// Returns whether the lease is over; once, until the next message.
    pub fn is_over(&mut self, now: Instant) -> bool {
        let is_over = self.due.is_some_and(|due| due <= now);
        if is_over {
            self.due = None;
        }
        is_over
    }

    /// Pauses the supervision until the next message.
    pub fn pause(&mut self) {
        self.due = None;
    }

    /// Returns the time at which the lease is over unless a message comes.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the time within which a message must come.
    pub fn period(&self) -> Option<Duration> {
        self.period
    }
}

impl Publishers {
    /// Notes which publishers there are. Returns those that are gone, unless their liveliness was
    /// lost before.
    pub fn meet<'e>(&mut self, publishers: impl IntoIterator<Item = &'e Endpoint>) -> Vec<Lost> {
        let mut before = std::mem::take(&mut self.known);
        for publisher in publishers {
            let gid = publisher.gid();
            let known = before.remove(&gid).unwrap_or_else(|| Known {
                node: publisher.node.name.to_string(),
                lease: Lease::of(publisher),
                is_alive: true,
            });
            self.known.insert(gid, known);
        }
        let gone = before.into_iter().filter(|(_, known)| known.is_alive);
        gone.map(|(publisher, Known { node, .. })| Lost { publisher, node, silent_for: None }).collect()
    }

    /// Notes a message, which shows that its publisher is alive. Returns the publisher if its
    /// liveliness was lost just before.
    pub fn note(&mut self, publisher: Gid, at: Instant) -> Option<Lost> {
        let known = self.known.get_mut(&publisher)?;
        let was_over = known.lease.note(at);
        known.is_alive = true;
        was_over.then(|| known.lost(publisher))
    }

    /// Returns the publishers whose liveliness has been lost since the last call.
    pub fn lost(&mut self, now: Instant) -> Vec<Lost> {
        let over = self.known.iter_mut().filter_map(|(gid, known)| {
            known.lease.is_over(now).then(|| {
                known.is_alive = false;
                known.lost(*gid)
            })
        });
        over.collect()
    }

    /// Returns whether a publisher is alive.
    pub fn has_alive(&self, publisher: &Gid) -> bool {
        self.known.get(publisher).is_some_and(|known| known.is_alive)
    }

    /// Returns when the liveliness of one of them is lost unless a message comes.
    pub fn due(&self) -> Option<Instant> {
        self.known.values().filter_map(|known| known.lease.due()).min()
    }
}

impl Known {
    fn lost(&self, publisher: Gid) -> Lost {
        Lost { publisher, node: self.node.clone(), silent_for: self.lease.period() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{EndpointKind, Node};
    use crate::names::TopicName;
    use crate::quality::Quality;
    use crate::type_hash::Interface;

    const LEASE: Duration = Duration::from_millis(100);

    fn publisher(node: &str, liveliness: Liveliness, lease: Option<Duration>) -> Endpoint {
        Endpoint {
            node: Node { domain: 0, session: "a1".into(), id: 0, name: node.parse().unwrap(), enclave: String::new() },
            id: 1,
            kind: EndpointKind::Publisher,
            topic: TopicName::new("/odom").unwrap(),
            interface: Interface::new("nav_msgs/msg/Odometry".parse().unwrap(), None),
            quality: Quality { liveliness, lease, ..Quality::default() },
        }
    }

    #[test]
    fn who_shows_it_by_messages_is_alive_until_its_lease_is_over() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let rover = publisher("/rover", Liveliness::ManualByTopic, Some(LEASE));
        let mut publishers = Publishers::default();
        assert_eq!(publishers.meet([&rover]), []);
        // Nothing is supervised before the first message.
        assert_eq!((publishers.lost(at(5000)), publishers.due()), (vec![], None));
        assert_eq!(publishers.note(rover.gid(), at(5000)), None);
        assert_eq!((publishers.lost(at(5099)), publishers.due()), (vec![], Some(at(5100))));
        let lost = Lost { publisher: rover.gid(), node: "/rover".to_owned(), silent_for: Some(LEASE) };
        assert_eq!(publishers.lost(at(5100)), [lost]);
        // It is lost once, also if it is gone after that.
        assert_eq!((publishers.lost(at(9000)), publishers.meet([]).len()), (vec![], 0));
    }

    #[test]
    fn who_comes_back_to_life_can_be_lost_again() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let rover = publisher("/rover", Liveliness::ManualByTopic, Some(LEASE));
        let mut publishers = Publishers::default();
        publishers.meet([&rover]);
        publishers.note(rover.gid(), at(0));
        assert_eq!(publishers.lost(at(100)).len(), 1);
        assert_eq!(publishers.note(rover.gid(), at(300)), None);
        // Nobody looked in between: the message itself comes after the lease.
        assert!(publishers.note(rover.gid(), at(500)).is_some_and(|lost| lost.silent_for == Some(LEASE)));
        assert!(publishers.has_alive(&rover.gid()));
        // What is known of one that stays is kept.
        assert_eq!((publishers.meet([&rover]), publishers.due()), (vec![], Some(at(600))));
        assert_eq!(publishers.meet([]).remove(0).silent_for, None);
        assert!(!publishers.has_alive(&rover.gid()));
    }

    #[test]
    fn for_others_the_middleware_shows_it() {
        let now = Instant::now();
        let ends = [
            publisher("/automatic", Liveliness::Automatic, Some(LEASE)),
            publisher("/endless", Liveliness::ManualByTopic, None),
            publisher("/zero", Liveliness::ManualByTopic, Some(Duration::ZERO)),
        ];
        let mut publishers = Publishers::default();
        publishers.meet(&ends);
        for end in &ends {
            assert_eq!(publishers.note(end.gid(), now), None);
        }
        assert_eq!((publishers.lost(now + 100 * LEASE), publishers.due()), (vec![], None));
        // Who has no token is not supervised.
        assert_eq!(publishers.note(publisher("/stranger", Liveliness::Automatic, None).gid(), now), None);
        let gone: Vec<_> = publishers.meet([&ends[1]]).into_iter().map(|lost| lost.node).collect();
        assert!(gone.len() == 2 && !gone.contains(&"/endless".to_owned()), "{gone:?}");
    }
}
