//! Equal priorities are served in the order of arrival, whatever arrives, and however many
//! callbacks come and go meanwhile.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use hemiola_bus::{
    Actor, ActorHandle, AnswerFuture, Bus, BusError, Client, Executor, Priority, Publisher, RobotClock, WhenFull,
};
use hemiola_model::Time;
use proptest::prelude::*;

const PRIORITIES: u16 = 3;

/// A capacity that is never reached, so that nothing is dropped or refused.
const CAPACITY: usize = 256;

type Log = mpsc::Sender<u64>;

/// An arrival, with its priority and one of two senders, or another step.
#[derive(Debug, Clone, Copy)]
enum Step {
    Message {
        priority: u16,
        topic: usize,
        publisher: usize,
    },
    Call {
        priority: u16,
        handle: usize,
    },
    Request {
        priority: u16,
        client: usize,
    },
    Tick {
        priority: u16,
    },
    /// A number of turns of the executor.
    Turns(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let priority = || 0..PRIORITIES;
    prop_oneof![
        4 => (priority(), 0..2_usize, 0..2_usize)
            .prop_map(|(priority, topic, publisher)| Step::Message { priority, topic, publisher }),
        2 => (priority(), 0..2_usize).prop_map(|(priority, handle)| Step::Call { priority, handle }),
        2 => (priority(), 0..2_usize).prop_map(|(priority, client)| Step::Request { priority, client }),
        2 => priority().prop_map(|priority| Step::Tick { priority }),
        4 => (1..6_usize).prop_map(Step::Turns),
    ]
}

/// Everything that can be reached at one priority.
struct Level {
    topics: [[Publisher<u64>; 2]; 2],
    actors: [ActorHandle<Log>; 2],
    clients: [Client<u64, ()>; 2],
}

impl Level {
    fn new(bus: &Bus, executor: &mut Executor, priority: u16, log: &Log) -> Self {
        let topics = [0, 1].map(|number| {
            let (topic, log) = (bus.topic(&format!("{priority} {number}")).unwrap(), log.clone());
            let callback = move |item: &u64| log.send(*item).unwrap();
            executor.subscribe(&topic, Priority(priority), CAPACITY, WhenFull::DropNewest, callback).unwrap();
            [topic.publisher(), topic.publisher()]
        });
        let attended = executor.attend("actor", Priority(priority), |signal| {
            let (mut actor, handle) = Actor::with_signal(log.clone(), CAPACITY, signal);
            (move || actor.run(1) > 0, handle)
        });
        let (_, handle) = attended.unwrap();
        let (service, log) = (format!("service {priority}"), log.clone());
        let answer = move |item: &u64| log.send(*item).unwrap();
        executor.serve(bus, &service, Priority(priority), CAPACITY, answer).unwrap();
        let clients = [0, 1].map(|_| bus.client(&service).unwrap());
        Self { topics, actors: [handle.clone(), handle], clients }
    }
}

/// The items that have arrived and were not served, according to the promise.
#[derive(Default)]
struct Line {
    /// The priority and the item, in the order of arrival.
    arrived: Vec<(u16, u64)>,
    /// Ticks that are due, but not noticed yet.
    due: Vec<(u16, u64)>,
}

impl Line {
    fn serve(&mut self) -> Option<u64> {
        self.arrived.append(&mut self.due);
        let most = self.arrived.iter().map(|(priority, _)| *priority).max()?;
        let first = self.arrived.iter().position(|(priority, _)| *priority == most)?;
        Some(self.arrived.remove(first).1)
    }
}

proptest! {
    #[test]
    fn what_arrives_is_served_by_priority_then_in_the_order_of_arrival(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let (bus, clock) = (Bus::new(), Arc::new(RobotClock::stepped()));
        let mut executor = Executor::new("line", &clock);
        let (log, served) = mpsc::channel();
        let mut levels: Vec<_> =
            (0..PRIORITIES).map(|priority| Level::new(&bus, &mut executor, priority, &log)).collect();
        // The executor notices actors when they are added.
        executor.run_ready();
        let mut line = Line::default();
        let mut answers: Vec<AnswerFuture<()>> = Vec::new();
        let everything = steps.len() * 6;
        for (item, step) in steps.into_iter().chain([Step::Turns(everything)]).enumerate() {
            let item = item as u64;
            // Each tick is due at a time of its own.
            clock.set(Time::ZERO + Duration::from_millis(item));
            match step {
                Step::Message { priority, topic, publisher } => {
                    levels[usize::from(priority)].topics[topic][publisher].publish(item);
                    line.arrived.push((priority, item));
                }
                Step::Call { priority, handle } => {
                    let call = move |log: &mut Log| log.send(item).unwrap();
                    prop_assert!(levels[usize::from(priority)].actors[handle].send(call).is_ok());
                    line.arrived.push((priority, item));
                }
                Step::Request { priority, client } => {
                    answers.push(levels[usize::from(priority)].clients[client].call_async(item).unwrap());
                    line.arrived.push((priority, item));
                }
                Step::Tick { priority } => {
                    let log = log.clone();
                    executor.once(Duration::ZERO, Priority(priority), move |_| log.send(item).unwrap()).unwrap();
                    line.due.push((priority, item));
                }
                Step::Turns(turns) => {
                    for _ in 0..turns {
                        let expected = line.serve();
                        prop_assert_eq!(executor.run_one(), expected.is_some());
                        prop_assert_eq!(served.try_iter().collect::<Vec<_>>(), Vec::from_iter(expected));
                    }
                }
            }
        }
        prop_assert!(line.arrived.is_empty());
    }

    /// Between any two turns, timers of the same priority that are due at once are added, others
    /// are added and removed, and callbacks join and leave the topic; each time more than one turn
    /// handles.
    #[test]
    fn nobody_who_has_arrived_is_held_up_by_callbacks_that_come_and_go(
        messages in 1..64_usize,
        calls in 0..64_usize,
        flood in prop::collection::vec(0..4_u8, 0..24),
    ) {
        let (bus, clock) = (Bus::new(), Arc::new(RobotClock::stepped()));
        let mut executor = Executor::new("line", &clock);
        let (log, served) = mpsc::channel();
        let mut level = Level::new(&bus, &mut executor, 1, &log);
        executor.run_ready();
        let handle = executor.handle();
        let topic = bus.topic::<u64>("1 0").unwrap();
        for item in 0..messages.max(calls) as u64 {
            if item < messages as u64 {
                level.topics[0][0].publish(item);
            }
            if item < calls as u64 {
                assert!(level.actors[0].send(move |log: &mut Log| log.send(item).unwrap()).is_ok());
            }
        }
        let expected: Vec<u64> = (0..messages.max(calls) as u64)
            .flat_map(|item| [(item < messages as u64).then_some(item), (item < calls as u64).then_some(item)])
            .flatten()
            .collect();
        for _ in 0..expected.len() {
            for change in &flood {
                // Changes beyond the capacity are refused.
                let changed = match change {
                    0 => handle.once(Duration::ZERO, Priority(1), |_| ()).map(drop),
                    1 => handle.every(Duration::from_millis(1), Priority(1), |_| ()).and_then(|id| handle.remove(id)),
                    2 => handle
                        .subscribe(&topic, Priority(1), CAPACITY, WhenFull::DropNewest, |_| ())
                        .and_then(|id| handle.remove(id)),
                    _ => handle
                        .subscribe(&topic, Priority(1), 4, WhenFull::DropOldest, |_| ())
                        .and_then(|id| handle.remove(id)),
                };
                let refused = matches!(
                    changed,
                    Ok(()) | Err(BusError::ExecutorBusy { .. } | BusError::TooManyCallbacks { .. })
                );
                prop_assert!(refused);
            }
            prop_assert!(executor.run_one());
        }
        prop_assert_eq!(served.try_iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_turn_makes_so_many_changes_at_most_and_an_idle_executor_makes_all() {
    let clock = Arc::new(RobotClock::stepped());
    let mut executor = Executor::new("line", &clock);
    let topic = Bus::new().topic::<u64>("busy").unwrap();
    executor.subscribe(&topic, Priority(1), 4, WhenFull::DropNewest, |_| ()).unwrap();
    let (handle, mut publisher) = (executor.handle(), topic.publisher());
    // Each timer is due before the one that was added before it.
    for seconds in (1..=20).rev() {
        handle.at(Time::from_seconds(f64::from(seconds)), Priority(1), |_| ()).unwrap();
    }
    for due in [13, 5] {
        publisher.publish(1);
        assert!(executor.run_one());
        assert_eq!(executor.next_due(), Some(Time::from_seconds(f64::from(due))));
    }
    assert!(!executor.run_one());
    assert_eq!(executor.next_due(), Some(Time::from_seconds(1.0)));
}

#[test]
fn an_answer_waits_in_line_with_messages() {
    let (bus, clock) = (Bus::new(), Arc::new(RobotClock::stepped()));
    let mut executor = Executor::new("line", &clock);
    let (log, served) = mpsc::channel();
    let mut publisher = bus.topic::<&str>("message").unwrap().publisher();
    let messages = log.clone();
    let callback = move |text: &&'static str| messages.send(*text).unwrap();
    executor.subscribe(&bus.topic("message").unwrap(), Priority(1), 16, WhenFull::DropNewest, callback).unwrap();
    let mut server = bus.server::<(), ()>("question", 4).unwrap();
    let mut client = bus.client::<(), ()>("question").unwrap();
    executor.call(&mut client, (), Priority(1), move |_| log.send("answer").unwrap()).unwrap();
    executor.run_ready();
    ["before", "before"].into_iter().for_each(|text| publisher.publish(text));
    server.run(1, |()| ());
    ["after", "after"].into_iter().for_each(|text| publisher.publish(text));
    executor.run_ready();
    assert_eq!(served.try_iter().collect::<Vec<_>>(), ["before", "before", "answer", "after", "after"]);
}
