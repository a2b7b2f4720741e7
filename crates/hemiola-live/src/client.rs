//! The client's side of the door: programs that view a running robot and change it.
//!
//! | file | what |
//! |---|---|
//! | `address` | the address of a door: a socket of this host, or a host and a port |
//! | `incoming` | the messages that a robot sends without being asked |
//! | `stream` | the socket of a connection |
//! | `whole` | a robot of several processes, used as one |

mod address;
mod error;
mod incoming;
mod stream;
mod whole;

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{HandshakeError, Message, WebSocket};

pub use address::Address;
pub use error::ClientError;
pub use incoming::Incoming;
use stream::Stream;
pub use whole::{WholeRobot, each_process};

use crate::protocol::binary::Frame;
use crate::protocol::{Request, RobotHosts};

/// A connection to the door of a running robot.
///
/// ```no_run
/// use std::time::Duration;
/// use hemiola_live::client::{Address, Connection, Incoming};
/// use hemiola_live::protocol::{Request, Watched};
///
/// let mut robot = Connection::open(&Address::tcp("10.0.0.7:8765", None)?)?;
/// println!("{}", robot.request(Request::Read { value: "Ball.position".into() })?["value"]);
/// robot.request(Request::Watch { what: Watched::Journal, period: None, names: None })?;
/// while let Ok(message) = robot.next(Duration::from_secs(1)) {
///     if let Some(Incoming::Journal(entry)) = message {
///         println!("{:?}", entry.happened);
///     }
/// }
/// # Ok::<(), hemiola_live::client::ClientError>(())
/// ```
pub struct Connection {
    socket: WebSocket<Stream>,
    address: Address,
    welcome: Welcome,
    last_request: u64,
    /// The time within which the robot must answer.
    patience: Duration,
    /// The messages that arrived while this client waited for an answer.
    waiting: VecDeque<Incoming>,
    missed: u64,
}

/// The first message that a robot sends.
///
/// ```
/// use hemiola_live::client::Welcome;
///
/// let welcome: Welcome = serde_json::from_str(
///     r#"{"event": "welcome", "protocol": 1, "kind": "robot", "name": "nao", "process": 4711, "program": "3f9a",
///         "time": 1500000000, "pace": "real time", "may_change": true}"#,
/// )?;
/// assert_eq!((welcome.name.as_str(), welcome.process), ("nao", 4711));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Welcome {
    /// The version of the protocol.
    pub protocol: u32,
    /// `robot`, or `log` if the door shows a log.
    pub kind: String,
    /// The robot's name; for one of a robot's several processes, such as `nao-vision`.
    pub name: String,
    /// The name of the whole robot; `None` for a log that does not name its robot.
    #[serde(default)]
    pub robot: Option<String>,
    /// The name of the process in `robot.toml`; `None` if the robot is a single process.
    #[serde(default)]
    pub part: Option<String>,
    /// The names of all processes of the robot; empty if the robot is a single process.
    #[serde(default)]
    pub parts: Vec<String>,
    /// The host of the process and the other hosts, if the processes of several hosts are one
    /// robot.
    #[serde(flatten)]
    pub hosts: RobotHosts,
    /// The ID of the robot's process in the operating system.
    pub process: u32,
    /// The build of the robot's program.
    pub program: String,
    /// The current time of the robot's clock, in nanoseconds.
    pub time: i64,
    /// The time of the host's monotonic clock, in nanoseconds, at which the robot's clock shows
    /// zero; `None` if the robot's clock does not run by itself.
    #[serde(default)]
    pub clock_origin: Option<u64>,
    /// The pace of that clock, in words.
    pub pace: String,
    /// Set if this client may change the robot.
    pub may_change: bool,
}

/// The subprotocol that this client speaks.
const PROTOCOL: &str = "hemiola.v1";
/// The time within which a robot must send its welcome.
const GREETING: Duration = Duration::from_secs(5);
/// The time within which a robot must answer by default.
const ANSWER: Duration = Duration::from_secs(60);
/// The most messages that are kept while this client waits for an answer; older ones are dropped
/// and counted.
const MOST_WAITING: usize = 4096;
/// The largest message that is accepted from a robot.
const LARGEST_MESSAGE: usize = 256 << 20;

impl Connection {
    /// Connects, and waits for the robot's welcome.
    ///
    /// # Errors
    /// Returns an error if nothing listens at the address, the other side is not a robot, or the
    /// robot refuses this client.
    pub fn open(address: &Address) -> Result<Self, ClientError> {
        let stream = Stream::connect(address, GREETING)?;
        let request = address.url().into_client_request().and_then(|mut request| {
            let headers = request.headers_mut();
            headers.insert("Sec-WebSocket-Protocol", HeaderValue::from_static(PROTOCOL));
            if let Some(token) = address.token() {
                headers.insert("Authorization", HeaderValue::from_str(&format!("Bearer {token}"))?);
            }
            Ok(request)
        });
        let limits =
            WebSocketConfig::default().max_message_size(Some(LARGEST_MESSAGE)).max_frame_size(Some(LARGEST_MESSAGE));
        let request = request.map_err(|error| ClientError::handshake(address, error))?;
        let socket = match tungstenite::client::client_with_config(request, stream, Some(limits)) {
            Ok((socket, _)) => socket,
            Err(HandshakeError::Failure(error)) => return Err(ClientError::handshake(address, error)),
            Err(HandshakeError::Interrupted(_)) => return Err(ClientError::silent(address, GREETING)),
        };
        let welcome = Welcome::default();
        let (waiting, address) = (VecDeque::new(), address.clone());
        let mut connection = Self { socket, address, welcome, last_request: 0, patience: ANSWER, waiting, missed: 0 };
        connection.welcome = connection.await_welcome()?;
        Ok(connection)
    }

    /// Returns the first message that the robot sent.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Returns the address of the robot.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the number of messages that were dropped while this client waited for answers.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Sets the time within which the robot must answer a request. The default is one minute,
    /// because computing the bounds of a large robot takes seconds.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Sends a request, and waits for the answer.
    ///
    /// # Errors
    /// Returns an error if the robot refuses the request, does not answer within its
    /// [time](Self::set_patience), or has ended.
    pub fn request(&mut self, request: Request) -> Result<Value, ClientError> {
        self.last_request += 1;
        let id = self.last_request;
        let numbered = Numbered { id, request };
        let text = serde_json::to_string(&numbered).map_err(|error| ClientError::Refused(error.to_string()))?;
        let sent = self.socket.send(Message::text(text));
        sent.map_err(|error| ClientError::lost(&self.address, error))?;
        let deadline = Instant::now() + self.patience;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            match self.receive(left)? {
                Some(Received::Answer { id: answered, result }) if answered == id => {
                    return result.map_err(ClientError::Refused);
                }
                Some(Received::Unasked(message)) => self.keep(message),
                // This answers an earlier request, whose answer is no longer expected.
                Some(Received::Answer { .. }) | None => {}
            }
        }
        Err(ClientError::silent(&self.address, self.patience))
    }

    /// Returns the next message that the robot sends without being asked; `None` if none arrives
    /// within `timeout`.
    ///
    /// # Errors
    /// Returns an error if the robot has ended, or the connection is lost.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Incoming>, ClientError> {
        if let Some(message) = self.waiting.pop_front() {
            return Ok(Some(message));
        }
        match self.receive(timeout)? {
            Some(Received::Unasked(message)) => Ok(Some(message)),
            Some(Received::Answer { .. }) | None => Ok(None),
        }
    }

    /// Returns the socket, so that several robots can be polled at once.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.get_ref().as_fd()
    }

    fn await_welcome(&mut self) -> Result<Welcome, ClientError> {
        match self.receive(GREETING)? {
            Some(Received::Unasked(Incoming::Event { name, content })) if name == "welcome" => {
                serde_json::from_value(content).map_err(|error| ClientError::foreign(&self.address, error))
            }
            Some(_) => Err(ClientError::foreign(&self.address, "its first message is not a welcome")),
            None => Err(ClientError::silent(&self.address, GREETING)),
        }
    }

    fn keep(&mut self, message: Incoming) {
        if self.waiting.len() == MOST_WAITING {
            self.waiting.pop_front();
            self.missed += 1;
        }
        self.waiting.push_back(message);
    }

    /// Returns the next message of any kind, if one arrives within that time.
    fn receive(&mut self, timeout: Duration) -> Result<Option<Received>, ClientError> {
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            self.socket.get_ref().set_read_timeout(left).map_err(|error| ClientError::lost(&self.address, error))?;
            let message = match self.socket.read() {
                Ok(message) => message,
                Err(tungstenite::Error::Io(error)) if stream::has_timed_out(&error) => return Ok(None),
                Err(error) => return Err(ClientError::lost(&self.address, error)),
            };
            match message {
                Message::Text(text) => return self.read_text(&text).map(Some),
                Message::Binary(bytes) => {
                    let read = Frame::read(&bytes).map_err(|error| ClientError::foreign(&self.address, error))?;
                    return Ok(Some(Received::Unasked(Incoming::Binary(read))));
                }
                // The library answers these messages itself.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                Message::Close(_) => return Err(ClientError::Ended { reason: "the door has closed".to_owned() }),
            }
            if deadline <= Instant::now() {
                return Ok(None);
            }
        }
    }

    fn read_text(&self, text: &str) -> Result<Received, ClientError> {
        let foreign = |error: serde_json::Error| ClientError::foreign(&self.address, error);
        let content: Value = serde_json::from_str(text).map_err(foreign)?;
        if let Some(name) = content["event"].as_str() {
            let name = name.to_owned();
            if name == "ended" {
                let reason = content["reason"].as_str().unwrap_or("it gave no reason").to_owned();
                return Err(ClientError::Ended { reason });
            }
            let message = match name.as_str() {
                "journal" => Incoming::Journal(serde_json::from_value(content).map_err(foreign)?),
                _ => Incoming::Event { name, content },
            };
            return Ok(Received::Unasked(message));
        }
        let answer: Answer = serde_json::from_value(content).map_err(foreign)?;
        let result = answer.error.map_or(Ok(answer.result), Err);
        Ok(Received::Answer { id: answer.id, result })
    }
}

impl Default for Welcome {
    fn default() -> Self {
        let (kind, name, program, pace) = <_>::default();
        Self {
            protocol: 1,
            kind,
            name,
            robot: None,
            part: None,
            parts: Vec::new(),
            hosts: RobotHosts::default(),
            process: 0,
            program,
            time: 0,
            clock_origin: None,
            pace,
            may_change: false,
        }
    }
}

/// A message of any kind.
enum Received {
    Answer { id: u64, result: Result<Value, String> },
    Unasked(Incoming),
}

#[derive(Serialize)]
struct Numbered {
    id: u64,
    #[serde(flatten)]
    request: Request,
}

#[derive(Deserialize)]
struct Answer {
    /// The number of the request; 0 if the robot could not read it.
    #[serde(default)]
    id: u64,
    #[serde(default)]
    result: Value,
    error: Option<String>,
}
