//! One link: its sockets, and its peers.

mod datagrams;
mod streams;

use std::io;
use std::time::Instant;

use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd};
use mio::Registry;

use crate::ends::Waiting;
use crate::session::{Desk, Session};
use datagrams::Datagrams;
use streams::Streams;

/// A link. Everything is called on the links' thread, and never waits.
pub struct Link {
    desk: Desk,
    carrier: Carrier,
}

/// The transport of a link.
enum Carrier {
    Streams(Streams),
    Datagrams(Datagrams),
}

/// The most peers at a time, including those that have not said hello yet.
const MOST_PEERS: usize = 16;

/// The tokens by which the poll knows a link's sockets: `first` is that of the socket that listens,
/// or of all UDP; those after it are connections to peers.
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

/// The work that remains after one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Todo {
    /// Whether there is more work now.
    pub is_more: bool,
    /// When there will be more work.
    pub due: Option<Instant>,
}

impl Todo {
    /// Adds the work of another link.
    pub fn join(&mut self, other: Self) {
        self.is_more |= other.is_more;
        self.also_at(other.due);
    }

    fn also_at(&mut self, due: Option<Instant>) {
        self.due = [self.due, due].into_iter().flatten().min();
    }
}

impl Link {
    /// Listens, or starts to connect.
    ///
    /// # Errors
    /// Returns an error if the link cannot listen at its address.
    pub fn open(
        configuration: &LinkConfiguration,
        mut desk: Desk,
        tokens: Tokens,
        registry: &Registry,
    ) -> io::Result<Self> {
        let carrier = match configuration.end.address() {
            LinkAddress::Udp(address) => {
                let towards = matches!(configuration.end, LinkEnd::Connect(_)).then_some(*address);
                Carrier::Datagrams(Datagrams::open(*address, towards, &mut desk, tokens, registry)?)
            }
            LinkAddress::Unix(_) | LinkAddress::Tcp(_) | LinkAddress::Auto(_) => {
                Carrier::Streams(Streams::open(&configuration.end, &mut desk, tokens, registry)?)
            }
        };
        Ok(Self { desk, carrier })
    }

    /// Returns the state that its conversations share, with the statistics.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Notes that a socket is ready to be read or written.
    pub fn ready(&mut self, socket: usize, is_readable: bool, is_writable: bool) {
        match &mut self.carrier {
            Carrier::Streams(streams) => streams.ready(socket, is_readable, is_writable),
            Carrier::Datagrams(datagrams) => datagrams.ready(is_readable, is_writable),
        }
    }

    /// Receives, publishes and sends. `is_new` says that there may be new topics or services.
    pub fn turn(&mut self, is_new: bool, now: Instant, registry: &Registry, buffer: &mut [u8]) -> Todo {
        let Self { desk, carrier } = self;
        let mut todo = Todo::default();
        match carrier {
            Carrier::Streams(streams) => streams.receive(desk, now, registry, buffer, &mut todo),
            Carrier::Datagrams(datagrams) => datagrams.receive(desk, now, buffer, &mut todo),
        }
        if is_new {
            for topic in desk.topics.look() {
                desk.complain(format!(
                    "`{topic}` cannot be sent: its messages are opaque, and cannot leave the program"
                ));
            }
            desk.services.look();
            carrier.each_session(&mut |session| session.look(desk));
        }
        carrier.forward(desk, now, &mut todo);
        carrier.call(desk, now);
        match carrier {
            Carrier::Streams(streams) => streams.send(desk, now, registry, &mut todo),
            Carrier::Datagrams(datagrams) => datagrams.send(desk, now, &mut todo),
        }
        carrier.count(desk);
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
    fn each_session(&mut self, act: &mut dyn FnMut(&mut Session)) {
        match self {
            Self::Streams(streams) => streams.sessions().for_each(act),
            Self::Datagrams(datagrams) => datagrams.sessions().for_each(act),
        }
    }

    /// Queues what was published here for the peers that want it.
    fn forward(&mut self, desk: &mut Desk, now: Instant, todo: &mut Todo) {
        for topic in 0..desk.topics.sent.len() {
            let mut wanting = 0;
            self.each_session(&mut |session| wanting += usize::from(session.wants(topic)));
            desk.statistics.sent[topic].peers = wanting;
            if let Err(reason) = desk.topics.subscribe(topic, wanting > 0) {
                let name = &desk.topics.sent[topic].configuration.subject.name;
                desk.complain(format!("`{name}` cannot be sent: {reason}"));
            }
            let mut messages = Vec::new();
            todo.is_more |= desk.topics.receive(topic, |message| messages.push(message));
            let overtaken = desk.topics.take_dropped(topic);
            match desk.topics.sent[topic].configuration.keep {
                Keep::Newest => desk.statistics.sent[topic].skipped += overtaken,
                Keep::Last(_) => desk.statistics.sent[topic].dropped += overtaken,
            }
            for message in messages {
                let length = |message: &Waiting| crate::wire::head_length(message.stamp) + message.cdr.len();
                match message.filter(|message| self.fits(length(message))) {
                    Some(message) => self.each_session(&mut |session| {
                        if session.wants(topic) {
                            session.publish(topic, message.clone(), now, desk);
                        }
                    }),
                    None => {
                        desk.statistics.sent[topic].unsendable += 1;
                        let name = &desk.topics.sent[topic].configuration.subject.name;
                        desk.complain(format!("a message of `{name}` cannot be sent: {}", self.limit()));
                    }
                }
            }
        }
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

    fn fits(&self, length: usize) -> bool {
        match self {
            Self::Streams(_) => crate::wire::fits_a_frame(length),
            Self::Datagrams(_) => crate::wire::fits_a_datagram(length),
        }
    }

    fn limit(&self) -> &'static str {
        match self {
            Self::Streams(_) => "it is longer than 64 MiB, or could not be written",
            Self::Datagrams(_) => "it is longer than a datagram of UDP, 64 KiB; `tcp:` has no such limit",
        }
    }

    /// Updates which peers and topics are there in the statistics.
    fn count(&mut self, desk: &mut Desk) {
        for topic in 0..desk.topics.received.len() {
            desk.statistics.received[topic].unreadable += desk.topics.take_unreadable(topic);
        }
        desk.statistics.clocks.clear();
        self.each_session(&mut |session| {
            let clock = session.clock(desk);
            desk.statistics.clocks.extend(clock);
        });
        let statistics = &mut desk.statistics;
        statistics.peers.clear();
        for (sent, topic) in statistics.sent.iter_mut().zip(&desk.topics.sent) {
            sent.is_there = topic.schema.is_some();
        }
        for (received, topic) in statistics.received.iter_mut().zip(&desk.topics.received) {
            (received.peers, received.is_there) = (0, topic.descriptor.is_some());
        }
        for (served, service) in statistics.served.iter_mut().zip(&desk.services.served) {
            (served.peers, served.in_flight, served.is_there) = (0, 0, service.can_be_called());
        }
        for (called, service) in statistics.called.iter_mut().zip(&desk.services.called) {
            (called.in_flight, called.is_there) = (0, service.types.is_some());
        }
        self.each_session(&mut |session| {
            statistics.peers.extend(session.peer());
            for (topic, received) in statistics.received.iter_mut().enumerate() {
                received.peers += usize::from(session.brings(topic));
            }
            for (service, served) in statistics.served.iter_mut().enumerate() {
                served.peers += usize::from(session.may_call(service));
                served.in_flight += session.calls_open(service) as u64;
            }
            for (service, called) in statistics.called.iter_mut().enumerate() {
                called.in_flight += session.calls_made(service) as u64;
            }
        });
    }
}

#[cfg(test)]
mod tests;
