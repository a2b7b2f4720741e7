//! The head of an HTTP request, as far as the door reads it, and the heads of its answers. This
//! module is pure: it uses no sockets.

use std::fmt::Write as _;

use httparse::Status;

/// The length above which the head of a request is refused: those of browsers have 1 or 2 kB.
pub const LONGEST_HEAD: usize = 16 << 10;
/// The most headers of a request; browsers send about twenty.
const MOST_HEADERS: usize = 64;

/// The head of a client's request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// The method: `GET`
    pub method: String,
    /// The path without the query: `/app.js`
    pub path: String,
    /// The query, which follows the question mark.
    pub query: String,
    /// The header `Host`.
    pub host: Option<String>,
    /// The header `Origin`.
    pub origin: Option<String>,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The header `Cookie`.
    pub cookie: Option<String>,
    /// The header `If-None-Match`.
    pub known: Option<String>,
    /// Set if `Upgrade: websocket` is among the headers.
    pub is_upgrade: bool,
    /// The header `Sec-WebSocket-Key`.
    pub key: Option<String>,
    /// The protocols of `Sec-WebSocket-Protocol`, in the client's order.
    pub protocols: Vec<String>,
    /// Set if answers may be compressed by gzip.
    pub takes_gzip: bool,
    /// Set if the client requests only to view the robot, although it could have more rights.
    pub only_looks: bool,
    /// The name that the client has at the other door through which it connects.
    pub client: Option<String>,
}

/// The header by which a client waives rights.
pub const RIGHTS: &str = "hemiola-rights";
/// The value of [`RIGHTS`] of a client that only views the robot.
pub const LOOK: &str = "look";
/// The header with the name that a client has at another door.
pub const CLIENT: &str = "hemiola-client";

/// The head of a request, as far as it has been received.
#[derive(Debug, PartialEq, Eq)]
pub enum Parsed {
    /// The whole head, and the number of its bytes.
    Whole(Box<RequestHead>, usize),
    /// The beginning of a head.
    Partial,
}

/// Returns the name of the cookie with the token. Each port has its own, because ports of a host
/// share their cookies.
pub fn cookie_name(port: u16) -> String {
    format!("hemiola-{port}")
}

impl RequestHead {
    /// Reads the head of a request.
    ///
    /// Returns an error if the bytes are not an HTTP request, a header is repeated that may occur
    /// only once, or the head is too long.
    pub fn parse(bytes: &[u8]) -> Result<Parsed, &'static str> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(&bytes[..bytes.len().min(LONGEST_HEAD)]) {
            Ok(Status::Complete(length)) => length,
            Ok(Status::Partial) if bytes.len() < LONGEST_HEAD => return Ok(Parsed::Partial),
            Ok(Status::Partial) => return Err("the head of the request is too long"),
            Err(_) => return Err("this is not an HTTP/1.1 request"),
        };
        let target = request.path.unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let method = request.method.unwrap_or_default().to_owned();
        let mut head = Self { method, path: path.to_owned(), query: query.to_owned(), ..Self::default() };
        for header in &*request.headers {
            let value = std::str::from_utf8(header.value).map_err(|_| "a header is not text")?.trim();
            head.read(header.name, value)?;
        }
        Ok(Parsed::Whole(Box::new(head), length))
    }

    fn read(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        let once = |place: &mut Option<String>| match place.replace(value.to_owned()) {
            None => Ok(()),
            // A proxy might check one of them while the door uses the other.
            Some(_) => Err("a header occurs twice that may occur only once"),
        };
        match name.to_ascii_lowercase().as_str() {
            "host" => once(&mut self.host)?,
            "origin" => once(&mut self.origin)?,
            "authorization" => once(&mut self.authorization)?,
            "cookie" => once(&mut self.cookie)?,
            "if-none-match" => once(&mut self.known)?,
            "sec-websocket-key" => once(&mut self.key)?,
            "upgrade" => self.is_upgrade = value.eq_ignore_ascii_case("websocket"),
            "accept-encoding" => self.takes_gzip = items(value).any(|coding| coding.split(';').next() == Some("gzip")),
            RIGHTS => self.only_looks = value == LOOK,
            CLIENT => once(&mut self.client)?,
            "sec-websocket-protocol" => self.protocols.extend(items(value).map(str::to_owned)),
            // A body would be read as the next request.
            "content-length" if value != "0" => return Err("this door accepts no request bodies"),
            "transfer-encoding" => return Err("this door accepts no request bodies"),
            _ => {}
        }
        Ok(())
    }

    /// Returns the process of the robot that the client wants to reach: `?process=vision`.
    pub fn process(&self) -> Option<&str> {
        self.query.split('&').find_map(|pair| pair.strip_prefix("process="))
    }

    /// Returns everything that may be the token: from the query, the header, and cookies.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        let queried = self.query.split('&').filter_map(|pair| pair.strip_prefix("token="));
        let bearer = self.authorization.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        let cookies = self.cookie.as_deref().unwrap_or_default().split(';').filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            name.starts_with("hemiola-").then_some(value)
        });
        queried.chain(bearer).chain(cookies)
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// The headers of all answers, which restrict browsers: they load and run nothing from other sites,
/// no other site may show an answer in a frame, and the address is not disclosed.
const HEADERS: &str = "Content-Security-Policy: default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n";

/// Returns an answer, after which the connection is closed.
pub fn answer(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\n{HEADERS}Connection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        _ = write!(head, "{name}: {value}\r\n");
    }
    head += "\r\n";
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Returns an answer in plain text.
pub fn answer_text(status: &str, text: &str) -> Vec<u8> {
    answer(status, &[("Content-Type", "text/plain; charset=utf-8")], format!("{text}\n").as_bytes())
}

/// Returns the answer that switches the connection to WebSocket.
pub fn upgrade(key: &str, protocol: &str) -> Vec<u8> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: {protocol}\r\n\r\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_head_is_read_as_browsers_write_it() {
        let text = b"GET /app.js?token=abc HTTP/1.1\r\nHost: localhost:8765\r\nCookie: a=b; hemiola-8765=def\r\n\
Accept-Encoding: br, gzip;q=0.8\r\nSec-WebSocket-Protocol: hemiola.v1, other\r\nUpgrade: WebSocket\r\n\r\nrest";
        let Ok(Parsed::Whole(head, length)) = RequestHead::parse(text) else { panic!("it is whole") };
        assert_eq!((head.path.as_str(), &text[length..]), ("/app.js", &b"rest"[..]));
        assert_eq!(head.tokens().collect::<Vec<_>>(), ["abc", "def"]);
        assert_eq!(head.protocols, ["hemiola.v1", "other"]);
        assert!(head.is_upgrade && head.takes_gzip);
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        for text in [
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nCookie: \u{1}\r\n\r\n",
        ] {
            assert!(RequestHead::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn an_endless_head_is_refused() {
        let mut text = b"GET / HTTP/1.1\r\n".to_vec();
        while text.len() <= LONGEST_HEAD {
            text.extend_from_slice(b"X-Filler: abcdefghijklmnopqrstuvwxyz\r\n");
        }
        assert!(RequestHead::parse(&text).is_err());
        assert_eq!(RequestHead::parse(&text[..200]), Ok(Parsed::Partial));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_answered_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            _ = RequestHead::parse(&bytes);
        }
    }
}
