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
    zenoh::open(config).wait().map_err(|error| without_places(&error.to_string()))
}

/// Returns an error of Zenoh without the places in its sources at which it occurred
/// (`.. at /home/ada/.cargo/registry/../tcp.rs:61.`).
fn without_places(text: &str) -> String {
    let mut parts = text.split(" at ");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_at(part.find([' ', ']']).unwrap_or(part.len()));
        if place.contains(".rs:") {
            plain.push_str(rest);
        } else {
            plain.push_str(" at ");
            plain.push_str(part);
        }
    }
    plain
}

/// Returns a text in JSON quotes. Addresses were checked, and contain nothing to escape.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_without_places_in_the_sources_of_zenoh() {
        let error = "Can not listen at tcp/localhost:7447: [127.0.0.1:7447: Address already in use (os error 98) at \
                     /home/ada/.cargo/registry/src/zenoh-link-commons-1.10.2/src/tcp.rs:61.] at src/unicast.rs:338.";
        let plain = "Can not listen at tcp/localhost:7447: [127.0.0.1:7447: Address already in use (os error 98)]";
        assert_eq!(without_places(error), plain);
    }
}
