//! Topics between two nodes.

mod common;

use std::time::Duration;

use common::{Side, next, publishing, subscribing};
use hemiola::prelude::*;
use hemiola_model::configuration::{Ros2Configuration, Ros2Quality, Ros2Router, Ros2Subscribed, Subject};
use hemiola_ros::geometry_msgs::{Point, Twist, Vector3};

const QUALITIES: [Ros2Quality; 3] = [Ros2Quality::Reliable, Ros2Quality::BestEffort, Ros2Quality::TransientLocal];

fn point(x: f64) -> Point {
    Point { x, y: -x, z: 0.5 }
}

#[test]
fn messages_arrive_with_every_quality_and_both_ways() {
    for quality in QUALITIES {
        let rover = Side::router("rover", publishing("/rover/goal", "Goal", quality));
        let laptop = Side::of(&rover, "laptop", subscribing("/rover/goal", "Target", quality));
        let (mut goals, mut targets) = (rover.publisher::<Point>("Goal"), laptop.queue::<Point>("Target"));
        rover.until_wanted();
        for number in 1..=5 {
            goals.publish(point(f64::from(number)));
            assert_eq!(next(&mut targets), point(f64::from(number)));
        }
        let sent = rover.until(|node| node.sent[0].messages == 5);
        assert_eq!((sent.sent[0].dropped, sent.sent[0].unsendable, sent.problem), (0, 0, None));
        let received = laptop.until(|node| node.received[0].messages == 5);
        assert_eq!((received.received[0].lost, received.received[0].bytes), (0, sent.sent[0].bytes));
        assert_eq!(received.peers[0].name, "/rover");
        assert!(rover.notes().is_empty() && laptop.notes().is_empty(), "{:?} {:?}", rover.notes(), laptop.notes());
    }
}

#[test]
fn whoever_comes_late_gets_what_is_transient_local() {
    let slam = Side::router("slam", publishing("/map", "Map", Ros2Quality::TransientLocal));
    let mut maps = slam.publisher::<Point>("Map");
    slam.until(|node| node.sent[0].is_there);
    (1..=3).for_each(|number| maps.publish(point(f64::from(number))));
    slam.until(|node| node.sent[0].messages == 3);
    for (late, before) in [("viewer", 3), ("planner", 4)] {
        let late = Side::of(&slam, late, subscribing("/map", "Map", Ros2Quality::TransientLocal));
        let mut seen = late.queue::<Point>("Map");
        for number in 1..=before {
            assert_eq!(next(&mut seen).x, f64::from(number));
        }
        slam.until_wanted();
        maps.publish(point(f64::from(before + 1)));
        assert_eq!(next(&mut seen).x, f64::from(before + 1));
        drop(late);
        slam.until(|node| node.sent[0].peers == 0);
    }
}

#[test]
fn a_topic_under_another_name_is_that_topic() {
    let remap = vec![("/odom".to_owned(), "/front/odom".to_owned())];
    let odometry = publishing("/odom", "Odometry", Ros2Quality::Reliable);
    let rover = Side::router("rover", Ros2Configuration { remap, ..odometry });
    let laptop = Side::of(&rover, "laptop", subscribing("/front/odom", "Odometry", Ros2Quality::Reliable));
    let (mut driven, mut seen) = (rover.publisher::<Point>("Odometry"), laptop.queue::<Point>("Odometry"));
    rover.until_wanted();
    driven.publish(point(1.0));
    assert_eq!(next(&mut seen).x, 1.0);
}

#[test]
fn a_node_that_leaves_and_comes_back_is_served_again() {
    let rover = Side::router("rover", publishing("/odom", "Odometry", Ros2Quality::Reliable));
    let mut driven = rover.publisher::<Point>("Odometry");
    for round in 1..=3_u32 {
        let laptop = Side::of(&rover, "laptop", subscribing("/odom", "Odometry", Ros2Quality::Reliable));
        let mut seen = laptop.queue::<Point>("Odometry");
        rover.until_wanted();
        driven.publish(point(f64::from(round)));
        assert_eq!(next(&mut seen).x, f64::from(round));
        drop(laptop);
        let rover = rover.until(|node| node.peers.is_empty() && node.sent[0].peers == 0);
        assert_eq!((rover.met, rover.parted), (u64::from(round), u64::from(round)));
    }
}

#[test]
fn what_nobody_has_subscribed_to_is_not_sent() {
    let rover = Side::router("rover", publishing("/odom", "Odometry", Ros2Quality::Reliable));
    let laptop = Side::of(&rover, "laptop", subscribing("/odom", "Odometry", Ros2Quality::Reliable));
    let mut driven = rover.publisher::<Point>("Odometry");
    driven.publish(point(1.0));
    let mut seen = laptop.queue::<Point>("Odometry");
    rover.until_wanted();
    driven.publish(point(2.0));
    assert_eq!(next(&mut seen).x, 2.0);
    assert_eq!(rover.until(|node| node.sent[0].messages > 0).sent[0].messages, 1);
}

#[test]
fn two_types_of_one_topic_are_reported_once_on_both_sides() {
    let rover = Side::router("rover", publishing("/goal", "Goal", Ros2Quality::Reliable));
    let laptop = Side::of(&rover, "laptop", subscribing("/goal", "Goal", Ros2Quality::Reliable));
    let _goals = rover.publisher::<Point>("Goal");
    let _twists = laptop.queue::<Twist>("Goal");
    for side in [&rover, &laptop] {
        let problem = side.until(|node| node.problem.is_some()).problem.unwrap();
        assert!(problem.contains("`/goal`") && problem.contains("geometry_msgs/msg/Point"), "{problem}");
        assert!(problem.contains("geometry_msgs/msg/Twist"), "{problem}");
    }
    // Another node with the same mistake causes another remark; the same node does not.
    let viewer = Side::of(&rover, "viewer", subscribing("/goal", "Goal", Ros2Quality::Reliable));
    let _more = viewer.queue::<Vector3>("Goal");
    rover.until(|node| node.problem.as_ref().is_some_and(|problem| problem.contains("/viewer")));
    let about = |name: &str| rover.notes().iter().filter(|note| note.contains(name)).count();
    assert_eq!((about("/laptop"), about("/viewer")), (1, 1), "{:?}", rover.notes());
}

#[test]
fn two_definitions_of_one_type_are_reported_with_their_hashes() {
    /// A different definition of a point.
    #[derive(Representation, Clone, Default)]
    #[data(name = "geometry_msgs/Point")]
    struct Place {
        x: f32,
    }

    let rover = Side::router("rover", publishing("/goal", "Goal", Ros2Quality::Reliable));
    let laptop = Side::of(&rover, "laptop", subscribing("/goal", "Goal", Ros2Quality::Reliable));
    let (_goals, _places) = (rover.publisher::<Point>("Goal"), laptop.queue::<Place>("Goal"));
    let problem = rover.until(|node| node.problem.is_some()).problem.unwrap();
    assert_eq!(problem.matches("RIHS01_").count(), 2, "{problem}");
    assert_eq!(rover.until(|node| node.peers.len() == 1).sent[0].peers, 0);
}

#[test]
fn missed_deadlines_are_counted_at_both_ends_and_told_once() {
    let deadline = Some(Duration::from_millis(20));
    let mut offering = publishing("/odom", "Odometry", Ros2Quality::Reliable);
    offering.publish[0].deadline = deadline;
    let mut requesting = subscribing("/odom", "Odometry", Ros2Quality::Reliable);
    requesting.subscribe[0].deadline = deadline;
    let rover = Side::router("rover", offering);
    let laptop = Side::of(&rover, "laptop", requesting);
    let (mut driven, mut seen) = (rover.publisher::<Point>("Odometry"), laptop.queue::<Point>("Odometry"));
    rover.until_wanted();
    laptop.until(|node| node.received[0].peers == 1);
    // Supervision begins with the first message.
    assert_eq!((rover.node.statistics().sent[0].missed, laptop.node.statistics().received[0].missed), (0, 0));
    driven.publish(point(1.0));
    assert_eq!(next(&mut seen).x, 1.0);
    let sent = rover.until(|node| node.sent[0].missed > 2);
    let received = laptop.until(|node| node.received[0].missed > 2);
    assert!(
        sent.problem
            .is_some_and(|it| it == "`/odom` misses the deadline that it offers: nothing was published for 20ms")
    );
    assert!(
        received.problem.is_some_and(|it| it == "`/odom` misses the deadline that is requested: nothing came for 20ms")
    );
    assert_eq!((rover.notes().len(), laptop.notes().len()), (1, 1), "{:?} {:?}", rover.notes(), laptop.notes());
}

#[test]
fn a_deadline_that_is_not_offered_is_reported_on_both_sides() {
    let rover = Side::router("rover", publishing("/odom", "Odometry", Ros2Quality::Reliable));
    let mut requesting = subscribing("/odom", "Odometry", Ros2Quality::Reliable);
    requesting.subscribe[0].deadline = Some(Duration::from_millis(250));
    let laptop = Side::of(&rover, "laptop", requesting);
    let (_driven, _seen) = (rover.publisher::<Point>("Odometry"), laptop.queue::<Point>("Odometry"));
    for side in [&rover, &laptop] {
        let problem = side.until(|node| node.problem.is_some()).problem.unwrap();
        assert!(problem.contains("without a deadline and /laptop expects one of 250ms"), "{problem}");
    }
}

#[test]
fn whoever_wants_the_robots_clock_gets_it() {
    #[derive(Representation, Clone, Default)]
    #[data(name = "rosgraph_msgs/Clock")]
    struct RobotTime {
        clock: Time,
    }

    let rover = Side::router("rover", Ros2Configuration { clock: Some(1000.0), ..Ros2Configuration::default() });
    let viewer = Side::of(&rover, "viewer", subscribing("/clock", "RobotTime", Ros2Quality::BestEffort));
    let mut times = viewer.queue::<RobotTime>("RobotTime");
    let times: Vec<_> = (0..3).map(|_| next(&mut times).clock).collect();
    assert!(Time::ZERO < times[0] && times.is_sorted(), "{times:?}");
}

#[test]
fn a_second_router_at_one_address_is_an_error_with_the_remedy() {
    let rover = Side::router("rover", Ros2Configuration::default());
    let router = Ros2Router::Here(rover.address());
    let second = Ros2Configuration { router, ..Ros2Configuration::default() };
    let clock = std::sync::Arc::new(hemiola_bus::RobotClock::running(1.0));
    let host = hemiola_link::LinkHost::new("second", hemiola_bus::Bus::new(), clock, |_| {});
    let error = hemiola_ros2::RobotNode::open(&second, host).unwrap_err().to_string();
    assert!(error.contains("/second") && error.contains("set `router = false` in `[ros2]`"), "{error}");
    assert!(!error.contains(".rs:"), "where it is in the sources of Zenoh is of no use: {error}");
}

#[test]
fn a_router_that_is_away_is_reported_until_it_comes() {
    // The port is free again, but not soon given to others.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("tcp/127.0.0.1:{port}");
    let at = Ros2Configuration { router: Ros2Router::At(address.clone()), ..Ros2Configuration::default() };
    let rover = Side::open("rover", at);
    let problem = rover.until(|node| node.problem.is_some()).problem.unwrap();
    assert!(problem.starts_with(&format!("no router has been reached at {address}")), "{problem}");
    let here = Ros2Configuration { router: Ros2Router::Here(address), ..Ros2Configuration::default() };
    let _router = Side::open("router", here);
    rover.until(|node| node.problem.is_none());
    assert!(rover.notes().last().is_some_and(|note| note.contains("has been reached")), "{:?}", rover.notes());
}

#[test]
fn a_name_that_ros_2_does_not_have_is_an_error() {
    let subscribe = vec![Ros2Subscribed::new("/the goal", Subject::topic("Goal"))];
    let clock = std::sync::Arc::new(hemiola_bus::RobotClock::running(1.0));
    let host = hemiola_link::LinkHost::new("rover", hemiola_bus::Bus::new(), clock, |_| {});
    let configuration = Ros2Configuration { subscribe, ..Ros2Configuration::default() };
    let error = hemiola_ros2::RobotNode::open(&configuration, host).unwrap_err().to_string();
    assert!(error.contains("`/the goal` is not a valid ROS 2 topic name: it has a ` `"), "{error}");
}
