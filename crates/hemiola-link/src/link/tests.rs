//! A link with a simulated time and real sockets.

mod group;

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{Bus, Publisher, RobotClock, WhenFull};
use hemiola_model::configuration::{Received, Sent, Subject};
use hemiola_model::data::{DataType, ReadError, Reader, Writer};
use hemiola_model::{Data, Form, Representation};
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
    buffer: Vec<u8>,
}

impl Rig {
    fn open(end: LinkEnd) -> Self {
        Self::of(LinkConfiguration::new("link", end), &Bus::new())
    }

    fn of(configuration: LinkConfiguration, bus: &Bus) -> Self {
        let poll = Poll::new().unwrap();
        let clock = Arc::new(RobotClock::stepped());
        let ends = Ends { bus: bus.clone(), clock, scale: None, robot: None };
        let wakeup = Arc::new(Wakeup::new());
        let services = Services::new(&configuration.serve, &configuration.call, ends.bus.clone(), wakeup.clone());
        let topics = Topics::of_link(&configuration, ends, &vec![wakeup; configuration.send.len()]);
        let desk = Desk::new("robot".into(), topics, services, LinkStatistics::of(&configuration), Arc::new(|_| {}));
        let link = Link::open(&configuration, desk, None, (Tokens::of(0), poll.registry())).unwrap();
        // This is read after the link was opened, so that the first attempt is due by then.
        let begin = Instant::now();
        Self { poll, link, begin, now: begin, buffer: vec![0; 64 << 10] }
    }

    /// Handles everything that is due at this time, in milliseconds.
    fn at(&mut self, milliseconds: u64) -> Todo {
        self.now = self.begin + Duration::from_millis(milliseconds);
        let mut events = Events::with_capacity(16);
        loop {
            // Data sent over this host's own sockets has arrived already.
            self.poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
            for event in &events {
                self.link.note_ready(Tokens::read(event.token()).1, event.into());
            }
            self.link.note_time();
            let todo = self.link.turn(self.now, self.poll.registry(), &mut self.buffer);
            if events.is_empty() && !todo.is_more {
                return todo;
            }
        }
    }

    /// Returns the time at which something will be due, in milliseconds.
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

#[test]
fn over_udp_a_long_message_comes_in_fragments_at_an_even_pace() {
    let (near, far) = (Bus::new(), Bus::new());
    let mut sent = near.readable_topic::<Long>("Long").unwrap().publisher();
    let mut received = far.readable_topic::<Long>("Long").unwrap().queue(16, WhenFull::DropOldest);
    let listen = LinkConfiguration::new("here", LinkEnd::Listen(LinkAddress::Udp(([127, 0, 0, 1], 0).into())));
    let mut here = Rig::of(LinkConfiguration { send: vec![Sent::topic("Long")], ..listen }, &near);
    let address = here.statistics().address.strip_prefix("udp:").unwrap().parse().unwrap();
    let connect = LinkConfiguration::new("there", LinkEnd::Connect(LinkAddress::Udp(address)));
    let receive = vec![Received::new(Subject::topic("Long"))];
    let mut there = Rig::of(LinkConfiguration { receive, ..connect }, &far);
    for milliseconds in 0..4 {
        there.at(milliseconds);
        here.at(milliseconds);
    }
    assert_eq!(here.statistics().sent[0].peers, 1);
    // At 64 MiB in a second, a megabyte takes 16 ms.
    let message = Long((0..1 << 20).map(|place| (place % 251) as u8).collect());
    sent.publish(message.clone());
    here.link.note_published(0);
    for milliseconds in 10..23 {
        here.at(milliseconds);
        there.at(milliseconds);
    }
    assert_eq!((here.statistics().sent[0].messages, there.statistics().received[0].messages), (1, 0));
    for milliseconds in 23..27 {
        here.at(milliseconds);
        there.at(milliseconds);
    }
    assert!(received.receive().is_some_and(|long| *long == message));
    assert_eq!((there.statistics().received[0].lost, there.statistics().ignored), (0, 0));
}

thread_local! {
    /// How often messages were written on this thread.
    static WRITTEN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// A number that counts how often it is written.
#[derive(Default)]
struct Counted(u32);

impl Data for Counted {
    fn data_type() -> DataType {
        u32::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        WRITTEN.set(WRITTEN.get() + 1);
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        u32::read(reader).map(Self)
    }
}

impl Representation for Counted {
    const NAME: &'static str = "Counted";

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// A message that is longer than a datagram.
#[derive(Clone, Default, PartialEq)]
struct Long(Vec<u8>);

impl Data for Long {
    fn data_type() -> DataType {
        Vec::<u8>::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        Vec::read(reader).map(Self)
    }
}

impl Representation for Long {
    const NAME: &'static str = "Long";

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// A link that sends numbers at most every 10 ms, and the peer that wants them.
struct Sending {
    here: Rig,
    there: Rig,
    publisher: Publisher<Counted>,
    _queue: hemiola_bus::Queue<Counted>,
}

impl Sending {
    fn new(keep: Keep, name: &str) -> Self {
        let (near, far, address) = (Bus::new(), Bus::new(), LinkAddress::Unix(path(name)));
        let publisher = near.readable_topic("Counted").unwrap().publisher();
        let queue = far.readable_topic("Counted").unwrap().queue(16, WhenFull::DropOldest);
        let send = vec![Sent { rate: Some(100.0), keep, ..Sent::topic("Counted") }];
        let listen = LinkConfiguration::new("here", LinkEnd::Listen(address.clone()));
        let here = Rig::of(LinkConfiguration { send, ..listen }, &near);
        let receive = vec![Received::new(Subject::topic("Counted"))];
        let connect = LinkConfiguration::new("there", LinkEnd::Connect(address));
        let there = Rig::of(LinkConfiguration { receive, ..connect }, &far);
        let mut sending = Self { here, there, publisher, _queue: queue };
        (0..4).for_each(|_| _ = sending.at(0));
        assert_eq!(sending.here.statistics().sent[0].peers, 1);
        WRITTEN.set(0);
        sending
    }

    /// Handles all that is due at this time, in milliseconds. Returns when there will be something
    /// to send.
    fn at(&mut self, milliseconds: u64) -> Option<u128> {
        self.there.at(milliseconds);
        let todo = self.here.at(milliseconds);
        self.there.at(milliseconds);
        self.here.due(todo)
    }

    fn publish(&mut self, number: u32) {
        self.publisher.publish(Counted(number));
        self.here.link.note_published(0);
    }

    /// Returns how many were written, sent, skipped and received.
    fn counts(&self) -> (u32, u64, u64, u64) {
        let sent = &self.here.statistics().sent[0];
        (WRITTEN.get(), sent.messages, sent.skipped, self.there.statistics().received[0].messages)
    }
}

#[test]
fn of_what_comes_too_early_only_the_newest_is_written_when_it_may_be_sent() {
    let mut sending = Sending::new(Keep::Newest, "early-newest");
    sending.publish(1);
    assert_eq!(sending.at(100), None);
    assert_eq!(sending.counts(), (1, 1, 0, 1));
    (2..=5).for_each(|number| sending.publish(number));
    assert_eq!(sending.at(101), Some(110));
    assert_eq!(sending.counts().0, 1);
    assert_eq!(sending.at(110), None);
    assert_eq!(sending.counts(), (2, 2, 3, 2));
}

#[test]
fn of_what_comes_too_early_nothing_is_written_where_more_are_kept() {
    let mut sending = Sending::new(Keep::Last(10), "early-last");
    sending.publish(1);
    sending.at(100);
    (2..=5).for_each(|number| sending.publish(number));
    assert_eq!(sending.at(101), None);
    assert_eq!(sending.counts(), (1, 1, 4, 1));
    sending.publish(6);
    sending.at(110);
    assert_eq!(sending.counts(), (2, 2, 4, 2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_peer_that_listens_again_is_met_at_once_and_not_after_a_pause() {
    let address = LinkAddress::Unix(path("again"));
    let mut there = Rig::open(LinkEnd::Connect(address.clone()));
    for meeting in 1..=3 {
        // Nobody is there for a while, so that the pauses are long.
        for pause in [0, 100, 300, 700, 1500] {
            there.at(pause);
        }
        let mut here = Rig::open(LinkEnd::Listen(address.clone()));
        for _ in 0..3 {
            there.at(1501);
            here.at(1501);
        }
        assert_eq!((here.statistics().met, there.statistics().met), (1, meeting));
    }
}
