//! Packets between robots and referees: by UDP, or within a simulation.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A socket for packets, which never blocks.
#[derive(Debug)]
pub enum Socket {
    /// A UDP socket, which was set to not block.
    Udp(UdpSocket),
    /// An end of a simulated network.
    Simulated(Port),
}

impl Socket {
    /// Receives a packet into `bytes`; returns its length and where it comes from. What does not
    /// fit is cut off.
    ///
    /// # Errors
    /// Returns [`ErrorKind::WouldBlock`] if there is none, and other errors of the operating
    /// system.
    pub fn recv_from(&self, bytes: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        match self {
            Self::Udp(socket) => socket.recv_from(bytes),
            Self::Simulated(port) => {
                let packet = port.queues().incoming.pop_front().ok_or(ErrorKind::WouldBlock)?;
                let length = packet.len().min(bytes.len());
                bytes[..length].copy_from_slice(&packet[..length]);
                Ok((length, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
            }
        }
    }

    /// Sends a packet. In a simulation it goes to whoever the simulated network sends it to, and
    /// the address does not count.
    ///
    /// # Errors
    /// Returns the errors of the operating system.
    pub fn send_to(&self, bytes: &[u8], address: impl ToSocketAddrs) -> io::Result<()> {
        match self {
            Self::Udp(socket) => socket.send_to(bytes, address).map(drop),
            Self::Simulated(port) => {
                port.queues().outgoing.push_back(bytes.to_vec());
                Ok(())
            }
        }
    }
}

/// The end of a simulated network at a robot. Clones are of the same port.
///
/// ```
/// use nao::network::{Port, Socket};
///
/// let port = Port::default();
/// let socket = Socket::Simulated(port.clone());
/// port.deliver(b"ready".to_vec());
/// let mut bytes = [0; 16];
/// assert_eq!(socket.recv_from(&mut bytes)?.0, 5);
/// assert!(socket.recv_from(&mut bytes).is_err());
/// socket.send_to(b"here", "255.255.255.255:10012")?;
/// assert_eq!(port.collect(), [b"here"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Port {
    queues: Arc<Mutex<Queues>>,
}

#[derive(Debug, Default)]
struct Queues {
    incoming: VecDeque<Vec<u8>>,
    outgoing: VecDeque<Vec<u8>>,
}

impl Port {
    /// Lets a packet arrive.
    pub fn deliver(&self, packet: Vec<u8>) {
        self.queues().incoming.push_back(packet);
    }

    /// Returns the packets that were sent since the last call.
    #[must_use]
    pub fn collect(&self) -> Vec<Vec<u8>> {
        self.queues().outgoing.drain(..).collect()
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        // A queue is whole after a panic as well.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
