//! Two robots, one of which drives by the commands of the other, in representations.

mod common;

use std::time::Duration;

use common::{Side, eventually, publishing, subscribing};
use hemiola::prelude::*;
use hemiola_link::LinkHost;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, Ros2Configuration, Ros2Liveliness, Ros2Published, Ros2Quality, Ros2Router,
    Ros2SafeState, Ros2Subscribed, Subject, Trigger,
};
use hemiola_ros::geometry_msgs::{Point, Twist};
use hemiola_ros2::RobotNode;
use hemiola_runtime::{JournalEvent, Pace, Robot, RunningRobot, Severity, Stepper};

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
    /// Whether whoever has commanded it is not alive any more.
    is_stale: bool,
}

#[derive(Module)]
struct Chassis {}

#[module]
impl Chassis {
    #[update]
    fn drive(&self, command: Fresh<Twist>, drive: &mut Drive) {
        (drive.speed, drive.commanded, drive.is_stale) = (command.linear.x, command.stamp(), command.is_stale());
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

/// The rover, with its node, and who commands it, with the node of that.
struct Pair {
    rover: RunningRobot,
    node: RobotNode,
    teleoperation: Stepper,
    far: RobotNode,
}

impl Pair {
    /// Opens both. With a lease, commands must come within it.
    fn open(lease: Option<Duration>) -> Self {
        Self::open_with(lease, Ros2SafeState::default())
    }

    /// Opens both, with what is commanded in the safe state of who commands.
    fn open_with(lease: Option<Duration>, safe_state: Ros2SafeState) -> Self {
        let liveliness = if lease.is_some() { Ros2Liveliness::ManualByTopic } else { Ros2Liveliness::Automatic };
        let subscribed = Ros2Subscribed::new("/cmd_vel", Subject::representation("Twist"));
        let subscribe = vec![Ros2Subscribed { lease, liveliness, ..subscribed }];
        let router = Ros2Router::Here("tcp/127.0.0.1:0".to_owned());
        let rover = robot("Chassis", Ros2Configuration { router, subscribe, ..Ros2Configuration::default() });
        let configured = rover.configuration().ros2.clone().unwrap();
        let rover = rover.start(Pace::RealTime).unwrap();
        let node = RobotNode::open(&configured, LinkHost::of("rover", rover.handle())).unwrap();

        let published = Ros2Published::new("/cmd_vel", Subject::representation("Twist"), Ros2Quality::Reliable);
        let publish = vec![Ros2Published { lease, liveliness, safe_state, ..published }];
        let router = Ros2Router::At(node.addresses()[0].clone());
        let teleoperation =
            robot("Teleoperation", Ros2Configuration { router, publish, ..Ros2Configuration::default() });
        let configured = teleoperation.configuration().ros2.clone().unwrap();
        let teleoperation = teleoperation.into_stepper().unwrap();
        let far = RobotNode::open(&configured, LinkHost::of("teleoperation", teleoperation.handle())).unwrap();
        eventually(|| (far.statistics().sent[0].peers == 1).then_some(())).expect("they meet");
        eventually(|| (node.statistics().received[0].peers == 1).then_some(())).expect("they meet");
        Self { rover, node, teleoperation, far }
    }

    /// Waits until the rover drives in a way.
    fn until(&self, holds: impl Fn(&Drive) -> bool) -> Drive {
        drives(&self.rover, holds)
    }
}

/// Waits until a rover drives in a way.
fn drives(rover: &RunningRobot, holds: impl Fn(&Drive) -> bool) -> Drive {
    let drive = || rover.handle().with_value(|drive: &Drive| drive.clone()).ok();
    eventually(|| drive().filter(&holds)).unwrap_or_else(|| panic!("{:?}", drive()))
}

#[test]
fn what_a_module_commits_reaches_a_module_of_another_robot() {
    let mut pair = Pair::open(None);
    let mut before = Time::ZERO;
    for step in 1..=10 {
        pair.teleoperation.step();
        let commanded = pair.until(|drive| drive.speed == f64::from(step)).commanded;
        assert!(before < commanded && commanded <= pair.rover.handle().now(), "{before:?} {commanded:?}");
        before = commanded;
    }
    drop(pair.far);
    let received = pair.node.close().received.remove(0);
    assert_eq!((received.messages, received.lost, received.late, received.unreadable), (10, 0, 0, 0));
    pair.rover.stop();
}

#[test]
fn a_value_whose_publisher_is_not_alive_is_stale_until_the_next_one() {
    let mut pair = Pair::open(Some(Duration::from_millis(200)));
    for count in 1..=2_u32 {
        pair.teleoperation.step();
        let speed = f64::from(count);
        let drive = pair.until(|drive| drive.speed == speed && drive.is_stale);
        // The loss has a sample of its own, with the stamp of the last value.
        assert!(drive.commanded > Time::ZERO);
        let received = pair.node.statistics().received.remove(0);
        assert_eq!((received.lapsed, received.is_stale, received.messages), (u64::from(count), true, u64::from(count)));
    }
    let is_alive = eventually(|| {
        pair.teleoperation.step();
        let is_alive = |drive: &Drive| drive.speed > 2.0 && !drive.is_stale;
        pair.rover.handle().with_value(is_alive).ok().filter(|is_alive| *is_alive)
    });
    assert_eq!(is_alive, Some(true));
    pair.rover.stop();
}

#[test]
fn who_drives_stops_while_who_commands_is_in_its_safe_state() {
    let mut pair = Pair::open_with(None, Ros2SafeState::Default);
    pair.teleoperation.step();
    pair.until(|drive| drive.speed == 1.0);
    pair.teleoperation.handle().enter_safe_state();
    pair.until(|drive| drive.speed == 0.0);
    for _ in 0..3 {
        pair.teleoperation.step();
    }
    let sent = eventually(|| Some(pair.far.statistics().sent.remove(0)).filter(|sent| sent.skipped == 3));
    assert_eq!(sent.map(|sent| sent.messages), Some(2), "{}", pair.far.statistics());
    pair.teleoperation.handle().leave_safe_state();
    pair.teleoperation.step();
    pair.until(|drive| drive.speed == 5.0);
    pair.teleoperation.handle().enter_safe_state();
    pair.until(|drive| drive.speed == 0.0);
    // It is in force already when the node leaves.
    assert_eq!(pair.far.close().sent[0].messages, 4);
    let received = pair.node.close().received.remove(0);
    assert_eq!((received.messages, received.lost, received.late), (4, 0, 0));
    pair.rover.stop();
}

#[test]
fn who_drives_stops_as_soon_as_who_commands_is_stopped() {
    let mut pair = Pair::open_with(None, Ros2SafeState::Default);
    pair.teleoperation.step();
    pair.until(|drive| drive.speed == 1.0);
    // Nobody need wait until the node leaves, as a second Ctrl-C does not.
    pair.teleoperation.handle().stop();
    pair.until(|drive| drive.speed == 0.0);
    assert_eq!(pair.far.close().sent[0].messages, 2);
    pair.rover.stop();
}

#[test]
fn who_drives_stops_when_the_node_of_who_commands_leaves() {
    let mut pair = Pair::open_with(None, Ros2SafeState::Default);
    pair.teleoperation.step();
    pair.until(|drive| drive.speed == 1.0);
    assert_eq!(pair.far.close().sent[0].messages, 2);
    drives(&pair.rover, |drive| drive.speed == 0.0);
    pair.rover.stop();
}

#[test]
fn a_topic_of_a_program_without_a_robot_comes_to_rest_at_the_end() {
    let rover = Side::router("rover", subscribing("/cmd_vel", "Command", Ros2Quality::Reliable));
    let mut commands = rover.queue::<Twist>("Command");
    let mut configuration = publishing("/cmd_vel", "Command", Ros2Quality::Reliable);
    configuration.publish[0].safe_state = Ros2SafeState::Default;
    let other = Side::of(&rover, "other", configuration);
    let mut publisher = other.publisher::<Twist>("Command");
    other.until_wanted();
    let mut command = Twist::default();
    command.linear.x = 0.5;
    // A subscription may be known for a moment before messages are on their way to it.
    let driven = eventually(|| {
        publisher.publish(command.clone());
        commands.receive().map(|command| command.linear.x)
    });
    assert_eq!(driven, Some(0.5));
    other.node.close();
    let stopped = eventually(|| commands.receive().map(|command| command.linear.x).filter(|speed| *speed == 0.0));
    assert_eq!(stopped, Some(0.0));
    assert!(commands.receive().is_none(), "nothing comes after it");
}

#[test]
fn what_does_not_fit_is_a_warning_of_the_robot() {
    let other = Side::router("other", publishing("/cmd_vel", "Goal", Ros2Quality::Reliable));
    let _goals = other.publisher::<Point>("Goal");
    let subscribe = vec![Ros2Subscribed::new("/cmd_vel", Subject::representation("Twist"))];
    let router = Ros2Router::At(other.address());
    let rover = robot("Chassis", Ros2Configuration { router, subscribe, ..Ros2Configuration::default() });
    let configured = rover.configuration().ros2.clone().unwrap();
    let rover = rover.into_stepper().unwrap();
    let node = RobotNode::open(&configured, LinkHost::of("rover", rover.handle())).unwrap();
    let severity = || {
        rover.handle().journal(0).into_iter().find_map(|entry| match entry.event {
            JournalEvent::Message { severity, text, .. } if text.contains("`/cmd_vel`") => Some(severity),
            _ => None,
        })
    };
    assert_eq!(eventually(severity), Some(Severity::Warning), "{:?}", node.statistics());
}
