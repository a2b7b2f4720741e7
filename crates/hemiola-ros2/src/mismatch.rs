//! Endpoints that should exchange messages but do not, or not all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::endpoint::{Endpoint, EndpointKind};
use crate::names::NodeName;
use crate::quality::{Durability, Liveliness, Reliability};
use crate::type_hash::Interface;

/// Two endpoints of one topic or service that do not match. Its text names both, and the remedy.
///
/// ```
/// use hemiola_ros2::{Endpoint, Token, mismatches};
///
/// let endpoint = |text: &str| match text.parse()? {
///     Token::Endpoint(endpoint) => Ok::<Endpoint, hemiola_ros2::Ros2Error>(*endpoint),
///     Token::Node(node) => panic!("{node:?} is a node"),
/// };
/// let hash = "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881";
/// let endpoints = [
///     endpoint(&format!("@ros2_lv/0/a1/0/1/MP/%/%/nao/%ball/geometry_msgs::msg::dds_::Point_/{hash}/::,10:,:,:,,"))?,
///     endpoint(&format!("@ros2_lv/0/b2/0/1/MS/%/%/viewer/%ball/geometry_msgs::msg::dds_::Point32_/{hash}/::,10:,:,:,,"))?,
/// ];
/// let found = mismatches(&endpoints);
/// assert!(found[0].to_string().starts_with("`/ball`: /nao publishes geometry_msgs/msg/Point and /viewer expects geometry_msgs/msg/Point32"));
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch<'a> {
    /// The kind of the mismatch.
    pub kind: MismatchKind,
    /// The publisher or server.
    pub from: &'a Endpoint,
    /// The subscriber or client.
    pub to: &'a Endpoint,
}

/// The kind of a mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MismatchKind {
    /// The types have different names: no message arrives.
    Type,
    /// The types have the same name and different hashes: no message arrives.
    Hash,
    /// The publisher is best effort and the subscriber expects reliable delivery: messages may be
    /// lost.
    Reliability,
    /// The publisher is volatile and the subscriber expects messages from before it subscribed.
    Durability,
    /// The subscriber expects messages in shorter intervals than the publisher promises.
    Deadline,
    /// The subscriber expects that messages show that the publisher is alive, and the publisher
    /// leaves that to the middleware.
    Liveliness,
    /// The subscriber expects to see in a shorter time that the publisher is alive than that one
    /// promises.
    Lease,
}

/// The maximum number of mismatches returned: anybody may declare tokens, and a person reads a few.
const MOST: usize = 1000;

/// Returns the pairs of endpoints that do not match, at most 1000, ordered by topic and node. Where
/// the types do not match, the quality of service is not reported. The time is linear in the number
/// of endpoints and results, not in the number of pairs of endpoints.
pub fn mismatches<'a>(endpoints: impl IntoIterator<Item = &'a Endpoint>) -> Vec<Mismatch<'a>> {
    let mut topics: BTreeMap<_, [BTreeMap<Class, Vec<&Endpoint>>; 4]> = BTreeMap::new();
    for endpoint in endpoints {
        let ends = topics.entry((endpoint.node.domain, &endpoint.topic)).or_default();
        ends[endpoint.kind as usize].entry(Class::of(endpoint)).or_default().push(endpoint);
    }
    let mut found = Vec::new();
    for [publishers, subscribers, servers, clients] in topics.values_mut() {
        for (froms, tos) in [(&*publishers, &*subscribers), (&*servers, &*clients)] {
            for (class, froms) in froms {
                let pairs = tos.iter().flat_map(|(other, tos)| {
                    let kinds = class.misfits(other).into_iter();
                    kinds.flat_map(move |kind| {
                        froms.iter().flat_map(move |from| tos.iter().map(move |to| Mismatch { kind, from, to }))
                    })
                });
                found.extend(pairs.take(MOST - found.len()));
            }
        }
        for (kind, time) in
            [(MismatchKind::Deadline, deadline as fn(&Endpoint) -> Duration), (MismatchKind::Lease, lease)]
        {
            // Those who expect the shortest times come first.
            subscribers.values_mut().for_each(|subscribers| subscribers.sort_by_key(|subscriber| time(subscriber)));
            for (class, froms) in &*publishers {
                let tos = subscribers.range(class.first_of_type()..=class.last_of_type()).map(|(_, tos)| tos);
                let pairs = tos.flat_map(|tos| {
                    froms.iter().flat_map(move |from| {
                        let hasty = tos.iter().take_while(move |to| time(to) < time(from));
                        hasty.map(move |to| Mismatch { kind, from, to })
                    })
                });
                found.extend(pairs.take(MOST - found.len()));
            }
        }
    }
    found.sort_by_key(|one| (one.from.node.domain, &one.from.topic, name_of(one.from), name_of(one.to), one.kind));
    found
}

/// The properties of an endpoint that are compared: endpoints of one class match the same others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class<'a> {
    interface: &'a Interface,
    /// Set for publishers that do not repeat lost messages, and for subscribers that expect it.
    reliability: bool,
    /// Set for publishers that keep no messages, and for subscribers that expect earlier ones.
    durability: bool,
    /// Set for publishers whose liveliness the middleware shows, and for subscribers that expect
    /// messages to show it.
    liveliness: bool,
}

impl<'a> Class<'a> {
    fn of(endpoint: &'a Endpoint) -> Self {
        let Endpoint { kind, interface, quality, .. } = endpoint;
        let [reliability, durability, liveliness] = match kind {
            EndpointKind::Publisher => [
                quality.reliability == Reliability::BestEffort,
                quality.durability == Durability::Volatile,
                quality.liveliness == Liveliness::Automatic,
            ],
            EndpointKind::Subscriber => [
                quality.reliability == Reliability::Reliable,
                quality.durability == Durability::TransientLocal,
                quality.liveliness == Liveliness::ManualByTopic,
            ],
            // The quality of service of services is not compared: `rmw_zenoh` answers every
            // request.
            EndpointKind::Server | EndpointKind::Client => [false; 3],
        };
        Self { interface, reliability, durability, liveliness }
    }

    /// Returns the classes of the same type that come first and last in their order.
    fn first_of_type(&self) -> Self {
        Self { interface: self.interface, reliability: false, durability: false, liveliness: false }
    }

    fn last_of_type(&self) -> Self {
        Self { interface: self.interface, reliability: true, durability: true, liveliness: true }
    }

    /// Returns the mismatches between publishers or servers of this class and others.
    fn misfits(&self, to: &Self) -> Vec<MismatchKind> {
        if self.interface.name != to.interface.name {
            return vec![MismatchKind::Type];
        }
        if self.interface.hash != to.interface.hash {
            return vec![MismatchKind::Hash];
        }
        let reliability = (self.reliability && to.reliability).then_some(MismatchKind::Reliability);
        let durability = (self.durability && to.durability).then_some(MismatchKind::Durability);
        let liveliness = (self.liveliness && to.liveliness).then_some(MismatchKind::Liveliness);
        reliability.into_iter().chain(durability).chain(liveliness).collect()
    }
}

/// Returns the longest time between two messages that an endpoint offers or requests.
fn deadline(endpoint: &Endpoint) -> Duration {
    // Zero stands for the default, which is unlimited (`RMW_QOS_DEADLINE_DEFAULT`).
    endpoint.quality.deadline.filter(|deadline| !deadline.is_zero()).unwrap_or(Duration::MAX)
}

/// Returns the longest time within which an endpoint shows that it is alive, or expects it to be
/// shown.
fn lease(endpoint: &Endpoint) -> Duration {
    // Zero stands for the default here, too (`RMW_QOS_LIVELINESS_LEASE_DURATION_DEFAULT`).
    endpoint.quality.lease.filter(|lease| !lease.is_zero()).unwrap_or(Duration::MAX)
}

fn name_of(endpoint: &Endpoint) -> (&NodeName, &str, u64) {
    (&endpoint.node.name, &endpoint.node.session, endpoint.id)
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, from, to } = self;
        let (gives, wants, ends) = match from.kind {
            EndpointKind::Server | EndpointKind::Client => ("serves", "calls", "services"),
            EndpointKind::Publisher | EndpointKind::Subscriber => ("publishes", "expects", "topics"),
        };
        let (giver, taker) = (&from.node.name, &to.node.name);
        let name = &from.interface.name;
        write!(formatter, "`{}`: ", from.topic)?;
        match kind {
            MismatchKind::Type => write!(
                formatter,
                "{giver} {gives} {name} and {taker} {wants} {}, so that nothing arrives (let both use one type, or rename \
                 one of the {ends})",
                to.interface.name
            ),
            MismatchKind::Hash => match (from.interface.hash, to.interface.hash) {
                (Some(of_giver), Some(of_taker)) => write!(
                    formatter,
                    "{giver} {gives} {name} with the hash {of_giver} and {taker} {wants} it with the hash {of_taker}, so \
                     that nothing arrives: their definitions differ (build both from one; that of a robot is written by \
                     `export ros-package`)"
                ),
                (of_giver, _) => {
                    let (without, with) = if of_giver.is_none() { (giver, taker) } else { (taker, giver) };
                    let hash = of_giver.or(to.interface.hash).map(|hash| hash.to_string()).unwrap_or_default();
                    write!(
                        formatter,
                        "{giver} {gives} and {taker} {wants} {name}, but {without} has no hashes of types and {with} has \
                         {hash}, so that nothing arrives (ROS 2 Humble has none: use a later one)"
                    )
                }
            },
            MismatchKind::Reliability => write!(
                formatter,
                "{giver} publishes {name} best effort and {taker} expects it reliable: what is lost is not repeated, and \
                 over DDS nothing arrives (make the publisher `reliable`, or the subscriber `best effort`)"
            ),
            MismatchKind::Durability => write!(
                formatter,
                "{giver} publishes {name} volatile and {taker} expects it transient local: what was published before \
                 {taker} came does not arrive, and over DDS nothing does (make the publisher `transient local`, or the \
                 subscriber `volatile`)"
            ),
            MismatchKind::Liveliness => write!(
                formatter,
                "{giver} publishes {name} with automatic liveliness and {taker} expects it manual by topic: what its program \
                 does is not seen, and over DDS nothing arrives (give the publisher `liveliness = \"manual by topic\"`, or the \
                 subscriber `\"automatic\"`)"
            ),
            MismatchKind::Deadline => self.write_times(formatter, "deadline", "it may miss that", deadline),
            MismatchKind::Lease => self.write_times(formatter, "lease", "its liveliness may be lost before", lease),
        }
    }
}

impl Mismatch<'_> {
    /// Writes that the publisher offers a longer time than the subscriber requests.
    fn write_times(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        what: &str,
        consequence: &str,
        time: fn(&Endpoint) -> Duration,
    ) -> fmt::Result {
        let Self { from, to, .. } = self;
        let (giver, taker, name) = (&from.node.name, &to.node.name, &from.interface.name);
        let requested = time(to);
        write!(formatter, "{giver} publishes {name} ")?;
        match time(from) {
            Duration::MAX => write!(formatter, "without a {what}")?,
            offered => write!(formatter, "with a {what} of {offered:?}")?,
        }
        write!(
            formatter,
            " and {taker} expects one of {requested:?}: {consequence}, and over DDS nothing arrives (give the publisher a \
             `{what}` of at most {requested:?}, or the subscriber a longer one)"
        )
    }
}
