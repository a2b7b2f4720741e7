//! The Zenoh session of a link.

use std::io;

use hemiola_model::configuration::{LinkAddress, LinkEnd};
use zenoh::{Config, Session, Wait};

/// Opens a session that listens at the address of a link or connects to it, and meets nobody else:
/// it does not look for others in the network, and they do not introduce it to each other.
///
/// # Errors
/// Returns an error with the reason, such as an address that is in use, or at which nobody listens.
/// A session that has connected once connects again by itself.
pub fn open(end: &LinkEnd, address: &str) -> io::Result<Session> {
    let endpoints = format!("[{address:?}]");
    let settings = match end {
        LinkEnd::Listen(_) => [("mode", "\"peer\""), ("listen/endpoints", &endpoints), ("connect/endpoints", "[]")],
        // What clients say is passed on: by a router, and by whoever else listens.
        _ => [("mode", "\"client\""), ("listen/endpoints", "[]"), ("connect/endpoints", &endpoints)],
    };
    let common = [
        ("connect/timeout_ms", "0"),
        ("connect/exit_on_failure", "true"),
        ("connect/retry", "{ period_init_ms: 100, period_max_ms: 5000, period_increase_factor: 2 }"),
        ("scouting/multicast/enabled", "false"),
        ("scouting/gossip/enabled", "false"),
    ];
    let mut config = Config::default();
    for (key, value) in settings.into_iter().chain(common) {
        config.insert_json5(key, value).map_err(|error| io::Error::other(format!("`{key}`: {error}")))?;
    }
    zenoh::open(config).wait().map_err(error)
}

/// Returns the address of a session that was opened at this one, with the port that the system has
/// chosen if it was asked to.
pub fn address(session: &Session, address: &str) -> LinkAddress {
    let chosen = address.ends_with(":0").then(|| session.info().locators().wait().first().map(ToString::to_string));
    LinkAddress::Zenoh(chosen.flatten().unwrap_or_else(|| address.to_owned()))
}

/// Returns an error of Zenoh as one of the system.
pub fn error(error: zenoh::Error) -> io::Error {
    io::Error::other(error.to_string())
}
