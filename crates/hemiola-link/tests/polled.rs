//! Links that a thread of the program serves itself.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::{Side, connecting, eventually, free_path, free_tcp, listening};
use hemiola::prelude::*;
use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_link::{LinkHost, PolledLinks};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration};
use hemiola_realtime::refuse_errands;

#[derive(Representation, Clone, Default, PartialEq)]
struct Number {
    number: u64,
}

/// A program that answers each number with one more, on the thread that polls its links.
struct Answering {
    links: PolledLinks,
    asked: Queue<Number>,
    answers: hemiola_bus::Publisher<Number>,
}

impl Answering {
    fn open(link: LinkConfiguration) -> Self {
        let bus = Bus::new();
        let asked = bus.readable_topic("Asked").unwrap().queue(64, WhenFull::DropOldest);
        let answers = bus.readable_topic("Answered").unwrap().publisher();
        let host = LinkHost::new("answering", bus, Arc::new(RobotClock::running(1.0)), |_| ());
        Self { links: PolledLinks::open(&[link], host).unwrap(), asked, answers }
    }

    fn address(&self) -> LinkAddress {
        common::address_of(&self.links.statistics()[0])
    }

    /// Answers until nobody asks any more.
    fn serve(&mut self, is_over: &AtomicBool, mut sleeps: impl FnMut() -> Option<Duration>) {
        while !is_over.load(Ordering::Relaxed) {
            self.links.poll(sleeps()).unwrap();
            while let Some(asked) = self.asked.receive() {
                self.answers.publish(Number { number: asked.number + 1 });
            }
        }
    }
}

fn addresses() -> Vec<LinkAddress> {
    vec![
        LinkAddress::Shm(free_path()),
        LinkAddress::Unix(free_path()),
        free_tcp(),
        LinkAddress::Auto(([127, 0, 0, 1], 0).into()),
        common::free_udp(),
    ]
}

/// Checks that each of many numbers is answered, by a thread that sleeps as long as `sleeps` says.
fn each_is_answered(address: LinkAddress, sleeps: impl FnMut() -> Option<Duration> + Send) {
    let mut answering = Answering::open(listening(address, &["Answered"], &["Asked"]));
    let (address, view) = (answering.address(), answering.links.view());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let serving = scope.spawn(|| answering.serve(&is_over, sleeps));
        let asking = Side::open("asking", connecting(address.clone(), &["Asked"], &["Answered"]));
        let (mut asked, mut answered) = (asking.publisher::<Number>("Asked"), asking.queue::<Number>("Answered"));
        asking.until_wanted();
        let is_wanted = eventually(|| (view.statistics()[0].sent[0].peers > 0).then_some(()));
        is_wanted.expect("answers are wanted");
        let ask = |asked: &mut hemiola_bus::Publisher<Number>, number| asked.publish(Number { number });
        for number in 0..300 {
            ask(&mut asked, number);
            let answer = eventually(|| answered.receive().map(|answer| answer.number));
            assert_eq!(answer, Some(number + 1), "{address}");
        }
        is_over.store(true, Ordering::Relaxed);
        ask(&mut asked, 1000); // which ends its sleep
        serving.join().unwrap();
    });
}

#[test]
fn a_thread_that_sleeps_in_a_poll_answers() {
    addresses().into_iter().for_each(|address| each_is_answered(address, || None));
}

#[test]
fn a_thread_that_looks_without_sleeping_answers() {
    addresses().into_iter().for_each(|address| each_is_answered(address, || Some(Duration::ZERO)));
}

#[test]
fn a_thread_that_sometimes_sleeps_misses_nothing() {
    for address in addresses() {
        let mut polls = 0;
        let sleeps = move || {
            polls += 1;
            [Some(Duration::ZERO), Some(Duration::ZERO), None, Some(Duration::from_millis(1))][polls / 3 % 4]
        };
        each_is_answered(address, sleeps);
    }
}

#[test]
fn a_poll_takes_no_longer_than_it_may_and_says_goodbye_in_the_end() {
    let mut answering = Answering::open(listening(LinkAddress::Shm(free_path()), &["Answered"], &["Asked"]));
    let asking = Side::open("asking", connecting(answering.address(), &["Asked"], &["Answered"]));
    let meets = eventually(|| {
        answering.links.poll(Some(Duration::from_millis(1))).unwrap();
        (asking.statistics().met == 1).then_some(())
    });
    meets.expect("they meet, although nothing wakes the thread that polls");
    answering.links.close("it is late");
    let link = asking.until(|link| link.peers.is_empty());
    assert!(asking.notes().iter().any(|note| note.contains("it is late")), "{link} {:?}", asking.notes());
}

#[test]
fn what_the_thread_publishes_itself_leaves_when_it_looks_next() {
    // As a real-time thread does: it sends nothing while it publishes.
    refuse_errands();
    let mut answering = Answering::open(listening(LinkAddress::Shm(free_path()), &["Answered"], &["Asked"]));
    let asking = Side::open("asking", connecting(answering.address(), &["Asked"], &["Answered"]));
    let mut answered = asking.queue::<Number>("Answered");
    let is_wanted = eventually(|| {
        answering.links.poll(Some(Duration::ZERO)).unwrap();
        (answering.links.statistics()[0].sent[0].peers == 1).then_some(())
    });
    is_wanted.expect("answers are wanted");
    for number in 0..100 {
        answering.answers.publish(Number { number });
        // The second one finishes what the first one has begun.
        (0..2).for_each(|_| answering.links.poll(Some(Duration::ZERO)).unwrap());
        assert_eq!(answering.links.statistics()[0].sent[0].messages, number + 1);
        let answer = eventually(|| answered.receive().map(|answer| answer.number));
        assert_eq!(answer, Some(number));
    }
}

#[test]
fn whatever_else_the_thread_waits_for_ends_its_sleep() {
    let mut answering = Answering::open(listening(LinkAddress::Shm(free_path()), &["Answered"], &["Asked"]));
    let event = answering.links.event();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let serving = scope.spawn(|| answering.serve(&is_over, || None));
        is_over.store(true, Ordering::Relaxed);
        event.notify_one();
        serving.join().unwrap();
    });
    for _ in 0..3 {
        event.notify_one();
        answering.links.poll(None).unwrap();
    }
}
