//! The Zenoh session, set up as `rmw_zenoh` sets up its own.

use hemiola_model::configuration::Ros2Router;
use zenoh::{Config, Session, Wait};

/// Opens a session.
///
/// # Errors
/// Returns an error with the reason, such as an address that is in use.
pub fn open(router: &Ros2Router) -> Result<Session, String> {
    let settings = match router {
        Ros2Router::At(address) => [
            ("mode", quoted("peer")),
            ("connect/endpoints", format!("[{}]", quoted(address))),
            // Nodes that the router has introduced to each other connect directly.
            ("listen/endpoints", format!("[{}]", quoted("tcp/localhost:0"))),
        ],
        Ros2Router::Here(address) => [
            ("mode", quoted("router")),
            ("connect/endpoints", "[]".to_owned()),
            ("listen/endpoints", format!("[{}]", quoted(address))),
        ],
    };
    let common = [
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "true".to_owned()),
        ("timestamping/enabled", "true".to_owned()),
    ];
    let mut config = Config::default();
    for (key, value) in settings.into_iter().chain(common) {
        config.insert_json5(key, &value).map_err(|error| format!("`{key}`: {error}"))?;
    }
    zenoh::open(config).wait().map_err(|error| error.to_string())
}

/// Returns a text in JSON quotes. Addresses were checked, and contain nothing to escape.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}
