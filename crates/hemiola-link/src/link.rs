//! One link: its sockets, and its peers.
//!
//! A link has a turn when there is something for it: an event of a socket, a message or value that
//! was published here, a request or an answer, news, or a point in time. What is marked has its
//! turn then: peers whose sockets are ready or for which something waits, and topics of which
//! something was published. All else is not visited, but for flags of the peers, which are 16 at
//! most.

mod count;
mod datagrams;
mod group;
mod outbox;
mod sharing;
mod streams;

use std::io;
use std::mem;
use std::time::Instant;

use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd};
use mio::Registry;

use crate::ends::Waiting;
use crate::session::{Desk, Lanes, Session};
use crate::wire;
use datagrams::Datagrams;
use streams::Streams;

/// A link. Everything is called on the links' thread, and never waits.
pub struct Link {
    desk: Desk,
    carrier: Carrier,
    /// There may be new topics or services.
    has_news: bool,
    /// There may be requests and answers of this robot, or it is time for something of theirs.
    has_calls: bool,
}

/// The transport of a link.
enum Carrier {
    Streams(Streams),
    Datagrams(Datagrams),
}

/// The most peers at a time, including those that have not said hello yet.
const MOST_PEERS: usize = 16;
/// The number of messages or values of one kind that are received here before other work has its
/// turn.
const AT_ONCE: usize = 256;

/// The tokens by which the poll knows a link's sockets: `first` is that of the socket that listens,
/// or over UDP talks to all peers; those after it are connections to peers, or what a group shares.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    first: usize,
}

impl Tokens {
    /// Returns the tokens of the link at this place.
    pub fn of(place: usize) -> Self {
        Self { first: place << 32 }
    }

    /// Returns the place of a token's link, and the number of its socket.
    pub fn read(token: mio::Token) -> (usize, usize) {
        (token.0 >> 32, token.0 & 0xffff_ffff)
    }

    fn at(self, socket: usize) -> mio::Token {
        mio::Token(self.first | socket)
    }
}

/// What a socket is ready for.
#[derive(Clone, Copy, Debug)]
pub struct Readiness {
    /// There is something to read, or an error.
    pub is_readable: bool,
    /// Nothing more will come than what is there.
    pub has_ended: bool,
    /// There is room to write, or an error.
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
    /// Whether there is more work now.
    pub is_more: bool,
    /// When there will be more work.
    pub due: Option<Instant>,
}

impl Todo {
    fn also_at(&mut self, due: Option<Instant>) {
        self.due = [self.due, due].into_iter().flatten().min();
    }
}

impl Link {
    /// Listens, starts to connect, or joins a group.
    ///
    /// # Errors
    /// Returns an error if the link cannot listen at its address, or join its group.
    pub fn open(
        configuration: &LinkConfiguration,
        mut desk: Desk,
        tokens: Tokens,
        registry: &Registry,
    ) -> io::Result<Self> {
        let carrier = match &configuration.end {
            LinkEnd::Join(group) => Carrier::Datagrams(Datagrams::joining(group, &mut desk, tokens, registry)?),
            LinkEnd::Listen(LinkAddress::Udp(address)) => {
                Carrier::Datagrams(Datagrams::listening(*address, &mut desk, tokens, registry)?)
            }
            LinkEnd::Connect(LinkAddress::Udp(address)) => {
                Carrier::Datagrams(Datagrams::connecting(*address, &mut desk, tokens, registry)?)
            }
            LinkEnd::Listen(address) => Carrier::Streams(Streams::listening(address, &mut desk, tokens, registry)?),
            LinkEnd::Connect(address) => Carrier::Streams(Streams::connecting(address, tokens)),
        };
        Ok(Self { desk, carrier, has_news: true, has_calls: true })
    }

    /// Returns the state that its conversations share, with the statistics.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Notes that a socket is ready.
    pub fn note_ready(&mut self, socket: usize, readiness: Readiness) {
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.note_ready(socket, readiness),
            Carrier::Datagrams(datagrams) => datagrams.note_ready(socket, readiness),
        }
    }

    /// Notes that something was published of what is sent.
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

    /// Notes that it is time for something that was [due](Todo::due).
    pub fn note_time(&mut self) {
        self.has_calls = true;
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.mark_all(),
            Carrier::Datagrams(datagrams) => datagrams.mark_all(),
        }
    }

    /// Receives, publishes and sends what was noted.
    pub fn turn(&mut self, now: Instant, registry: &Registry, buffer: &mut [u8]) -> Todo {
        let Self { desk, carrier, has_news, has_calls } = self;
        let mut todo = Todo::default();
        *has_calls |= match carrier {
            Carrier::Streams(streams) => streams.receive(desk, now, registry, buffer, &mut todo),
            Carrier::Datagrams(datagrams) => datagrams.receive(desk, now, buffer, &mut todo),
        };
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
        // A peer that is gone wants nothing any more.
        todo.is_more |= desk.has_changed;
        todo
    }

    /// Says goodbye to all peers, with this reason.
    pub fn end(&mut self, reason: &str) {
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.end(reason),
            Carrier::Datagrams(datagrams) => datagrams.end(reason),
        }
    }
}

impl Carrier {
    /// Has each conversation do something. Those with which there is something to send have their
    /// turn then.
    fn each_session(&mut self, act: &mut dyn FnMut(&mut Session)) {
        match self {
            Self::Streams(streams) => streams.each_session(act),
            Self::Datagrams(datagrams) => datagrams.each_session(act),
        }
    }

    /// Subscribes to what peers want, and ends the subscription to all else.
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

    /// Queues what was published here for the peers that want it.
    fn forward(&mut self, desk: &mut Desk, now: Instant, todo: &mut Todo) {
        for _ in 0..desk.topics.marked() {
            let Some(topic) = desk.topics.next_marked() else { break };
            let keep = desk.topics.sent[topic].configuration.keep;
            if keep == Keep::Newest {
                let wanting = desk.statistics.sent[topic].peers as u64;
                desk.statistics.sent[topic].skipped += wanting * desk.topics.keep_newest(topic);
            }
            match (self.closed_until(topic, now), keep) {
                (None, _) => self.publish(topic, desk, now, todo),
                (Some(due), Keep::Newest) => {
                    // It is not even written before it may be sent.
                    desk.topics.mark(topic);
                    todo.also_at(Some(due));
                }
                (Some(_), Keep::Last(_)) => self.skip(topic, desk, todo),
            }
            let overtaken = desk.topics.take_dropped(topic);
            match keep {
                Keep::Newest => desk.statistics.sent[topic].skipped += overtaken,
                Keep::Last(_) => desk.statistics.sent[topic].dropped += overtaken,
            }
        }
    }

    /// Returns from when on a message of a topic is let through to any peer that wants it, unless
    /// that is now.
    fn closed_until(&mut self, topic: usize, now: Instant) -> Option<Instant> {
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
                None => {
                    desk.statistics.sent[topic].unsendable += 1;
                    let name = &desk.topics.sent[topic].configuration.subject.name;
                    let why = "it is longer than 64 MiB, or could not be written";
                    desk.complain(format!("a message of `{name}` cannot be sent: {why}"));
                }
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

    /// Skips the messages of a topic that have come too early for every peer that wants it.
    fn skip(&mut self, topic: usize, desk: &mut Desk, todo: &mut Todo) {
        let wanting = desk.statistics.sent[topic].peers as u64;
        for _ in 0..AT_ONCE {
            if !desk.topics.skip(topic) {
                return;
            }
            desk.statistics.sent[topic].skipped += wanting;
        }
        desk.topics.mark(topic);
        todo.is_more = true;
    }

    /// Asks the peers what is asked here, and answers what they ask.
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
            // Of several peers that answer, the first is asked.
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

#[cfg(test)]
mod tests;
