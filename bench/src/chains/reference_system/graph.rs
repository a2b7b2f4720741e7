//! The connections of the Autoware reference system, and the executors and cores of its PiCAS
//! variant.
//!
//! Figures from `ros-realtime/reference-system` (autoware_system_builder.hpp, default.hpp) and
//! `rtenlab/reference-system` (autoware_default_singlethreaded_picas_multi_executors.cpp). A
//! detector with two independent connections is two nodes here.

use hemiola_analysis::TimeSpan;

/// A node of the system.
pub struct Node {
    pub name: &'static str,
    pub kind: Kind,
    /// The nodes whose messages it receives.
    pub inputs: &'static [&'static str],
    /// The priorities of the node's callbacks under PiCAS: of the inputs, then of the timer.
    pub priorities: &'static [u32],
    /// The number of the PiCAS executor that runs it, from the most important one.
    pub executor: usize,
}

/// The condition on which a node computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sensor never computes: it publishes with this period, in ms.
    Sensor(u64),
    /// A transform computes for each message.
    Transform,
    /// A fusion computes when there is a message of each input; they are used up then.
    Fusion,
    /// A cyclic node computes with this period, in ms, with whatever messages came since.
    Cyclic(u64),
    /// A command never computes: it reports what it receives.
    Command,
}

impl Kind {
    /// Returns the period of the node's timer, if it has one.
    pub fn period(self) -> Option<TimeSpan> {
        match self {
            Self::Sensor(period) | Self::Cyclic(period) => Some(TimeSpan::milliseconds(period)),
            Self::Transform | Self::Fusion | Self::Command => None,
        }
    }
}

/// The nodes from the younger lidar sample to the estimator's begin.
pub const HOT_PATH: [&str; 8] = [
    "FrontLidarDriver",
    "RearLidarDriver",
    "PointsTransformerFront",
    "PointsTransformerRear",
    "PointCloudFusion",
    "RayGroundFilter",
    "EuclideanClusterDetector",
    "ObjectCollisionEstimator",
];
pub const HOT_PATH_ROOTS: [&str; 2] = ["FrontLidarDriver", "RearLidarDriver"];
pub const HOT_PATH_SINK: &str = "ObjectCollisionEstimator";
pub const PLANNER: &str = "BehaviorPlanner";

/// Core and real-time priority of PiCAS' executors.
pub const EXECUTORS: [(usize, u32); 4] = [(0, 90), (1, 89), (2, 88), (3, 87)];

const fn node(
    name: &'static str,
    kind: Kind,
    inputs: &'static [&'static str],
    priorities: &'static [u32],
    executor: usize,
) -> Node {
    Node { name, kind, inputs, priorities, executor }
}

/// The nodes, in the order in which default executors know them.
pub const NODES: [Node; 25] = [
    node("FrontLidarDriver", Kind::Sensor(100), &[], &[51], 1),
    node("RearLidarDriver", Kind::Sensor(100), &[], &[50], 1),
    node("PointCloudMap", Kind::Sensor(120), &[], &[22], 3),
    node("Visualizer", Kind::Sensor(60), &[], &[27], 3),
    node("Lanelet2Map", Kind::Sensor(100), &[], &[30], 3),
    node("EuclideanClusterSettings", Kind::Sensor(25), &[], &[47], 2),
    node("PointsTransformerFront", Kind::Transform, &["FrontLidarDriver"], &[53], 1),
    node("PointsTransformerRear", Kind::Transform, &["RearLidarDriver"], &[52], 1),
    node("VoxelGridDownsampler", Kind::Transform, &["PointCloudFusion"], &[23], 3),
    node("PointCloudMapLoader", Kind::Transform, &["PointCloudMap"], &[24], 3),
    node("RayGroundFilter", Kind::Transform, &["PointCloudFusion"], &[56], 1),
    node("ObjectCollisionEstimator", Kind::Transform, &["EuclideanClusterDetector"], &[58], 1),
    node("MPCController", Kind::Transform, &["BehaviorPlanner"], &[68], 0),
    node("ParkingPlanner", Kind::Transform, &["Lanelet2MapLoader"], &[33], 3),
    node("LanePlanner", Kind::Transform, &["Lanelet2MapLoader"], &[34], 3),
    node("PointCloudFusion", Kind::Fusion, &["PointsTransformerFront", "PointsTransformerRear"], &[55, 54], 1),
    node("NDTLocalizer", Kind::Fusion, &["VoxelGridDownsampler", "PointCloudMapLoader"], &[26, 25], 3),
    node("VehicleInterface", Kind::Fusion, &["MPCController", "BehaviorPlanner"], &[67, 66], 0),
    node("Lanelet2GlobalPlanner", Kind::Fusion, &["Visualizer", "NDTLocalizer"], &[29, 28], 3),
    node("Lanelet2MapLoader", Kind::Fusion, &["Lanelet2Map", "Lanelet2GlobalPlanner"], &[31, 32], 3),
    node(
        "BehaviorPlanner",
        Kind::Cyclic(100),
        &[
            "ObjectCollisionEstimator",
            "NDTLocalizer",
            "Lanelet2GlobalPlanner",
            "Lanelet2MapLoader",
            "ParkingPlanner",
            "LanePlanner",
        ],
        &[59, 39, 35, 36, 38, 37, 65],
        0,
    ),
    node("EuclideanClusterDetector", Kind::Transform, &["RayGroundFilter"], &[57], 2),
    node("EuclideanIntersection", Kind::Transform, &["EuclideanClusterSettings"], &[48], 2),
    node("VehicleDBWSystem", Kind::Command, &["VehicleInterface"], &[69], 0),
    node("IntersectionOutput", Kind::Command, &["EuclideanIntersection"], &[49], 2),
];

/// Returns the number of the node of this name; `NODES.len()` if there is none.
pub fn number(name: &str) -> usize {
    NODES.iter().position(|node| node.name == name).unwrap_or(NODES.len())
}

/// A callback: its node, and the input that it is for, or `None` for the timer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callback {
    pub node: usize,
    pub input: Option<usize>,
}

/// Returns the callbacks of all nodes, in their order.
pub fn callbacks() -> Vec<Callback> {
    let of_node = |(number, node): (usize, &Node)| {
        let inputs = (0..node.inputs.len()).map(Some);
        let timer = node.kind.period().map(|_| None);
        inputs.chain(timer).map(|input| Callback { node: number, input }).collect::<Vec<_>>()
    };
    NODES.iter().enumerate().flat_map(of_node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the project's own tests: 24 nodes (one of which is two here), 29
    /// edges, 36 callbacks.
    #[test]
    fn it_is_as_large_as_the_original() {
        assert_eq!(NODES.iter().map(|node| node.inputs.len()).sum::<usize>(), 29);
        assert_eq!(callbacks().len(), 36);
        assert!(NODES.iter().flat_map(|node| node.inputs).all(|input| number(input) < NODES.len()));
    }

    #[test]
    fn every_callback_has_a_priority_of_its_own() {
        let mut priorities: Vec<u32> = NODES.iter().flat_map(|node| node.priorities).copied().collect();
        for node in &NODES {
            assert_eq!(node.priorities.len(), node.inputs.len() + usize::from(node.kind.period().is_some()));
        }
        priorities.sort_unstable();
        priorities.dedup();
        assert_eq!(priorities.len(), 36);
    }
}
