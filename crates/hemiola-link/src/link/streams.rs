//! A link over connections: Unix sockets and TCP.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use hemiola_model::configuration::{LinkAddress, LinkEnd};
use mio::{Registry, Token};

use super::{MOST_PEERS, Todo, Tokens};
use crate::awaited::AwaitedSocket;
use crate::near;
use crate::patience::Patience;
use crate::session::{Desk, Outgoing, Parting, Session};
use crate::socket::{Listener, Stream};
use crate::wire::{self, Frame, Incoming};

/// A link over connections.
pub struct Streams {
    port: Port,
    tokens: Tokens,
    /// The peers, by the numbers of their sockets.
    peers: BTreeMap<usize, Peer>,
    /// The number of the next socket.
    next: usize,
}

enum Port {
    Listening {
        /// One; at an `auto:` address two.
        listeners: Vec<Listener>,
        has_come: bool,
    },
    Connecting(Seeker),
}

/// The side that connects.
struct Seeker {
    address: LinkAddress,
    patience: Patience,
    /// When the next attempt is due; `None` while a connection exists.
    due: Option<Instant>,
    /// Says when somebody listens at a Unix socket.
    awaited: Option<AwaitedSocket>,
    /// Whether somebody may listen there since the last attempt.
    has_come: bool,
}

struct Peer {
    stream: Stream,
    session: Session,
    incoming: Incoming,
    /// The frame that is being written, and how much of it was.
    outgoing: Option<(Outgoing, usize)>,
    began: Instant,
    is_there: bool,
    is_readable: bool,
    is_writable: bool,
}

/// The time within which a peer has to say hello.
const HELLO_PATIENCE: Duration = Duration::from_secs(5);
/// The longest time between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The bytes that are read from one peer before others have their turn.
const AT_ONCE: usize = 1 << 20;
/// The number of the listening socket.
const PORT: usize = 0;

impl Streams {
    pub fn open(end: &LinkEnd, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        let port = match end {
            LinkEnd::Listen(address) => {
                let mut listeners = listeners(address, desk)?;
                listeners.iter_mut().try_for_each(|listener| listener.register(registry, tokens.at(PORT)))?;
                Port::Listening { listeners, has_come: true }
            }
            LinkEnd::Connect(address) => Port::Connecting(Seeker {
                address: address.clone(),
                patience: Patience::up_to(LONGEST_PAUSE),
                due: Some(Instant::now()),
                awaited: None,
                has_come: false,
            }),
        };
        Ok(Self { port, tokens, peers: BTreeMap::new(), next: PORT + 1 })
    }

    pub fn sessions(&mut self) -> impl Iterator<Item = &mut Session> {
        self.peers.values_mut().map(|peer| &mut peer.session)
    }

    pub fn ready(&mut self, socket: usize, is_readable: bool, is_writable: bool) {
        match (&mut self.port, self.peers.get_mut(&socket)) {
            (Port::Listening { has_come, .. }, _) if socket == PORT => *has_come = true,
            (Port::Connecting(seeker), _) if socket == PORT => seeker.look(),
            (_, Some(peer)) => {
                peer.is_readable |= is_readable;
                peer.is_writable |= is_writable;
            }
            _ => {}
        }
    }

    /// Accepts connections and connects, and handles what was received.
    pub fn receive(&mut self, desk: &mut Desk, now: Instant, registry: &Registry, buffer: &mut [u8], todo: &mut Todo) {
        self.accept(desk, now, registry);
        self.connect(desk, now, registry);
        self.with_peers(desk, now, |peer, desk| {
            peer.receive(desk, buffer)?;
            todo.is_more |= peer.is_readable;
            Ok(())
        });
    }

    /// Sends what waits, and ends the conversations with peers that have not said hello in time.
    pub fn send(&mut self, desk: &mut Desk, now: Instant, registry: &Registry, todo: &mut Todo) {
        self.with_peers(desk, now, |peer, desk| {
            peer.send(desk, now)?;
            if peer.session.robot().is_none() {
                if now >= peer.began + HELLO_PATIENCE {
                    return Err(if peer.is_there { Parting::NoHello } else { Parting::NoAnswer });
                }
                todo.also_at(Some(peer.began + HELLO_PATIENCE));
            }
            todo.also_at(peer.session.due().filter(|_| peer.is_writable));
            Ok(())
        });
        self.connect(desk, now, registry);
        if let Port::Connecting(seeker) = &mut self.port {
            if self.peers.values().any(|peer| peer.session.robot().is_some()) {
                seeker.patience.reset();
            }
            todo.also_at(seeker.due);
        }
    }

    pub fn end(&mut self, reason: &str) {
        self.peers.values_mut().for_each(|peer| peer.say_goodbye(reason));
    }

    fn accept(&mut self, desk: &mut Desk, now: Instant, registry: &Registry) {
        let Port::Listening { listeners, has_come } = &mut self.port else { return };
        let mut accepted = Vec::new();
        for listener in listeners.iter().filter(|_| *has_come) {
            loop {
                match listener.accept() {
                    Ok(stream) => accepted.push(stream),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // Nothing is accepted until the next connection arrives, also if there are no
                    // file descriptors left.
                    Err(_) => break,
                }
            }
        }
        *has_come = false;
        for stream in accepted {
            let is_room = self.peers.len() < MOST_PEERS;
            if let Err(error) = self.begin(stream, desk, now, registry) {
                desk.complain(format!("a connection cannot be used: {error}"));
            } else if !is_room {
                self.part(self.next - 1, Parting::NoRoom, desk, now);
            }
        }
    }

    /// Connects to the other side, if an attempt is due.
    fn connect(&mut self, desk: &mut Desk, now: Instant, registry: &Registry) {
        let Port::Connecting(seeker) = &mut self.port else { return };
        if seeker.due.is_none_or(|due| due > now && !seeker.has_come) {
            return;
        }
        let stream = seeker.attempt(registry, self.tokens.at(PORT));
        if let Err(error) = stream.and_then(|stream| self.begin(stream, desk, now, registry)) {
            self.note_end(None, &Parting::System(error), desk, now);
        }
    }

    fn begin(&mut self, mut stream: Stream, desk: &Desk, now: Instant, registry: &Registry) -> io::Result<()> {
        stream.prepare()?;
        stream.register(registry, self.tokens.at(self.next))?;
        let peer = Peer {
            stream,
            session: Session::new(desk),
            incoming: Incoming::default(),
            outgoing: None,
            began: now,
            is_there: false,
            is_readable: false,
            is_writable: false,
        };
        self.peers.insert(self.next, peer);
        self.next += 1;
        Ok(())
    }

    /// Applies `act` to each peer, and ends the conversation with those for which it fails.
    fn with_peers(
        &mut self,
        desk: &mut Desk,
        now: Instant,
        mut act: impl FnMut(&mut Peer, &mut Desk) -> Result<(), Parting>,
    ) {
        let mut parted = Vec::new();
        for (socket, peer) in &mut self.peers {
            if let Err(parting) = act(peer, desk) {
                parted.push((*socket, parting));
            }
        }
        parted.into_iter().for_each(|(socket, parting)| self.part(socket, parting, desk, now));
    }

    fn part(&mut self, socket: usize, parting: Parting, desk: &mut Desk, now: Instant) {
        let Some(mut peer) = self.peers.remove(&socket) else { return };
        peer.session.end(self.peers.values().map(|peer| &peer.session), desk);
        if parting.is_refusal() {
            peer.say_goodbye(&parting.to_string());
        }
        self.note_end(peer.session.robot(), &parting, desk, now);
    }

    /// Notes that a conversation has ended, or could not begin: a side that connects tries again
    /// later.
    fn note_end(&mut self, robot: Option<&str>, parting: &Parting, desk: &mut Desk, now: Instant) {
        match &mut self.port {
            Port::Connecting(seeker) => {
                seeker.due = Some(seeker.patience.after(now));
                desk.part(robot, Some(&seeker.address), parting);
            }
            Port::Listening { .. } => desk.part(robot, None, parting),
        }
    }
}

impl Seeker {
    /// Notes who listens by now.
    fn look(&mut self) {
        self.has_come |= self.awaited.as_ref().is_some_and(AwaitedSocket::has_come);
    }

    /// Starts to connect.
    fn attempt(&mut self, registry: &Registry, token: Token) -> io::Result<Stream> {
        self.due = None;
        if let (LinkAddress::Unix(path), None) = (&self.address, &self.awaited) {
            // Without it the next attempt comes after a pause, as over TCP.
            self.awaited = AwaitedSocket::at(path, registry, token).ok();
        }
        // Who listens from now on is noticed, and tried once more.
        self.look();
        self.has_come = false;
        match &self.address {
            LinkAddress::Unix(path) => Stream::unix(path),
            LinkAddress::Auto(address) => near::connect(*address),
            LinkAddress::Tcp(address) | LinkAddress::Udp(address) => Stream::tcp(*address),
        }
    }
}

/// Listens at an address, and writes into the statistics which one that is.
fn listeners(address: &LinkAddress, desk: &mut Desk) -> io::Result<Vec<Listener>> {
    let mut listeners = vec![match address {
        LinkAddress::Unix(path) => Listener::unix(path)?,
        LinkAddress::Tcp(address) | LinkAddress::Auto(address) | LinkAddress::Udp(address) => Listener::tcp(*address)?,
    }];
    let mut listening = listeners[0].address();
    if let (LinkAddress::Auto(_), LinkAddress::Tcp(port)) = (address, &listening) {
        match near::listen(*port) {
            Ok(listener) => listeners.push(listener),
            Err(error) => desk.complain(format!("it has no Unix socket, so that TCP serves this host, too: {error}")),
        }
        listening = LinkAddress::Auto(*port);
    }
    desk.statistics.address = listening.to_string();
    Ok(listeners)
}

impl Peer {
    fn receive(&mut self, desk: &mut Desk, buffer: &mut [u8]) -> Result<(), Parting> {
        if !self.is_there && self.is_writable {
            self.is_there = self.stream.is_there().map_err(Parting::System)?;
        }
        let mut read = 0;
        while self.is_there && self.is_readable && read < AT_ONCE {
            match self.stream.read(buffer) {
                Ok(None) => self.is_readable = false,
                Ok(Some(0)) => return Err(Parting::Closed),
                Ok(Some(count)) => {
                    read += count;
                    self.incoming.push(&buffer[..count]);
                    while let Some(frame) = self.incoming.next().map_err(Parting::Garbage)? {
                        self.session.hear(frame, desk)?;
                    }
                }
                Err(error) => return Err(ended(error)),
            }
        }
        Ok(())
    }

    fn send(&mut self, desk: &mut Desk, now: Instant) -> Result<(), Parting> {
        while self.is_there && self.is_writable {
            let next = || self.session.next(now, desk).map(|frame| (behind_length(frame), 0));
            let Some((outgoing, written)) = self.outgoing.take().or_else(next) else { return Ok(()) };
            let head = &outgoing.head[written.min(outgoing.head.len())..];
            let cdr = &outgoing.cdr[written.saturating_sub(outgoing.head.len())..];
            let left = head.len() + cdr.len();
            match self.stream.write([head, cdr]).map_err(ended)? {
                Some(count) if count == left => {}
                Some(count) => self.outgoing = Some((outgoing, written + count)),
                None => {
                    self.outgoing = Some((outgoing, written));
                    self.is_writable = false;
                }
            }
        }
        Ok(())
    }

    /// Writes a goodbye if the kernel accepts it at once, and if no other frame was written in
    /// part: within that frame it would be read as part of it.
    fn say_goodbye(&mut self, reason: &str) {
        if self.is_there && self.outgoing.is_none() {
            let goodbye = wire::with_length(&Frame::Goodbye { reason: wire::shortened(reason) });
            _ = self.stream.write([&goodbye, &[]]);
        }
    }
}

fn behind_length(mut outgoing: Outgoing) -> Outgoing {
    let length = wire::length_of(outgoing.head.len() + outgoing.cdr.len());
    outgoing.head.splice(..0, length);
    outgoing
}

/// Returns the reason why a connection ended with this error.
fn ended(error: io::Error) -> Parting {
    match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Parting::Closed,
        _ => Parting::System(error),
    }
}
