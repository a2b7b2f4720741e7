//! Threads that publish, and send what they have published in place of the links' thread.

mod common;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use common::{Side, connecting, free_path, free_tcp, free_unix, listening, next};
use hemiola::data::{DataType, ReadError, Reader, Writer};
use hemiola::prelude::*;
use hemiola_bus::WhenFull;
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};
use hemiola_model::{Data, Form};
use hemiola_realtime::refuse_errands;

/// A message of which it is known who has written it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Packet {
    publisher: u32,
    number: u32,
    load: Vec<u8>,
}

/// The threads that have written a message, the latest last.
static WRITERS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
/// Held by a test so that no message can be read.
static READING: RwLock<()> = RwLock::new(());
/// The tests share both.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn writers() -> Vec<ThreadId> {
    WRITERS.lock().unwrap().clone()
}

type Fields = (u32, (u32, Vec<u8>));

impl Data for Packet {
    fn data_type() -> DataType {
        Fields::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        WRITERS.lock().unwrap().push(thread::current().id());
        let Self { publisher, number, load } = self.clone();
        (publisher, (number, load)).write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let _may_read = READING.read();
        Fields::read(reader).map(|(publisher, (number, load))| Self { publisher, number, load })
    }
}

impl Representation for Packet {
    const NAME: &'static str = "Packet";

    fn form() -> Form<Self> {
        Form::data()
    }
}

/// Tries again until it is so, for 30 s at most.
fn until(mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < patience, "it never comes to that");
        thread::sleep(Duration::from_micros(200));
    }
}

fn packet(number: u32) -> Packet {
    Packet { publisher: 0, number, load: vec![0; 80] }
}

/// Two programs that are connected, of which the first one sends all packets.
fn connected(address: LinkAddress) -> [Side; 2] {
    let keep_all = |link: LinkConfiguration| {
        let send = link.send.into_iter().map(|sent| Sent { keep: Keep::Last(10_000), ..sent }).collect();
        LinkConfiguration { send, ..link }
    };
    let there = Side::open("there", listening(address, &[], &["Packet"]));
    let _type = there.queue::<Packet>("Packet");
    let here = Side::open("here", keep_all(connecting(there.address(), &["Packet"], &[])));
    drop(here.publisher::<Packet>("Packet"));
    here.until_wanted();
    [here, there]
}

/// A thread that publishes writes small messages itself, as soon as it is known that they are
/// small, and the links' thread sleeps.
#[test]
fn who_shares_time_sends_small_messages_itself() {
    let _turn = turn();
    for address in [free_unix(), free_tcp(), LinkAddress::Shm(free_path())] {
        let [here, there] = connected(address);
        let (mut publisher, mut queue) = (here.publisher("Packet"), there.queue::<Packet>("Packet"));
        let mut number = 0;
        until(|| {
            // The links' thread may not sleep again yet.
            publisher.publish(packet(number));
            assert_eq!(next(&mut queue), packet(number));
            number += 1;
            writers().last() == Some(&thread::current().id())
        });
        let all = here.until(|link| link.sent[0].messages == u64::from(number));
        assert_eq!((all.sent[0].dropped, all.problem), (0, None));
    }
}

#[test]
fn who_refuses_errands_leaves_it_to_the_links_thread() {
    let _turn = turn();
    let [here, there] = connected(free_unix());
    let (mut publisher, mut queue) = (here.publisher("Packet"), there.queue::<Packet>("Packet"));
    let publishing = thread::spawn(move || {
        refuse_errands();
        for number in 0..100 {
            publisher.publish(packet(number));
            assert_eq!(next(&mut queue), packet(number));
        }
        thread::current().id()
    });
    let own = publishing.join().unwrap();
    assert!(!writers().contains(&own));
}

/// Messages that are large, or go to several peers, are sent by the links' thread.
#[test]
fn what_takes_long_is_left_to_the_links_thread() {
    let _turn = turn();
    let [here, there] = connected(free_unix());
    let mut publisher = here.publisher("Packet");
    let mut queue = there.queue::<Packet>("Packet");
    WRITERS.lock().unwrap().clear();
    for number in 0..50 {
        publisher.publish(Packet { load: vec![1; 5_000], ..packet(number) });
        assert_eq!(next(&mut queue).number, number);
    }
    assert!(!writers().contains(&thread::current().id()));
    drop((here, there));

    let address = free_unix();
    let here = Side::open("here", listening(address, &["Packet"], &[]));
    let mut publisher = here.publisher("Packet");
    let mut others = ["one", "two"].map(|name| {
        let side = Side::open(name, connecting(here.address(), &[], &["Packet"]));
        let queue = side.queue::<Packet>("Packet");
        (side, queue)
    });
    here.until(|link| link.sent[0].peers == 2);
    WRITERS.lock().unwrap().clear();
    for number in 0..50 {
        publisher.publish(packet(number));
        others.iter_mut().for_each(|(_, queue)| assert_eq!(next(queue), packet(number)));
    }
    assert!(!writers().contains(&thread::current().id()));
}

/// Several threads publish at the same time, of which every other one refuses errands: all messages
/// arrive, and those of each thread in their order.
#[test]
fn whoever_sends_nothing_is_lost_and_nobody_overtakes() {
    const PUBLISHERS: u32 = 4;
    const EACH: u32 = 500;
    let _turn = turn();
    let [here, there] = connected(free_unix());
    let queue = Arc::new(Mutex::new(there.queue::<Packet>("Packet")));
    let arrived = Mutex::new(vec![0_u32; PUBLISHERS as usize]);
    thread::scope(|scope| {
        for publisher in 0..PUBLISHERS {
            let (mut end, queue, arrived) = (here.publisher("Packet"), queue.clone(), &arrived);
            scope.spawn(move || {
                if publisher % 2 == 1 {
                    refuse_errands();
                }
                for number in 0..EACH {
                    end.publish(Packet { publisher, ..packet(number) });
                    // No more than one message of each is under way, so that all find room.
                    until(|| {
                        let (mut queue, mut arrived) = (queue.lock().unwrap(), arrived.lock().unwrap());
                        while let Some(packet) = queue.receive() {
                            let expected = &mut arrived[packet.publisher as usize];
                            assert_eq!(packet.number, *expected, "of {}", packet.publisher);
                            *expected += 1;
                        }
                        arrived[publisher as usize] > number
                    });
                }
            });
        }
    });
    assert_eq!(*arrived.lock().unwrap(), [EACH; PUBLISHERS as usize]);
}

/// While a peer does not read, the socket becomes full, within a message or between two: the links'
/// thread sends the rest when there is room again.
#[test]
fn a_full_socket_is_left_to_the_links_thread() {
    const MESSAGES: u32 = 600;
    let _turn = turn();
    for address in [free_unix(), free_tcp()] {
        let [here, there] = connected(address);
        let (mut publisher, topic) = (here.publisher("Packet"), there.bus.readable_topic::<Packet>("Packet").unwrap());
        let mut queue = topic.queue(MESSAGES as usize, WhenFull::DropOldest);
        let message = |number| Packet { load: vec![number as u8; 3_000], ..packet(number) };
        WRITERS.lock().unwrap().clear();
        let held = READING.write();
        for number in 0..MESSAGES {
            publisher.publish(message(number));
            // Each is written before the next one, so that the queue to the links is never full.
            until(|| writers().len() > number as usize);
        }
        drop(held);
        for number in 0..MESSAGES {
            assert_eq!(next(&mut queue), message(number));
        }
        assert!(writers().contains(&thread::current().id()));
        assert_eq!(here.statistics().sent[0].dropped, 0);
    }
}

/// If the peer is gone, its conversation ends on the links' thread, and the next one begins there.
#[test]
fn a_peer_that_is_gone_is_noticed_whoever_writes() {
    let _turn = turn();
    let address = free_unix();
    let [here, there] = connected(address.clone());
    let mut publisher = here.publisher("Packet");
    (0..5).for_each(|number| publisher.publish(packet(number)));
    there.links.close("it goes");
    until(|| {
        publisher.publish(packet(0));
        here.statistics().parted == 1
    });
    let again = Side::open("again", listening(address, &[], &["Packet"]));
    let mut queue = again.queue::<Packet>("Packet");
    here.until(|link| link.met == 2 && link.sent[0].peers == 1);
    publisher.publish(packet(7));
    assert_eq!(next(&mut queue), packet(7));
}
