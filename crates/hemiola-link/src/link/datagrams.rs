//! A link over UDP: one socket, and conversations that are told apart by numbers. The members of a
//! group have such a conversation, two by two, and share another socket besides.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use hemiola_model::configuration::{LinkAddress, LinkGroup};
use mio::net::UdpSocket;
use mio::{Interest, Registry, Token};
use rustix::net::sockopt;

use super::group::Group;
use super::{MOST_PEERS, Readiness, Todo, Tokens};
use crate::multicast::GroupSockets;
use crate::patience::Patience;
use crate::session::{Desk, Lanes, Parting, Session};
use crate::socket::at_present;
use crate::wire::{self, Frame};

/// A link over UDP.
pub struct Datagrams {
    socket: UdpSocket,
    token: Token,
    is_readable: bool,
    is_writable: bool,
    /// An event follows when there is room to write.
    wants_room: bool,
    /// The address to which it connects; `None` if it listens, or has joined a group.
    towards: Option<SocketAddr>,
    group: Option<Group>,
    peers: BTreeMap<SocketAddr, Peer>,
}

struct Peer {
    session: Session,
    /// The number that was chosen here.
    own: u64,
    /// The number that the other side has chosen; 0 as long as it is not known.
    theirs: u64,
    /// The peer has sent our number, so that its frames come from its address.
    is_proven: bool,
    heard: Instant,
    /// The time at which hello is sent again.
    hello_due: Instant,
    patience: Patience,
    /// Set while it has a turn.
    is_marked: bool,
    /// The time at which there is something to do for it; `None` if there is nothing.
    due: Option<Instant>,
    /// The datagram that is sent next, if the kernel had no room for it; else empty.
    datagram: Vec<u8>,
}

/// The longest time between two hellos.
const BEAT: Duration = Duration::from_secs(1);
/// The time of silence after which a peer is regarded as gone, and the time within which a call is
/// to be answered, as requests and answers may be lost.
const SILENCE: Duration = Duration::from_secs(5);
/// The size of the kernel's buffer for datagrams that have arrived: several fragments of a long
/// message come before this thread runs.
const RECEIVE_BUFFER: usize = 4 << 20;
/// The numbers of the two sockets: that of conversations, and that of a group.
const OWN: usize = 0;
const SHARED: usize = 1;
/// The number of datagrams that are received before other work has its turn.
const AT_ONCE: usize = 256;

impl Datagrams {
    /// Listens at an address.
    pub fn listening(address: SocketAddr, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        desk.statistics.address = LinkAddress::Udp(socket.local_addr()?).to_string();
        Self::of(socket, None, desk, tokens, registry)
    }

    /// Starts to connect to an address.
    pub fn connecting(towards: SocketAddr, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        let any = match towards.ip() {
            IpAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            IpAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        Self::of(UdpSocket::bind(any)?, Some(towards), desk, tokens, registry)
    }

    /// Joins a group.
    pub fn joining(group: &LinkGroup, desk: &mut Desk, tokens: Tokens, registry: &Registry) -> io::Result<Self> {
        if desk.services.any() {
            let why = "a call has one server, and a group has many members: `serve` and `call` belong in another link";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let GroupSockets { own, shared, group } = GroupSockets::open(group)?;
        receive_much(&shared)?;
        let mut datagrams = Self::of(own, None, desk, tokens, registry)?;
        (desk.is_group, desk.versions) = (true, wire::VERSION_WITH_FRAGMENTS..=wire::VERSION_WITH_FRAGMENTS);
        let place = (registry, tokens.at(SHARED));
        datagrams.group = Some(Group::new((shared, group), number(), Patience::up_to(BEAT), desk, place)?);
        Ok(datagrams)
    }

    fn of(
        mut socket: UdpSocket,
        towards: Option<SocketAddr>,
        desk: &mut Desk,
        tokens: Tokens,
        registry: &Registry,
    ) -> io::Result<Self> {
        receive_much(&socket)?;
        (desk.longest_offer, desk.longest_frame) = (wire::LONGEST_IN_DATAGRAM, wire::LONGEST_IN_DATAGRAM);
        desk.versions = wire::VERSION..=wire::VERSION_WITH_ACKNOWLEDGEMENTS;
        desk.answer_patience = Some(SILENCE);
        let (token, peers) = (tokens.at(OWN), BTreeMap::new());
        registry.register(&mut socket, token, Interest::READABLE)?;
        let (is_readable, is_writable, wants_room, group) = (true, true, false, None);
        Ok(Self { socket, token, is_readable, is_writable, wants_room, towards, group, peers })
    }

    /// Returns what waits to be sent to all members of a group, if there is one.
    pub fn lanes_of_all(&mut self) -> Option<&mut Lanes> {
        self.group.as_mut().map(|group| &mut group.lanes)
    }

    /// Has each conversation do something. Those with which there is something to send have their
    /// turn then.
    pub fn each_session(&mut self, act: &mut dyn FnMut(&mut Session)) {
        for peer in self.peers.values_mut() {
            act(&mut peer.session);
            peer.is_marked |= peer.session.has_frames();
        }
    }

    /// Lets all peers have their turn.
    pub fn mark_all(&mut self) {
        self.peers.values_mut().for_each(|peer| peer.is_marked = true);
    }

    pub fn note_ready(&mut self, socket: usize, readiness: Readiness) {
        if let Some(group) = self.group.as_mut().filter(|_| socket == SHARED) {
            return group.note_ready(readiness);
        }
        self.is_readable |= readiness.is_readable;
        if readiness.is_writable && !self.is_writable {
            self.is_writable = true;
            self.mark_all();
        }
    }

    /// Receives datagrams and handles them. Returns whether there were any.
    pub fn receive(&mut self, desk: &mut Desk, now: Instant, buffer: &mut [u8], todo: &mut Todo) -> bool {
        let has_received = self.is_readable || self.group.as_ref().is_some_and(Group::is_readable);
        for _ in 0..AT_ONCE {
            let Some((length, from)) = self.group.as_mut().and_then(|group| group.receive(buffer)) else { break };
            let heard = self.understand_all(&buffer[..length], from, desk, now);
            self.note_heard(heard, from, desk);
        }
        todo.is_more |= self.group.as_ref().is_some_and(Group::is_readable);
        for _ in 0..AT_ONCE {
            if !self.is_readable {
                break;
            }
            match at_present(|| self.socket.recv_from(buffer)) {
                Ok(Some((length, from))) => {
                    let heard = self.understand(&buffer[..length], from, desk, now);
                    self.note_heard(heard, from, desk);
                }
                Ok(None) => self.is_readable = false,
                // An earlier datagram could not be delivered, which the network has reported.
                Err(_) => {}
            }
        }
        todo.is_more |= self.is_readable;
        if let Some(towards) = self.towards
            && !self.peers.contains_key(&towards)
        {
            self.begin(towards, 0, desk, now);
        }
        has_received
    }

    /// Sends what waits, and ends the conversations with peers that were silent for too long.
    pub fn send(&mut self, desk: &mut Desk, now: Instant, registry: &Registry, todo: &mut Todo) {
        let mut silent = Vec::new();
        for (address, peer) in self.peers.iter_mut().filter(|(_, peer)| peer.is_marked) {
            peer.is_marked = false;
            // A peer that may have forged its address gets only one hello for each of its own.
            let speaks_first = peer.is_proven || self.towards.is_some();
            if speaks_first && now >= peer.hello_due {
                peer.session.repeat(desk);
                peer.hello_due = peer.patience.after(now);
            }
            while self.is_writable && peer.has_datagram(now, desk) {
                match at_present(|| self.socket.send_to(&peer.datagram, *address)) {
                    Ok(Some(_)) => peer.datagram.clear(),
                    Ok(None) => self.is_writable = false,
                    Err(error) => {
                        peer.datagram.clear();
                        desk.complain(format!("nothing can be sent to {address}: {error}"));
                    }
                }
            }
            if now >= peer.heard + SILENCE {
                silent.push((*address, if peer.is_proven { Parting::Silence } else { Parting::NoAnswer }));
            }
            let dues = [
                Some(peer.hello_due).filter(|_| speaks_first),
                Some(peer.heard + SILENCE),
                peer.session.due().filter(|_| self.is_writable),
            ];
            peer.due = dues.into_iter().flatten().min();
        }
        for (address, parting) in silent {
            self.part(address, parting, desk);
            // The next attempt begins at once.
            todo.is_more |= self.towards.is_some();
        }
        todo.also_at(self.peers.values().filter_map(|peer| peer.due).min());
        if let Some(group) = &mut self.group {
            self.is_writable = self.is_writable && group.send(&self.socket, now, desk);
            todo.also_at(group.due().filter(|_| self.is_writable));
        }
        self.want_room(desk, registry);
    }

    /// Asks for an event when there is room to write, or for none: there would be one for every
    /// datagram.
    fn want_room(&mut self, desk: &mut Desk, registry: &Registry) {
        if self.wants_room == self.is_writable {
            self.wants_room = !self.is_writable;
            let interests = if self.wants_room { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
            if let Err(error) = registry.reregister(&mut self.socket, self.token, interests) {
                desk.complain(format!("the system does not say when there is room to send: {error}"));
            }
        }
    }

    pub fn end(&mut self, reason: &str) {
        for (address, peer) in self.peers.iter().filter(|(_, peer)| peer.is_proven) {
            let goodbye = peer.datagram(&Frame::Goodbye { reason: wire::shortened(reason) });
            _ = self.socket.send_to(&goodbye, *address);
        }
    }

    /// Notes whether a datagram belonged to a conversation, or has ended it.
    fn note_heard(&mut self, heard: Result<bool, Parting>, address: SocketAddr, desk: &mut Desk) {
        match heard {
            Ok(true) => {}
            Ok(false) => desk.statistics.ignored += 1,
            Err(parting) => self.part(address, parting, desk),
        }
    }

    /// Handles a datagram. Returns whether it belongs to a conversation.
    fn understand(
        &mut self,
        datagram: &[u8],
        address: SocketAddr,
        desk: &mut Desk,
        now: Instant,
    ) -> Result<bool, Parting> {
        let Some(([from, to], frame)) = wire::split_datagram(datagram) else { return Ok(false) };
        let hello = if let Ok(Frame::Hello { version, .. }) = frame { Some(version) } else { None };
        let is_hello = hello.is_some();
        if from == 0 || self.towards.is_some_and(|towards| towards != address) {
            return Ok(false);
        }
        let is_anew = self.peers.get(&address).is_none_or(|peer| peer.theirs != 0 && peer.theirs != from);
        if is_anew {
            // All members of a group know the number of this one, and may answer its hello at once.
            let is_known = to == 0 || self.group.as_ref().is_some_and(|group| group.number == to);
            if !is_hello || !is_known {
                return Ok(false);
            }
            if self.peers.len() >= MOST_PEERS && !self.peers.contains_key(&address) {
                desk.complain(format!("a peer was refused: {}", Parting::NoRoom));
                return Ok(false);
            }
            if self.peers.contains_key(&address) {
                self.part(address, Parting::Anew, desk);
            }
            self.begin(address, from, desk, now);
        }
        let Some(peer) = self.peers.get_mut(&address) else { return Ok(false) };
        if let Some(version) = hello.filter(|_| is_anew || to == peer.own) {
            peer.session.note_version(version, desk);
        }
        if to != peer.own {
            // Members of a group go on to say hello to all.
            let knows_number = is_anew || (peer.is_proven && self.group.is_some());
            if is_hello && to == 0 && !knows_number {
                peer.session.repeat(desk);
                peer.is_marked = true;
            }
            return Ok(is_hello && to == 0);
        }
        (peer.is_proven, peer.heard, peer.is_marked) = (true, now, true);
        if peer.theirs == 0 {
            peer.theirs = from;
            // The peer's number is known now, so that it can be sent ours.
            peer.session.repeat(desk);
        }
        peer.patience = Patience::at(BEAT);
        if peer.session.robot().is_none() && !is_hello {
            // The hello before this frame was lost, and will be sent again.
            return Ok(false);
        }
        peer.session.hear(frame.map_err(Parting::Garbage)?, desk)?;
        Ok(true)
    }

    /// Handles a datagram that was sent to the group. Returns whether it belongs there.
    fn understand_all(
        &mut self,
        datagram: &[u8],
        address: SocketAddr,
        desk: &mut Desk,
        now: Instant,
    ) -> Result<bool, Parting> {
        let Some((([from, to], frame), group)) = wire::split_datagram(datagram).zip(self.group.as_ref()) else {
            return Ok(false);
        };
        match frame {
            // This member's own datagrams come back to it.
            _ if from == group.number => Ok(true),
            Ok(Frame::Hello { .. }) if to == 0 => self.understand(datagram, address, desk, now),
            Ok(frame @ (Frame::Message(_) | Frame::Fragment(_))) if to == 0 => {
                // Others may want it, and this member may not know yet what it is.
                let peer = self.peers.get_mut(&address).filter(|peer| peer.theirs == from);
                match peer.filter(|peer| peer.session.takes(&frame)) {
                    Some(peer) => peer.session.hear(frame, desk).map(|()| true),
                    None => Ok(true),
                }
            }
            _ => Ok(false),
        }
    }

    fn begin(&mut self, address: SocketAddr, theirs: u64, desk: &Desk, now: Instant) {
        let mut patience = Patience::up_to(BEAT);
        let peer = Peer {
            session: Session::new(desk),
            own: self.group.as_ref().map_or_else(number, |group| group.number),
            theirs,
            is_proven: false,
            heard: now,
            hello_due: patience.after(now),
            patience,
            is_marked: true,
            due: None,
            datagram: Vec::new(),
        };
        self.peers.insert(address, peer);
    }

    fn part(&mut self, address: SocketAddr, parting: Parting, desk: &mut Desk) {
        let Some(mut peer) = self.peers.remove(&address) else { return };
        peer.session.end(self.peers.values().map(|peer| &peer.session), desk);
        if parting.is_refusal() && peer.is_proven {
            let goodbye = peer.datagram(&Frame::Goodbye { reason: wire::shortened(&parting.to_string()) });
            _ = self.socket.send_to(&goodbye, address);
        }
        let sought = self.towards.map(LinkAddress::Udp);
        desk.part(peer.session.robot(), sought.as_ref(), &parting);
    }
}

impl Peer {
    /// Makes the datagram that is sent next, unless there is one. Returns whether there is.
    fn has_datagram(&mut self, now: Instant, desk: &mut Desk) -> bool {
        if self.datagram.is_empty() {
            self.datagram.extend_from_slice(&self.head());
            match self.session.next(now, desk, &mut self.datagram) {
                Some(cdr) => self.datagram.extend_from_slice(&cdr),
                None => self.datagram.clear(),
            }
        }
        !self.datagram.is_empty()
    }

    fn datagram(&self, frame: &Frame<'_>) -> Vec<u8> {
        let mut datagram = self.head().to_vec();
        frame.write(&mut datagram);
        datagram
    }

    fn head(&self) -> [u8; wire::DATAGRAM_HEAD] {
        wire::datagram_head(self.own, self.theirs)
    }
}

/// Sets the room for datagrams that have arrived. Where the system allows less, it gives that.
fn receive_much(socket: &UdpSocket) -> io::Result<()> {
    Ok(sockopt::set_socket_recv_buffer_size(socket, RECEIVE_BUFFER)?)
}

/// Returns a random number that is not 0.
fn number() -> u64 {
    let mut bytes = [0; 8];
    // Eight bytes come at once, unless the system has no randomness at all.
    _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    u64::from_le_bytes(bytes).max(1)
}
