//! The cycle `drive`, 100 Hz: odometry, and the commands for the motors.

pub mod kalman_filter;
pub mod motors;
pub mod odometry_filter;

/// The distance between the wheels, in metres.
pub const TRACK: f64 = 0.3;
