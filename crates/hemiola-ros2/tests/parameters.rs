//! The parameters of a robot, as a foreign node lists, gets, describes and sets them.

mod common;
#[path = "common/walk.rs"]
mod walk;

use common::eventually;
use common::foreign::Foreign;
use hemiola_link::LinkHost;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Ros2Configuration, Ros2Router, Trigger};
use hemiola_ros2::RobotNode;
use hemiola_runtime::{Change, JournalEvent, Pace, Robot, RobotHandle, RunningRobot};
use walk::Steps;

fn rover() -> (RunningRobot, RobotNode) {
    let cycle = CycleConfiguration {
        modules: vec!["Walk".to_owned()],
        ..CycleConfiguration::new("main", Trigger::Rate(200.0))
    };
    let router = Ros2Router::Here("tcp/127.0.0.1:0".to_owned());
    let ros2 = Ros2Configuration { domain: Some(7), router, ..Ros2Configuration::default() };
    let robot =
        Robot::assemble(Configuration { cycles: vec![cycle], ros2: Some(ros2.clone()), ..Configuration::default() });
    let running = robot.unwrap().start(Pace::RealTime).unwrap();
    let node = RobotNode::open(&ros2, LinkHost::of("rover", running.handle())).unwrap();
    (running, node)
}

fn start(node: &RobotNode) -> Option<Foreign> {
    Foreign::start("ros2_requests.py", &node.addresses()[0])
}

fn gain(robot: &RobotHandle) -> f64 {
    // On a busy machine the cycle may not run while it is looked at.
    eventually(|| robot.with_value(|steps: &Steps| steps.gain).ok()).unwrap()
}

#[test]
fn parameters_are_listed_got_and_described() {
    let (running, node) = rover();
    let Some(mut foreign) = start(&node) else { return };
    let all = "Walk.bytes Walk.careful Walk.corner Walk.feet Walk.gain Walk.gait Walk.name Walk.names Walk.offsets Walk.steps";
    assert_eq!(foreign.ask("list"), format!("names {all} use_sim_time"));
    assert_eq!(foreign.ask("list Walk"), format!("names {all}"));
    assert_eq!(foreign.ask("list Wal"), "names");
    let values = r#"[1,2,255] true [0.5,1.5] [true,false] 0.5 "Walk" "ada" ["a"] [-1,5] 3"#;
    assert_eq!(foreign.ask(&format!("get {all}")), format!("values {values}"));
    assert_eq!(foreign.ask(&format!("types {all} Walk.gone")), "types 5 1 8 6 3 4 4 9 7 2 0");
    let described = foreign.ask("describe Walk.gain");
    assert_eq!(described, "described 3 False 0.0 2.0 unit: m/s | How eagerly it follows.");
    assert_eq!(foreign.ask("describe Walk.steps"), "described 2 False 1 9  | ");
    assert_eq!(foreign.ask("describe Walk.gait"), "described 4 False None None one of: Walk, Trot | ");
    assert_eq!(foreign.ask("get use_sim_time"), "values false");
    let described = foreign.ask("describe use_sim_time");
    assert!(described.starts_with("described 1 True None None  | it says how the robot was started"), "{described}");
    running.stop();
}

#[test]
fn parameters_are_set_or_refused_with_the_reason_and_who_listens_knows() {
    let (running, node) = rover();
    let robot = running.handle().clone();
    let Some(mut foreign) = start(&node) else { return };
    assert_eq!(foreign.ask("events"), "events");
    // Events arrive in between.
    let mut set = |words: &str| foreign.hear_after(&format!("set {words}"), "set");
    assert_eq!(set("Walk.gain=0.75"), "set True ");
    assert!(eventually(|| (gain(&robot) == 0.75).then_some(())).is_some());
    let refused = set("Walk.gain=7.5");
    assert!(refused.starts_with("set False") && refused.contains("within 0.0 ..= 2.0 m/s, not 7.5"), "{refused}");
    let refused = set("use_sim_time=true");
    assert!(refused.starts_with("set False `use_sim_time` cannot be set: it says how the robot was"), "{refused}");
    let refused = set("Walk.gone=1 Walk.gait=\"Fly\" Walk.walls=[1.0]");
    let reasons: Vec<&str> = refused.trim_start_matches("set ").split(" | ").collect();
    assert!(reasons.iter().all(|reason| reason.starts_with("False")), "{refused}");
    assert!(reasons[0].contains("`Walk.gone`") && reasons[1].contains("Fly"), "{refused}");
    assert_eq!(gain(&robot), 0.75);
    let all = set(
        r#"Walk.bytes=["bytes",7] Walk.feet=[false,true] Walk.corner=[1.5,2.0] Walk.names=["b","c"] Walk.offsets=[4] Walk.gait="Trot""#,
    );
    assert_eq!(all.matches("True").count(), 6, "{all}");
    let get = "get Walk.bytes Walk.feet Walk.corner Walk.names Walk.offsets Walk.gait";
    assert_eq!(foreign.hear_after(get, "values"), r#"values [7] [false,true] [1.5,2.0] ["b","c"] [4] "Trot""#);
    // Changes by others are published as well.
    robot.change(Change::parameter("Walk", "gain", 1.25)).wait().unwrap();
    while foreign.hear_of("event") != "event /rover Walk.gain=1.25" {}
    let made_by = robot.journal(0).into_iter().filter_map(|entry| match entry.event {
        JournalEvent::Change { change, by, .. } => Some(format!("{change} by {by:?}")),
        _ => None,
    });
    let made_by: Vec<String> = made_by.collect();
    assert!(made_by.iter().any(|it| it == "Walk.gain = 0.75 by Some(\"a node of ROS 2\")"), "{made_by:?}");
    running.stop();
}

#[test]
fn parameters_are_set_all_or_none_and_a_killed_node_leaves_nothing_behind() {
    let (running, node) = rover();
    let robot = running.handle().clone();
    let Some(mut foreign) = start(&node) else { return };
    let refused = foreign.ask("atomically Walk.gain=1.5 Walk.steps=99");
    assert!(refused.starts_with("set False") && refused.contains("`steps`"), "{refused}");
    assert_eq!(foreign.ask("get Walk.gain Walk.steps"), "values 0.5 3");
    assert_eq!(foreign.ask("atomically Walk.gain=1.5 Walk.steps=4"), "set True ");
    assert_eq!(foreign.ask("get Walk.gain Walk.steps"), "values 1.5 4");
    drop(foreign); // by SIGKILL
    let Some(mut late) = start(&node) else { return };
    assert_eq!(late.ask("get Walk.gain Walk.steps"), "values 1.5 4");
    assert_eq!(gain(&robot), 1.5);
    assert_eq!(node.statistics().problem, None);
    running.stop();
}
