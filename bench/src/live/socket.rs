//! WebSockets to a robot's door, and to servers that speak one of its protocols.

use std::io;
use std::net::TcpStream;
use std::time::Instant;

use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

use crate::error::{BenchError, EntryError};

/// Connects to a server, or to the door behind the address of a page. Errors name `label`.
pub fn connect(label: &'static str, address: &str, protocol: &'static str) -> Result<WebSocket<TcpStream>, BenchError> {
    let failed = |message: String| BenchError::from(EntryError::Failed { label, message });
    let address = address.replacen("http://", "ws://", 1);
    let mut request = address.into_client_request().map_err(|error| failed(error.to_string()))?;
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(protocol));
    let host = request.uri().authority().map(|host| host.as_str().to_owned()).unwrap_or_default();
    let stream = TcpStream::connect(host).map_err(|error| failed(error.to_string()))?;
    stream.set_nodelay(true).map_err(|error| failed(error.to_string()))?;
    let connected = tungstenite::client(request, stream).map_err(|error| failed(error.to_string()));
    Ok(connected?.0)
}

/// Receives the next message, if one comes before `end`.
pub fn next(socket: &mut WebSocket<TcpStream>, end: Instant) -> Result<Option<Message>, tungstenite::Error> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(None);
    }
    socket.get_ref().set_read_timeout(Some(left))?;
    match socket.read() {
        Ok(message) => Ok(Some(message)),
        Err(tungstenite::Error::Io(error))
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
