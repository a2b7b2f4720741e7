//! Decides who may connect, and what each client may do. This module is pure: it uses no sockets.
//!
//! Three things are checked for every request:
//!
//! | what | why |
//! |---|---|
//! | `Host` is a name of this door | otherwise a foreign name that was rebound to this address (DNS rebinding) would make a browser treat the robot as part of that site |
//! | `Origin`, if there is one, is this door | otherwise a page of another site could open a WebSocket, which browsers allow |
//! | the token | whoever knows it could read the terminal on which the robot printed it |
//!
//! Without the token, processes on this host may view the robot, and nobody may change it. On the
//! Unix socket, the kernel identifies the user of the process, and the robot's own user may do
//! everything.

use std::net::SocketAddr;

use super::head::RequestHead;
use super::token::Token;
use super::users::user_name;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A process on the Unix socket, with the ID of its user.
    User(u32),
    /// A client of the TCP port.
    Network(SocketAddr),
}

impl Peer {
    /// Returns the name of the client in journal entries about its changes.
    pub fn name(&self) -> String {
        match self {
            Self::User(user) => user_name(*user),
            Self::Network(address) => address.to_string(),
        }
    }
}

/// The rights of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The client may view everything.
    Look,
    /// The client may view everything, and change the robot.
    Change,
}

impl Access {
    /// Returns whether the client may change the robot.
    pub fn may_change(self) -> bool {
        self == Self::Change
    }
}

/// The reason for which a client is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request names no host, or a host that is not this door.
    Host,
    /// The request comes from a page of another site.
    Origin,
    /// The request comes from another host and has no valid token.
    Token,
    /// The process belongs to another user.
    User,
}

impl Refusal {
    /// Returns the text that is sent to the client.
    pub fn text(self) -> &'static str {
        match self {
            Self::Host => {
                "this door does not accept that host name: use 127.0.0.1 or localhost, or add the name to `hosts` in [page] of robot.toml"
            }
            Self::Origin => {
                "pages of other sites may not view this robot: to allow this page, add its origin to `origins` in [page] of robot.toml"
            }
            Self::Token => {
                "the token is missing or wrong: use the address with the token that the robot prints when it starts"
            }
            Self::User => "this socket is for processes of the robot's own user",
        }
    }
}

/// The access rules of one door.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The host names of the door besides those of the loopback interface, without a port.
    pub hosts: Vec<String>,
    /// The origins of other pages that are allowed, such as `https://tools.example.org`.
    pub origins: Vec<String>,
    /// The token with which a client is trusted.
    pub token: Token,
    /// The user ID that the robot runs as.
    pub user: u32,
}

impl Rules {
    /// Decides whether a request is allowed, and what its client may do.
    ///
    /// # Errors
    /// Returns the reason if the request is refused.
    pub fn admit(&self, peer: &Peer, head: &RequestHead) -> Result<Access, Refusal> {
        let address = match peer {
            Peer::User(user) if *user == self.user || *user == 0 => {
                // A browser cannot open a Unix socket, so there is no origin to check.
                return Ok(if head.only_looks { Access::Look } else { Access::Change });
            }
            Peer::User(_) => return Err(Refusal::User),
            Peer::Network(address) => address,
        };
        let host = head.host.as_deref().ok_or(Refusal::Host)?;
        if !self.is_called(host) {
            return Err(Refusal::Host);
        }
        if let Some(origin) = &head.origin
            && !self.is_own(origin, host)
        {
            return Err(Refusal::Origin);
        }
        let has_token = head.tokens().any(|token| self.token.is(token));
        match (has_token, address.ip().is_loopback()) {
            (true, _) => Ok(Access::Change),
            (false, true) => Ok(Access::Look),
            (false, false) => Err(Refusal::Token),
        }
    }

    /// Returns whether this is a host name of the door.
    fn is_called(&self, host: &str) -> bool {
        let name = without_port(host);
        const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
        let mut names = LOOPBACK.into_iter().chain(self.hosts.iter().map(String::as_str));
        names.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns whether a page of this origin was served by this door under the host name of the
    /// request, or is allowed explicitly.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let own = origin.strip_prefix("http://").is_some_and(|from| from.eq_ignore_ascii_case(host));
        own || self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }
}

/// Returns the host of a URL without its port, such as `[::1]` for `[::1]:8765`.
fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host.ends_with(']') => &host[..colon],
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: Peer = Peer::Network(SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 50000));

    fn elsewhere() -> Peer {
        Peer::Network("192.168.1.7:50000".parse().unwrap())
    }

    fn rules() -> Rules {
        Rules { hosts: vec!["nao.local".into()], origins: Vec::new(), token: Token::of("secret"), user: 1000 }
    }

    fn head(host: &str, origin: Option<&str>, token: Option<&str>) -> RequestHead {
        let query = token.map(|token| format!("token={token}")).unwrap_or_default();
        RequestHead { host: Some(host.into()), origin: origin.map(Into::into), query, ..RequestHead::default() }
    }

    #[test]
    fn a_process_on_this_host_may_look_and_with_the_token_change() {
        assert_eq!(rules().admit(&LOOPBACK, &head("127.0.0.1:8765", None, None)), Ok(Access::Look));
        assert_eq!(rules().admit(&LOOPBACK, &head("localhost:8765", None, Some("wrong"))), Ok(Access::Look));
        assert_eq!(rules().admit(&LOOPBACK, &head("[::1]:8765", None, Some("secret"))), Ok(Access::Change));
    }

    #[test]
    fn from_elsewhere_nothing_goes_without_the_token() {
        assert_eq!(rules().admit(&elsewhere(), &head("nao.local:8765", None, None)), Err(Refusal::Token));
        assert_eq!(rules().admit(&elsewhere(), &head("nao.local:8765", None, Some("secret"))), Ok(Access::Change));
    }

    #[test]
    fn a_rebound_name_is_refused_even_with_the_token() {
        for host in ["evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example:8765", "", ":8765"] {
            assert_eq!(rules().admit(&LOOPBACK, &head(host, None, Some("secret"))), Err(Refusal::Host), "{host}");
        }
        assert_eq!(rules().admit(&LOOPBACK, &RequestHead::default()), Err(Refusal::Host));
    }

    #[test]
    fn a_page_of_another_site_is_refused() {
        for origin in ["http://evil.example", "http://localhost:8766", "https://localhost:8765", "null", ""] {
            let head = head("localhost:8765", Some(origin), Some("secret"));
            assert_eq!(rules().admit(&LOOPBACK, &head), Err(Refusal::Origin), "{origin}");
        }
        let own = head("localhost:8765", Some("http://localhost:8765"), None);
        assert_eq!(rules().admit(&LOOPBACK, &own), Ok(Access::Look));
    }

    #[test]
    fn the_unix_socket_is_for_its_user() {
        assert_eq!(rules().admit(&Peer::User(1000), &RequestHead::default()), Ok(Access::Change));
        assert_eq!(rules().admit(&Peer::User(0), &RequestHead::default()), Ok(Access::Change));
        // The door of another process has said that its client has fewer rights.
        let head = RequestHead { only_looks: true, ..RequestHead::default() };
        assert_eq!(rules().admit(&Peer::User(1000), &head), Ok(Access::Look));
        assert_eq!(rules().admit(&Peer::User(1001), &RequestHead::default()), Err(Refusal::User));
    }
}
