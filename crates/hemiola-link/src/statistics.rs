//! The statistics of links.

use std::fmt;

use hemiola_model::Time;
use hemiola_model::configuration::{LinkConfiguration, LinkEnd, Subject, SubjectKind};
use serde::{Deserialize, Serialize};

use crate::wire::NoAnswer;

/// The numbers of messages that a link has sent and received, and the peers that are connected.
///
/// [`Links::statistics`](crate::Links::statistics) returns them. `Display` formats them for people,
/// and serde as the robot's door sends them; numbers that are missing there are zero.
///
/// ```
/// let links: Vec<hemiola_link::LinkStatistics> = Vec::new();
/// links.iter().for_each(|link| println!("{link}"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// The link's name.
    pub name: String,
    /// The address at which it listens or to which it connects: `tcp:127.0.0.1:7400`.
    pub address: String,
    /// Set if the link listens at its address; otherwise it connects to it, or joins it.
    pub listens: bool,
    /// Set if the link is a member of the group of its address.
    pub joins: bool,
    /// The robots that are connected now.
    pub peers: Vec<LinkPeer>,
    /// The number of times that a peer has said hello as a link does.
    pub met: u64,
    /// The number of conversations that have ended in which the peer had said hello.
    pub parted: u64,
    /// The number of times that a peer was refused: because of garbage, another version, a missing
    /// hello, or a lack of room.
    pub refused: u64,
    /// The number of datagrams and messages that belong to no conversation: those of earlier
    /// conversations, and messages and answers that nobody asked for.
    pub ignored: u64,
    /// The number of sent messages and values that were lent to peers in shared memory.
    pub lent: u64,
    /// The number of messages and values of peers in shared memory that were read there and to
    /// which values here refer in place.
    pub kept: u64,
    /// The number of other messages and values of peers in shared memory: all of their contents
    /// were copied.
    pub copied: u64,
    /// The last problem, in words.
    pub problem: Option<String>,
    /// The differences between the clocks of the peers and that of this robot. They are measured
    /// only where representations are received, whose time stamps are converted.
    pub clocks: Vec<ClockOffset>,
    /// The topics and representations that the link sends, in the order of robot.toml.
    pub sent: Vec<SentStatistics>,
    /// The topics and representations that the link receives, in the order of robot.toml.
    pub received: Vec<ReceivedStatistics>,
    /// The services of this robot that peers may call, in the order of robot.toml.
    pub served: Vec<ServiceStatistics>,
    /// The services of peers that are called here, in the order of robot.toml.
    pub called: Vec<ServiceStatistics>,
}

/// A robot that is connected. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LinkPeer {
    /// The robot's name.
    pub name: String,
    /// The time at which it said hello, on the clock of this robot.
    pub since: Time,
}

/// The difference by which a peer's clock is ahead of this robot's. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ClockOffset {
    /// The peer's name.
    pub robot: String,
    /// The difference in nanoseconds; negative if the peer's clock is behind.
    pub ahead_ns: i64,
    /// The largest possible error of the difference, in nanoseconds.
    pub error_ns: i64,
}

/// The statistics of a topic or representation that is sent. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SentStatistics {
    /// The name of the topic or representation.
    pub name: String,
    /// The kind of what the link carries: a topic or a representation.
    pub kind: SubjectKind,
    /// Set if this robot has a topic or representation of that name.
    pub is_there: bool,
    /// The number of peers to which it is sent now.
    pub peers: usize,
    /// The number of messages that were sent, counted once for each peer, or once for a group.
    pub messages: u64,
    /// The bytes of those messages in CDR, without the frames' heads.
    pub bytes: u64,
    /// The number of messages that came too early for the topic's rate, or were replaced by newer
    /// ones or, in the safe state, by the default value, as configured.
    pub skipped: u64,
    /// The number of messages that were dropped because the queue for a peer, or for the link, was
    /// full.
    pub dropped: u64,
    /// Messages that are longer than 64 MiB, or than a datagram if the peer knows no fragments, or
    /// could not be serialized.
    pub unsendable: u64,
    /// The number of messages, and of parts of messages, that were sent once more, because they
    /// were not acknowledged in time.
    pub repeated: u64,
    /// The number of messages, and of parts of messages, that had not been acknowledged when a
    /// connection ended: they may have arrived, or not.
    pub unacknowledged: u64,
    /// The number of deadlines that passed without a message, where subscribers may rely on one.
    pub missed: u64,
    /// The number of messages that had expired before they could be sent.
    pub expired: u64,
    /// The number of times that nothing was published within the time in which subscribers must see
    /// that the publisher is alive.
    pub lapsed: u64,
}

/// The statistics of a topic or representation that is received. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReceivedStatistics {
    /// The name of the topic or representation.
    pub name: String,
    /// The kind of what the link carries: a topic or a representation.
    pub kind: SubjectKind,
    /// Set if this robot has a topic of that name, or reads a representation of that name.
    pub is_there: bool,
    /// The number of peers from which it is received now.
    pub peers: usize,
    /// The number of messages that were received and published here.
    pub messages: u64,
    /// The bytes of those messages in CDR, without the frames' heads.
    pub bytes: u64,
    /// The number of messages that were lost on the way.
    pub lost: u64,
    /// The number of messages that arrived after a later one, and were dropped.
    pub late: u64,
    /// The number of values that a newer one replaced before the source received them.
    pub overtaken: u64,
    /// The number of messages that could not be read as the type here, or could not be published.
    pub unreadable: u64,
    /// The number of deadlines that passed without a message, where one is requested.
    pub missed: u64,
    /// The number of messages that had expired when they arrived, and were dropped.
    pub expired: u64,
    /// The number of times that the liveliness of a publisher was lost, where it is supervised.
    pub lapsed: u64,
    /// Set if the value is stale, because the peer that sent the last value of the representation
    /// has disconnected, or is not alive.
    pub is_stale: bool,
}

/// The statistics of a service that is served to peers, or called here. Each call was answered,
/// unanswered or refused, or is in flight. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServiceStatistics {
    /// The name of the service.
    pub name: String,
    /// Set if this robot serves it, or has declared its types in order to call it.
    pub is_there: bool,
    /// The number of peers that may call it now, or that answer calls of it.
    pub peers: usize,
    /// The number of calls.
    pub calls: u64,
    /// The number of calls that were answered.
    pub answers: u64,
    /// The number of calls without an answer: the server or the peer had ended, it panicked, or its
    /// answer did not arrive in time.
    pub unanswered: u64,
    /// The number of calls that were refused: there was no room, or the request or the answer could
    /// not be sent or read.
    pub refused: u64,
    /// The number of calls that wait for their answer now.
    pub in_flight: u64,
}

impl ServiceStatistics {
    fn of(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Counts a call that has no answer.
    pub fn miss(&mut self, why: NoAnswer) {
        match why {
            NoAnswer::Refused => self.refused += 1,
            NoAnswer::Ended | NoAnswer::Panicked | NoAnswer::TimedOut => self.unanswered += 1,
        }
    }
}

impl SentStatistics {
    /// Updates these statistics to `now`. Names do not change after a link has been opened.
    pub(crate) fn update(&mut self, now: &Self) {
        let name = std::mem::take(&mut self.name);
        *self = Self { name, ..*now };
    }
}

impl ReceivedStatistics {
    /// Updates these statistics to `now`. Names do not change after a link has been opened.
    pub(crate) fn update(&mut self, now: &Self) {
        let name = std::mem::take(&mut self.name);
        *self = Self { name, ..*now };
    }
}

impl LinkStatistics {
    /// Counts a message that the link was lent, and that is kept where it is, or was copied.
    pub(crate) fn count_lent(&mut self, is_kept: bool) {
        *(if is_kept { &mut self.kept } else { &mut self.copied }) += 1;
    }

    /// Updates these statistics to `now`. Names do not change after a link has been opened, so only
    /// numbers are copied for most messages, and nothing is allocated.
    pub(crate) fn update(&mut self, now: &Self) {
        let Self { peers, problem, clocks, sent, received, served, called, .. } = now;
        (self.met, self.parted, self.refused, self.ignored) = (now.met, now.parted, now.refused, now.ignored);
        (self.lent, self.kept, self.copied) = (now.lent, now.kept, now.copied);
        renew(&mut self.peers, peers);
        renew(&mut self.problem, problem);
        renew(&mut self.clocks, clocks);
        self.sent.iter_mut().zip(sent).for_each(|(shown, now)| shown.update(now));
        self.received.iter_mut().zip(received).for_each(|(shown, now)| shown.update(now));
        for (shown, now) in self.served.iter_mut().zip(served).chain(self.called.iter_mut().zip(called)) {
            let name = std::mem::take(&mut shown.name);
            *shown = ServiceStatistics { name, ..*now };
        }
    }

    /// Returns the statistics of a link over which nothing has been sent yet.
    pub(crate) fn of(link: &LinkConfiguration) -> Self {
        let statistics = Self::of_parts(
            (&link.name, &link.end.to_string(), matches!(link.end, LinkEnd::Listen(_))),
            link.send.iter().map(|sent| &sent.subject),
            link.receive.iter().map(|received| &received.subject),
            [&link.serve, &link.call],
        );
        Self { joins: matches!(link.end, LinkEnd::Join(_)), ..statistics }
    }

    /// Returns the statistics of a link or a similar carrier over which nothing has been sent yet:
    /// its name, its address and whether it listens there, then the things that it sends, receives,
    /// serves and calls.
    ///
    /// ```
    /// use hemiola_link::LinkStatistics;
    /// use hemiola_model::configuration::Subject;
    ///
    /// let scan = Subject::representation("Scan");
    /// let node = LinkStatistics::of_parts(("ros2", "tcp/localhost:7447", false), [&scan], [], [&[], &[]]);
    /// assert_eq!((node.sent[0].name.as_str(), node.sent[0].messages), ("Scan", 0));
    /// ```
    pub fn of_parts<'s>(
        (name, address, listens): (&str, &str, bool),
        sent: impl IntoIterator<Item = &'s Subject>,
        received: impl IntoIterator<Item = &'s Subject>,
        [served, called]: [&[String]; 2],
    ) -> Self {
        let sent = sent.into_iter().map(|subject| SentStatistics {
            name: subject.name.clone(),
            kind: subject.kind,
            ..Default::default()
        });
        let received = received.into_iter().map(|subject| ReceivedStatistics {
            name: subject.name.clone(),
            kind: subject.kind,
            ..Default::default()
        });
        Self {
            name: name.to_owned(),
            address: address.to_owned(),
            listens,
            sent: sent.collect(),
            received: received.collect(),
            served: served.iter().map(|name| ServiceStatistics::of(name)).collect(),
            called: called.iter().map(|name| ServiceStatistics::of(name)).collect(),
            ..Self::default()
        }
    }
}

impl fmt::Display for LinkStatistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address, listens, joins, peers, met, parted, refused, ignored, .. } = self;
        let end = match (*listens, *joins) {
            (true, _) => "listens at",
            (false, true) => "joins",
            (false, false) => "connects to",
        };
        write!(formatter, "link {name} {end} {address}: ")?;
        match peers.as_slice() {
            [] => formatter.write_str("no peer is connected")?,
            peers => formatter.write_str(&peers.iter().map(LinkPeer::to_string).collect::<Vec<_>>().join(", "))?,
        }
        write_counts(formatter, &[(*met, "met"), (*parted, "parted"), (*refused, "refused"), (*ignored, "ignored")])?;
        let received = [(self.kept, "kept in place"), (self.copied, "copied from shared memory")];
        write_counts(formatter, &[(self.lent, "through shared memory")])?;
        write_counts(formatter, &received)?;
        for ClockOffset { robot, ahead_ns, error_ns } in &self.clocks {
            let [ahead, error] = [ahead_ns, error_ns].map(|time| *time as f64 / 1e6);
            write!(formatter, "\n  the clock of {robot} is {ahead:+.3} ms ahead, within {error:.3} ms")?;
        }
        for sent in &self.sent {
            let SentStatistics { name, kind, is_there, messages, bytes, skipped, dropped, unsendable, .. } = sent;
            write!(formatter, "\n  sent {name}: {messages} messages, {bytes} bytes")?;
            write_counts(formatter, &[(*skipped, "skipped"), (*dropped, "dropped"), (*unsendable, "unsendable")])?;
            write_counts(formatter, &[(sent.repeated, "repeated"), (sent.unacknowledged, "unacknowledged")])?;
            write_counts(formatter, &qualities(sent.missed, sent.expired, sent.lapsed))?;
            formatter.write_str(absence(*kind, *is_there))?;
        }
        for received in &self.received {
            let ReceivedStatistics { name, kind, is_there, messages, bytes, lost, late, overtaken, .. } = received;
            write!(formatter, "\n  received {name}: {messages} messages, {bytes} bytes")?;
            let unreadable = (received.unreadable, "unreadable");
            write_counts(formatter, &[(*lost, "lost"), (*late, "late"), (*overtaken, "overtaken"), unreadable])?;
            write_counts(formatter, &qualities(received.missed, received.expired, received.lapsed))?;
            formatter.write_str(if received.is_stale { ", stale now" } else { "" })?;
            formatter.write_str(absence(*kind, *is_there))?;
        }
        let unserved = ": this robot does not serve it, or does not allow calls of it (`bus.allow_calls`)";
        let unknown = ": this robot has not declared its types (`bus.allow_calls`)";
        let served = self.served.iter().map(|service| ("served", service, unserved));
        for (what, service, absence) in served.chain(self.called.iter().map(|service| ("called", service, unknown))) {
            let ServiceStatistics { name, is_there, calls, answers, unanswered, refused, in_flight, .. } = service;
            write!(formatter, "\n  {what} {name}: {calls} calls, {answers} answers")?;
            let counts = [(*unanswered, "unanswered"), (*refused, "refused"), (*in_flight, "in flight")];
            write_counts(formatter, &counts)?;
            formatter.write_str(if *is_there { "" } else { absence })?;
        }
        match &self.problem {
            Some(problem) => write!(formatter, "\n  last problem: {problem}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for LinkPeer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} since {:.1} s", self.name, self.since.seconds())
    }
}

/// Returns the counts of what a quality of service supervises.
fn qualities(missed: u64, expired: u64, lapsed: u64) -> [(u64, &'static str); 3] {
    [(missed, "deadlines missed"), (expired, "expired"), (lapsed, "times not alive")]
}

/// Sets `shown` to `now` if they differ.
fn renew<T: Clone + PartialEq>(shown: &mut T, now: &T) {
    if shown != now {
        shown.clone_from(now);
    }
}

fn absence(kind: SubjectKind, is_there: bool) -> &'static str {
    match kind {
        _ if is_there => "",
        SubjectKind::Topic => ": this robot has no topic of that name",
        SubjectKind::Representation => ": this robot has no representation of that name",
    }
}

/// Writes the counts that are not zero.
fn write_counts(formatter: &mut fmt::Formatter<'_>, counts: &[(u64, &str)]) -> fmt::Result {
    counts.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, what)| write!(formatter, ", {count} {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_becomes_all_that_is_known() {
        let names = |sent: &[&str]| -> Vec<_> { sent.iter().map(|&name| name.to_owned()).collect() };
        let before = LinkStatistics {
            name: "laptop".into(),
            sent: vec![SentStatistics { name: "Goal".into(), ..Default::default() }; 2],
            received: vec![ReceivedStatistics { name: "Ball".into(), ..Default::default() }],
            served: vec![ServiceStatistics::of("SaveMap")],
            called: names(&["IsRoom", "Halt"]).iter().map(|name| ServiceStatistics::of(name)).collect(),
            ..Default::default()
        };
        let mut now = before.clone();
        (now.met, now.parted, now.refused, now.ignored) = (1, 2, 3, 4);
        now.peers = vec![LinkPeer { name: "robot".into(), since: Time::from_nanoseconds(5) }];
        (now.lent, now.kept, now.copied) = (17, 18, 19);
        now.problem = Some("it is late".into());
        now.clocks = vec![ClockOffset { robot: "robot".into(), ahead_ns: 6, error_ns: 7 }];
        now.sent[1] = SentStatistics {
            is_there: true,
            peers: 8,
            messages: 9,
            bytes: 10,
            skipped: 11,
            dropped: 12,
            unsendable: 13,
            ..now.sent[1].clone()
        };
        now.received[0].unreadable = 14;
        now.served[0].calls = 15;
        now.called[1].in_flight = 16;
        let mut shown = before.clone();
        shown.update(&now);
        assert_eq!(shown, now);
        shown.update(&before);
        assert_eq!(shown, before);
    }
}
