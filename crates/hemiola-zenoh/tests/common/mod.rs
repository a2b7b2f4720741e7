//! Programs that meet over Zenoh, each with a bus and a transport of its own.
#![allow(dead_code, reason = "each test uses some of it")]

#[path = "../../../../tests/addresses.rs"]
mod addresses;

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_bus::{Bus, Publisher, Queue, RobotClock, WhenFull};
use hemiola_link::{LinkHost, LinkStatistics, Links};
use hemiola_model::Representation;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
use hemiola_zenoh::ZenohTransport;
use zenoh::{Config, Session, Wait};

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

/// A program with links.
pub struct Side {
    pub bus: Bus,
    pub links: Links,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Side {
    pub fn open(robot: &str, link: LinkConfiguration) -> Self {
        Self::of(robot, &[link])
    }

    pub fn of(robot: &str, links: &[LinkConfiguration]) -> Self {
        let (bus, notes) = (Bus::new(), Arc::new(Mutex::new(Vec::new())));
        let told = notes.clone();
        let clock = Arc::new(RobotClock::running(1.0));
        let host = LinkHost::new(robot, bus.clone(), clock, move |note| told.lock().unwrap().push(note));
        let links = Links::open(links, host.with_transport(Arc::new(ZenohTransport::new()))).unwrap();
        Self { bus, links, notes }
    }

    pub fn publisher<T: Representation>(&self, topic: &str) -> Publisher<T> {
        self.bus.readable_topic(topic).unwrap().publisher()
    }

    pub fn queue<T: Representation>(&self, topic: &str) -> Queue<T> {
        self.bus.readable_topic(topic).unwrap().queue(64, WhenFull::DropOldest)
    }

    pub fn statistics(&self) -> LinkStatistics {
        self.links.statistics().remove(0)
    }

    /// Returns all remarks so far.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }

    /// Waits until the statistics satisfy `holds`.
    pub fn until(&self, holds: impl Fn(&LinkStatistics) -> bool) -> LinkStatistics {
        eventually(|| Some(self.statistics()).filter(&holds))
            .unwrap_or_else(|| panic!("it never came to that: {:#?}\n{:#?}", self.statistics(), self.notes()))
    }

    /// Waits until a peer wants the first topic that this side sends.
    pub fn until_wanted(&self) {
        self.until(|link| link.sent[0].peers > 0);
    }

    /// Returns the address at which others can connect, as Zenoh writes it.
    pub fn address(&self) -> String {
        let address = self.statistics().address;
        address.strip_prefix("zenoh:").unwrap_or_else(|| panic!("{address}")).to_owned()
    }
}

/// A time that no wait exceeds, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Polls until `look` returns something, for a minute at most.
pub fn eventually<T>(look: impl Fn() -> Option<T>) -> Option<T> {
    let patience = Instant::now() + PATIENCE;
    loop {
        match look() {
            None if Instant::now() < patience => thread::sleep(Duration::from_millis(1)),
            found => return found,
        }
    }
}

/// Returns the next message of a queue, and waits for it.
pub fn next<T: Representation + Clone>(queue: &mut Queue<T>) -> T {
    let patience = Instant::now() + PATIENCE;
    loop {
        if let Some(message) = queue.receive() {
            return (*message).clone();
        }
        assert!(Instant::now() < patience, "no message comes");
        thread::sleep(Duration::from_millis(1));
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

fn link(name: &str, end: LinkEnd, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    LinkConfiguration {
        send: send.iter().copied().map(Sent::topic).collect(),
        receive: receive.iter().map(|&topic| Received::new(Subject::topic(topic))).collect(),
        ..LinkConfiguration::new(name, end)
    }
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
