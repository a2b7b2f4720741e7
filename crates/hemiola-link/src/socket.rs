//! Listeners and streams, of Unix sockets and of TCP.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, os::fd::BorrowedFd, os::fd::OwnedFd, os::unix::net as std_unix};

use hemiola_model::configuration::LinkAddress;
use mio::event::Source;
use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Interest, Registry, Token};
use rustix::buffer::spare_capacity;
use rustix::cmsg_space;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketAddrUnix, SocketFlags, SocketType, recvmsg, sendmsg, sockopt,
};

use crate::kin::Kin;
use crate::transport::Arrivals;

/// A socket at which others connect, or a transport by which they come. When it is dropped, it
/// removes the file of its Unix socket.
pub enum Listener {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
    Carried(Arrivals),
}

/// A connection.
pub enum Stream {
    Unix {
        stream: UnixStream,
        /// An event follows when there is room to write.
        wants_room: bool,
    },
    Tcp(TcpStream),
}

/// The number of connections that can wait to be accepted.
const BACKLOG: i32 = 64;
/// The size of the kernel's buffer for a Unix socket, and for TCP on systems without `UNSENT`. It
/// is small: what waits there is old by the time a slow peer receives it. Linux doubles it.
const SEND_BUFFER: usize = 208 << 10;
/// The bytes that wait in the kernel until TCP sends them, for the same reason. What is on its way
/// to the other host is not among them: that is as much as the network carries.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT: u32 = 128 << 10;
/// The time after which a host that does not answer, or a peer that reads nothing, is regarded as
/// gone.
const GONE: Duration = Duration::from_secs(10);
/// The time of silence after which the kernel asks whether the other host is there. This wakes no
/// thread of ours.
const ASK_AFTER: Duration = Duration::from_secs(5);
const ASK_EVERY: Duration = Duration::from_secs(1);

impl Listener {
    /// Listens at a Unix socket that only its user can reach. A socket that a killed process has
    /// left there is removed.
    pub fn unix(path: &Path) -> io::Result<Self> {
        let bind = || -> io::Result<OwnedFd> {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
            Ok(socket)
        };
        let socket = match bind() {
            Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_behind(path) => {
                fs::remove_file(path)?;
                bind()?
            }
            result => result?,
        };
        // Nobody can connect before the socket listens.
        let only_user = || fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
        only_user()?;
        rustix::net::listen(&socket, BACKLOG)?;
        // Those who wait for this socket watch its folder: `awaited`.
        only_user()?;
        Ok(Self::Unix(UnixListener::from_std(std_unix::UnixListener::from(socket)), path.to_owned()))
    }

    /// Listens at a TCP port.
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        TcpListener::bind(address).map(Self::Tcp)
    }

    /// Accepts the next connection.
    pub fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(listener, _) => listener.accept().map(|(stream, _)| Stream::of_unix(stream)),
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| Stream::Tcp(stream)),
            Self::Carried(arrivals) => arrivals.accept().map(Stream::of_unix),
        }
    }

    /// Returns the address, with the port that the system has chosen if it was asked to.
    pub fn address(&self) -> LinkAddress {
        match self {
            Self::Unix(_, path) => LinkAddress::Unix(path.clone()),
            Self::Tcp(listener) => {
                LinkAddress::Tcp(listener.local_addr().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 0))))
            }
            Self::Carried(arrivals) => arrivals.address(),
        }
    }

    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Self::Unix(listener, _) => listener.register(registry, token, Interest::READABLE),
            Self::Tcp(listener) => listener.register(registry, token, Interest::READABLE),
            Self::Carried(arrivals) => arrivals.register(registry, token),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            _ = fs::remove_file(path);
        }
    }
}

/// Returns whether the file is a socket at which nobody listens any more.
fn is_left_behind(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

impl Stream {
    /// Starts to connect to a Unix socket, without waiting. [`is_there`](Self::is_there) returns
    /// whether the connection is established.
    pub fn unix(path: &Path) -> io::Result<Self> {
        UnixStream::connect(path).map(Self::of_unix)
    }

    /// Starts to connect over TCP, as [`unix`](Self::unix) does.
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        TcpStream::connect(address).map(Self::Tcp)
    }

    /// Returns the process at the other end, if it is a peer on this host that runs the same
    /// program.
    pub fn kin(&self) -> Option<Kin> {
        match self {
            Self::Unix { stream, .. } => Kin::of(stream),
            Self::Tcp(_) => None,
        }
    }

    fn of_unix(stream: UnixStream) -> Self {
        Self::Unix { stream, wants_room: false }
    }

    /// Returns whether the connection is established as soon as it is made, which needs no event.
    pub fn is_there_at_once(&self) -> bool {
        matches!(self, Self::Unix { .. })
    }

    /// Sets the room for what the peer has not read so far, and makes TCP notice when the other
    /// host is gone, and send small segments at once.
    ///
    /// # Errors
    /// Returns an error if the system refuses an option.
    pub fn prepare(&self) -> io::Result<()> {
        let stream = match self {
            Self::Unix { stream, .. } => return Ok(sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER)?),
            Self::Tcp(stream) => stream,
        };
        stream.set_nodelay(true)?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT)?;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER)?;
        sockopt::set_socket_keepalive(stream, true)?;
        sockopt::set_tcp_keepidle(stream, ASK_AFTER)?;
        sockopt::set_tcp_keepintvl(stream, ASK_EVERY)?;
        sockopt::set_tcp_user_timeout(stream, GONE.as_millis() as u32)?;
        Ok(())
    }

    /// Returns whether the connection is established, once the socket can be written to.
    ///
    /// # Errors
    /// Returns an error if the connection has failed.
    pub fn is_there(&self) -> io::Result<bool> {
        let error = match self {
            Self::Unix { stream, .. } => stream.take_error()?,
            Self::Tcp(stream) => stream.take_error()?,
        };
        if let Some(error) = error {
            return Err(error);
        }
        let peer = match self {
            Self::Unix { .. } => Ok(()),
            Self::Tcp(stream) => stream.peer_addr().map(drop),
        };
        match peer {
            Err(error) if error.kind() == ErrorKind::NotConnected => Ok(false),
            result => result.map(|()| true),
        }
    }

    /// Asks for events: of a Unix socket, that there is something to read; of TCP, also that there
    /// is room to write again, of which TCP tells only who has found none.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match self {
            Self::Unix { stream, .. } => stream.register(registry, token, Interest::READABLE),
            Self::Tcp(stream) => stream.register(registry, token, Interest::READABLE | Interest::WRITABLE),
        }
    }

    /// Asks for an event when there is room to write, or for none. A Unix socket would tell that
    /// each time that the peer reads, and wake this thread for every message.
    pub fn want_room(&mut self, registry: &Registry, token: Token, is_wanted: bool) -> io::Result<()> {
        match self {
            Self::Unix { stream, wants_room } if *wants_room != is_wanted => {
                *wants_room = is_wanted;
                let writable = is_wanted.then_some(Interest::WRITABLE);
                let interests = writable.map_or(Interest::READABLE, |writable| Interest::READABLE | writable);
                stream.reregister(registry, token, interests)
            }
            Self::Unix { .. } | Self::Tcp(_) => Ok(()),
        }
    }

    /// Reads bytes that have arrived and returns how many: zero at the end of the stream, `None` if
    /// there are none at present.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        at_present(|| match self {
            Self::Unix { stream, .. } => stream.read(buffer),
            Self::Tcp(stream) => stream.read(buffer),
        })
    }

    /// Reads as [`read`](Self::read) does, and receives a descriptor that comes with the bytes. One
    /// that comes later replaces it.
    pub fn read_with(&mut self, buffer: &mut [u8], passed: &mut Option<OwnedFd>) -> io::Result<Option<usize>> {
        let Self::Unix { stream, .. } = self else { return self.read(buffer) };
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let flags = RecvFlags::CMSG_CLOEXEC;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let flags = RecvFlags::empty();
        at_present(|| {
            // The kernel closes what there is no room for.
            let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
            let mut control = RecvAncillaryBuffer::new(&mut room);
            let received = recvmsg(&*stream, &mut [IoSliceMut::new(buffer)], &mut control, flags)?;
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                    descriptors.for_each(|descriptor| *passed = Some(descriptor));
                }
            }
            Ok(received.bytes)
        })
    }

    /// Reads as [`read`](Self::read) does, and appends the bytes, as many as there is room for
    /// without growing.
    pub fn read_behind(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
        at_present(|| {
            let room = spare_capacity(bytes);
            Ok(match self {
                Self::Unix { stream, .. } => rustix::io::read(stream, room),
                Self::Tcp(stream) => rustix::io::read(stream, room),
            }?)
        })
    }

    /// Writes as many bytes as the kernel accepts and returns how many: `None` if it accepts none
    /// at present.
    pub fn write(&mut self, parts: [&[u8]; 2]) -> io::Result<Option<usize>> {
        let [first, second] = parts;
        at_present(|| match (&mut *self, second) {
            (Self::Unix { stream, .. }, []) => stream.write(first),
            (Self::Tcp(stream), []) => stream.write(first),
            (Self::Unix { stream, .. }, _) => stream.write_vectored(&parts.map(IoSlice::new)),
            (Self::Tcp(stream), _) => stream.write_vectored(&parts.map(IoSlice::new)),
        })
    }

    /// Writes as [`write`](Self::write) does to a Unix socket, and passes a descriptor with the
    /// first byte.
    pub fn write_with(&mut self, parts: [&[u8]; 2], descriptor: BorrowedFd<'_>) -> io::Result<Option<usize>> {
        let Self::Unix { stream, .. } = self else { return self.write(parts) };
        let descriptors = [descriptor];
        at_present(|| {
            let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut room);
            control.push(SendAncillaryMessage::ScmRights(&descriptors));
            Ok(sendmsg(&*stream, &parts.map(IoSlice::new), &mut control, SendFlags::empty())?)
        })
    }

    /// Returns whether it is a Unix socket, over which descriptors can be passed.
    pub fn passes_descriptors(&self) -> bool {
        matches!(self, Self::Unix { .. })
    }
}

/// Calls `call` again if a signal has interrupted it. Returns `None` if it would block.
pub fn at_present<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<Option<T>> {
    loop {
        match call() {
            Ok(done) => return Ok(Some(done)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_looks_after_connections_that_are_half_open() {
        let listener = Listener::tcp(([127, 0, 0, 1], 0).into()).unwrap();
        let LinkAddress::Tcp(address) = listener.address() else { panic!("it is TCP") };
        let stream = Stream::tcp(address).unwrap();
        stream.prepare().unwrap();
        let Stream::Tcp(stream) = stream else { panic!("it is TCP") };
        assert!(sockopt::socket_keepalive(&stream).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&stream).unwrap(), ASK_AFTER);
        assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), 10_000);
    }

    #[test]
    fn a_socket_that_was_left_behind_is_taken_over_and_nothing_else() {
        let path = std::env::temp_dir().join(format!("hemiola-link-left-{}.sock", std::process::id()));
        let unlinked = std_unix::UnixListener::bind(&path).unwrap();
        assert_eq!(Listener::unix(&path).err().map(|error| error.kind()), Some(ErrorKind::AddrInUse));
        drop(unlinked);
        let listener = Listener::unix(&path).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        drop(listener);
        assert!(!path.exists());
        fs::write(&path, "somebody's file").unwrap();
        assert!(Listener::unix(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's file");
        fs::remove_file(&path).unwrap();
    }
}
