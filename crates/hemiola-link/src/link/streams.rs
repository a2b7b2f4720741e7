//! A link over connections: Unix sockets and TCP.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use hemiola_model::configuration::LinkAddress;
use mio::Registry;

use super::outbox::Outbox;
use super::seeker::Seeker;
use super::sharing::{LinkMemory, Sharing};
use super::{MOST_PEERS, Readiness, Todo, Tokens};
use crate::near;
use crate::session::{Desk, Parting, Session};
use crate::socket::{Listener, Stream};
use crate::transport::Arrivals;
use crate::wire::{self, Frame, Incoming};

/// A link over connections.
pub struct Streams {
    /// The peers, which are few. They are dropped before the port: what they have written last, a
    /// transport still sends.
    pub(super) peers: Vec<Peer>,
    port: Port,
    tokens: Tokens,
    /// The number of the next socket.
    next: usize,
    /// The memory for peers on this host, if the address requests it.
    memory: Option<Box<LinkMemory>>,
}

enum Port {
    Listening {
        /// The listeners: one, or two at an `auto:` address; or the transport by which peers come.
        listeners: Vec<Listener>,
        has_come: bool,
    },
    Connecting(Seeker),
}

/// A connection to a peer.
pub(super) struct Peer {
    /// The number of its socket.
    socket: usize,
    pub(super) stream: Stream,
    pub(super) session: Session,
    pub(super) incoming: Incoming,
    pub(super) outbox: Outbox,
    /// The memory that both sides share.
    pub(super) sharing: Option<Sharing>,
    /// The peer's file descriptor that has arrived.
    passed: Option<OwnedFd>,
    began: Instant,
    /// The time at which there is something to do for the peer.
    pub(super) due: Option<Instant>,
    /// Set if the peer has a turn.
    pub(super) is_marked: bool,
    pub(super) is_there: bool,
    pub(super) is_readable: bool,
    /// Set if there may be more in the pipe.
    pub(super) has_piped: bool,
    /// Set if the peer is to be rung for as soon as notices can be sent.
    pub(super) owes_ring: bool,
    /// Set if no more bytes will arrive than those that are there.
    pub(super) has_ended: bool,
    pub(super) is_writable: bool,
}

/// The time within which a peer must send its hello.
const HELLO_PATIENCE: Duration = Duration::from_secs(5);
/// The number of bytes that are read from one peer before others have their turn.
const AT_ONCE: usize = 1 << 20;
/// The number of the listening socket.
const PORT: usize = 0;

impl Streams {
    /// Listens at an address.
    pub fn listening(address: &LinkAddress, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        let mut listeners = listeners(address, desk)?;
        listeners.iter_mut().try_for_each(|listener| listener.register(registry, tokens.at(PORT)))?;
        Ok(Self::of(Port::Listening { listeners, has_come: true }, address, tokens))
    }

    /// Waits for the peers that a transport brings.
    pub fn carried(arrivals: Arrivals, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        let address = arrivals.address();
        let mut listener = Listener::Carried(arrivals);
        listener.register(registry, tokens.at(PORT))?;
        desk.statistics.address = address.to_string();
        Ok(Self::of(Port::Listening { listeners: vec![listener], has_come: true }, &address, tokens))
    }

    /// Starts to connect to an address.
    pub fn connecting(address: &LinkAddress, tokens: Tokens) -> Self {
        Self::of(Port::Connecting(Seeker::of(address)), address, tokens)
    }

    fn of(port: Port, address: &LinkAddress, tokens: Tokens) -> Self {
        let shares = matches!(address, LinkAddress::Shm(_) | LinkAddress::Auto(_));
        let memory = shares.then(Box::default);
        Self { peers: Vec::new(), port, tokens, next: PORT + 1, memory }
    }

    /// Applies `act` to each conversation. Those that have frames to send then get a turn.
    pub fn each_session(&mut self, act: &mut dyn FnMut(&mut Session)) {
        for peer in &mut self.peers {
            act(&mut peer.session);
            peer.is_marked |= peer.session.has_frames();
        }
    }

    /// Drops the blocks that peers have returned, and returns those that are not kept any more.
    pub fn collect(&mut self) {
        self.peers.iter_mut().filter_map(|peer| peer.sharing.as_mut()).for_each(Sharing::collect);
        self.memory.iter_mut().for_each(|memory| memory.collect());
    }

    /// Gives all peers a turn.
    pub fn mark_all(&mut self) {
        self.peers.iter_mut().for_each(|peer| peer.is_marked = true);
    }

    pub fn note_ready(&mut self, socket: usize, readiness: Readiness) {
        match (&mut self.port, self.peers.iter_mut().find(|peer| peer.socket == socket)) {
            (Port::Listening { has_come, .. }, _) if socket == PORT => *has_come = true,
            (Port::Connecting(seeker), _) if socket == PORT => seeker.look(),
            (_, Some(peer)) => {
                peer.is_marked = true;
                peer.is_readable |= readiness.is_readable;
                peer.has_ended |= readiness.has_ended;
                peer.is_writable |= readiness.is_writable;
            }
            _ => {}
        }
    }

    /// Accepts connections, connects, and handles the frames that were received. Returns whether
    /// there were any.
    pub fn receive(
        &mut self,
        desk: &mut Desk,
        now: impl Fn() -> Instant + Copy,
        registry: &Registry,
        buffer: &mut [u8],
        todo: &mut Todo,
    ) -> bool {
        self.accept(desk, now, registry);
        let mut has_received = false;
        self.with_marked(desk, now, |peer, desk| {
            has_received |= peer.receive(desk, buffer)?;
            todo.is_more |= peer.has_more();
            // As a rule nothing is to be sent: then the turn is over.
            peer.is_marked = peer.has_more() || peer.due.is_some() || !peer.is_at_rest();
            Ok(())
        });
        has_received
    }

    /// Sends the waiting frames, and ends the conversations with peers that have not sent their
    /// hello in time.
    pub fn send(&mut self, desk: &mut Desk, now: Instant, registry: &Registry, todo: &mut Todo) {
        let tokens = self.tokens;
        self.with_marked(
            desk,
            || now,
            |peer, desk| {
                // Bytes that have not been read now are read in the next turn.
                peer.is_marked = peer.has_more();
                let token = tokens.at(peer.socket);
                peer.send(desk, now, |stream, is_wanted| stream.want_room(registry, token, is_wanted))?;
                let is_full = peer.sharing.as_ref().is_some_and(|sharing| sharing.lending().is_full());
                peer.due = peer.session.due().filter(|_| peer.is_writable && !is_full);
                if peer.session.robot().is_none() {
                    if now >= peer.began + HELLO_PATIENCE {
                        return Err(if peer.is_there { Parting::NoHello } else { Parting::NoAnswer });
                    }
                    peer.due = [peer.due, Some(peer.began + HELLO_PATIENCE)].into_iter().flatten().min();
                }
                Ok(())
            },
        );
        self.connect(desk, now, registry);
        // Peers that have connected since then get their first turn.
        todo.is_more |= self.peers.iter().any(|peer| peer.is_marked && peer.is_there);
        todo.also_at(self.peers.iter().filter_map(|peer| peer.due).min());
        todo.also_at(self.memory.as_mut().and_then(|memory| memory.due(now)));
        if let Port::Connecting(seeker) = &mut self.port {
            if self.peers.iter().any(|peer| peer.session.robot().is_some()) {
                seeker.note_reached();
            }
            todo.also_at(seeker.due());
        }
    }

    pub fn end(&mut self, reason: &str) {
        self.peers.iter_mut().for_each(|peer| peer.say_goodbye(reason));
    }

    fn accept(&mut self, desk: &mut Desk, now: impl Fn() -> Instant, registry: &Registry) {
        let Port::Listening { listeners, has_come } = &mut self.port else { return };
        let mut accepted = Vec::new();
        for listener in listeners.iter().filter(|_| *has_come) {
            loop {
                match listener.accept() {
                    Ok(stream) => accepted.push(stream),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // No more connections are accepted until the next one arrives, even if there
                    // are no file descriptors left.
                    Err(_) => break,
                }
            }
            if let Listener::Carried(arrivals) = listener {
                arrivals.report(desk);
            }
        }
        *has_come = false;
        for stream in accepted {
            let is_room = self.peers.len() < MOST_PEERS;
            if let Err(error) = self.begin(stream, true, desk, now(), registry) {
                desk.complain(format!("a connection cannot be used: {error}"));
            } else if !is_room {
                self.part(self.peers.len() - 1, Parting::NoRoom, desk, now());
            }
        }
    }

    /// Connects to the other side, if an attempt is due.
    fn connect(&mut self, desk: &mut Desk, now: Instant, registry: &Registry) {
        let Port::Connecting(seeker) = &mut self.port else { return };
        if !seeker.is_due(now) {
            return;
        }
        let begun = seeker.attempt(registry, self.tokens.at(PORT)).and_then(|stream| {
            let is_there = stream.is_there_at_once();
            self.begin(stream, is_there, desk, now, registry)
        });
        if let Err(error) = begun {
            self.note_end(None, &Parting::System(error), desk, now);
        }
    }

    fn begin(
        &mut self,
        mut stream: Stream,
        is_there: bool,
        desk: &mut Desk,
        now: Instant,
        registry: &Registry,
    ) -> io::Result<()> {
        stream.prepare()?;
        stream.register(registry, self.tokens.at(self.next))?;
        // Descriptors can be passed only on this host.
        let memory = self.memory.as_mut().filter(|_| stream.passes_descriptors());
        let sharing = memory.and_then(|memory| memory.share(stream.kin(), desk));
        let peer = Peer {
            socket: self.next,
            stream,
            session: Session::new(desk),
            incoming: Incoming::default(),
            outbox: Outbox::default(),
            sharing,
            passed: None,
            began: now,
            due: Some(now + HELLO_PATIENCE),
            is_marked: true,
            is_there,
            is_readable: false,
            has_piped: false,
            owes_ring: false,
            has_ended: false,
            is_writable: is_there,
        };
        self.peers.push(peer);
        self.next += 1;
        Ok(())
    }

    /// Applies `act` to each peer that has a turn, and ends the conversations with those for which
    /// it fails.
    fn with_marked(
        &mut self,
        desk: &mut Desk,
        now: impl Fn() -> Instant,
        mut act: impl FnMut(&mut Peer, &mut Desk) -> Result<(), Parting>,
    ) {
        let mut index = 0;
        while let Some(peer) = self.peers.get_mut(index) {
            match if peer.is_marked { act(peer, desk) } else { Ok(()) } {
                Ok(()) => index += 1,
                Err(parting) => self.part(index, parting, desk, now()),
            }
        }
    }

    fn part(&mut self, index: usize, parting: Parting, desk: &mut Desk, now: Instant) {
        let mut peer = self.peers.remove(index);
        peer.session.end(self.peers.iter().map(|peer| &peer.session), desk);
        if parting.is_refusal() {
            peer.say_goodbye(&parting.to_string());
        }
        if let Some((memory, sharing)) = self.memory.as_mut().zip(peer.sharing.take()) {
            memory.note_end(sharing);
        }
        self.note_end(peer.session.robot(), &parting, desk, now);
    }

    /// Handles that a conversation has ended, or could not begin: a side that connects tries again
    /// later.
    fn note_end(&mut self, robot: Option<&str>, parting: &Parting, desk: &mut Desk, now: Instant) {
        match &mut self.port {
            Port::Connecting(seeker) => {
                seeker.note_end(now);
                desk.part(robot, Some(&seeker.address), parting);
            }
            Port::Listening { .. } => desk.part(robot, None, parting),
        }
    }
}

/// Listens at an address, and writes the actual address into the statistics.
fn listeners(address: &LinkAddress, desk: &mut Desk) -> io::Result<Vec<Listener>> {
    let mut listeners = vec![match address {
        LinkAddress::Unix(path) | LinkAddress::Shm(path) => Listener::unix(path)?,
        LinkAddress::Tcp(address) | LinkAddress::Auto(address) | LinkAddress::Udp(address) => Listener::tcp(*address)?,
        LinkAddress::Zenoh(_) => return Err(ErrorKind::Unsupported.into()),
    }];
    let mut listening = match address {
        LinkAddress::Shm(path) => LinkAddress::Shm(path.clone()),
        _ => listeners[0].address(),
    };
    if let (LinkAddress::Auto(_), LinkAddress::Tcp(port)) = (address, &listening) {
        match near::listen(*port) {
            Ok(listener) => listeners.push(listener),
            Err(error) => {
                desk.complain(format!("no Unix socket is available, so peers on this host use TCP, too: {error}"))
            }
        }
        listening = LinkAddress::Auto(*port);
    }
    desk.statistics.address = listening.to_string();
    Ok(listeners)
}

impl Peer {
    /// Returns whether there may be bytes that have arrived and were not read.
    fn has_more(&self) -> bool {
        self.is_there && (self.is_readable || self.has_piped)
    }

    /// Handles the bytes that have arrived. As many bytes as there is room for are read at once. If
    /// there are fewer, no more are there, and another event follows when some arrive. Returns
    /// whether there were any.
    fn receive(&mut self, desk: &mut Desk, buffer: &mut [u8]) -> Result<bool, Parting> {
        if !self.is_there && self.is_writable {
            self.is_there = self.stream.is_there().map_err(Parting::System)?;
        }
        let mut has_received = self.receive_piped(desk, buffer)?;
        let mut received = 0;
        while self.is_there && self.is_readable && received < AT_ONCE {
            if self.is_piped_to() {
                self.take_notices(desk, buffer)?;
                return Ok(true);
            }
            let (count, room) = self.read(buffer).map_err(ended)?;
            match count {
                None => self.is_readable = false,
                Some(0) => return Err(Parting::Closed),
                Some(count) => {
                    received += count;
                    self.is_readable = count == room || self.has_ended;
                    self.hear(&buffer[..count.min(buffer.len())], desk)?;
                }
            }
        }
        has_received |= received > 0;
        if received > 0 && self.is_piped_to() {
            // There may have been notices behind the frame that said so.
            self.look_for_room()?;
            has_received |= self.receive_piped(desk, buffer)?;
        }
        Ok(has_received)
    }

    /// Reads bytes, either after those that wait for the rest of their frame, or into `buffer`.
    /// Returns the number of bytes, and the number for which there was room.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<(Option<usize>, usize)> {
        let stream = &mut self.stream;
        if self.sharing.as_ref().is_some_and(Sharing::awaits_descriptor) {
            let count = stream.read_with(buffer, &mut self.passed)?;
            if let Some(count) = count.filter(|_| self.incoming.has_memory()) {
                self.incoming.push(&buffer[..count]);
            }
            // A read ends after the bytes with the descriptor, even if there are more.
            return Ok((count, count.unwrap_or_default()));
        }
        if !self.incoming.has_memory() {
            return Ok((stream.read(buffer)?, buffer.len()));
        }
        self.incoming.fill(|bytes| {
            let room = bytes.capacity() - bytes.len();
            Ok((stream.read_behind(bytes)?, room))
        })
    }

    /// Handles the complete frames: those in `bytes`, unless the bytes were read in place.
    pub(super) fn hear(&mut self, mut bytes: &[u8], desk: &mut Desk) -> Result<(), Parting> {
        let Self { incoming, session, sharing, passed, .. } = self;
        let mut hear = |frame: Frame<'_>| match (frame, sharing.as_mut().filter(|_| session.robot().is_some())) {
            (Frame::Memory { bytes, word }, Some(sharing)) => sharing.open(bytes, word, passed.take()),
            (Frame::Keeps { word }, Some(sharing)) => sharing.open_words(word),
            (Frame::Pipe(at), Some(sharing)) => sharing.open_pipe(at),
            (Frame::Piped, Some(sharing)) => sharing.note_piped(),
            (Frame::Lent(lent), Some(sharing)) => {
                let is_kept = sharing.receive(&lent, |contents| session.take(&lent.message, contents, desk))?;
                desk.statistics.count_lent(is_kept);
                Ok(())
            }
            // The counter shows which messages were returned.
            (Frame::Returned, Some(_)) => Ok(()),
            (frame, _) => session.hear(frame, desk),
        };
        if incoming.has_memory() {
            while let Some(frame) = incoming.next().map_err(Parting::Garbage)? {
                let is_last = frame == Frame::Piped;
                hear(frame)?;
                if is_last {
                    incoming.clear();
                }
            }
            return Ok(());
        }
        while let Some((frame, length)) = wire::split(bytes).map_err(Parting::Garbage)? {
            hear(frame)?;
            // What follows on the socket are notices.
            bytes = if frame == Frame::Piped { &[] } else { &bytes[length..] };
        }
        if !bytes.is_empty() {
            incoming.push(bytes);
        }
        Ok(())
    }

    /// Sends the waiting frames, as far as the kernel accepts them. `want_room` requests an event
    /// when there is room again, or cancels the request.
    fn send(
        &mut self,
        desk: &mut Desk,
        now: Instant,
        want_room: impl Fn(&mut Stream, bool) -> io::Result<()>,
    ) -> Result<(), Parting> {
        while self.is_there && self.is_writable {
            self.fill_outbox(now, desk)?;
            if self.outbox.is_empty() {
                if !self.sharing.as_mut().is_some_and(Sharing::switch) {
                    return Ok(());
                }
                if self.owes_ring {
                    self.ring()?;
                }
                continue;
            }
            if let Some(is_written) = self.write_piped()? {
                self.is_writable = is_written;
                continue;
            }
            let parts = self.outbox.parts();
            let left: usize = parts.iter().map(|part| part.len()).sum();
            let written = match self.sharing.as_ref().and_then(Sharing::descriptor) {
                Some(descriptor) => self.stream.write_with(parts, descriptor),
                None => self.stream.write(parts),
            };
            let written = written.map_err(ended)?.unwrap_or_default();
            if written > 0 {
                self.sharing.iter_mut().for_each(Sharing::note_passed);
            }
            self.outbox.advance(written);
            // A stream that accepts fewer bytes has no more room.
            self.is_writable = written == left;
            want_room(&mut self.stream, !self.is_writable).map_err(Parting::System)?;
        }
        Ok(())
    }

    /// Adds waiting frames to the outbox.
    fn fill_outbox(&mut self, now: Instant, desk: &mut Desk) -> Result<(), Parting> {
        let Self { outbox, session, sharing, .. } = self;
        let Some(sharing) = sharing else {
            outbox.fill(|frame| session.next(now, desk, frame));
            return Ok(());
        };
        let before = sharing.lending().count();
        outbox.fill(|frame| sharing.next(frame, |frame| session.next(now, desk, frame)));
        let lent = sharing.lending().count() - before;
        if lent > 0 {
            desk.statistics.lent += lent;
        }
        sharing.check()
    }

    /// Writes a goodbye if the kernel accepts it at once, and no other frame is partly written:
    /// within that frame, it would be read as a part of it.
    fn say_goodbye(&mut self, reason: &str) {
        if self.is_there && self.outbox.is_empty() {
            let goodbye = wire::with_length(&Frame::Goodbye { reason: wire::shortened(reason) });
            if !self.say_piped(&goodbye) {
                _ = self.stream.write([&goodbye, &[]]);
            }
        }
    }
}

/// Returns the reason why a connection ended, from its error.
pub(super) fn ended(error: io::Error) -> Parting {
    match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Parting::Closed,
        _ => Parting::System(error),
    }
}
