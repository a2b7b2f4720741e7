//! From percepts to what the robot believes: where it is, where the ball is, what stands around it.

pub mod ground_viewer;
pub mod odometry_reader;

pub mod ball_filter;
pub mod ball_predictor;

pub mod pose_tracker;
pub mod self_locator;

pub mod obstacle_tracker;

pub mod field_ball_locator;
pub mod search_mapper;
pub mod world_modeler;

mod field_map;
mod moving_point;
pub(crate) mod random;
pub(crate) mod sighting;
