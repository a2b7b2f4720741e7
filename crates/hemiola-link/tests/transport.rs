//! Transports that other crates provide: a link goes over them as over connections.

mod common;

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

use common::{connecting, eventually, listening, next};
use hemiola::prelude::*;
use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_link::{Entrance, LinkError, LinkHost, LinkStatistics, Links, Transport, TransportEnd};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration};

#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Goal {
    number: u32,
}

/// A transport that lets in whom a test wants.
#[derive(Default)]
struct Hall {
    entrance: Mutex<Option<Entrance>>,
    ended: Arc<Mutex<Vec<u8>>>,
}

/// The end of a transport, which reads what a peer is still sent when it is dropped.
struct Opened {
    peer: UnixStream,
    ended: Arc<Mutex<Vec<u8>>>,
}

impl Transport for Hall {
    fn open(&self, _: &LinkConfiguration, robot: &str, entrance: Entrance) -> io::Result<Box<dyn TransportEnd>> {
        if robot == "nobody" {
            return Err(io::Error::other("the hall is closed"));
        }
        let (here, there) = UnixStream::pair()?;
        entrance.admit(here)?;
        *self.entrance.lock().unwrap() = Some(entrance);
        Ok(Box::new(Opened { peer: there, ended: self.ended.clone() }))
    }
}

impl TransportEnd for Opened {
    fn address(&self) -> LinkAddress {
        LinkAddress::Zenoh("tcp/hall:1".to_owned())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.peer.read_to_end(&mut self.ended.lock().unwrap()).unwrap();
    }
}

fn zenoh() -> LinkAddress {
    LinkAddress::Zenoh("tcp/127.0.0.1:7447".to_owned())
}

fn host(robot: &str) -> (LinkHost, Bus) {
    let bus = Bus::new();
    (LinkHost::new(robot, bus.clone(), Arc::new(RobotClock::running(1.0)), |_| {}), bus)
}

fn open(robot: &str, link: LinkConfiguration, hall: &Arc<Hall>) -> (Links, Bus) {
    let (host, bus) = host(robot);
    (Links::open(&[link], host.with_transport(hall.clone())).unwrap(), bus)
}

fn until(links: &Links, holds: impl Fn(&LinkStatistics) -> bool) -> LinkStatistics {
    let now = || links.statistics().remove(0);
    eventually(|| Some(now()).filter(&holds)).unwrap_or_else(|| panic!("it never came to that: {}", now()))
}

#[test]
fn peers_come_in_and_topics_pass() {
    let halls = [(); 2].map(|()| Arc::new(Hall::default()));
    let (robot, bus) = open("robot", listening(zenoh(), &["Goal"], &[]), &halls[0]);
    let (laptop, bus_there) = open("laptop", connecting(zenoh(), &[], &["Goal"]), &halls[1]);
    let (here, there) = UnixStream::pair().unwrap();
    for (hall, peer) in halls.iter().zip([here, there]) {
        hall.entrance.lock().unwrap().as_ref().unwrap().admit(peer).unwrap();
    }
    let mut seen: Queue<Goal> = bus_there.readable_topic("Goal").unwrap().queue(64, WhenFull::DropOldest);
    let mut goals = bus.readable_topic("Goal").unwrap().publisher();
    until(&robot, |link| link.sent[0].peers == 1);
    goals.publish(Goal { number: 7 });
    assert_eq!(next(&mut seen), Goal { number: 7 });
    let link = laptop.statistics().remove(0);
    assert_eq!((link.peers[0].name.as_str(), link.address.as_str()), ("robot", "zenoh:tcp/hall:1"));
    drop(robot);
    until(&laptop, |link| link.parted == 1);
}

#[test]
fn what_a_transport_reports_is_shown() {
    let hall = Arc::new(Hall::default());
    let (robot, _bus) = open("robot", listening(zenoh(), &[], &[]), &hall);
    let entrance = hall.entrance.lock().unwrap().clone().unwrap();
    entrance.complain("it rains in".to_owned());
    (0..1000).for_each(|_| entrance.ignore());
    until(&robot, |link| link.problem.as_deref() == Some("it rains in") && link.ignored == 1000);
}

#[test]
fn the_transport_ends_after_its_peers_and_has_what_these_were_told() {
    let hall = Arc::new(Hall::default());
    let (robot, _bus) = open("robot", listening(zenoh(), &[], &[]), &hall);
    robot.close("it is evening");
    // It would wait for ever, or find nothing, if the peer's socket were closed after it.
    let told = String::from_utf8_lossy(&hall.ended.lock().unwrap()).into_owned();
    assert!(told.contains("hemiola link") && told.contains("it is evening"), "{told:?}");
}

#[test]
fn without_the_transport_the_error_says_what_to_add() {
    let links = [LinkConfiguration { name: "base".to_owned(), ..connecting(zenoh(), &[], &[]) }];
    let error = Links::open(&links, host("robot").0).unwrap_err();
    let text = "link `base` is at zenoh:tcp/127.0.0.1:7447, and this program was built without Zenoh: add the feature to \
                the robot's Cargo.toml, `hemiola = { version = \"0.1\", features = [\"zenoh\"] }`";
    assert_eq!((matches!(error, LinkError::WithoutZenoh { .. }), error.to_string()), (true, text.to_owned()));
    let closed = host("nobody").0.with_transport(Arc::new(Hall::default()));
    let error = Links::open(&links, closed).unwrap_err();
    let begin = "link `base` cannot be opened at zenoh:tcp/127.0.0.1:7447: the hall is closed (";
    assert!(error.to_string().starts_with(begin), "{error}");
}
