//! Tests of the rover as a node of a ROS 2 system, which third-party nodes command.
#![cfg(feature = "ros2")]
#![forbid(unsafe_code)]

#[path = "../../../tests/addresses.rs"]
mod addresses;
#[path = "../../../tests/foreign/ros2_node.rs"]
mod foreign;

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use foreign::Foreign;
use hemiola::configuration::{Catalog, LoadOptions, Ros2Configuration, Ros2Router, load};
use hemiola::link::LinkHost;
use hemiola::ros2::RobotNode;
use hemiola::runtime::{Robot, Stepper};
use rover::representations::{MapPose, Navigation};

/// Returns the robot of `robot.toml` with the overlay `ros2`, in simulated time, as a node that is
/// the router.
fn rover() -> (Stepper, RobotNode) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let overlays = vec!["ros2".to_owned()];
    let loaded = load(&LoadOptions { overlays, ..LoadOptions::new(folder) }, &Catalog::linked());
    let configuration = loaded.unwrap_or_else(|error| panic!("{error}")).configuration;
    let ros2 = configuration.ros2.clone().expect("the overlay says it");
    let router = Ros2Router::Here("tcp/127.0.0.1:0".to_owned());
    let ros2 = Ros2Configuration { router, domain: Some(7), ..ros2 };
    let stepper = Robot::assemble(configuration).expect("the robot is complete").into_stepper().unwrap();
    let node = RobotNode::open(&ros2, LinkHost::of("rover", stepper.handle())).unwrap();
    (stepper, node)
}

/// Steps until the robot has a goal, or no longer has one, for at most some seconds of its clock.
fn until_goal(stepper: &mut Stepper, has_one: bool, seconds: f64) {
    let end = stepper.now().seconds() + seconds;
    while stepper.with_value(|navigation: &Navigation| navigation.goal.is_some()).unwrap() != has_one {
        assert!(stepper.now().seconds() < end, "that took more than {seconds} s");
        stepper.run_for(Duration::from_millis(100));
    }
}

#[test]
fn a_node_by_others_sends_the_rover_somewhere_and_calls_it_back() {
    let (mut stepper, node) = rover();
    let address = node.addresses().iter().find(|it| it.starts_with("tcp/127.0.0.1:")).unwrap().clone();
    let Some(mut foreign) = Foreign::start("ros2_requests.py", &address) else { return };
    stepper.run_for(Duration::from_secs(1));
    // Accepted goals wait for the next run: the robot's clock stands still while others send.
    assert_eq!(foreign.hear_after("goal 1 map 2.0 1.0", "accepted"), "accepted 1");
    assert_eq!(foreign.hear_after("result 1", "asked"), "asked 1");
    until_goal(&mut stepper, true, 0.5);
    until_goal(&mut stepper, false, 30.0);
    assert!(foreign.hear_of("feedback").starts_with("feedback 1 "));
    assert_eq!(foreign.hear_of("ended"), "ended 1 4 0");
    let pose = stepper.with_value(MapPose::mean).unwrap();
    assert!(pose.distance([2.0, 1.0]) < 0.1 && pose.heading.abs() < 0.1, "{pose:?}");

    assert_eq!(foreign.hear_after("goal 2 map 8.0 0.8", "accepted"), "accepted 2");
    until_goal(&mut stepper, true, 0.5);
    stepper.run_for(Duration::from_secs(2));
    assert_eq!(foreign.hear_after("cancel 2", "canceling"), "canceling 0 1");
    until_goal(&mut stepper, false, 0.5);
    assert_eq!(foreign.hear_after("result 2", "ended"), "ended 2 5 0");
    // It has not reached the canceled goal.
    let pose = stepper.with_value(MapPose::mean).unwrap();
    assert!(pose.distance([2.0, 1.0]) > 0.3 && pose.distance([8.0, 0.8]) > 1.0, "{pose:?}");
    assert_eq!(node.statistics().problem, None);
}

/// A program that is killed at the end of the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // Its own processes end with it, by a signal from the kernel.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

#[test]
fn in_two_processes_the_rover_reaches_a_goal_of_a_node_by_others() {
    let port = addresses::free_port();
    let address = format!("tcp/127.0.0.1:{port}");
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rover"));
    command.args(["run", "--overlay", "processes", "--overlay", "ros2", "--duration", "300s"]);
    // Other programs may share the computer, so missed deadlines are no fault here.
    for assignment in [
        &format!("ros2.router=\"{address}\""),
        "ros2.domain=7",
        "cycle.drive.watchdog=\"60 s\"",
        "page.enabled=false",
        "output.profile=\"rover.profile.json\"",
    ] {
        command.args(["--set", assignment]);
    }
    let program = command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let _program = Program(program);
    // Its first process is the router, to which the other one and the test connect.
    let patience = Instant::now() + Duration::from_secs(120);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < patience, "nobody listens");
        std::thread::sleep(Duration::from_millis(20));
    }
    let Some(mut foreign) = Foreign::start("ros2_requests.py", &address) else { return };
    // Nobody answers until the process of navigation has connected to the router.
    let accepted = (1_u32..).find(|number| {
        assert!(Instant::now() < patience, "no goal is accepted");
        foreign.tell(&format!("goal {number} map 1.6 1.0"));
        // Until then there may be feedback of no goal.
        foreign.hear_of_any(&["accepted", "rejected"]).starts_with("accepted")
    });
    let number = accepted.expect("the numbers do not end");
    assert_eq!(foreign.hear_after(&format!("result {number}"), "ended"), format!("ended {number} 4 0"));
}
