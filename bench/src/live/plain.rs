//! Clients that send the requests of a page to a robot, and read the responses, without a browser.
//! To the robot they are pages on another computer: nothing is drawn on its cores.

use std::net::TcpStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tungstenite::{Message, WebSocket};

use super::requests::Request;
use super::socket;
use super::threads::own_time;
use crate::error::{BenchError, EntryError};

/// A client that runs.
pub struct PlainClient(JoinHandle<Result<Received, BenchError>>);

/// The messages that a client has received, and its processor time.
#[derive(Debug, Default, PartialEq)]
pub struct Received {
    pub messages: u64,
    pub bytes: u64,
    /// The values that the robot dropped, because the client was too slow for them.
    pub dropped: u64,
    /// The requests that were answered by an error.
    pub refused: u64,
    pub length: Duration,
    /// The processor time of the client.
    pub used: Duration,
}

/// A message in text, as far as it matters here.
#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    event: String,
    /// The number of dropped values.
    #[serde(default)]
    count: u64,
    error: Option<String>,
}

const LABEL: &str = "a plain client";
/// The time in which the robot greets.
const GREETING: Duration = Duration::from_secs(10);
/// The maximum wait of a client that has no requests left.
const LOOK: Duration = Duration::from_secs(1);

impl PlainClient {
    /// Connects to the robot with this page. The client sends the requests when a page did so, and
    /// reads until the robot ends.
    pub fn start(page: &str, requests: Vec<Request>) -> Result<Self, BenchError> {
        let mut socket = socket::connect(LABEL, page, "hemiola.v1")?;
        Ok(Self(thread::spawn(move || converse(&mut socket, &requests))))
    }

    /// Waits until the robot has ended, and returns what was received until then.
    pub fn finish(self) -> Result<Received, BenchError> {
        self.0.join().unwrap_or_else(|_| Err(failed("it has panicked")))
    }
}

fn converse(socket: &mut WebSocket<TcpStream>, requests: &[Request]) -> Result<Received, BenchError> {
    let lost = |error: tungstenite::Error| failed(&error.to_string());
    if socket::next(socket, Instant::now() + GREETING).map_err(lost)?.is_none() {
        return Err(failed("the robot does not greet"));
    }
    let begin = Instant::now();
    let mut received = Received::default();
    let mut left = requests;
    loop {
        while let [first, rest @ ..] = left
            && begin.elapsed() >= first.delay()
        {
            // If the robot has just ended, it has said so: that is read below.
            left = if socket.send(Message::text(first.text())).is_ok() { rest } else { &[] };
        }
        let end = left.first().map_or_else(|| Instant::now() + LOOK, |next| begin + next.delay());
        match socket::next(socket, end).map_err(lost)? {
            None => {}
            Some(message) if received.note(&message) => {}
            Some(_) => {
                (received.length, received.used) = (begin.elapsed(), own_time()?);
                return Ok(received);
            }
        }
    }
}

impl Received {
    /// Counts a message. Returns `false` if the robot has said that it ends.
    fn note(&mut self, message: &Message) -> bool {
        self.messages += 1;
        self.bytes += message.len() as u64;
        let Message::Text(text) = message else { return true };
        // Other messages may have fields of these names with other contents.
        let said: Said = serde_json::from_str(text).unwrap_or_default();
        self.refused += u64::from(said.error.is_some());
        if said.event == "dropped" {
            self.dropped += said.count;
        }
        said.event != "ended"
    }
}

fn failed(message: &str) -> BenchError {
    EntryError::Failed { label: LABEL, message: message.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_and_refused_is_counted_until_the_robot_ends() {
        let mut received = Received::default();
        let mut goes_on = |text: &str| received.note(&Message::text(text));
        assert!(goes_on(r#"{"id": 1, "result": {"fields": [{"error": "there is no such field"}]}}"#));
        assert!(goes_on(r#"{"id": 2, "error": "there is no representation `Bal`"}"#));
        assert!(goes_on(r#"{"event": "dropped", "subscription": 7, "count": 3}"#));
        assert!(!goes_on(r#"{"event": "ended", "reason": "it is over"}"#));
        assert_eq!((received.messages, received.refused, received.dropped), (4, 1, 3));
    }
}
