//! The session of a client with another process of this robot, through this door: one address and
//! one token are enough for all processes.
//!
//! The door's thread never waits: it is woken by the socket of the other process as by that of the
//! client. Messages that the client receives too slowly are not read, so that the other door
//! handles it like a slow client of its own.

use std::io::{self, ErrorKind};
use std::mem;
use std::time::Duration;

use mio::net::UnixStream;
use mio::{Interest, Registry, Token};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::MidHandshake;
use tungstenite::handshake::client::ClientHandshake;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

use super::access::Access;
use super::errands::Outcome;
use super::head::{CLIENT, LOOK, RIGHTS};
use super::outbox::{MOST_WAITING, Outbox};
use super::session::Session;
use crate::place::RunningSocket;

/// The parts that wake the door's thread for a client.
pub struct Line {
    pub registry: Registry,
    pub token: Token,
}

/// The session of a client with the door of another process.
pub struct Relay {
    process: String,
    state: State,
    /// The messages of the client that wait for the connection.
    unsent: Vec<Message>,
}

enum State {
    Beginning(Box<MidHandshake<ClientHandshake<UnixStream>>>),
    Open(Box<WebSocket<UnixStream>>),
    /// The session has failed or ended, for this reason.
    Over(String),
}

/// The period at which the other process is polled while it has sent more than was read: half of
/// the time between two frames of a page.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / 120);
/// The most messages of a client that wait for the connection.
const MOST_UNSENT: usize = 256;
/// The most messages that are forwarded at once.
const MOST_AT_ONCE: usize = 1024;

impl Relay {
    /// Connects to the door of a process, for a client with this name and these rights.
    ///
    /// # Errors
    /// Returns an error if the process does not accept the connection.
    pub fn open(socket: &RunningSocket, protocol: &str, access: Access, client: &str, line: &Line) -> io::Result<Self> {
        let mut stream = UnixStream::connect(&socket.path)?;
        line.registry.register(&mut stream, line.token, Interest::READABLE | Interest::WRITABLE)?;
        let refused = |error: Error| io::Error::new(ErrorKind::InvalidInput, error.to_string());
        let header = |text: &str| HeaderValue::from_str(text).map_err(|error| refused(error.into()));
        let process = socket.part.as_ref().map_or_else(|| socket.name(), |part| part.process.clone());
        let mut request = format!("ws://localhost/?process={process}").into_client_request().map_err(refused)?;
        let headers = request.headers_mut();
        headers.insert("Sec-WebSocket-Protocol", header(protocol)?);
        headers.insert(CLIENT, header(client)?);
        if !access.may_change() {
            headers.insert(RIGHTS, HeaderValue::from_static(LOOK));
        }
        let config = WebSocketConfig::default()
            .max_message_size(Some(MOST_WAITING))
            .max_frame_size(Some(MOST_WAITING))
            .max_write_buffer_size(MOST_WAITING);
        let begun = tungstenite::client::client_with_config(request, stream, Some(config));
        let state = match begun {
            Ok((socket, _)) => State::Open(Box::new(socket)),
            Err(HandshakeError::Interrupted(begun)) => State::Beginning(Box::new(begun)),
            Err(HandshakeError::Failure(error)) => return Err(refused(error)),
        };
        Ok(Self { process, state, unsent: Vec::new() })
    }

    /// Continues the handshake of the connection.
    fn go_on(&mut self) {
        let State::Beginning(_) = &self.state else { return };
        let State::Beginning(begun) = mem::replace(&mut self.state, State::Over(String::new())) else { return };
        self.state = match begun.handshake() {
            Ok((socket, _)) => State::Open(Box::new(socket)),
            Err(HandshakeError::Interrupted(begun)) => State::Beginning(Box::new(begun)),
            Err(HandshakeError::Failure(error)) => State::Over(error.to_string()),
        };
    }

    fn pass_on(&mut self, message: Message) {
        if self.unsent.len() < MOST_UNSENT {
            self.unsent.push(message);
        } else {
            self.state = State::Over("it does not receive what it is sent".to_owned());
        }
        self.send();
    }

    fn send(&mut self) {
        let State::Open(socket) = &mut self.state else { return };
        for message in self.unsent.drain(..) {
            match socket.write(message) {
                Ok(()) => {}
                // The message is in the socket's buffer.
                Err(error) if is_for_later(&error) => {}
                Err(error) => {
                    self.state = State::Over(error.to_string());
                    return;
                }
            }
        }
        if let Err(error) = socket.flush()
            && !is_for_later(&error)
        {
            self.state = State::Over(error.to_string());
        }
    }

    /// Sends the client the messages that have arrived. Returns whether there may be more.
    fn receive(&mut self, out: &mut Outbox) -> bool {
        let State::Open(socket) = &mut self.state else { return false };
        for _ in 0..MOST_AT_ONCE {
            if out.is_congested() {
                return true;
            }
            match socket.read() {
                Ok(Message::Text(text)) => out.send_text(text.as_str().to_owned()),
                Ok(Message::Binary(bytes)) => out.send_bytes(bytes.into()),
                Ok(Message::Close(_)) => {
                    self.state = State::Over("its door has closed".to_owned());
                    return false;
                }
                // The library answers these messages itself.
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Err(error) if is_for_later(&error) => return false,
                Err(error) => {
                    self.state = State::Over(error.to_string());
                    return false;
                }
            }
        }
        true
    }
}

impl Session for Relay {
    fn begin(&mut self, _: &mut Outbox) {}

    fn text(&mut self, text: &str, _: &mut Outbox) {
        self.pass_on(Message::text(text));
    }

    fn bytes(&mut self, bytes: &[u8], _: &mut Outbox) {
        self.pass_on(Message::binary(bytes.to_vec()));
    }

    fn done(&mut self, _: Value, _: Outcome, _: &mut Outbox) {}

    fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
        self.go_on();
        self.send();
        let has_more = self.receive(out);
        if let State::Over(reason) = &self.state {
            let reason = format!("process `{}` has disconnected: {reason}", self.process);
            self.end(&reason, out);
            out.close();
        }
        has_more.then_some(PERIOD)
    }

    fn end(&mut self, reason: &str, out: &mut Outbox) {
        out.send(&json!({"event": "ended", "reason": reason}));
    }
}

fn is_for_later(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == ErrorKind::WouldBlock)
}
