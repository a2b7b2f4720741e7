//! The datagrams that a link sends to all members of a group at once: hello, and its messages.
//!
//! All else is said by each member to each other one, as over any UDP: what they offer each other,
//! and whether their types fit. So a message is sent once, as soon as one member wants it, and each
//! member that receives it knows from that conversation what it is.

use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::UdpSocket;
use mio::{Interest, Registry, Token};

use super::Readiness;
use crate::patience::Patience;
use crate::session::{Desk, Lanes};
use crate::socket::at_present;
use crate::wire::{self, Frame};

/// A group that a link has joined.
pub struct Group {
    /// The socket at which all arrives that is sent to the group.
    socket: UdpSocket,
    is_readable: bool,
    /// The group's address.
    address: SocketAddr,
    /// The number by which all other members know this one.
    pub number: u64,
    /// The time at which hello is said again.
    hello_due: Instant,
    patience: Patience,
    /// The messages that wait to be sent to all.
    pub lanes: Lanes,
    /// The datagram that is sent next, if the kernel had no room for it; else empty.
    datagram: Vec<u8>,
}

impl Group {
    /// Begins to say hello to the group, each time after this `patience`.
    pub fn new(
        (mut socket, address): (UdpSocket, SocketAddr),
        number: u64,
        patience: Patience,
        desk: &Desk,
        (registry, token): (&Registry, Token),
    ) -> io::Result<Self> {
        registry.register(&mut socket, token, Interest::READABLE)?;
        let (hello_due, lanes) = (Instant::now(), Lanes::new(desk));
        Ok(Self { socket, is_readable: true, address, number, hello_due, patience, lanes, datagram: Vec::new() })
    }

    pub fn note_ready(&mut self, readiness: Readiness) {
        self.is_readable |= readiness.is_readable;
    }

    /// Returns whether something may have arrived.
    pub fn is_readable(&self) -> bool {
        self.is_readable
    }

    /// Receives a datagram that somebody has sent to the group. Returns its length and from where
    /// it comes; `None` if there is none.
    pub fn receive(&mut self, buffer: &mut [u8]) -> Option<(usize, SocketAddr)> {
        let received = at_present(|| self.socket.recv_from(buffer)).ok().flatten();
        self.is_readable = received.is_some();
        received
    }

    /// Sends what waits, by the socket whose address is this member's. Returns whether there is
    /// room for more.
    pub fn send(&mut self, own: &UdpSocket, now: Instant, desk: &mut Desk) -> bool {
        while self.has_datagram(now, desk) {
            match at_present(|| own.send_to(&self.datagram, self.address)) {
                Ok(Some(_)) => self.datagram.clear(),
                Ok(None) => return false,
                Err(error) => {
                    self.datagram.clear();
                    desk.complain(format!("nothing can be sent to the group: {error}"));
                }
            }
        }
        true
    }

    /// Returns when there is something to send again.
    pub fn due(&self) -> Option<Instant> {
        [Some(self.hello_due), self.lanes.due()].into_iter().flatten().min()
    }

    /// Makes the datagram that is sent next, unless there is one. Returns whether there is.
    fn has_datagram(&mut self, now: Instant, desk: &mut Desk) -> bool {
        if self.datagram.is_empty() {
            self.datagram.extend_from_slice(&wire::datagram_head(self.number, 0));
            if now >= self.hello_due {
                self.hello_due = self.patience.after(now);
                let robot = wire::shortened(&desk.robot);
                Frame::Hello { version: wire::VERSION_WITH_FRAGMENTS, robot }.write(&mut self.datagram);
            } else {
                match self.lanes.next(now, desk, &mut self.datagram) {
                    Some(cdr) => self.datagram.extend_from_slice(&cdr),
                    None => self.datagram.clear(),
                }
            }
        }
        !self.datagram.is_empty()
    }
}
