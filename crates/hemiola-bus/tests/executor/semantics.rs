//! Callbacks are called at the same times as in simulations of the published semantics: of ROS 2's
//! executors, and of PiCAS's, which goes by priority. The cases are those of
//! `executor-semantics.json`; times are in milliseconds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::{Bus, Executor, Order, Priority, Publisher, RobotClock, Topic, WhenFull};
use hemiola_model::Time;
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    horizon: u32,
    callbacks: Vec<Callback>,
    picas_priority: Vec<u16>,
    expected: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct Callback {
    /// The execution time.
    c: u32,
    #[serde(rename = "pub")]
    publishes: Vec<String>,
    /// The period of a timer.
    period: Option<u32>,
    /// The topic of a subscription.
    topic: Option<String>,
    #[serde(default)]
    depth: usize,
    /// The times at which messages arrive from outside.
    #[serde(default)]
    ext: Vec<u32>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Expected {
    /// The times at which callbacks start, and their numbers.
    start: Vec<(u32, usize)>,
    dropped: Vec<u64>,
}

type Publishers = Arc<Mutex<BTreeMap<String, Publisher<u32>>>>;

/// The world outside of the executor, and the starts of callbacks.
struct World {
    clock: Arc<RobotClock>,
    publishers: Publishers,
    /// The times at which messages arrive from outside, and their topics; the next one is last.
    arrivals: Mutex<Vec<(u32, String)>>,
    starts: Mutex<Vec<(u32, usize)>>,
}

impl World {
    fn now(&self) -> u32 {
        (self.clock.now().nanoseconds() / 1_000_000) as u32
    }

    /// Advances the time to `now`, and publishes the messages that arrive until then.
    fn pass(&self, now: u32) {
        self.clock.set(Time::ZERO + now * Duration::from_millis(1));
        let mut arrivals = self.arrivals.lock().unwrap();
        while let Some((time, topic)) = arrivals.pop_if(|(time, _)| *time <= now) {
            self.publish(&topic, time);
        }
    }

    fn publish(&self, topic: &str, message: u32) {
        self.publishers.lock().unwrap().get_mut(topic).unwrap().publish(message);
    }

    fn call(&self, index: usize, callback: &Callback) {
        let start = self.now();
        self.starts.lock().unwrap().push((start, index));
        self.pass(start + callback.c);
        callback.publishes.iter().for_each(|topic| self.publish(topic, start));
    }
}

fn run(case: Case, order: Order) -> Expected {
    let clock = Arc::new(RobotClock::stepped());
    let mut executor = Executor::new(&*case.id, &clock).order(order);
    let bus = Bus::new();
    let topics: BTreeMap<String, Topic<u32>> = case
        .callbacks
        .iter()
        .flat_map(|callback| callback.publishes.iter().chain(&callback.topic))
        .map(|name| (name.clone(), bus.topic(name).unwrap()))
        .collect();
    let publishers = topics.iter().map(|(name, topic)| (name.clone(), topic.publisher())).collect();
    let from_outside = |callback: &Callback| {
        let topic = callback.topic.clone().unwrap_or_default();
        callback.ext.iter().map(move |&time| (time, topic.clone())).collect::<Vec<_>>()
    };
    let mut arrivals: Vec<_> = case.callbacks.iter().flat_map(from_outside).collect();
    arrivals.sort_by(|a, b| b.cmp(a));
    let world = Arc::new(World {
        clock,
        publishers: Arc::new(Mutex::new(publishers)),
        arrivals: Mutex::new(arrivals),
        starts: Mutex::default(),
    });
    let subscribed: Vec<Option<String>> = case.callbacks.iter().map(|callback| callback.topic.clone()).collect();
    for ((index, callback), priority) in case.callbacks.into_iter().enumerate().zip(case.picas_priority) {
        let (world, priority) = (world.clone(), Priority(priority));
        match (callback.period, callback.topic.clone()) {
            (Some(period), _) => {
                let period = period * Duration::from_millis(1);
                executor.every(period, priority, move |_| world.call(index, &callback)).unwrap();
            }
            (None, Some(topic)) => {
                let (topic, depth) = (&topics[&topic], callback.depth);
                let callback = move |_: &u32| world.call(index, &callback);
                executor.subscribe(topic, priority, depth, WhenFull::DropOldest, callback).unwrap();
            }
            (None, None) => panic!("{}: neither a timer nor a subscription", case.id),
        }
    }
    loop {
        while world.now() < case.horizon && executor.run_one() {}
        let timer = executor.next_due().map(|due| (due.nanoseconds() / 1_000_000) as u32);
        let arrival = world.arrivals.lock().unwrap().last().map(|(time, _)| *time);
        match timer.into_iter().chain(arrival).min() {
            Some(next) if next < case.horizon && world.now() < case.horizon => world.pass(next),
            _ => break,
        }
    }
    // These cases have one queue per topic.
    let dropped = |topic: &Option<String>| topic.as_ref().map_or(0, |topic| topics[topic].report().dropped);
    let dropped = subscribed.iter().map(dropped).collect();
    let start = std::mem::take(&mut *world.starts.lock().unwrap());
    Expected { start, dropped }
}

/// Checks all cases, or none (which is printed) if the shared data does not exist.
fn agrees(semantics: &str, order: Order) {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("data/oracles/executor-semantics.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return eprintln!("SKIPPED: {} cannot be read; set HEMIOLA_SHARED to where the data lies", path.display());
    };
    let cases: Cases = serde_json::from_str(&text).unwrap();
    assert!(cases.cases.len() >= 30);
    for mut case in cases.cases {
        let (id, expected) = (case.id.clone(), case.expected.remove(semantics).unwrap());
        assert_eq!(run(case, order), expected, "{id}");
    }
}

#[test]
fn by_priority_it_agrees_with_picas() {
    agrees("picas", Order::Priority);
}

#[test]
fn in_ros2s_order_it_agrees_with_the_wait_set() {
    agrees("wait_set", Order::Ros2);
}

#[test]
fn in_crystals_order_it_agrees_with_crystal() {
    agrees("crystal", Order::Ros2Crystal);
}
