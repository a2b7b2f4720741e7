//! Two robots, one of which drives by the commands of the other, in representations.

mod common;

use common::eventually;
use hemiola::prelude::*;
use hemiola_link::LinkHost;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, Ros2Configuration, Ros2Published, Ros2Quality, Ros2Router, Ros2Subscribed,
    Subject, Trigger,
};
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros2::RobotNode;
use hemiola_runtime::{Pace, Robot};

/// Commands a different speed in each run.
#[derive(Module)]
struct Teleoperation {}

#[module]
impl Teleoperation {
    #[update]
    fn command(&self, clock: &Clock, command: &mut Twist) {
        command.linear.x = clock.run() as f64 + 1.0;
    }
}

#[derive(Representation, Clone, Default, Debug)]
struct Drive {
    speed: f64,
    /// When the command was published, on this robot's clock.
    commanded: Time,
}

#[derive(Module)]
struct Chassis {}

#[module]
impl Chassis {
    #[update]
    fn drive(&self, command: Fresh<Twist>, drive: &mut Drive) {
        (drive.speed, drive.commanded) = (command.linear.x, command.stamp());
    }
}

fn robot(module: &str, ros2: Ros2Configuration) -> Robot {
    let cycle = CycleConfiguration {
        modules: vec![module.to_owned()],
        ..CycleConfiguration::new("main", Trigger::Rate(200.0))
    };
    let ros2 = Ros2Configuration { domain: Some(7), ..ros2 };
    Robot::assemble(Configuration { cycles: vec![cycle], ros2: Some(ros2), ..Configuration::default() }).unwrap()
}

#[test]
fn what_a_module_commits_reaches_a_module_of_another_robot() {
    let subscribe = vec![Ros2Subscribed::new("/cmd_vel", Subject::representation("Twist"))];
    let router = Ros2Router::Here("tcp/127.0.0.1:0".to_owned());
    let rover = robot("Chassis", Ros2Configuration { router, subscribe, ..Ros2Configuration::default() });
    let configured = rover.configuration().ros2.clone().unwrap();
    let rover = rover.start(Pace::RealTime).unwrap();
    let node = RobotNode::open(&configured, LinkHost::of("rover", rover.handle())).unwrap();

    let publish = vec![Ros2Published::new("/cmd_vel", Subject::representation("Twist"), Ros2Quality::Reliable)];
    let router = Ros2Router::At(node.addresses()[0].clone());
    let teleoperation = robot("Teleoperation", Ros2Configuration { router, publish, ..Ros2Configuration::default() });
    let configured = teleoperation.configuration().ros2.clone().unwrap();
    let mut teleoperation = teleoperation.into_stepper().unwrap();
    let far = RobotNode::open(&configured, LinkHost::of("teleoperation", teleoperation.handle())).unwrap();
    eventually(|| (far.statistics().sent[0].peers == 1).then_some(())).expect("they meet");
    let mut before = Time::ZERO;
    for step in 1..=10 {
        teleoperation.step();
        let drive = || rover.handle().with_value(|drive: &Drive| drive.clone()).ok();
        let reached = eventually(|| drive().filter(|drive| drive.speed == f64::from(step)));
        let commanded = reached.unwrap_or_else(|| panic!("step {step}: {:?}", drive())).commanded;
        assert!(before < commanded && commanded <= rover.handle().now(), "{before:?} {commanded:?}");
        before = commanded;
    }
    let received = node.close().received.remove(0);
    assert_eq!((received.messages, received.lost, received.late, received.unreadable), (10, 0, 0, 0));
    rover.stop();
}
