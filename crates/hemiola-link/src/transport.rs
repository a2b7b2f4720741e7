//! Transports that other crates provide, such as Zenoh.
//!
//! A link goes over such a transport as over connections: for each peer, the transport gives it one
//! end of a pair of Unix sockets, and carries bytes between the other end and the peer. So the
//! conversation, its limits and its losses are those of any connection.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_model::configuration::{LinkAddress, LinkConfiguration};
use mio::{Interest, Registry, Token};

use crate::session::Desk;

/// A transport that another crate provides, for links at `zenoh:` addresses.
///
/// This one connects two links of one process, whatever their addresses are:
///
/// ```
/// use hemiola_bus::{Bus, RobotClock};
/// use hemiola_link::{Entrance, LinkHost, Links, Transport, TransportEnd};
/// use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
/// use std::os::unix::net::UnixStream;
/// use std::sync::{Arc, Mutex};
/// use std::{io, thread, time::Duration};
///
/// #[derive(Default)]
/// struct Within(Mutex<Option<Entrance>>);
///
/// struct End(LinkAddress);
///
/// impl Transport for Within {
///     fn open(&self, link: &LinkConfiguration, _: &str, entrance: Entrance) -> io::Result<Box<dyn TransportEnd>> {
///         let mut waiting = self.0.lock().unwrap();
///         if let Some(other) = waiting.take() {
///             let (here, there) = UnixStream::pair()?;
///             entrance.admit(here)?;
///             other.admit(there)?;
///         } else {
///             *waiting = Some(entrance);
///         }
///         Ok(Box::new(End(link.end.address())))
///     }
/// }
///
/// impl TransportEnd for End {
///     fn address(&self) -> LinkAddress {
///         self.0.clone()
///     }
/// }
///
/// let within = Arc::new(Within::default());
/// let address = || LinkAddress::Zenoh("tcp/127.0.0.1:7447".to_owned());
/// let open = |robot, end| {
///     let host = LinkHost::new(robot, Bus::new(), Arc::new(RobotClock::running(1.0)), |note| eprintln!("{note}"));
///     Links::open(&[LinkConfiguration::new("other", end)], host.with_transport(within.clone()))
/// };
/// let head = open("head", LinkEnd::Listen(address()))?;
/// let legs = open("legs", LinkEnd::Connect(address()))?;
/// while legs.statistics()[0].peers.is_empty() {
///     thread::sleep(Duration::from_millis(1));
/// }
/// assert_eq!(legs.statistics()[0].peers[0].name, "head");
/// # drop(head);
/// # Ok::<(), hemiola_link::LinkError>(())
/// ```
pub trait Transport: Send + Sync {
    /// Opens the transport for a link of this robot. Peers come in by `entrance`, at any time.
    ///
    /// # Errors
    /// Returns an error if the link cannot be reached at its address, or cannot reach others from
    /// it. That nobody is there yet is not an error.
    fn open(&self, link: &LinkConfiguration, robot: &str, entrance: Entrance) -> io::Result<Box<dyn TransportEnd>>;
}

/// A transport that is open for a link.
///
/// It is dropped on the links' thread, after the sockets of all peers: what these have written last
/// still has to reach the peers, but it must not take longer than a robot may take to end.
pub trait TransportEnd: Send {
    /// Returns the address, with the port that the system has chosen if it was asked to.
    fn address(&self) -> LinkAddress;
}

/// The way into a link for the peers of a [`Transport`]. Nothing here waits.
#[derive(Clone)]
pub struct Entrance {
    hall: Arc<Mutex<Hall>>,
    bell: Arc<UnixStream>,
}

/// The arrivals of a transport that a link has not seen yet.
#[derive(Default)]
struct Hall {
    peers: VecDeque<UnixStream>,
    problems: Vec<String>,
    ignored: u64,
}

/// The most problems that wait to be reported; further ones are not.
const MOST_PROBLEMS: usize = 16;

impl Entrance {
    /// Lets a peer in, from whose other end bytes are carried to it.
    ///
    /// # Errors
    /// Returns an error if the socket cannot be used without waiting.
    pub fn admit(&self, peer: UnixStream) -> io::Result<()> {
        peer.set_nonblocking(true)?;
        self.change(|hall| hall.peers.push_back(peer));
        Ok(())
    }

    /// Reports a problem, which the link then shows in its statistics.
    pub fn complain(&self, problem: String) {
        self.change(|hall| {
            if hall.problems.len() < MOST_PROBLEMS {
                hall.problems.push(problem);
            }
        });
    }

    /// Counts something that has come and that no link has sent.
    pub fn ignore(&self) {
        self.change(|hall| hall.ignored += 1);
    }

    fn change(&self, change: impl FnOnce(&mut Hall)) {
        change(&mut locked(&self.hall));
        // If there is no room for another byte, those that are there wake the links' thread.
        _ = (&*self.bell).write(&[0]);
    }
}

/// The inner side of an [`Entrance`], at which a link waits for peers.
pub struct Arrivals {
    hall: Arc<Mutex<Hall>>,
    bell: mio::net::UnixStream,
    end: Box<dyn TransportEnd>,
}

impl Arrivals {
    /// Opens a transport for a link.
    pub fn open(transport: &dyn Transport, link: &LinkConfiguration, robot: &str) -> io::Result<Self> {
        let (bell, rope) = UnixStream::pair()?;
        [&bell, &rope].iter().try_for_each(|end| end.set_nonblocking(true))?;
        let hall = Arc::default();
        let end = transport.open(link, robot, Entrance { hall: Arc::clone(&hall), bell: Arc::new(rope) })?;
        Ok(Self { hall, bell: mio::net::UnixStream::from_std(bell), end })
    }

    /// Returns the next peer.
    ///
    /// # Errors
    /// Returns an error of the kind `WouldBlock` if there is none at present.
    pub fn accept(&self) -> io::Result<mio::net::UnixStream> {
        let mut rung = [0; 64];
        // Peers that come from now on ring again.
        while (&self.bell).read(&mut rung).is_ok_and(|count| count > 0) {}
        let peer = locked(&self.hall).peers.pop_front();
        peer.map(mio::net::UnixStream::from_std).ok_or_else(|| ErrorKind::WouldBlock.into())
    }

    /// Reports the problems of the transport, and counts what it has ignored.
    pub fn report(&self, desk: &mut Desk) {
        let (problems, ignored) = {
            let mut hall = locked(&self.hall);
            (mem::take(&mut hall.problems), mem::take(&mut hall.ignored))
        };
        problems.into_iter().for_each(|problem| desk.complain(problem));
        desk.statistics.ignored += ignored;
    }

    pub fn address(&self) -> LinkAddress {
        self.end.address()
    }

    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        registry.register(&mut self.bell, token, Interest::READABLE)
    }
}

fn locked(hall: &Mutex<Hall>) -> MutexGuard<'_, Hall> {
    // The hall is consistent even if another thread has panicked.
    hall.lock().unwrap_or_else(PoisonError::into_inner)
}
