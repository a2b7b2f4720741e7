//! From percepts to what the robot believes: where it is, where the ball is, what stands around it.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`odometry_reader`] | odometry | way since the last run |
//! | [`ground_viewer`] | joints, torso | ground that the cameras see |
//! | [`ball_filter`] | seen ball, way, view | ball and other hypotheses |
//! | [`ball_fit`] | seen ball, way, view | ball: another way to the same end, for `[providers]` |
//! | [`ball_predictor`] | ball | where it rolls and rests |
//! | [`self_locator`] | seen lines and landmarks, way | particles: poses that the robot could have |
//! | [`pose_tracker`] | particles, way | clusters of them, and the one pose |
//! | [`obstacle_tracker`] | seen obstacles, way, view | obstacles |
//! | [`field_ball_locator`] | ball, prediction, pose | ball on the field |
//! | [`world_modeler`] | pose, ball, obstacles | all of it in field coordinates |
//! | [`search_mapper`] | ball, pose, view | where the ball could be |
//!
//! Ball and obstacles are followed relative to the robot, so that an error of its pose spoils
//! nothing else.

pub mod ground_viewer;
pub mod odometry_reader;

pub mod ball_filter;
pub mod ball_fit;
pub mod ball_predictor;

pub mod pose_tracker;
pub mod self_locator;

pub mod obstacle_tracker;

pub mod field_ball_locator;
pub mod search_mapper;
pub mod world_modeler;

mod field_map;
mod moving_point;
mod pitch;
pub(crate) mod random;
pub(crate) mod sighting;
