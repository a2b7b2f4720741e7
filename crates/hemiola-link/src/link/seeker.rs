//! The side of a link over connections that connects.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use hemiola_model::configuration::LinkAddress;
use mio::{Registry, Token};

use crate::awaited::AwaitedSocket;
use crate::near;
use crate::patience::Patience;
use crate::socket::Stream;

/// The side that connects.
pub struct Seeker {
    pub address: LinkAddress,
    patience: Patience,
    /// The time of the next attempt; `None` while a connection exists.
    due: Option<Instant>,
    /// The watch that reports when somebody listens at a Unix socket.
    awaited: Option<AwaitedSocket>,
    /// Set if somebody may have begun to listen there since the last attempt.
    has_come: bool,
}

/// The longest time between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Seeker {
    /// Returns the side that connects to an address, for which the first attempt is due.
    pub fn of(address: &LinkAddress) -> Self {
        Self {
            address: address.clone(),
            patience: Patience::up_to(LONGEST_PAUSE),
            due: Some(Instant::now()),
            awaited: None,
            has_come: false,
        }
    }

    /// Updates whether somebody listens at the Unix socket.
    pub fn look(&mut self) {
        self.has_come |= self.awaited.as_ref().is_some_and(AwaitedSocket::has_come);
    }

    /// Returns the time of the next attempt; `None` while a connection exists.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns whether the next attempt is to be made now.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now || self.has_come)
    }

    /// Notes that the peer has been reached.
    pub fn note_reached(&mut self) {
        self.patience.reset();
    }

    /// Notes that the connection has ended, or could not be made: the next attempt follows later.
    pub fn note_end(&mut self, now: Instant) {
        self.due = Some(self.patience.after(now));
    }

    /// Starts to connect.
    pub fn attempt(&mut self, registry: &Registry, token: Token) -> io::Result<Stream> {
        self.due = None;
        if let (LinkAddress::Unix(path) | LinkAddress::Shm(path), None) = (&self.address, &self.awaited) {
            // Without the watch, the next attempt is made after a pause, as over TCP.
            self.awaited = AwaitedSocket::at(path, registry, token).ok();
        }
        // A process that begins to listen from now on is noticed, and one more attempt is made.
        self.look();
        self.has_come = false;
        match &self.address {
            LinkAddress::Unix(path) | LinkAddress::Shm(path) => Stream::unix(path),
            LinkAddress::Auto(address) => near::connect(*address),
            LinkAddress::Tcp(address) | LinkAddress::Udp(address) => Stream::tcp(*address),
            LinkAddress::Zenoh(_) => Err(ErrorKind::Unsupported.into()),
        }
    }
}
