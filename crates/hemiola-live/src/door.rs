//! Accepts clients and serves them, on one thread that waits for all of them at once.
//!
//! | file | what |
//! |---|---|
//! | `access` | the rules for who may connect, and what each client may do |
//! | `token` | the secret of one run of the robot |
//! | `users` | names of the users of this computer |
//! | `head` | the heads of HTTP requests and answers |
//! | `connection` | one connection, from its first byte to its end |
//! | `stream` | its socket |
//! | `session`, `outbox` | the interface that serves a client, and the messages that wait for it |
//! | `errands` | slow work, on other threads |
//! | `relay` | clients of the robot's other processes that connect through this door |
//! | `whole` | clients of all processes at once |
//!
//! While no client is connected, the thread sleeps in the kernel without a timeout.

pub mod access;
mod connection;
pub mod errands;
pub mod head;
pub mod outbox;
mod relay;
pub mod session;
mod stream;
pub mod token;
mod users;
mod whole;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fs, io};

use mio::net::{TcpListener, UnixListener};
use mio::{Events, Interest, Poll, Registry, Waker};

use crate::error::LiveError;
use crate::page::Page;
use crate::place::{Part, RunningSocket};
use access::{Access, Peer, Rules};
use connection::{Connection, Reply};
use errands::{Errands, Runner};
use head::{RequestHead, answer, answer_text, cookie_name, upgrade};
use relay::{Line, Relay};
use session::Session;
use stream::{Socket, Stream};
use token::Token;
use whole::Whole;
use whole::foxglove::FoxgloveWhole;

/// The subject of a door: a robot or a log that clients view.
pub trait Subject: Send {
    /// Returns the WebSocket subprotocols that the subject supports.
    fn protocols(&self) -> &[&str];

    /// Creates the session of a client that uses one of these subprotocols.
    fn session(&self, protocol: &str, client: DoorClient) -> Box<dyn Session>;
}

/// A client of a [`Subject`].
pub struct DoorClient {
    /// The rights of the client.
    pub access: Access,
    /// The name under which the journal records the client.
    pub name: String,
    /// Executes slow work for the client.
    pub runner: Runner,
}

/// The address of a door, and who may connect.
///
/// ```
/// use hemiola_live::DoorSettings;
///
/// let settings = DoorSettings::default();
/// assert!(settings.address.is_some_and(|address| address.is_loopback()));
/// ```
#[derive(Clone, Debug)]
pub struct DoorSettings {
    /// Set if there is also a Unix socket, by which commands find the robot.
    pub has_socket: bool,
    /// The part of the robot that this process runs; `None` if it runs all of it.
    pub part: Option<Part>,
    /// The address of the TCP port; `None` if there is only the Unix socket.
    pub address: Option<IpAddr>,
    /// The port; with `None`, the first free one of the ten ports from 8765 on.
    pub port: Option<u16>,
    /// The host names of the door besides `localhost` and its addresses.
    pub hosts: Vec<String>,
    /// The origins of pages of other sites that are allowed.
    pub origins: Vec<String>,
    /// The token; `None` for a random one.
    pub token: Option<String>,
    /// The folder from which the page is read at each request, for developing the page.
    pub folder: Option<PathBuf>,
}

impl Default for DoorSettings {
    fn default() -> Self {
        let address = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));
        Self {
            has_socket: true,
            part: None,
            address,
            port: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            token: None,
            folder: None,
        }
    }
}

/// The port at which Foxglove looks by default.
const FIRST_PORT: u16 = 8765;
/// The number of ports that are tried: several robots may run on one computer.
const PORTS: u16 = 10;
/// The most clients at a time.
const MOST_CLIENTS: usize = 16;
/// The most connections at a time, including those whose request has not arrived yet.
const MOST_CONNECTIONS: usize = 64;

/// The time within which the door's thread must send its last messages.
const END_PATIENCE: Duration = Duration::from_millis(500);
/// The period at which the end of the door's thread is polled.
const END_LOOK: Duration = Duration::from_millis(2);

const TCP: mio::Token = mio::Token(0);
const UNIX: mio::Token = mio::Token(1);
const WAKER: mio::Token = mio::Token(2);
const FIRST_CLIENT: usize = 3;

/// An open door. When it is dropped, it sends its clients that the robot has ended, and closes.
pub struct Door {
    address: Option<SocketAddr>,
    token: Token,
    socket: Option<RunningSocket>,
    orders: Sender<String>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<()>>,
    /// The parts of the door that could not be opened, in words.
    notes: Vec<String>,
}

impl Door {
    /// Opens a door to the subject called `name`. For a part of a robot, this is the name of the
    /// whole robot.
    ///
    /// # Errors
    /// Returns an error if the requested port is taken, or the kernel provides no socket or thread.
    /// If no port is requested and all are taken, the door has no TCP port; if the folder of its
    /// Unix socket cannot be created, it has none. [`notes`](Self::notes) reports both.
    pub fn open(name: &str, settings: DoorSettings, subject: Box<dyn Subject>) -> Result<Self, LiveError> {
        let system = |what: &'static str| move |source: io::Error| LiveError::System { what, source };
        let token = match settings.token {
            Some(text) => Token::of(text),
            None => Token::random().map_err(system("a random token"))?,
        };
        let mut notes = Vec::new();
        let tcp = listen_tcp(settings.address, settings.port, &mut notes)?;
        let address = tcp.as_ref().and_then(|listener| listener.local_addr().ok());
        let unix = settings.has_socket.then(|| listen_unix(name, settings.part.as_ref())).transpose();
        let unix = unix.map_err(|error| notes.push(format!("there is no Unix socket: {error}"))).ok().flatten();
        let poll = Poll::new().map_err(system("an epoll instance"))?;
        let waker = Waker::new(poll.registry(), WAKER).map(Arc::new).map_err(system("a waker"))?;
        let errands = Errands::start(waker.clone()).map_err(system("a thread"))?;
        let (unix, socket) = unix.unzip();
        let mut hosts = settings.hosts;
        hosts.extend(settings.address.filter(|address| !address.is_unspecified()).map(as_host));
        let rules =
            Rules { hosts, origins: settings.origins, token: token.clone(), user: rustix::process::getuid().as_raw() };
        let (orders, ordered) = channel();
        let port = address.map_or(0, |address| address.port());
        let page = Page::from(settings.folder);
        let house = House { subject, rules, page, port, socket: socket.clone() };
        let mut service =
            Service { poll, tcp, unix, house, errands, ordered, connections: BTreeMap::new(), next: FIRST_CLIENT };
        service.register().map_err(system("epoll"))?;
        let thread = thread::Builder::new()
            .name("hemiola door".into())
            .spawn(move || service.serve())
            .map_err(system("a thread"))?;
        Ok(Self { address, token, socket, orders, waker, thread: Some(thread), notes })
    }

    /// Returns the address of the TCP port.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Returns the Unix socket.
    pub fn socket(&self) -> Option<&RunningSocket> {
        self.socket.as_ref()
    }

    /// Returns the address that a person opens in a browser, which contains the token.
    pub fn page(&self) -> Option<String> {
        self.address.map(|address| format!("http://{address}/?token={}", self.token.text()))
    }

    /// Returns the parts of the door that could not be opened, in words.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Sends this reason to the clients, and closes the door.
    pub fn close(mut self, reason: &str) {
        self.end(reason);
    }

    fn end(&mut self, reason: &str) {
        let Some(thread) = self.thread.take() else { return };
        if self.orders.send(reason.to_owned()).is_ok() && self.waker.wake().is_ok() {
            // The thread ends at once, unless the machine delays it. Stopping a robot must not wait
            // for that any longer.
            let patience = Instant::now() + END_PATIENCE;
            while !thread.is_finished() && Instant::now() < patience {
                thread::sleep(END_LOOK);
            }
        }
        if let Some(socket) = &self.socket {
            _ = fs::remove_file(&socket.path);
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.end("the robot has ended");
    }
}

/// Returns an address in the form of URLs.
fn as_host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn listen_tcp(
    address: Option<IpAddr>,
    port: Option<u16>,
    notes: &mut Vec<String>,
) -> Result<Option<TcpListener>, LiveError> {
    let Some(address) = address else { return Ok(None) };
    if let Some(port) = port {
        let address = SocketAddr::new(address, port);
        let bound = TcpListener::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        return Ok(Some(bound));
    }
    let mut last = None;
    for port in FIRST_PORT..FIRST_PORT + PORTS {
        match TcpListener::bind(SocketAddr::new(address, port)) {
            Ok(listener) => return Ok(Some(listener)),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    notes.push(format!(
        "the page has no address: no port of {address} from {FIRST_PORT} to {} is available ({reason})",
        FIRST_PORT + PORTS - 1
    ));
    Ok(None)
}

fn listen_unix(name: &str, part: Option<&Part>) -> io::Result<(UnixListener, RunningSocket)> {
    let socket = RunningSocket::claim(name, part)?;
    Ok((UnixListener::bind(&socket.path)?, socket))
}

/// The state of the door's thread.
struct Service {
    poll: Poll,
    tcp: Option<TcpListener>,
    unix: Option<UnixListener>,
    house: House,
    errands: Errands,
    /// Receives the reason for which the door closes.
    ordered: Receiver<String>,
    connections: BTreeMap<usize, Connection>,
    next: usize,
}

impl Service {
    fn register(&mut self) -> io::Result<()> {
        let registry = self.poll.registry();
        if let Some(listener) = &mut self.tcp {
            registry.register(listener, TCP, Interest::READABLE)?;
        }
        if let Some(listener) = &mut self.unix {
            registry.register(listener, UNIX, Interest::READABLE)?;
        }
        Ok(())
    }

    fn serve(&mut self) {
        let mut events = Events::with_capacity(64);
        loop {
            let due = self.connections.values().filter_map(Connection::due).min();
            let timeout = due.map(|due| due.saturating_duration_since(Instant::now()));
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
                _ => {}
            }
            let now = Instant::now();
            for event in &events {
                match event.token() {
                    TCP | UNIX => self.accept(event.token(), now),
                    WAKER => {}
                    mio::Token(client) => self.work(client, now),
                }
            }
            for done in self.errands.done() {
                if let Some(connection) = self.connections.get_mut(&done.client) {
                    connection.done(done.request, done.outcome, now);
                }
            }
            if let Ok(reason) = self.ordered.try_recv() {
                self.connections.values_mut().for_each(|connection| connection.end(&reason));
                return;
            }
            self.connections.values_mut().for_each(|connection| connection.poll(now));
            self.connections.retain(|_, connection| !connection.is_over());
        }
    }

    /// Accepts connections.
    fn accept(&mut self, listener: mio::Token, now: Instant) {
        loop {
            let accepted = match (listener, &self.tcp, &self.unix) {
                (TCP, Some(listener), _) => listener.accept().map(|(stream, address)| {
                    // The buffer is small, because data that waits in the kernel is outdated by the
                    // time a slow client receives it.
                    _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
                    _ = stream.set_nodelay(true);
                    (Stream::new(Socket::Tcp(stream)), Peer::Network(address))
                }),
                (UNIX, _, Some(listener)) => listener.accept().map(|(stream, _)| {
                    let user = rustix::net::sockopt::socket_peercred(&stream).map(|peer| peer.uid.as_raw());
                    (Stream::new(Socket::Unix(stream)), Peer::User(user.unwrap_or(u32::MAX)))
                }),
                _ => return,
            };
            let (mut stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if self.connections.len() >= MOST_CONNECTIONS {
                continue;
            }
            let client = self.next;
            self.next += 1;
            if stream.register(self.poll.registry(), mio::Token(client)).is_ok() {
                self.connections.insert(client, Connection::new(stream, peer, now));
            }
        }
    }

    fn work(&mut self, client: usize, now: Instant) {
        let open = self.connections.values().filter(|connection| connection.is_open()).count();
        let Self { connections, house, errands, poll, .. } = self;
        let Some(connection) = connections.get_mut(&client) else { return };
        connection.work(now, &mut |head, peer| match open < MOST_CLIENTS || !head.is_upgrade {
            true => house.reply(head, peer, errands.runner(client), poll.registry(), mio::Token(client)),
            false => Reply::Answer(answer_text("503 Service Unavailable", "16 clients are connected already")),
        });
    }
}

/// The size of the kernel's buffer for a client on TCP.
const SEND_BUFFER: usize = 512 << 10;

/// The process name by which a client requests all processes at once.
const ALL: &str = "*";
/// The subprotocol whose clients get all processes unless they name one.
const FOXGLOVE: &str = "foxglove.sdk.v1";

/// Everything behind the door.
struct House {
    subject: Box<dyn Subject>,
    rules: Rules,
    page: Page,
    port: u16,
    /// The socket of this process, by which the robot's other processes are found.
    socket: Option<RunningSocket>,
}

impl House {
    fn reply(&self, head: &RequestHead, peer: &Peer, runner: Runner, registry: &Registry, token: mio::Token) -> Reply {
        let access = match self.rules.admit(peer, head) {
            Ok(access) => access,
            Err(refusal) => return Reply::Answer(answer_text("403 Forbidden", refusal.text())),
        };
        if head.method != "GET" {
            return Reply::Answer(answer_text("405 Method Not Allowed", "this door supports only GET"));
        }
        if head.is_upgrade {
            return match registry.try_clone() {
                Ok(registry) => self.upgrade(head, peer, access, runner, Line { registry, token }),
                Err(error) => Reply::Answer(answer_text("503 Service Unavailable", &error.to_string())),
            };
        }
        if head.path == "/" && head.query.contains("token=") {
            return Reply::Answer(self.enter(head, access));
        }
        Reply::Answer(self.page.answer(head))
    }

    fn upgrade(&self, head: &RequestHead, peer: &Peer, access: Access, runner: Runner, line: Line) -> Reply {
        let spoken = head.protocols.iter().find(|protocol| self.subject.protocols().contains(&protocol.as_str()));
        let (Some(key), Some(protocol)) = (&head.key, spoken) else {
            let known = self.subject.protocols().join(", ");
            let text = format!("a WebSocket must request one of these subprotocols: {known}");
            return Reply::Answer(answer_text("400 Bad Request", &text));
        };
        // A client that comes through the door of another process keeps its name there.
        let name = head.client.clone().filter(|_| matches!(peer, Peer::User(_))).unwrap_or_else(|| peer.name());
        let own = self.socket.as_ref().filter(|own| own.part.is_some());
        let wanted = head.process().or_else(|| (protocol == FOXGLOVE).then_some(ALL));
        let other = wanted.filter(|process| self.part() != Some(process));
        let client = DoorClient { access, name: name.clone(), runner };
        let session: Box<dyn Session> = match (other, own) {
            (Some(ALL), Some(own)) => {
                let (session, own, spoken) = (self.subject.session(protocol, client), own.clone(), protocol.clone());
                let open = move |process: &str| relay(&own, process, &spoken, access, &name, &line);
                match protocol.as_str() {
                    FOXGLOVE => Box::new(FoxgloveWhole::new(session, Box::new(open))),
                    _ => Box::new(Whole::new(session, Box::new(open))),
                }
            }
            (None | Some(ALL), _) => self.subject.session(protocol, client),
            (Some(process), own) => {
                let no_other = || Err("this robot is a single process".to_owned());
                match own.map_or_else(no_other, |own| relay(own, process, protocol, access, &name, &line)) {
                    Ok(session) => session,
                    Err(reason) => {
                        let text = format!("process `{process}` of this robot cannot be reached: {reason}");
                        return Reply::Answer(answer_text("503 Service Unavailable", &text));
                    }
                }
            }
        };
        Reply::Session(upgrade(key, protocol), session)
    }

    /// Returns the name of the process behind this door, if it is one of several.
    fn part(&self) -> Option<&str> {
        Some(self.socket.as_ref()?.part.as_ref()?.process.as_str())
    }

    /// Moves the token from the address into a cookie, so that it does not stay in the browser's
    /// history, and cannot be read over somebody's shoulder.
    fn enter(&self, head: &RequestHead, access: Access) -> Vec<u8> {
        if !access.may_change() {
            return answer_text("403 Forbidden", access::Refusal::Token.text());
        }
        let token = head.tokens().find(|token| self.rules.token.is(token)).unwrap_or_default();
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", cookie_name(self.port));
        answer("303 See Other", &[("Location", "/"), ("Set-Cookie", &cookie), ("Cache-Control", "no-store")], b"")
    }
}

/// Connects a client to another process of the robot.
fn relay(
    own: &RunningSocket,
    process: &str,
    protocol: &str,
    access: Access,
    client: &str,
    line: &Line,
) -> Result<Box<dyn Session>, String> {
    let socket = own.other(process).ok_or("it is not running")?;
    let relay = Relay::open(&socket, protocol, access, client, line).map_err(|error| error.to_string())?;
    Ok(Box::new(relay))
}
