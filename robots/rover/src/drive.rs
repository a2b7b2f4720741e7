//! The cycle `drive`, 100 Hz: where the wheels have taken the robot, and how they shall turn.

pub mod kalman_filter;
pub mod motors;
pub mod odometry_filter;

/// Between the wheels, in metres.
pub const TRACK: f64 = 0.3;
