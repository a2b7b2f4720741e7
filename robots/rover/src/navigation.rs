//! The cycle `navigation`, 10 Hz: from scans to a map, a pose, a path and a velocity.
//!
//! | module, in this order | reads | provides |
//! |---|---|---|
//! | [`scan_matching`] | scan, odometry, the *previous* map | pose on the map |
//! | [`mapping`] | scan, pose | map |
//! | [`inflation`] | map | costs near obstacles |
//! | [`navigator`] | goals (a topic), pose | the goal to follow; results (a topic) |
//! | [`planner`] | costs, pose, goal | path |
//! | [`path_follower`] | path, pose, scan | velocity |
//! | [`patrol`] | results | goals, when nobody else publishes any |
//! | [`frames`] | both branches of the tree of frames | the tree, for ROS 2 |

mod a_star;
mod cells;
pub mod frames;
pub mod inflation;
pub mod mapping;
pub mod navigator;
pub mod path_follower;
pub mod patrol;
pub mod planner;
mod scan;
mod scan_matcher;
pub mod scan_matching;

#[cfg(test)]
mod tests;
