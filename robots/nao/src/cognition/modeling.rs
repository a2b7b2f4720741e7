//! The world modeling: from percepts to beliefs about the robot's pose, the ball, and the obstacles
//! around it.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`odometry_reader`] | odometry | motion since the last run |
//! | [`ground_viewer`] | joints, torso | area of the ground that the cameras see |
//! | [`ball_filter`] | seen ball, way, view | ball and other hypotheses |
//! | [`ball_fit`] | seen ball, way, view | ball: an alternative, for `[providers]` |
//! | [`ball_modes`] | seen ball, way, view | ball: one that tells rest, rolling and kicks apart |
//! | [`ball_predictor`] | ball | where it rolls and stops |
//! | [`rule_reader`] | the GameController's word | where the rules put the robot |
//! | [`mirror_judge`] | ball, pose, messages of mates | whether the pose is mirrored |
//! | [`self_locator`] | seen lines and landmarks, way, the two above | particles: possible poses of the robot |
//! | [`pose_tracker`] | particles, way | clusters of them, and a single pose |
//! | [`obstacle_tracker`] | seen obstacles, way, view | obstacles |
//! | [`field_ball_locator`] | ball, prediction, pose | ball on the field |
//! | [`world_modeler`] | pose, ball, obstacles | all of it in field coordinates |
//! | [`search_mapper`] | ball, pose, view | where the ball could be |
//!
//! Ball and obstacles are tracked relative to the robot, so that an error of its pose does not
//! affect them.

pub mod ground_viewer;
pub mod odometry_reader;

pub mod ball_filter;
pub mod ball_fit;
pub mod ball_modes;
pub mod ball_predictor;

pub mod mirror_judge;
pub mod pose_tracker;
pub mod rule_reader;
pub mod self_locator;

pub mod obstacle_tracker;

pub mod field_ball_locator;
pub mod search_mapper;
pub mod world_modeler;

mod field_map;
pub(crate) mod moving_point;
mod pitch;
pub(crate) mod random;
pub(crate) mod sighting;

#[cfg(any(test, feature = "game"))]
pub(crate) mod ball_trial;
#[cfg(test)]
mod tests;
