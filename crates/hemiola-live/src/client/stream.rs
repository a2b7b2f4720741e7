//! The socket of a connection to a robot on this host or another one.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::{Address, ClientError};

pub enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    /// Connects to a robot. Until the timeout is set again, a read or a write takes at most
    /// `patience`.
    pub fn connect(address: &Address, patience: Duration) -> Result<Self, ClientError> {
        let connected = match address {
            Address::Unix(path) => UnixStream::connect(path).map(Self::Unix),
            Address::Tcp { host, .. } => connect_to(host, patience).map(Self::Tcp),
        };
        let prepared = connected.and_then(|stream| {
            stream.set_read_timeout(patience)?;
            match &stream {
                Self::Unix(stream) => stream.set_write_timeout(Some(patience))?,
                Self::Tcp(stream) => {
                    stream.set_write_timeout(Some(patience))?;
                    stream.set_nodelay(true)?;
                }
            }
            Ok(stream)
        });
        prepared.map_err(|error| ClientError::Unreachable { address: address.to_string(), error })
    }

    pub fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        // A timeout of zero would be an error.
        let timeout = Some(timeout.max(SHORTEST));
        match self {
            Self::Unix(stream) => stream.set_read_timeout(timeout),
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
        }
    }
}

const SHORTEST: Duration = Duration::from_millis(1);

fn connect_to(host: &str, patience: Duration) -> io::Result<TcpStream> {
    let mut refused = io::Error::new(ErrorKind::NotFound, "this host name has no address");
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Returns whether the error means that nothing arrived in time.
pub fn has_timed_out(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(buffer),
            Self::Tcp(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(buffer),
            Self::Tcp(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.flush(),
            Self::Tcp(stream) => stream.flush(),
        }
    }
}
