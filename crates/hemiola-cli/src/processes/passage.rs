//! The ways to the processes of other hosts: each has a Unix socket here as if it ran on this host,
//! so that commands and doors find and use it like any other. What comes in there goes to its host,
//! through the gate there, and to the Unix socket of its door.
//!
//! So clients have the rights that they have here: who may connect is decided by this host, and
//! what a door says of its clients' rights arrives at the other door as it was said.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::thread::{self, Builder};
use std::time::Duration;

use hemiola_live::{Part, RunningSocket};
use rustix::net::sockopt;

use super::gate::{Pass, Wish};

/// The socket of a process of another host. When it is dropped, it is closed.
pub struct Passage {
    listener: UnixListener,
    socket: RunningSocket,
}

/// The host on the other side of passages.
#[derive(Clone)]
pub struct OtherSide {
    pub pass: Pass,
    pub host: String,
    pub address: SocketAddr,
    /// A clone of this exists for each connection that passes.
    pub open: Arc<()>,
}

/// The most connections that pass at once, in both directions.
const MOST_OPEN: usize = 128;
/// The time within which a client must send its request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(1);
/// The largest request that is read before it is refused; browsers send 1 or 2 kB.
const LONGEST_REQUEST: usize = 16 << 10;
/// The time without traffic after which the other host is asked whether it is there, how often it
/// is asked, and how many times.
const QUIET: Duration = Duration::from_secs(4);
const ASKED: (Duration, u32) = (Duration::from_secs(2), 3);

impl Passage {
    /// Opens the socket of a process.
    ///
    /// # Errors
    /// Returns an error if the system refuses a socket or a thread.
    pub fn open(process: &str, there: OtherSide) -> io::Result<Self> {
        let part = Part { process: process.to_owned(), started_by: Some(std::process::id()) };
        let socket = RunningSocket::claim(&there.pass.robot, Some(&part))?;
        let listener = UnixListener::bind(&socket.path)?;
        let accepting = listener.try_clone()?;
        let process = process.to_owned();
        let accept = move || {
            // It is shut down when the passage is closed.
            while let Ok((client, _)) = accepting.accept() {
                if Arc::strong_count(&there.open) > MOST_OPEN || !is_own_user(&client) {
                    continue;
                }
                let (process, there) = (process.clone(), there.clone());
                _ = Builder::new().name("hemiola passage".into()).spawn(move || there.lead(&client, process));
            }
        };
        Builder::new().name("hemiola passages".into()).spawn(accept)?;
        Ok(Self { listener, socket })
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        _ = fs::remove_file(&self.socket.path);
    }
}

impl OtherSide {
    /// Connects a client to the door of a process over there.
    fn lead(&self, client: &UnixStream, process: String) {
        match self.pass.knock(self.address, &self.host, Wish::Door { process }) {
            Ok(stream) => _ = connect(client, &stream),
            Err(error) => _ = refuse(client, &format!("host `{}`: {error}", self.host)),
        }
    }
}

/// Connects to the door of a process of this host.
///
/// # Errors
/// Returns an error if it has none.
pub fn door(process: &str) -> io::Result<UnixStream> {
    let part = Some(Part { process: process.to_owned(), started_by: Some(std::process::id()) });
    let socket = RunningSocket::all().into_iter().find(|socket| socket.part == part);
    let socket = socket.ok_or_else(|| io::Error::other("it is not running"))?;
    UnixStream::connect(&socket.path)
}

/// Passes on the bytes of both sides until one of them is gone.
///
/// # Errors
/// Returns an error if the system refuses a thread, or a setting of the sockets.
pub fn connect(near: &UnixStream, far: &TcpStream) -> io::Result<()> {
    far.set_read_timeout(None)?;
    far.set_write_timeout(None)?;
    // A host that is switched off says nothing any more.
    sockopt::set_socket_keepalive(far, true)?;
    sockopt::set_tcp_keepidle(far, QUIET)?;
    sockopt::set_tcp_keepintvl(far, ASKED.0)?;
    sockopt::set_tcp_keepcnt(far, ASKED.1)?;
    let end = || {
        _ = near.shutdown(Shutdown::Both);
        _ = far.shutdown(Shutdown::Both);
    };
    thread::scope(|scope| {
        let outward = move || {
            _ = io::copy(&mut &*near, &mut &*far);
            end();
        };
        Builder::new().name("hemiola passage".into()).spawn_scoped(scope, outward)?;
        _ = io::copy(&mut &*far, &mut &*near);
        end();
        Ok(())
    })
}

/// Answers the request of a client as a door does that cannot let it in.
fn refuse(mut client: &UnixStream, reason: &str) -> io::Result<()> {
    client.set_read_timeout(Some(REQUEST_PATIENCE))?;
    // A client whose request was not read may not get the answer.
    _ = client.read(&mut [0; LONGEST_REQUEST])?;
    let length = reason.len();
    write!(
        client,
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{reason}"
    )
}

/// Returns whether a client is a process of the user of this one, or of root.
fn is_own_user(client: &UnixStream) -> bool {
    let user = sockopt::socket_peercred(client).map(|peer| peer.uid);
    user.is_ok_and(|user| user.is_root() || user == rustix::process::getuid())
}
