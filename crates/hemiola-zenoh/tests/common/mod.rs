//! Programs that meet over Zenoh, each with a bus and a transport of its own.
#![allow(dead_code, unused_imports, reason = "each test uses some of it")]

#[path = "../../../../tests/addresses.rs"]
mod addresses;

#[path = "../../../hemiola-link/tests/common/patience.rs"]
mod patience;
#[path = "../../../hemiola-link/tests/common/side.rs"]
mod side;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use hemiola::prelude::*;
use hemiola_bus::Bus;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
use hemiola_zenoh::ZenohTransport;
use zenoh::{Config, Session, Wait};

pub use patience::{PATIENCE, eventually, next};
pub use side::{Side, link};

#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Odometry {
    pub number: u64,
    pub names: Vec<String>,
}

#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Goal {
    pub x: f32,
    pub number: u64,
}

pub fn odometry(number: u64) -> Odometry {
    Odometry { number, names: vec!["left".into(), "right".into()] }
}

impl Side {
    pub fn open(robot: &str, link: LinkConfiguration) -> Self {
        Self::of(robot, &[link])
    }

    pub fn of(robot: &str, links: &[LinkConfiguration]) -> Self {
        Self::with(&Bus::new(), robot, links, |host| host.with_transport(Arc::new(ZenohTransport::new())))
    }

    /// Returns the address at which others can connect, as Zenoh writes it.
    pub fn address(&self) -> String {
        let address = self.statistics().address;
        address.strip_prefix("zenoh:").unwrap_or_else(|| panic!("{address}")).to_owned()
    }
}

/// An address of which the system chooses the port.
pub const FREE: &str = "tcp/127.0.0.1:0";

/// Returns an address at which nobody listens, and nobody else does meanwhile: it has a number of
/// this computer that no other test uses. The system may give a port that was free a moment ago to
/// anybody.
pub fn unused() -> String {
    static NUMBERS: AtomicU8 = AtomicU8::new(1);
    format!("tcp/{}:7447", addresses::own_loopback(NUMBERS.fetch_add(1, Relaxed)))
}

pub fn listening(address: &str, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    link("here", LinkEnd::Listen(LinkAddress::Zenoh(address.to_owned())), send, receive)
}

pub fn connecting(address: &str, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    link("there", LinkEnd::Connect(LinkAddress::Zenoh(address.to_owned())), send, receive)
}

/// Opens a session of Zenoh that is no link.
pub fn session(mode: &str, listen: &[&str], connect: &[&str]) -> Session {
    let mut config = Config::default();
    let settings = [
        ("mode", format!("{mode:?}")),
        ("listen/endpoints", format!("{listen:?}")),
        ("connect/endpoints", format!("{connect:?}")),
        ("scouting/multicast/enabled", "false".to_owned()),
    ];
    settings.iter().for_each(|(key, value)| config.insert_json5(key, value).unwrap());
    zenoh::open(config).wait().unwrap()
}

/// Returns the address at which a session listens.
pub fn address_of(session: &Session) -> String {
    session.info().locators().wait()[0].to_string()
}
