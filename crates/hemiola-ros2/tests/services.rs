//! Services between two nodes.

mod common;

use std::time::Duration;

use common::{AddTwoIntsRequest, AddTwoIntsResponse, Side};
use hemiola_bus::{AnswerError, CallError};
use hemiola_model::configuration::{Ros2Configuration, Ros2Service};
use hemiola_realtime::ThreadSettings;

const PATIENCE: Duration = Duration::from_secs(60);

fn serving(name: &str, service: &str) -> Ros2Configuration {
    Ros2Configuration { serve: vec![Ros2Service::new(name, service)], ..Ros2Configuration::default() }
}

fn calling(name: &str, service: &str) -> Ros2Configuration {
    Ros2Configuration { call: vec![Ros2Service::new(name, service)], ..Ros2Configuration::default() }
}

#[test]
fn a_robot_calls_what_another_one_serves_until_it_is_gone() {
    let laptop = Side::router("laptop", calling("/add_two_ints", "Add"));
    laptop.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("Add");
    let mut client = laptop.bus.client::<AddTwoIntsRequest, AddTwoIntsResponse>("Add").unwrap();
    for round in 0..=1 {
        let rover = Side::of(&laptop, "rover", serving("/add_two_ints", "AddTwoInts"));
        rover.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("AddTwoInts");
        let server = rover.bus.server("AddTwoInts", 4).unwrap();
        let add = |asked: &AddTwoIntsRequest| AddTwoIntsResponse { sum: asked.a + asked.b };
        let server = server.spawn(ThreadSettings::new("add"), add).unwrap();
        laptop.until(|node| node.called[0].peers == 1);
        let before = laptop.node.statistics().called[0].answers;
        for a in 1..=3 {
            let answer = client.call(AddTwoIntsRequest { a, b: 40 }, PATIENCE).unwrap();
            assert_eq!(answer, AddTwoIntsResponse { sum: a + 40 });
        }
        let called = laptop.until(|node| node.called[0].answers == before + 3).called.remove(0);
        assert_eq!((called.unanswered, called.refused, called.in_flight), (0, round, 0));
        assert_eq!(rover.until(|node| node.served[0].answers == 3).served[0].in_flight, 0);
        // Once the server in the robot has gone and that was noticed, nobody serves it in the
        // system.
        drop(server);
        let unserved = client.call(AddTwoIntsRequest { a: 1, b: 1 }, PATIENCE);
        assert!(matches!(unserved, Err(CallError::NoAnswer(AnswerError::Refused))), "{unserved:?}");
        laptop.until(|node| node.called[0].peers == 0);
        let unserved = client.call(AddTwoIntsRequest { a: 1, b: 1 }, PATIENCE);
        assert!(matches!(unserved, Err(CallError::NotSent(_))), "{unserved:?}");
    }
}

#[test]
fn whoever_waits_for_a_node_that_leaves_knows() {
    let laptop = Side::router("laptop", calling("/add", "Add"));
    laptop.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("Add");
    let mut client = laptop.bus.client::<AddTwoIntsRequest, AddTwoIntsResponse>("Add").unwrap();
    let rover = Side::of(&laptop, "rover", serving("/add", "Add"));
    rover.bus.allow_calls::<AddTwoIntsRequest, AddTwoIntsResponse>("Add");
    // This server receives requests and never answers.
    let _server = rover.bus.server::<AddTwoIntsRequest, AddTwoIntsResponse>("Add", 4).unwrap();
    laptop.until(|node| node.called[0].peers == 1);
    let waiting = std::thread::spawn(move || client.call(AddTwoIntsRequest { a: 1, b: 1 }, PATIENCE));
    rover.until(|node| node.served[0].in_flight == 1);
    drop(rover);
    let answer = waiting.join().unwrap();
    assert!(matches!(answer, Err(CallError::NoAnswer(AnswerError::Ended))), "{answer:?}");
    assert_eq!(laptop.until(|node| node.called[0].in_flight == 0).called[0].unanswered, 1);
}
