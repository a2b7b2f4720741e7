//! Properties of all orders of publishing and receiving: a queue gives what its policy promises,
//! what is held stays as it is, and slots suffice.

use crate::{Bus, Signal, WhenFull};
use hemiola_realtime::Wakeup;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

thread_local! {
    static SLOTS_MADE: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Copy)]
struct Number(u64);

impl Default for Number {
    fn default() -> Self {
        SLOTS_MADE.set(SLOTS_MADE.get() + 1);
        Number(0)
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Publish(usize),
    /// Receives up to so many messages, and publishes so many while they are held.
    Batch(usize, usize),
    /// Receives one message, and publishes so many while it is held.
    Receive(usize),
    /// Asks whether there are messages, which releases what was held.
    Look,
    /// Replaces the publisher by another one.
    Replace,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..9_usize).prop_map(Step::Publish),
        3 => (0..9_usize, 0..20_usize).prop_map(|(limit, meanwhile)| Step::Batch(limit, meanwhile)),
        3 => (0..20_usize).prop_map(Step::Receive),
        1 => Just(Step::Look),
        1 => Just(Step::Replace),
    ]
}

/// What a queue gets.
#[derive(Debug, Clone)]
enum Gets {
    References,
    Copies(Signal),
}

fn gets() -> impl Strategy<Value = Gets> {
    let wakeup = Signal::from(Arc::new(Wakeup::new()));
    prop_oneof![Just(Gets::References), Just(Gets::Copies(Signal::Nothing)), Just(Gets::Copies(wakeup))]
}

fn when_full() -> impl Strategy<Value = WhenFull> {
    prop_oneof![Just(WhenFull::DropOldest), Just(WhenFull::DropNewest), Just(WhenFull::Wait)]
}

/// The messages that should wait in a queue.
struct Expected {
    waiting: VecDeque<u64>,
    capacity: usize,
    when_full: WhenFull,
}

impl Expected {
    fn push(&mut self, number: u64) {
        if self.waiting.len() == self.capacity {
            if self.when_full != WhenFull::DropOldest {
                return;
            }
            self.waiting.pop_front();
        }
        self.waiting.push_back(number);
    }

    fn take(&mut self, limit: usize) -> Vec<u64> {
        self.waiting.drain(..limit.min(self.waiting.len())).collect()
    }
}

proptest! {
    #[test]
    fn a_queue_keeps_its_policy_and_what_is_held_stays_as_it_is(
        capacity in 1..10_usize,
        when_full in when_full(),
        gets in gets(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        SLOTS_MADE.set(0);
        let topic = Bus::new().topic("test").unwrap();
        let mut publisher = Some(topic.publisher());
        let copies = matches!(gets, Gets::Copies(_));
        let mut queue = match gets {
            Gets::References => topic.queue(capacity, when_full),
            Gets::Copies(signal) => topic.queue_of_copies(capacity, when_full, signal),
        };
        let mut expected = Expected { waiting: VecDeque::new(), capacity, when_full };
        let mut numbers = 1..;
        let mut publish = |publisher: &mut Option<crate::Publisher<Number>>, expected: &mut Expected, count: usize| {
            for number in numbers.by_ref().take(count) {
                publisher.as_mut().unwrap().publish(Number(number));
                expected.push(number);
            }
        };
        for step in steps {
            match step {
                Step::Publish(count) => publish(&mut publisher, &mut expected, count),
                Step::Batch(limit, meanwhile) => {
                    let batch = queue.batch(limit);
                    let due = expected.take(limit);
                    publish(&mut publisher, &mut expected, meanwhile);
                    prop_assert!(batch.iter().all(|number| number.sequence() + 1 == number.0));
                    prop_assert_eq!(batch.iter().map(|number| number.0).collect::<Vec<_>>(), due);
                }
                Step::Receive(meanwhile) => {
                    let message = queue.receive();
                    let due = expected.take(1);
                    publish(&mut publisher, &mut expected, meanwhile);
                    prop_assert!(message.is_none_or(|number| number.sequence() + 1 == number.0));
                    prop_assert_eq!(message.map(|number| number.0), due.first().copied());
                }
                Step::Look => prop_assert_eq!(queue.has_messages(), !expected.waiting.is_empty()),
                Step::Replace => {
                    drop(publisher.take());
                    publisher = Some(topic.publisher());
                }
            }
        }
        // Slots are needed for what waits, what the receiver holds, and what the publisher fills;
        // what is copied waits, and is held, in the lane.
        let is_copied = copies && when_full != WhenFull::DropOldest;
        prop_assert_eq!(SLOTS_MADE.get(), if is_copied { 1 } else { 2 * capacity + 1 });
    }

    /// However many come and go, only those that the publisher has seen last can have something
    /// that it has yet to take back.
    #[test]
    fn receivers_that_come_and_go_leave_nothing_behind(
        capacity in 1..10_usize,
        published in prop::collection::vec(0..3_usize, 1..60),
    ) {
        SLOTS_MADE.set(0);
        let topic = Bus::new().topic("test").unwrap();
        let mut publisher = topic.publisher();
        for count in published {
            let (mut queue, mut latest) = (topic.queue(capacity, WhenFull::DropOldest), topic.latest());
            (0..count).for_each(|_| publisher.publish(Number(1)));
            prop_assert_eq!(queue.batch(capacity).len(), count.min(capacity));
            prop_assert_eq!(latest.get().is_some(), count > 0);
        }
        let of_one_round = 2 * capacity + 2;
        prop_assert!(SLOTS_MADE.get() <= 3 * of_one_round + 1, "{} slots", SLOTS_MADE.get());
    }
}
