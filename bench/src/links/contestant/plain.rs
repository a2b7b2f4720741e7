//! A socket or a pipe between the two processes, read and written directly: the receiving process
//! has its end as its standard input.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixStream};

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::{HEAD, system, unknown};
use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.receives() {
        return receive(assignment).map_err(system);
    }
    let (ours, theirs) = ends(assignment)?;
    let piece = match assignment.contestant() {
        "unix-seqpacket" | "unix-datagram" => PIECE,
        _ => usize::MAX,
    };
    let mut sender = Plain::new(ours, assignment, piece);
    measure(assignment, Partner::start(theirs), &mut sender);
    Ok(())
}

/// Makes what the contestant sends through: the sending end, and the receiving one.
pub fn ends(assignment: &Assignment) -> Result<(OwnedFd, OwnedFd), BenchError> {
    let ends = match assignment.contestant() {
        "unix-stream" => UnixStream::pair().map(owned),
        "unix-seqpacket" => sequenced_packets().map(owned),
        "unix-datagram" => UnixDatagram::pair().map(owned),
        "tcp" => tcp().map(owned),
        "udp" => udp().map(owned),
        "pipe" => io::pipe().map(|(reader, writer)| (writer.into(), reader.into())),
        _ => return Err(unknown(assignment)),
    };
    ends.map_err(system)
}

/// The maximum length of a message of sockets that preserve message boundaries.
const PIECE: usize = 60_000;

/// The sending end of a socket or a pipe.
pub struct Plain {
    end: File,
    message: Vec<u8>,
    piece: usize,
}

impl Plain {
    /// Makes the sending end for the assignment's messages, which are written in pieces of at most
    /// that many bytes.
    pub fn new(end: OwnedFd, assignment: &Assignment, piece: usize) -> Self {
        Self { end: File::from(end), message: vec![0; assignment.number("bytes") as usize], piece }
    }
}

impl links::Sender for Plain {
    fn send(&mut self, number: u64) {
        self.message[..8].copy_from_slice(&number.to_le_bytes());
        self.message[8..HEAD].copy_from_slice(&monotonic_ns().to_le_bytes());
        for piece in self.message.chunks(self.piece) {
            self.end.write_all(piece).expect("the partner is there");
        }
    }
}

fn receive(assignment: &Assignment) -> io::Result<()> {
    let mut end = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut message = vec![0; assignment.number("bytes") as usize];
    let mut arrivals = Arrivals::expected(assignment);
    loop {
        // Pieces lie behind each other, so that none is longer than what is left.
        end.read_exact(&mut message)?;
        if note(&mut arrivals, &message)? {
            return Ok(());
        }
    }
}

/// Notes a message that has been read. Returns whether it was the last.
pub fn note(arrivals: &mut Arrivals, message: &[u8]) -> io::Result<bool> {
    let [number, stamp] = [0, 8].map(|at| message[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    arrivals.note(number, stamp).map_err(io::Error::other)
}

fn owned<E: Into<OwnedFd>>((ours, theirs): (E, E)) -> (OwnedFd, OwnedFd) {
    (ours.into(), theirs.into())
}

fn sequenced_packets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

fn tcp() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let ours = TcpStream::connect(listener.local_addr()?)?;
    let (theirs, _) = listener.accept()?;
    ours.set_nodelay(true)?;
    Ok((ours, theirs))
}

fn udp() -> io::Result<(UdpSocket, UdpSocket)> {
    let (ours, theirs) = (UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?, UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?);
    ours.connect(theirs.local_addr()?)?;
    theirs.connect(ours.local_addr()?)?;
    Ok((ours, theirs))
}
