//! From two camera images to what lies and stands on the ground around the robot.
//!
//! Every module works on one camera in an update of its own, so that both cameras are processed at
//! the same time; the last ones merge what both see. In the order of the data:
//!
//! | module | gives |
//! |---|---|
//! | [`camera_matrix`] | where a pixel lies on the ground |
//! | [`image_quality`] | whether an image is worth looking at |
//! | [`field_color`] | what green is today |
//! | [`body_contour`] | where the robot sees itself |
//! | [`green_mask`] | which pixels are green, and how many in any rectangle |
//! | [`scan_lines`] | green, white and other runs along columns |
//! | [`field_boundary`] | where the carpet ends |
//! | [`line_spots`] | points in the middle of white lines |
//! | [`center_circle`] | the centre circle |
//! | [`line_finder`] | straight pieces of lines |
//! | [`crossings`] | corners, tees and crosses |
//! | [`penalty_marks`] | marks, free of lines |
//! | [`uprights`] | what stands on the field: its foot and its width |
//! | [`goal_posts`] | feet of goal posts |
//! | [`obstacles`] | robots |
//! | [`ball_candidates`], [`ball_classifier`] | what may be a ball, and how likely it is one |
//! | [`percepts`] | ball, lines, landmarks and obstacles as both cameras see them, in robot coordinates |
//!
//! [`landmarks`] runs the same modules on a single image from anywhere; [`landmark_score`] compares
//! with the truth.

pub mod ball_candidates;
pub mod ball_classifier;
pub mod body_contour;
pub mod camera_matrix;
pub mod center_circle;
pub mod crossings;
pub mod field_boundary;
pub mod field_color;
pub mod goal_posts;
pub mod green_mask;
pub mod image_quality;
pub mod landmark_score;
pub mod landmarks;
pub mod line_finder;
pub mod line_spots;
pub mod obstacles;
pub mod penalty_marks;
pub mod percepts;
pub mod scan_lines;
pub mod uprights;

#[cfg(test)]
mod tests;
