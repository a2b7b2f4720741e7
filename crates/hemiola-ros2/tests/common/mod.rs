//! Robots that are nodes of one ROS 2 system, each with a bus of its own.
#![allow(dead_code, unused_imports, reason = "each test uses some of it")]

#[path = "../../../../tests/foreign/ros2_node.rs"]
pub mod foreign;
#[path = "../../../hemiola-link/tests/common/patience.rs"]
mod patience;

use std::sync::{Arc, Mutex};

use hemiola::prelude::*;
use hemiola_bus::{Bus, Queue, RobotClock, WhenFull};
use hemiola_link::{LinkHost, LinkStatistics};
use hemiola_model::configuration::{
    Ros2Configuration, Ros2Published, Ros2Quality, Ros2Router, Ros2Subscribed, Subject,
};
use hemiola_ros2::RobotNode;

pub use patience::{PATIENCE, eventually, next};

#[derive(Data, Clone, Debug, PartialEq)]
#[data(name = "example_interfaces/AddTwoIntsRequest")]
pub struct AddTwoIntsRequest {
    pub a: i64,
    pub b: i64,
}

#[derive(Data, Clone, Debug, PartialEq)]
#[data(name = "example_interfaces/AddTwoIntsResponse")]
pub struct AddTwoIntsResponse {
    pub sum: i64,
}

/// A robot with topics and services that is a node.
pub struct Side {
    pub bus: Bus,
    pub node: RobotNode,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Side {
    /// Opens the node that is the router of its system.
    pub fn router(robot: &str, configuration: Ros2Configuration) -> Self {
        // The system chooses the port.
        Self::open(robot, Ros2Configuration { router: Ros2Router::Here("tcp/127.0.0.1:0".to_owned()), ..configuration })
    }

    /// Opens a node of the system whose router is `router`.
    pub fn of(router: &Side, robot: &str, configuration: Ros2Configuration) -> Self {
        Self::open(robot, Ros2Configuration { router: Ros2Router::At(router.address()), ..configuration })
    }

    pub fn open(robot: &str, configuration: Ros2Configuration) -> Self {
        let (bus, notes) = (Bus::new(), Arc::new(Mutex::new(Vec::new())));
        let told = notes.clone();
        let clock = Arc::new(RobotClock::running(1.0));
        let host = LinkHost::new(robot, bus.clone(), clock, move |note| told.lock().unwrap().push(note));
        let configuration = Ros2Configuration { domain: Some(7), ..configuration };
        Self { bus, node: RobotNode::open(&configuration, host).unwrap(), notes }
    }

    /// Returns the address at which other nodes reach this one.
    pub fn address(&self) -> String {
        self.node.addresses().iter().find(|it| it.starts_with("tcp/127.0.0.1:")).expect("it listens").clone()
    }

    pub fn publisher<T: Representation>(&self, topic: &str) -> Publisher<T> {
        self.bus.readable_topic(topic).unwrap().publisher()
    }

    pub fn queue<T: Representation>(&self, topic: &str) -> Queue<T> {
        self.bus.readable_topic(topic).unwrap().queue(64, WhenFull::DropOldest)
    }

    /// Returns all remarks so far.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }

    /// Waits until the statistics satisfy `holds`.
    pub fn until(&self, holds: impl Fn(&LinkStatistics) -> bool) -> LinkStatistics {
        eventually(|| Some(self.node.statistics()).filter(&holds))
            .unwrap_or_else(|| panic!("it never came to that: {:#?}\n{:#?}", self.node.statistics(), self.notes()))
    }

    /// Waits until a node has subscribed to the first topic that this one publishes.
    pub fn until_wanted(&self) {
        self.until(|node| node.sent[0].peers > 0);
    }
}

/// Returns the configuration of a node that publishes a topic of its robot under a ROS 2 name.
pub fn publishing(name: &str, topic: &str, quality: Ros2Quality) -> Ros2Configuration {
    let publish = vec![Ros2Published::new(name, Subject::topic(topic), quality)];
    Ros2Configuration { publish, ..Ros2Configuration::default() }
}

/// Returns the configuration of a node that subscribes to a ROS 2 name as a topic of its robot.
pub fn subscribing(name: &str, topic: &str, quality: Ros2Quality) -> Ros2Configuration {
    let subscribe = vec![Ros2Subscribed { quality, ..Ros2Subscribed::new(name, Subject::topic(topic)) }];
    Ros2Configuration { subscribe, ..Ros2Configuration::default() }
}
