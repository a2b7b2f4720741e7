//! The motion cycle: from the inertial unit, the joints' positions and the pressure under the feet
//! to the next requests for the joints, every 12 ms.
//!
//! Sensing: the state of the body.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`imu_calibration`] | inertial unit | inertial unit without bias and scale error |
//! | [`orientation_filter`] | calibrated inertial unit | attitude of the torso |
//! | [`robot_model`] | joint positions | soles and centre of mass |
//! | [`ground_contact`] | foot pressure | force and its centre per foot |
//! | [`support_foot`] | ground contact, soles | the foot that carries more |
//! | [`torso_height`] | attitude, soles, support foot | torso over the ground |
//! | [`leg_odometry`] | attitude, soles, support foot | odometry |
//! | [`belief_keeper`] | pose and phase of the game that cognition has found, odometry | the same, for cognition that begins anew |
//! | [`fall_detection`] | attitude, inertial unit | upright, falling, fallen, getting up |
//! | [`joint_monitor`] | joint positions and requests | tracking error and heat |
//!
//! Walking: a chain from the request to the legs, without feedback except in the last link.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`step_planner`] | motion request | footsteps of the next second |
//! | [`zmp_planner`] | footsteps | reference of the zero moment point |
//! | [`preview_controller`] | zero moment points | motion of the centre of mass |
//! | [`kick_engine`], [`swing_foot`] | current step | soles |
//! | [`leg_inverse_kinematics`] | soles, centre of mass | leg joints |
//! | [`arm_swing`], [`head_control`], [`get_up`] | soles, head request, fall state | the other joints; all joints |
//! | [`balance_control`] | inertial unit | small corrections of leg joints |
//! | [`joint_combiner`] | all of the above | joint request |
//!
//! Walking over a preview of zero moment points follows S. Kajita et al., "Biped walking pattern
//! generation by using preview control of zero-moment point", ICRA 2003.

pub mod arm_swing;
pub mod balance_control;
pub mod belief_keeper;
pub mod fall_detection;
pub mod get_up;
pub mod ground_contact;
pub mod head_control;
pub mod imu_calibration;
pub mod joint_combiner;
pub mod joint_monitor;
pub mod kick_engine;
pub mod leg_inverse_kinematics;
pub mod leg_odometry;
pub mod low_pass;
pub mod orientation_estimator;
pub mod orientation_filter;
mod posture;
pub mod preview_controller;
pub mod rest_detector;
pub mod robot_model;
pub mod step_planner;
pub mod support_foot;
pub mod swing_foot;
pub mod torso_height;
pub mod zmp_planner;

#[cfg(test)]
mod tests;

pub use orientation_estimator::OrientationEstimator;
pub(crate) use posture::minimum_jerk;
