//! A link with a simulated time and real sockets.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{Bus, RobotClock};
use hemiola_realtime::Wakeup;
use mio::{Events, Poll};

use super::*;
use crate::ends::{Ends, Services, Topics};
use crate::statistics::LinkStatistics;

/// A link and its simulated time.
struct Rig {
    poll: Poll,
    link: Link,
    begin: Instant,
    now: Instant,
}

impl Rig {
    fn open(end: LinkEnd) -> Self {
        let configuration = LinkConfiguration::new("link", end);
        let poll = Poll::new().unwrap();
        let clock = Arc::new(RobotClock::stepped());
        let ends = Ends { bus: Bus::new(), clock, scale: None, robot: None };
        let wakeup = Arc::new(Wakeup::new());
        let services = Services::new(&configuration.serve, &configuration.call, ends.bus.clone(), wakeup.clone());
        let topics = Topics::of_link(&configuration, ends, wakeup);
        let desk = Desk::new("robot".into(), topics, services, LinkStatistics::of(&configuration), Arc::new(|_| {}));
        let link = Link::open(&configuration, desk, Tokens::of(0), poll.registry()).unwrap();
        // This is read after the link was opened, so that the first attempt is due by then.
        let begin = Instant::now();
        Self { poll, link, begin, now: begin }
    }

    /// Handles all that is due at this time, in milliseconds.
    fn at(&mut self, milliseconds: u64) -> Todo {
        self.now = self.begin + Duration::from_millis(milliseconds);
        let mut events = Events::with_capacity(16);
        loop {
            // What was sent over this host's own sockets has arrived already.
            self.poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
            for event in &events {
                self.link.ready(Tokens::read(event.token()).1, event.is_readable(), event.is_writable());
            }
            let todo = self.link.turn(true, self.now, self.poll.registry(), &mut [0; 4096]);
            if events.is_empty() && !todo.is_more {
                return todo;
            }
        }
    }

    /// Returns when there will be something to do, in milliseconds.
    fn due(&self, todo: Todo) -> Option<u128> {
        todo.due.map(|due| (due - self.begin).as_millis())
    }

    fn statistics(&self) -> &LinkStatistics {
        &self.link.desk().statistics
    }
}

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("hemiola-link-rig-{}-{name}.sock", std::process::id()))
}

#[test]
fn while_nobody_is_there_and_while_all_are_silent_there_is_nothing_to_do() {
    let address = LinkAddress::Unix(path("idle"));
    let mut here = Rig::open(LinkEnd::Listen(address.clone()));
    let todo = here.at(0);
    assert_eq!(here.due(todo), None);
    let mut there = Rig::open(LinkEnd::Connect(address));
    // Each side receives what the other one has sent.
    for _ in 0..3 {
        there.at(0);
        here.at(0);
    }
    let (near, far) = (here.at(1), there.at(1));
    assert_eq!((here.due(near), there.due(far)), (None, None));
    assert_eq!((here.statistics().met, there.statistics().met), (1, 1));
}

#[test]
fn who_does_not_say_hello_is_sent_away_after_five_seconds() {
    let path = path("silent");
    let mut link = Rig::open(LinkEnd::Listen(LinkAddress::Unix(path.clone())));
    let mut stranger = UnixStream::connect(path).unwrap();
    let todo = link.at(0);
    assert_eq!(link.due(todo), Some(5000));
    link.at(4999);
    assert_eq!(link.statistics().refused, 0);
    let todo = link.at(5000);
    assert_eq!((link.statistics().refused, link.due(todo)), (1, None));
    let mut said = Vec::new();
    stranger.read_to_end(&mut said).unwrap();
    assert!(String::from_utf8_lossy(&said).ends_with("it has not said hello"));
}

#[test]
fn the_pauses_between_attempts_grow_until_somebody_is_there() {
    let path = path("late");
    let mut link = Rig::open(LinkEnd::Connect(LinkAddress::Unix(path.clone())));
    let mut now = 0;
    let pauses = [(); 8].map(|()| {
        let todo = link.at(now);
        let pause = link.due(todo).unwrap() as u64 - now;
        now += pause;
        pause
    });
    assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    let listener = UnixListener::bind(&path).unwrap();
    let todo = link.at(now);
    // The peer is connected, and has to say hello.
    assert_eq!(link.due(todo), Some(u128::from(now) + 5000));
    // The peer does not, and the connection is closed; the pauses go on as before.
    let todo = link.at(now + 5000);
    assert_eq!(link.due(todo), Some(u128::from(now) + 10_000));
    drop(listener);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn over_udp_hello_is_said_each_second_and_who_is_silent_is_gone() {
    let free = LinkAddress::Udp(([127, 0, 0, 1], 0).into());
    let mut here = Rig::open(LinkEnd::Listen(free));
    let address = here.statistics().address.strip_prefix("udp:").unwrap().parse().unwrap();
    let mut there = Rig::open(LinkEnd::Connect(LinkAddress::Udp(address)));
    for milliseconds in 0..3 {
        there.at(milliseconds);
        here.at(milliseconds);
    }
    assert_eq!((here.statistics().met, there.statistics().met), (1, 1));
    for second in 1..20 {
        let (near, far) = (here.at(second * 1000), there.at(second * 1000));
        assert!(here.due(near) <= Some(u128::from(second) * 1000 + 1000));
        assert!(there.due(far) <= Some(u128::from(second) * 1000 + 1000));
    }
    assert_eq!((here.statistics().parted, there.statistics().parted), (0, 0));
    // The other side is not polled any more, as if its process had been killed.
    for second in 20..=25 {
        here.at(second * 1000);
    }
    assert_eq!((here.statistics().parted, here.statistics().peers.len()), (1, 0));
    let todo = here.at(26_000);
    assert_eq!(here.due(todo), None);
}
