//! A foreign node: ROBOTIS's zenoh-ros2-sdk, which implements the conventions of rmw_zenoh in
//! Python.

mod common;

use std::time::{Duration, Instant};

use common::foreign::Foreign;
use common::{AddTwoIntsRequest, AddTwoIntsResponse, Side, next, publishing, subscribing};
use hemiola_bus::{AnswerError, CallError};
use hemiola_model::configuration::{Ros2Configuration, Ros2Quality, Ros2Service};
use hemiola_realtime::ThreadSettings;
use hemiola_ros::geometry_msgs::Vector3;

const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the foreign node in the system of a router.
fn start(router: &Side) -> Option<Foreign> {
    Foreign::start("ros2_node.py", &router.address())
}

fn vector(x: f64) -> Vector3 {
    Vector3 { x, y: -x, z: 0.5 }
}

#[test]
fn topics_go_both_ways_also_when_the_other_one_was_killed_and_comes_back() {
    let out = publishing("/rover/speed", "Speed", Ros2Quality::Reliable);
    let both =
        Ros2Configuration { subscribe: subscribing("/command", "Command", Ros2Quality::Reliable).subscribe, ..out };
    let rover = Side::router("rover", both);
    let (mut speeds, mut commands) = (rover.publisher::<Vector3>("Speed"), rover.queue::<Vector3>("Command"));
    for round in 1..=2 {
        let Some(mut foreign) = start(&rover) else { return };
        foreign.tell("subscribe /rover/speed reliable");
        assert_eq!(foreign.hear(), "subscribed /rover/speed");
        foreign.tell("publisher /command");
        assert_eq!(foreign.hear(), "publisher /command");
        rover.until(|node| node.sent[0].peers == 1 && node.received[0].peers == 1);
        // It announces itself before it has subscribed; by now it has.
        for number in 1..=3 {
            speeds.publish(vector(f64::from(number)));
            assert_eq!(foreign.hear(), format!("/rover/speed {number}.0 -{number}.0 0.5"));
            foreign.tell(&format!("publish {number} -{number} 0.5"));
            assert_eq!(foreign.hear(), "published");
            assert_eq!(next(&mut commands), vector(f64::from(number)));
        }
        let seen = rover.node.statistics();
        assert_eq!((seen.received[0].lost, seen.received[0].unreadable, seen.problem), (0, 0, None));
        assert!(seen.peers.iter().any(|peer| peer.name == "/foreign"), "{:?}", seen.peers);
        drop(foreign);
        let left = rover.until(|node| node.peers.is_empty() && node.sent[0].peers + node.received[0].peers == 0);
        assert_eq!(left.received[0].messages, 3 * round);
    }
    assert!(rover.notes().is_empty(), "{:?}", rover.notes());
}

#[test]
fn whoever_comes_late_gets_what_is_transient_local() {
    let slam = Side::router("slam", publishing("/origin", "Origin", Ros2Quality::TransientLocal));
    let mut origins = slam.publisher::<Vector3>("Origin");
    slam.until(|node| node.sent[0].is_there);
    (1..=3).for_each(|number| origins.publish(vector(f64::from(number))));
    slam.until(|node| node.sent[0].messages == 3);
    let Some(mut late) = start(&slam) else { return };
    late.tell("subscribe /origin transient-local");
    // Of the messages from before it subscribed, it receives the last one of each key.
    assert_eq!(late.hear(), "/origin 3.0 -3.0 0.5");
    assert_eq!(late.hear(), "subscribed /origin");
    origins.publish(vector(4.0));
    assert_eq!(late.hear(), "/origin 4.0 -4.0 0.5");
}

#[test]
fn services_are_called_both_ways() {
    let service = |name: &str| Ros2Service::new(name, "AddTwoInts");
    let rover =
        Side::router("rover", Ros2Configuration { serve: vec![service("/rover/add")], ..Ros2Configuration::default() });
    rover.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("AddTwoInts");
    let add = |asked: &AddTwoIntsRequest| AddTwoIntsResponse { sum: asked.a + asked.b };
    let _server = rover.bus.server("AddTwoInts", 4).unwrap().spawn(ThreadSettings::new("add"), add).unwrap();
    rover.until(|node| node.served[0].is_there);
    let calling = Ros2Configuration { call: vec![service("/foreign/add")], ..Ros2Configuration::default() };
    let caller = Side::of(&rover, "caller", calling);
    caller.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("AddTwoInts");
    let Some(mut foreign) = start(&rover) else { return };
    foreign.tell("client /rover/add");
    assert_eq!(foreign.hear(), "client /rover/add");
    for a in 1..=3 {
        foreign.tell(&format!("call {a} 40"));
        assert_eq!(foreign.hear(), format!("answer {}", a + 40));
    }
    assert_eq!(rover.until(|node| node.served[0].answers == 3).served[0].calls, 3);
    foreign.tell("serve /foreign/add");
    assert_eq!(foreign.hear(), "serving /foreign/add");
    caller.until(|node| node.called[0].peers == 1);
    let mut client = caller.bus.client::<AddTwoIntsRequest, AddTwoIntsResponse>("AddTwoInts").unwrap();
    let patience = Instant::now() + PATIENCE;
    for a in 1..=3 {
        let sum = loop {
            match client.call(AddTwoIntsRequest { a, b: 2 }, PATIENCE) {
                Ok(answer) => break answer.sum,
                // It announces the service before it can serve it.
                Err(CallError::NoAnswer(AnswerError::Ended)) if Instant::now() < patience => {}
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!((sum, foreign.hear()), (a + 2, format!("asked {a} 2")));
    }
    // Once it is killed, nobody serves the service, and callers are refused at once.
    drop(foreign);
    caller.until(|node| node.called[0].peers == 0);
    let asked = client.call(AddTwoIntsRequest { a: 1, b: 2 }, PATIENCE);
    assert!(matches!(asked, Err(CallError::NotSent(_))), "{asked:?}");
}
