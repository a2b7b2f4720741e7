//! The connection from a robot to its guard: datagrams over a socket without a file, one for each
//! message.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::message::Message;

/// The environment variable with which a robot finds its guard: its process and the name of its
/// socket.
pub const GUARD: &str = "HEMIOLA_GUARD";

impl Message {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Alive => b"a".to_vec(),
            Self::Safe => b"s".to_vec(),
            Self::Log(path) => [b"l", path.as_os_str().as_bytes()].concat(),
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            b"a" => Some(Self::Alive),
            b"s" => Some(Self::Safe),
            [b'l', path @ ..] => Some(Self::Log(Path::new(OsStr::from_bytes(path)).to_owned())),
            _ => None,
        }
    }
}

/// The robot's end of the connection.
pub struct Line(UnixDatagram);

impl Line {
    /// Connects this process to its guard, if it has one. From then on the kernel sends the process
    /// SIGTERM when the guard ends.
    pub fn to_guard() -> Option<Self> {
        let variable = std::env::var(GUARD).ok()?;
        let guard: i32 = variable.split('-').next()?.parse().ok()?;
        set_parent_process_death_signal(Some(Signal::TERM)).ok()?;
        // A process that a guarded robot starts has inherited the variable, but has no guard.
        if getppid()?.as_raw_nonzero().get() != guard {
            _ = set_parent_process_death_signal(None);
            return None;
        }
        let socket = UnixDatagram::unbound().ok()?;
        socket.connect_addr(&address(&variable).ok()?).ok()?;
        socket.set_nonblocking(true).ok()?;
        Some(Self(socket))
    }

    /// Sends a message. It is dropped if a slow guard has no room for it: the unread ones show that
    /// the robot is alive.
    pub fn say(&self, message: &Message) {
        _ = self.0.send(&message.bytes());
    }

    /// Returns a closure that sends a heartbeat at each call.
    pub fn heartbeat(&self) -> io::Result<impl FnMut() + Send + 'static> {
        let (socket, alive) = (self.0.try_clone()?, Message::Alive.bytes());
        Ok(move || _ = socket.send(&alive))
    }
}

/// The guard's end of the connection.
pub struct Post {
    pub socket: UnixDatagram,
    /// The value of [`GUARD`] for the robot.
    pub name: String,
}

impl Post {
    pub fn open() -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", process::id(), now.as_nanos());
        let socket = UnixDatagram::bind_addr(&address(&name)?)?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, name })
    }

    /// Receives the next message, if one has arrived.
    pub fn receive(&self) -> Option<Message> {
        let mut buffer = [0; LONGEST];
        loop {
            let length = self.socket.recv(&mut buffer).ok()?;
            if let Some(message) = Message::of(&buffer[..length]) {
                return Some(message);
            }
        }
    }
}

/// The length of the receive buffer, which is above that of the longest path on Linux.
const LONGEST: usize = 8192;

/// Returns an address in the abstract namespace, which involves no file system.
fn address(name: &str) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("hemiola-guard-{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let post = Post::open().unwrap();
        let socket = UnixDatagram::unbound().unwrap();
        socket.connect_addr(&address(&post.name).unwrap()).unwrap();
        let line = Line(socket);
        let messages = [Message::Alive, Message::Log("logs/mein Spiel.mcap".into()), Message::Safe];
        messages.iter().for_each(|message| line.say(message));
        let received: Vec<_> = std::iter::from_fn(|| post.receive()).collect();
        assert_eq!(received, messages);
    }

    #[test]
    fn nobody_is_guarded_by_somebody_elses_guard() {
        assert!(Line::to_guard().is_none());
    }
}
