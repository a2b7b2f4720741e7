//! One connection, from the first byte of its request to its end.

use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use super::access::Peer;
use super::errands::Outcome;
use super::head::{LONGEST_HEAD, Parsed, RequestHead, answer_text};
use super::outbox::{MOST_WAITING, Outbox};
use super::session::Session;
use super::stream::Stream;

/// The longest message of a client.
const LONGEST_MESSAGE: usize = 1 << 20;
/// The time within which a client must send its request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The time after which a client that receives nothing is disconnected.
const PATIENCE: Duration = Duration::from_secs(20);
/// The number of messages that a client may send per second, and in one burst.
const MOST_MESSAGES: f64 = 200.0;

/// A connection of a client.
pub struct Connection {
    peer: Peer,
    state: State,
    /// The time at which bytes were last read or written.
    moved: Instant,
    /// The number of messages that the client may still send at once.
    allowance: f64,
    allowed: Instant,
    /// The time at which the session must be polled again.
    due: Option<Instant>,
}

enum State {
    /// The request is being read.
    Head(Stream, Vec<u8>),
    /// The answer is being written; then the connection is closed.
    Answer(Stream, Vec<u8>, usize),
    /// The client and its session exchange messages.
    Open(Box<Open>),
    /// The connection is over.
    Closed,
}

struct Open {
    socket: WebSocket<Stream>,
    session: Box<dyn Session>,
    /// The number of bytes that were written to the socket.
    given: u64,
    /// The number of bytes that the kernel had accepted at the last check.
    seen: u64,
}

/// The reply to a request.
pub enum Reply {
    /// These bytes are sent, and the connection is closed.
    Answer(Vec<u8>),
    /// These bytes are sent, and a session begins.
    Session(Vec<u8>, Box<dyn Session>),
}

impl Connection {
    pub fn new(stream: Stream, peer: Peer, now: Instant) -> Self {
        let state = State::Head(stream, Vec::new());
        Self { peer, state, moved: now, allowance: MOST_MESSAGES, allowed: now, due: None }
    }

    /// Returns whether the connection is over.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Returns whether the connection has a session.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Returns the time at which the connection must be polled.
    pub fn due(&self) -> Option<Instant> {
        let patience = match &self.state {
            State::Head(..) => Some(self.moved + HEAD_PATIENCE),
            State::Answer(..) => Some(self.moved + PATIENCE),
            State::Open(open) if open.waiting() > 0 => Some(self.moved + PATIENCE),
            State::Open(_) | State::Closed => None,
        };
        [patience, self.due].into_iter().flatten().min()
    }

    /// Reads and writes as much as possible. `reply` decides the reply to the request.
    pub fn work(&mut self, now: Instant, reply: &mut dyn FnMut(&RequestHead, &Peer) -> Reply) {
        let state = mem::replace(&mut self.state, State::Closed);
        self.state = match state {
            State::Head(stream, bytes) => self.read_head(stream, bytes, now, reply),
            State::Open(open) => self.converse(open, now),
            other => other,
        };
        if let State::Answer(stream, bytes, sent) = &mut self.state {
            match write_all(stream, &bytes[*sent..]) {
                Ok(written) => {
                    if written > 0 {
                        self.moved = now;
                    }
                    *sent += written;
                    if *sent == bytes.len() {
                        self.state = State::Closed;
                    }
                }
                Err(_) => self.state = State::Closed,
            }
        }
    }

    fn read_head(
        &mut self,
        mut stream: Stream,
        mut bytes: Vec<u8>,
        now: Instant,
        reply: &mut dyn FnMut(&RequestHead, &Peer) -> Reply,
    ) -> State {
        let mut buffer = [0; 4096];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return State::Closed,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return State::Closed,
            }
            if bytes.len() >= LONGEST_HEAD {
                break;
            }
        }
        let (head, length) = match RequestHead::parse(&bytes) {
            Ok(Parsed::Whole(head, length)) => (head, length),
            Ok(Parsed::Partial) => return State::Head(stream, bytes),
            Err(reason) => return State::Answer(stream, answer_text("400 Bad Request", reason), 0),
        };
        self.moved = now;
        match reply(&head, &self.peer) {
            Reply::Answer(answer) => State::Answer(stream, answer, 0),
            Reply::Session(answer, session) => {
                // The answer fits into the kernel's buffer of a new connection.
                if !matches!(write_all(&mut stream, &answer), Ok(written) if written == answer.len()) {
                    return State::Closed;
                }
                let config = WebSocketConfig::default()
                    .max_message_size(Some(LONGEST_MESSAGE))
                    .max_frame_size(Some(LONGEST_MESSAGE))
                    .max_write_buffer_size(MOST_WAITING);
                let rest = bytes.split_off(length);
                let given = stream.written();
                let socket = WebSocket::from_partially_read(stream, rest, Role::Server, Some(config));
                let mut open = Box::new(Open { socket, session, given, seen: given });
                if open.tell(|session, out| session.begin(out)).is_err() {
                    return State::Closed;
                }
                // A session may have something to send even if the client sends nothing.
                self.due = Some(now);
                self.converse(open, now)
            }
        }
    }

    fn converse(&mut self, mut open: Box<Open>, now: Instant) -> State {
        self.allowance =
            MOST_MESSAGES.min(self.allowance + MOST_MESSAGES * now.duration_since(self.allowed).as_secs_f64());
        self.allowed = now;
        loop {
            let message = match open.socket.read() {
                Ok(message) => message,
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return State::Closed,
            };
            self.allowance -= 1.0;
            if self.allowance < -MOST_MESSAGES {
                return State::Closed;
            }
            let said = match message {
                Message::Text(_) if self.allowance < 0.0 => open.tell(|_, out| {
                    out.send_text(r#"{"error": "too many requests: at most 200 per second are answered"}"#.to_owned());
                }),
                Message::Text(text) => open.tell(|session, out| session.text(&text, out)),
                Message::Binary(bytes) => open.tell(|session, out| session.bytes(&bytes, out)),
                _ => Ok(()),
            };
            if said.is_err() {
                return State::Closed;
            }
        }
        // The session is polled at once, so that a request is answered without delay, and messages
        // from the door of another process are forwarded.
        self.due = Some(now);
        if open.flush().is_err() {
            return State::Closed;
        }
        if open.has_moved() {
            self.moved = now;
        }
        State::Open(open)
    }

    /// Polls the session if it is due, and closes the connection if the client has been idle for
    /// too long.
    pub fn poll(&mut self, now: Instant) {
        // A client that receives slowly is not idle: the next write succeeds once it has received
        // something.
        if let State::Open(open) = &mut self.state
            && open.has_moved()
        {
            self.moved = now;
        }
        if self.due().is_some_and(|due| due <= now) && self.due.is_none_or(|due| due > now) {
            self.state = State::Closed;
            return;
        }
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
            let mut again = None;
            self.with_open(|open| open.tell(|session, out| again = session.poll(out)));
            self.due = again.map(|period| now + period);
        }
    }

    /// Passes the result of an errand to the session.
    pub fn done(&mut self, request: Value, outcome: Outcome, now: Instant) {
        self.with_open(|open| open.tell(|session, out| session.done(request, outcome, out)));
        // The session may have something to send now.
        self.due = Some(now);
    }

    /// Sends the reason why the door closes, and closes the connection.
    pub fn end(&mut self, reason: &str) {
        self.with_open(|open| {
            open.tell(|session, out| session.end(reason, out))?;
            _ = open.socket.close(None);
            open.flush()
        });
    }

    fn with_open(&mut self, act: impl FnOnce(&mut Open) -> Result<(), Error>) {
        let State::Open(open) = &mut self.state else { return };
        if act(open).is_err() {
            self.state = State::Closed;
        }
    }
}

impl Open {
    /// Calls the session with an outbox, and writes the messages that the session adds to it.
    fn tell(&mut self, say: impl FnOnce(&mut dyn Session, &mut Outbox)) -> Result<(), Error> {
        let mut out = Outbox::behind(self.waiting());
        say(self.session.as_mut(), &mut out);
        for message in out.take() {
            let length = message.len();
            match self.socket.write(message) {
                Ok(()) => {}
                // The message is in the socket's buffer.
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            self.given += (length + frame_head(length)) as u64;
        }
        if out.is_closed() {
            _ = self.socket.close(None);
            _ = self.flush();
            return Err(Error::ConnectionClosed);
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Error> {
        match self.socket.flush() {
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            result => result,
        }
    }

    /// Returns whether the client has received something since the last call, or nothing is waiting
    /// for it.
    fn has_moved(&mut self) -> bool {
        let taken = self.socket.get_ref().written();
        std::mem::replace(&mut self.seen, taken) != taken || self.waiting() == 0
    }

    /// Returns the number of bytes that the kernel has not accepted yet.
    fn waiting(&self) -> usize {
        self.given.saturating_sub(self.socket.get_ref().written()) as usize
    }
}

/// Returns the length of a server's frame head (RFC 6455, section 5.2).
fn frame_head(length: usize) -> usize {
    match length {
        0..=125 => 2,
        126..=0xffff => 4,
        _ => 10,
    }
}

/// Writes as many bytes as the kernel accepts. Returns their number.
fn write_all(stream: &mut Stream, bytes: &[u8]) -> io::Result<usize> {
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::super::stream::Socket;
    use super::*;

    /// A session that always has more to send.
    struct Endless;

    impl Session for Endless {
        fn begin(&mut self, _: &mut Outbox) {}

        fn text(&mut self, _: &str, _: &mut Outbox) {}

        fn bytes(&mut self, _: &[u8], _: &mut Outbox) {}

        fn done(&mut self, _: Value, _: Outcome, _: &mut Outbox) {}

        fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
            while !out.is_congested() {
                out.send_bytes(vec![7; 4096]);
            }
            Some(Duration::from_millis(16))
        }

        fn end(&mut self, _: &str, _: &mut Outbox) {}
    }

    #[test]
    fn who_reads_slowly_is_not_cut_off_and_who_reads_nothing_is() {
        let (stream, mut client) = mio::net::UnixStream::pair().unwrap();
        let (mut now, peer) = (Instant::now(), Peer::Network(SocketAddr::from((Ipv4Addr::LOCALHOST, 1))));
        let mut connection = Connection::new(Stream::new(Socket::Unix(stream)), peer, now);
        let State::Head(stream, _) = mem::replace(&mut connection.state, State::Closed) else { unreachable!() };
        let config = WebSocketConfig::default().max_write_buffer_size(MOST_WAITING);
        let socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
        connection.state = State::Open(Box::new(Open { socket, session: Box::new(Endless), given: 0, seen: 0 }));
        connection.due = Some(now);
        let mut step = |connection: &mut Connection| {
            connection.poll(now);
            // The session is not due.
            connection.poll(now + Duration::from_millis(1));
            now += PATIENCE / 4;
        };
        let mut taken = vec![0; 64 << 10];
        for _ in 0..40 {
            step(&mut connection);
            assert!(!connection.is_over());
            client.read_exact(&mut taken).unwrap();
        }
        for _ in 0..6 {
            step(&mut connection);
        }
        assert!(connection.is_over());
    }
}
