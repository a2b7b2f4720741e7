//! Tests of the rover as a node of a ROS 2 system, which third-party nodes command.
#![cfg(feature = "ros2")]
#![forbid(unsafe_code)]

#[path = "../../../tests/addresses.rs"]
mod addresses;
#[path = "../../../tests/foreign/ros2_node.rs"]
mod foreign;

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foreign::Foreign;
use hemiola::bus::{Bus, RobotClock, WhenFull};
use hemiola::configuration::{Catalog, LoadOptions, Ros2Configuration, Ros2Router, Ros2Subscribed, Subject, load};
use hemiola::link::LinkHost;
use hemiola::ros2::RobotNode;
use hemiola::runtime::{Robot, Stepper};
use hemiola_ros::nav_msgs::{Odometry, Path as RosPath};
use hemiola_ros::sensor_msgs::LaserScan;
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

impl Program {
    /// Starts the rover in two processes, as nodes of the ROS 2 system with that router.
    fn start(router: &str, folder: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rover"));
        command.args(["run", "--overlay", "processes", "--overlay", "ros2", "--duration", "300s"]);
        // Other programs may share the computer, so missed deadlines are no fault here.
        for assignment in [
            router,
            "ros2.domain=7",
            "cycle.drive.watchdog=\"60 s\"",
            "page.enabled=false",
            "output.profile=\"rover.profile.json\"",
        ] {
            command.args(["--set", assignment]);
        }
        command.args(more).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

#[test]
fn arguments_of_ros_2_are_for_the_nodes_of_both_processes() {
    let topics = [("/front/odom", "Odometry"), ("/left/base_navigation/plan", "Path"), ("/left/scan", "LaserScan")];
    let subscribe = topics.map(|(name, topic)| Ros2Subscribed::new(name, Subject::topic(topic))).to_vec();
    let router = Ros2Router::Here("tcp/127.0.0.1:0".to_owned());
    let viewer = Ros2Configuration { router, domain: Some(7), subscribe, ..Ros2Configuration::default() };
    let bus = Bus::new();
    let _queues = (
        bus.readable_topic::<Odometry>("Odometry").unwrap().queue(1, WhenFull::DropOldest),
        bus.readable_topic::<RosPath>("Path").unwrap().queue(1, WhenFull::DropOldest),
        bus.readable_topic::<LaserScan>("LaserScan").unwrap().queue(1, WhenFull::DropOldest),
    );
    let host = LinkHost::new("viewer", bus.clone(), Arc::new(RobotClock::running(1.0)), |note| println!("{note}"));
    let node = RobotNode::open(&viewer, host).unwrap();
    let address = node.addresses().iter().find(|it| it.starts_with("tcp/127.0.0.1:")).unwrap();

    let folder = tempfile::tempdir().unwrap();
    // What stands under either node is set in the process that has the module.
    let parameters =
        "/**:\n  ros__parameters:\n    use_sim_time: true\n/left/base:\n  ros__parameters:\n    Navigator.near: 0.11\n";
    std::fs::write(folder.path().join("rover.yaml"), parameters).unwrap();
    let arguments = ["--ros-args", "-r", "__node:=base", "-r", "__ns:=/left", "--params-file", "rover.yaml"];
    // A full name, one below the node's name, and one in its namespace; of topics of both
    // processes.
    let remap = ["-r", "/odom:=/front/odom", "-r", "/plan:=~/plan", "-r", "/scan:=scan"];
    let clients = format!("ros2={{ connect = \"{address}\", router = false }}");
    let _program = Program::start(&clients, folder.path(), &[&arguments[..], &remap].concat());
    let patience = Instant::now() + Duration::from_secs(120);
    loop {
        let now = node.statistics();
        let peers: Vec<_> = now.peers.iter().map(|peer| peer.name.as_str()).collect();
        if peers == ["/left/base", "/left/base_navigation"] && now.received.iter().all(|topic| topic.messages > 0) {
            break;
        }
        assert!(Instant::now() < patience, "{now}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn in_two_processes_the_rover_reaches_a_goal_of_a_node_by_others() {
    let port = addresses::free_port();
    let address = format!("tcp/127.0.0.1:{port}");
    let folder = tempfile::tempdir().unwrap();
    let _program = Program::start(&format!("ros2.router=\"{address}\""), folder.path(), &[]);
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
