//! One link: its sockets, and its peers.
//!
//! A link has a turn when there is something to do for it: an event of a socket, a message or value
//! that was published here, a request or an answer, a new topic or service, or a point in time. In
//! its turn, only what is marked is visited: peers whose sockets are ready or that frames wait for,
//! and topics with new messages. Nothing else is visited except for flags of the peers, of which
//! there are at most 16.

mod count;
mod datagrams;
mod errand;
mod group;
mod kept;
mod lending;
mod outbox;
mod piped;
mod seeker;
mod sharing;
mod streams;

use std::io::{self, ErrorKind};
use std::mem;
use std::time::Instant;

use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd};
use mio::Registry;

use crate::ends::Waiting;
use crate::session::{Desk, Lanes, Session};
use crate::tally::Tally;
use crate::transport::{Arrivals, Transport};
use crate::wire;
use datagrams::Datagrams;
use streams::Streams;

/// A link. All methods are called on the links' thread, and never block.
pub struct Link {
    desk: Desk,
    carrier: Carrier,
    /// Set if there may be new topics or services.
    has_news: bool,
    /// Set if there may be requests or answers of this robot, or one of them is due.
    has_calls: bool,
    /// The work that remains after the first half of a turn; `None` between two turns.
    received: Option<Todo>,
    /// The time of the last turn.
    turned: Instant,
}

/// The transport of a link.
enum Carrier {
    Streams(Streams),
    Datagrams(Box<Datagrams>),
}

/// The most peers at a time, including those that have not sent their hello yet.
const MOST_PEERS: usize = 16;
/// The number of messages or values of one topic or representation that are received here before
/// other work has its turn.
const AT_ONCE: usize = 256;

/// The tokens of a link's sockets in the poll. `first` is the token of the listening socket, or of
/// the only UDP socket; the following ones are those of connections to peers, or of the socket that
/// a group shares.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    first: usize,
}

impl Tokens {
    /// Returns the tokens of the link with this index.
    pub fn of(place: usize) -> Self {
        Self { first: place << 32 }
    }

    /// Returns the index of a token's link, and the number of its socket.
    pub fn read(token: mio::Token) -> (usize, usize) {
        (token.0 >> 32, token.0 & 0xffff_ffff)
    }

    fn at(self, socket: usize) -> mio::Token {
        mio::Token(self.first | socket)
    }
}

/// The operations that a socket is ready for.
#[derive(Clone, Copy, Debug)]
pub struct Readiness {
    /// Set if there is something to read, or an error.
    pub is_readable: bool,
    /// Set if no more bytes will arrive than those that are there.
    pub has_ended: bool,
    /// Set if there is room to write, or an error.
    pub is_writable: bool,
}

impl From<&mio::event::Event> for Readiness {
    fn from(event: &mio::event::Event) -> Self {
        Self {
            is_readable: event.is_readable() || event.is_read_closed() || event.is_error(),
            has_ended: event.is_read_closed() || event.is_error(),
            is_writable: event.is_writable() || event.is_write_closed() || event.is_error(),
        }
    }
}

/// The work that remains after one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Todo {
    /// Set if there is more work now.
    pub is_more: bool,
    /// The time at which there will be more work.
    pub due: Option<Instant>,
}

impl Todo {
    fn also_at(&mut self, due: Option<Instant>) {
        self.due = [self.due, due].into_iter().flatten().min();
    }
}

impl Link {
    /// Listens at the link's address, begins to connect to it, or joins its group.
    ///
    /// # Errors
    /// Returns an error if the link cannot listen at its address, or join its group, or does not
    /// have the transport that it needs.
    pub fn open(
        configuration: &LinkConfiguration,
        mut desk: Desk,
        transport: Option<&dyn Transport>,
        (tokens, registry): (Tokens, &Registry),
    ) -> io::Result<Self> {
        let carrier = match &configuration.end {
            end if end.is_over_zenoh() => {
                let transport = transport.ok_or(ErrorKind::Unsupported)?;
                let arrivals = Arrivals::open(transport, configuration, &desk.robot)?;
                Carrier::Streams(Streams::carried(arrivals, &mut desk, tokens, registry)?)
            }
            LinkEnd::Join(group) => Carrier::datagrams(Datagrams::joining(group, &mut desk, tokens, registry)?),
            LinkEnd::Listen(LinkAddress::Udp(address)) => {
                Carrier::datagrams(Datagrams::listening(*address, &mut desk, tokens, registry)?)
            }
            LinkEnd::Connect(LinkAddress::Udp(address)) => {
                Carrier::datagrams(Datagrams::connecting(*address, &mut desk, tokens, registry)?)
            }
            LinkEnd::Listen(address) => Carrier::Streams(Streams::listening(address, &mut desk, tokens, registry)?),
            LinkEnd::Connect(address) => Carrier::Streams(Streams::connecting(address, tokens)),
        };
        Ok(Self { desk, carrier, has_news: true, has_calls: true, received: None, turned: Instant::now() })
    }

    /// Returns the state that the link's conversations share, including the statistics.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Returns the statistics, to be shown.
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.desk.statistics
    }

    /// Notes that a socket is ready.
    pub fn note_ready(&mut self, socket: usize, readiness: Readiness) {
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.note_ready(socket, readiness),
            Carrier::Datagrams(datagrams) => datagrams.note_ready(socket, readiness),
        }
    }

    /// Notes that a message or value was published that the link sends.
    pub fn note_published(&mut self, topic: usize) {
        self.desk.topics.mark(topic);
    }

    /// Notes that there are requests or answers of this robot.
    pub fn note_calls(&mut self) {
        self.has_calls = true;
    }

    /// Notes that there may be new topics or services.
    pub fn note_news(&mut self) {
        self.has_news = true;
    }

    /// Notes that something is [due](Todo::due) now.
    pub fn note_time(&mut self) {
        self.has_calls = true;
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.mark_all(),
            Carrier::Datagrams(datagrams) => datagrams.mark_all(),
        }
    }

    /// Receives what has arrived: the first half of a turn. Returns whether there was anything. It
    /// asks what time it is `now` only if a connection begins or ends, or for datagrams.
    pub fn receive(&mut self, now: impl Fn() -> Instant + Copy, registry: &Registry, buffer: &mut [u8]) -> bool {
        let Self { desk, carrier, has_calls, received, .. } = self;
        let todo = received.insert(Todo::default());
        desk.remarks.release();
        let has_received = match carrier {
            Carrier::Streams(streams) => streams.receive(desk, now, registry, buffer, todo),
            Carrier::Datagrams(datagrams) => datagrams.receive(desk, now(), buffer, todo),
        };
        *has_calls |= has_received;
        has_received
    }

    /// Receives, publishes and sends whatever has been noted.
    pub fn turn(&mut self, now: Instant, registry: &Registry, buffer: &mut [u8]) -> Todo {
        if self.received.is_none() {
            self.receive(|| now, registry, buffer);
        }
        let Self { desk, carrier, has_news, has_calls, received, turned } = self;
        *turned = now;
        let mut todo = received.take().unwrap_or_default();
        if mem::take(has_news) {
            for topic in desk.topics.look() {
                desk.complain(format!(
                    "`{topic}` cannot be sent: its messages are opaque, and cannot leave the program"
                ));
            }
            desk.services.look();
            carrier.each_session(&mut |session| session.look(desk));
            desk.has_changed = true;
        }
        let has_changed = mem::take(&mut desk.has_changed);
        if has_changed {
            carrier.subscribe(desk);
            *has_calls = true;
        }
        if let Carrier::Streams(streams) = carrier {
            streams.collect();
        }
        carrier.forward(desk, now, &mut todo);
        if mem::take(has_calls) && desk.services.any() {
            carrier.call(desk, now);
        }
        match carrier {
            Carrier::Streams(streams) => streams.send(desk, now, registry, &mut todo),
            Carrier::Datagrams(datagrams) => datagrams.send(desk, now, registry, &mut todo),
        }
        carrier.count(desk, has_changed || desk.has_changed);
        // A peer that has disconnected does not want anything any more.
        todo.is_more |= desk.has_changed;
        todo
    }

    /// Looks into the pipes of peers, who do not ring any more. Returns whether there is something.
    pub fn look(&mut self) -> bool {
        let Carrier::Streams(streams) = &mut self.carrier else { return false };
        let mut has_news = false;
        streams.peers.iter_mut().for_each(|peer| has_news |= peer.look());
        has_news
    }

    /// Lets peers ring again. Returns whether nothing is in their pipes.
    pub fn prepare_to_sleep(&mut self) -> bool {
        let Carrier::Streams(streams) = &mut self.carrier else { return true };
        let mut is_empty = true;
        streams.peers.iter_mut().for_each(|peer| is_empty &= peer.prepare_to_sleep());
        is_empty
    }

    /// Says goodbye to all peers with this reason.
    pub fn end(&mut self, reason: &str) {
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.end(reason),
            Carrier::Datagrams(datagrams) => datagrams.end(reason),
        }
    }
}

impl Carrier {
    fn datagrams(datagrams: Datagrams) -> Self {
        Self::Datagrams(Box::new(datagrams))
    }

    /// Applies `act` to each conversation. Those that have frames to send then get a turn.
    fn each_session(&mut self, act: &mut dyn FnMut(&mut Session)) {
        match self {
            Self::Streams(streams) => streams.each_session(act),
            Self::Datagrams(datagrams) => datagrams.each_session(act),
        }
    }

    /// Subscribes to everything that peers want, and ends all other subscriptions.
    fn subscribe(&mut self, desk: &mut Desk) {
        for topic in 0..desk.topics.sent.len() {
            let mut wanting = 0;
            self.each_session(&mut |session| wanting += usize::from(session.wants(topic)));
            desk.statistics.sent[topic].peers = wanting;
            if let Err(reason) = desk.topics.subscribe(topic, wanting > 0) {
                let name = &desk.topics.sent[topic].configuration.subject.name;
                desk.complain(format!("`{name}` cannot be sent: {reason}"));
            }
        }
    }

    /// Queues the messages that were published here for the peers that want them.
    fn forward(&mut self, desk: &mut Desk, now: Instant, todo: &mut Todo) {
        desk.topics.hold_on();
        for _ in 0..desk.topics.marked() {
            let Some(topic) = desk.topics.next_marked() else { break };
            self.forward_topic(topic, desk, now, todo);
        }
    }

    /// Queues the messages of a topic, or the values of a representation, that were published here.
    fn forward_topic(&mut self, topic: usize, desk: &mut Desk, now: Instant, todo: &mut Todo) {
        let keep = desk.topics.sent[topic].configuration.keep;
        if keep == Keep::Newest {
            let wanting = desk.statistics.sent[topic].peers as u64;
            desk.statistics.sent(topic).skipped += wanting * desk.topics.keep_newest(topic);
        }
        match (self.closed_until(topic, now, desk), keep) {
            (None, _) => self.publish(topic, desk, now, todo),
            (Some(due), Keep::Newest) => {
                // The message is not even serialized before it may be sent.
                desk.topics.mark(topic);
                todo.also_at(Some(due));
            }
            (Some(_), Keep::Last(_)) => {
                if !skip(topic, desk) {
                    desk.topics.mark(topic);
                    todo.is_more = true;
                }
            }
        }
        note_dropped(topic, desk);
    }

    /// Returns the time at which a message of a topic will be let through to a peer that wants it;
    /// `None` if it is let through now.
    fn closed_until(&mut self, topic: usize, now: Instant, desk: &Desk) -> Option<Instant> {
        desk.topics.sent[topic].configuration.rate?;
        if let Some(lanes) = self.lanes_of_all() {
            return lanes.closed_until(topic).filter(|due| *due > now);
        }
        let mut until = None;
        let mut is_open = false;
        self.each_session(&mut |session| {
            if session.wants(topic) {
                let due = session.closed_until(topic).filter(|due| *due > now);
                is_open |= due.is_none();
                until = [until, due].into_iter().flatten().min();
            }
        });
        until.filter(|_| !is_open)
    }

    /// Queues the messages of a topic for the peers that want it.
    fn publish(&mut self, topic: usize, desk: &mut Desk, now: Instant, todo: &mut Todo) {
        for _ in 0..AT_ONCE {
            let Some(message) = desk.topics.next(topic) else { return };
            let fits = |message: &Waiting| wire::fits_a_frame(wire::head_length(message.stamp) + message.cdr.len());
            match message.filter(fits) {
                Some(message) => self.queue(topic, &message, now, desk),
                None => note_unsendable(topic, desk),
            }
        }
        desk.topics.mark(topic);
        todo.is_more = true;
    }

    /// Queues a message of a topic for the peers that want it: in a group, once for all of them.
    fn queue(&mut self, topic: usize, message: &Waiting, now: Instant, desk: &mut Desk) {
        if let Some(lanes) = self.lanes_of_all() {
            return lanes.publish(topic, message.clone(), now, desk);
        }
        self.each_session(&mut |session| {
            if session.wants(topic) {
                session.publish(topic, message.clone(), now, desk);
            }
        });
    }

    /// Returns what waits to be sent to all members of a group.
    fn lanes_of_all(&mut self) -> Option<&mut Lanes> {
        match self {
            Self::Streams(_) => None,
            Self::Datagrams(datagrams) => datagrams.lanes_of_all(),
        }
    }

    /// Sends this robot's requests to peers, and handles the requests of peers.
    fn call(&mut self, desk: &mut Desk, now: Instant) {
        self.each_session(&mut |session| {
            session.remind(now, desk);
            session.pass_answers(desk);
        });
        for service in 0..desk.services.called.len() {
            let mut answering = 0;
            self.each_session(&mut |session| answering += usize::from(session.answers(service, desk)));
            desk.statistics.called[service].peers = answering;
            if let Err(reason) = desk.services.serve(service, answering > 0) {
                let name = &desk.services.called[service].name;
                desk.complain(format!("`{name}` is not called over the link: {reason}"));
            }
            // If several peers answer, the first one is asked.
            let mut is_asked = false;
            self.each_session(&mut |session| {
                if is_asked || !session.answers(service, desk) {
                    return;
                }
                is_asked = true;
                while session.has_room(service)
                    && let Some(asked) = desk.services.next(service)
                {
                    session.ask(service, asked, now, desk);
                }
            });
        }
    }
}

/// Skips the messages of a topic that come too early for every peer that wants it. Returns whether
/// none is left.
fn skip(topic: usize, desk: &mut Desk) -> bool {
    let wanting = desk.statistics.sent[topic].peers as u64;
    for _ in 0..AT_ONCE {
        if !desk.topics.skip(topic) {
            return true;
        }
        desk.statistics.sent(topic).skipped += wanting;
    }
    false
}

/// Counts the messages of a topic that were dropped before the link received them.
fn note_dropped(topic: usize, desk: &mut Desk) {
    let (overtaken, sent) = (desk.topics.take_dropped(topic), desk.statistics.sent(topic));
    match desk.topics.sent[topic].configuration.keep {
        Keep::Newest => sent.skipped += overtaken,
        Keep::Last(_) => sent.dropped += overtaken,
    }
}

/// Counts and reports a message that makes no frame.
fn note_unsendable(topic: usize, desk: &mut Desk) {
    desk.statistics.sent(topic).unsendable += 1;
    let name = &desk.topics.sent[topic].configuration.subject.name;
    let why = "it is longer than 64 MiB, or could not be written";
    desk.complain(format!("a message of `{name}` cannot be sent: {why}"));
}

#[cfg(test)]
mod tests;
