//! The reports and notifications of a bus about its topics and services.
#![cfg(not(loom))]

use hemiola_bus::{Bus, Executor, Priority, RobotClock};
use hemiola_realtime::Wakeup;
use std::sync::{Arc, mpsc};

#[test]
fn who_watches_learns_of_each_topic_and_server_that_comes_and_of_nothing_else() {
    let (bus, wakeup) = (Bus::new(), Arc::new(Wakeup::new()));
    let _before = bus.topic::<u8>("before").unwrap();
    let watch = bus.watch(wakeup.clone().into());
    let seen = wakeup.generation();
    let _again = bus.topic::<u8>("before").unwrap();
    let _client = bus.client::<u8, u8>("service").unwrap();
    assert!(bus.topic::<u16>("before").is_err());
    assert_eq!(wakeup.generation(), seen, "nothing has come");

    let topic = bus.topic::<u8>("topic").unwrap();
    let topic_seen = wakeup.generation();
    assert_ne!(topic_seen, seen);
    let server = bus.server::<u8, u8>("service", 1).unwrap();
    let server_seen = wakeup.generation();
    assert_ne!(server_seen, topic_seen);
    drop((topic, server));
    assert_eq!(wakeup.generation(), server_seen, "what goes is seen in the lists");

    let _topic = bus.topic::<u8>("topic").unwrap();
    let last = wakeup.generation();
    assert_ne!(last, server_seen, "it was gone");
    drop(watch);
    let _other = bus.topic::<u8>("other").unwrap();
    assert_eq!(wakeup.generation(), last, "nobody watches any more");
}

#[test]
fn an_executor_can_subscribe_to_topics_that_come_while_it_runs() {
    let bus = Bus::new();
    let mut executor = Executor::new("recorder", &Arc::new(RobotClock::running(1.0)));
    let (found, names) = mpsc::channel();
    let recorder = bus.clone();
    let mut known = 0;
    let (_, _watch) = executor
        .attend("topics", Priority(1), |signal| {
            let look = move || {
                let topics = recorder.topics();
                let is_new = topics.len() > known;
                topics.iter().skip(known).for_each(|topic| found.send(topic.name.clone()).unwrap());
                known = topics.len();
                is_new
            };
            (look, bus.watch(signal))
        })
        .unwrap();
    executor.run_ready();
    let _topics = ["battery", "pose"].map(|name| {
        let topic = bus.topic::<f32>(name).unwrap();
        executor.run_ready();
        topic
    });
    assert_eq!(names.try_iter().collect::<Vec<_>>(), ["battery", "pose"]);
}
