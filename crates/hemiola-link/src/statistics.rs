//! What went over links, in numbers.

use std::fmt;

use hemiola_model::configuration::LinkConfiguration;

/// What went over a link so far, and who is there.
///
/// See [`Links::statistics`](crate::Links::statistics). Its text is for people.
///
/// ```
/// let links: Vec<hemiola_link::LinkStatistics> = Vec::new();
/// links.iter().for_each(|link| println!("{link}"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// The link's name.
    pub name: String,
    /// Where it is: `tcp:127.0.0.1:7400`.
    pub address: String,
    /// The robots that are there now.
    pub peers: Vec<String>,
    /// How often somebody came who speaks as a link does.
    pub met: u64,
    /// How often a conversation ended that had begun.
    pub parted: u64,
    /// How often somebody was sent away: for garbage, another version, silence, or want of room.
    pub refused: u64,
    /// What came and belongs to no conversation: datagrams of earlier ones, messages that nobody
    /// asked for.
    pub ignored: u64,
    /// What went wrong last, in words.
    pub problem: Option<String>,
    /// The topics that it sends, as robot.toml has them.
    pub sent: Vec<SentStatistics>,
    /// The topics that it receives, as robot.toml has them.
    pub received: Vec<ReceivedStatistics>,
}

/// What was sent of a topic. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SentStatistics {
    /// Its name.
    pub topic: String,
    /// Whether somebody in this robot has made it.
    pub is_there: bool,
    /// To how many it is sent now.
    pub peers: usize,
    /// Messages that were sent, each to one peer.
    pub messages: u64,
    /// Their bytes, without what is around them.
    pub bytes: u64,
    /// Messages that came too early for the topic's rate, or were replaced by newer ones, as asked
    /// for.
    pub skipped: u64,
    /// Messages that found no room in what waits for a peer.
    pub dropped: u64,
    /// Messages that are longer than a datagram, or than 64 MiB, or could not be written.
    pub unsendable: u64,
}

/// What was received of a topic. See [`LinkStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceivedStatistics {
    /// Its name.
    pub topic: String,
    /// Whether somebody in this robot has made it.
    pub is_there: bool,
    /// From how many it comes now.
    pub peers: usize,
    /// Messages that were received and published here.
    pub messages: u64,
    /// Their bytes, without what is around them.
    pub bytes: u64,
    /// Messages that were lost on the way.
    pub lost: u64,
    /// Messages that came after a later one, and were dropped.
    pub late: u64,
    /// Messages that are none of the topic's type.
    pub unreadable: u64,
}

impl LinkStatistics {
    /// Of a link over which nothing went yet.
    pub(crate) fn of(link: &LinkConfiguration) -> Self {
        let sent = link.send.iter().map(|sent| SentStatistics { topic: sent.topic.clone(), ..Default::default() });
        let received =
            link.receive.iter().map(|topic| ReceivedStatistics { topic: topic.clone(), ..Default::default() });
        Self {
            name: link.name.clone(),
            address: link.end.to_string(),
            sent: sent.collect(),
            received: received.collect(),
            ..Self::default()
        }
    }
}

impl fmt::Display for LinkStatistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address, peers, met, parted, refused, ignored, .. } = self;
        write!(formatter, "link {name} at {address}: ")?;
        match peers.as_slice() {
            [] => formatter.write_str("nobody is there")?,
            peers => formatter.write_str(&peers.join(", "))?,
        }
        write_counts(formatter, &[(*met, "met"), (*parted, "parted"), (*refused, "refused"), (*ignored, "ignored")])?;
        for SentStatistics { topic, is_there, messages, bytes, skipped, dropped, unsendable, .. } in &self.sent {
            write!(formatter, "\n  sent {topic}: {messages} messages, {bytes} bytes")?;
            write_counts(formatter, &[(*skipped, "skipped"), (*dropped, "dropped"), (*unsendable, "unsendable")])?;
            formatter.write_str(absence(*is_there))?;
        }
        for ReceivedStatistics { topic, is_there, messages, bytes, lost, late, unreadable, .. } in &self.received {
            write!(formatter, "\n  received {topic}: {messages} messages, {bytes} bytes")?;
            write_counts(formatter, &[(*lost, "lost"), (*late, "late"), (*unreadable, "unreadable")])?;
            formatter.write_str(absence(*is_there))?;
        }
        match &self.problem {
            Some(problem) => write!(formatter, "\n  at last: {problem}"),
            None => Ok(()),
        }
    }
}

fn absence(is_there: bool) -> &'static str {
    if is_there { "" } else { ": nobody in this robot has a topic of that name" }
}

/// Those that are not zero.
fn write_counts(formatter: &mut fmt::Formatter<'_>, counts: &[(u64, &str)]) -> fmt::Result {
    counts.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, what)| write!(formatter, ", {count} {what}"))
}
