use std::fmt;
use std::path::PathBuf;

use super::ClientError;

/// The address of a robot's door.
///
/// ```
/// use hemiola_live::client::Address;
///
/// let printed = Address::tcp("http://127.0.0.1:8765/?token=4f5a", None)?;
/// assert_eq!(printed, Address::tcp("127.0.0.1", Some("4f5a".to_owned()))?);
/// assert_eq!(printed.to_string(), "127.0.0.1:8765");
/// # Ok::<(), hemiola_live::client::ClientError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket of this host, which [`RunningSocket`](crate::RunningSocket) finds.
    Unix(PathBuf),
    /// A port of this host or another one.
    Tcp {
        /// The host and the port, as `HOST:PORT`.
        host: String,
        /// The token that the robot has printed; without it, a client may only view the robot.
        token: Option<String>,
        /// The process to reach through this door, if the robot has several; `None` for the process
        /// that opened the door.
        process: Option<String>,
    },
}

/// The default port of robots, at which Foxglove also looks first.
const PORT: u16 = 8765;

impl Address {
    /// Parses a host with or without a port, or the complete address that a robot prints. If
    /// `token` is given, it overrides the token in the address.
    ///
    /// # Errors
    /// Returns an error if the text is not such an address.
    pub fn tcp(text: &str, token: Option<String>) -> Result<Self, ClientError> {
        let wrong = |reason| ClientError::Address { text: text.to_owned(), reason };
        let bare = text.trim();
        let bare = ["http://", "ws://"].iter().find_map(|scheme| bare.strip_prefix(scheme)).unwrap_or(bare);
        if bare.contains("://") {
            return Err(wrong("only the schemes http and ws are supported"));
        }
        let (host, rest) = bare.split_at(bare.find(['/', '?']).unwrap_or(bare.len()));
        let written = rest
            .split_once('?')
            .and_then(|(_, query)| query.split('&').find_map(|part| part.strip_prefix("token=")).map(str::to_owned));
        let is_plain = |character: char| character.is_ascii_alphanumeric() || ".-_:[]%".contains(character);
        if host.is_empty() || !host.chars().all(is_plain) {
            return Err(wrong("write HOST:PORT"));
        }
        // The colons of a bare IPv6 address are part of the host.
        let has_port = match host.rsplit_once(':') {
            Some((before, port)) if !before.contains(':') || before.ends_with(']') => {
                port.parse::<u16>().map_err(|_| wrong("the port must be a number up to 65535"))?;
                true
            }
            Some(_) if !host.starts_with('[') => return Err(wrong("write an IPv6 address in brackets: [::1]:8765")),
            _ => false,
        };
        let host = if has_port { host.to_owned() } else { format!("{host}:{PORT}") };
        let token = token.or(written).filter(|token| !token.is_empty());
        if token.as_ref().is_some_and(|token| !token.chars().all(|character| character.is_ascii_graphic())) {
            return Err(wrong("a token consists of letters and digits only"));
        }
        Ok(Self::Tcp { host, token, process: None })
    }

    /// Returns the address of another process of the same robot, reached through the same door. On
    /// this host, each process has a socket of its own, so a Unix address is returned unchanged.
    #[must_use]
    pub fn of_process(&self, name: &str) -> Self {
        match self {
            Self::Unix(_) => self.clone(),
            Self::Tcp { host, token, .. } => {
                Self::Tcp { host: host.clone(), token: token.clone(), process: Some(name.to_owned()) }
            }
        }
    }

    /// Returns the URL of the request. A Unix socket has no host name, so `localhost` stands for
    /// it.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Unix(_) => "ws://localhost/".to_owned(),
            Self::Tcp { host, process: None, .. } => format!("ws://{host}/"),
            Self::Tcp { host, process: Some(process), .. } => format!("ws://{host}/?process={process}"),
        }
    }

    pub(super) fn token(&self) -> Option<&str> {
        match self {
            Self::Unix(_) => None,
            Self::Tcp { token, .. } => token.as_deref(),
        }
    }
}

/// Formats the address without the token.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(formatter, "{}", path.display()),
            Self::Tcp { host, .. } => formatter.write_str(host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_and_robots_print_them() {
        let tcp = |text: &str| Address::tcp(text, None).map(|address| address.to_string());
        for (text, host) in [
            ("nao", "nao:8765"),
            ("10.0.0.7:9000", "10.0.0.7:9000"),
            ("[fe80::1%eth0]", "[fe80::1%eth0]:8765"),
            ("[::1]:80", "[::1]:80"),
            ("ws://nao.local:8766", "nao.local:8766"),
        ] {
            assert_eq!(tcp(text).unwrap(), host);
        }
        for text in ["", ":x", "nao:port", "nao:70000", "::1", "https://nao", "a b", "nao\r\nHost: other"] {
            assert!(tcp(text).unwrap_err().to_string().contains("is not the address of a robot"), "{text}");
        }
        assert!(Address::tcp("nao", Some("a\r\nb".to_owned())).is_err());
    }

    #[test]
    fn a_token_that_is_given_goes_before_the_one_in_the_address() {
        let given = Address::tcp("http://nao:1/page?a=b&token=old", Some("new".to_owned())).unwrap();
        assert_eq!(given.token(), Some("new"));
        assert_eq!(Address::tcp("nao:1/?token=", None).unwrap().token(), None);
    }
}
