//! A program with links, whatever they go over.

use std::sync::{Arc, Mutex};

use hemiola_bus::{Bus, Publisher, Queue, RobotClock, WhenFull};
use hemiola_link::{LinkHost, LinkStatistics, Links};
use hemiola_model::Representation;
use hemiola_model::configuration::{LinkConfiguration, LinkEnd, Received, Sent, Subject};

use super::patience::eventually;

/// A program with links.
pub struct Side {
    pub bus: Bus,
    pub links: Links,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Side {
    /// Opens the links of a program, whose host `complete` completes.
    pub fn with(
        bus: &Bus,
        robot: &str,
        links: &[LinkConfiguration],
        complete: impl FnOnce(LinkHost) -> LinkHost,
    ) -> Self {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let told = notes.clone();
        let clock = Arc::new(RobotClock::running(1.0));
        let host = LinkHost::new(robot, bus.clone(), clock, move |note| told.lock().unwrap().push(note));
        Self { bus: bus.clone(), links: open(links, &complete(host)), notes }
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
}

/// Opens links. A thread of links that have just been dropped may hold their address a little
/// longer on a busy machine, so this is tried again.
pub fn open(links: &[LinkConfiguration], host: &LinkHost) -> Links {
    let opened = eventually(|| Links::open(links, host.clone()).ok());
    opened.unwrap_or_else(|| Links::open(links, host.clone()).unwrap())
}

/// Returns a link that sends and receives these topics.
pub fn link(name: &str, end: LinkEnd, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    LinkConfiguration {
        send: send.iter().copied().map(Sent::topic).collect(),
        receive: receive.iter().map(|&topic| Received::new(Subject::topic(topic))).collect(),
        ..LinkConfiguration::new(name, end)
    }
}
