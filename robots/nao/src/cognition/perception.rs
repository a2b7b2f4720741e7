//! The perception: from two camera images to the objects on the ground around the robot.
//!
//! Every module has an update for each camera, so that both cameras are processed at the same time;
//! the last modules merge what both see. In the order of the data:
//!
//! | module | provides |
//! |---|---|
//! | [`camera_matrix`] | the position of a pixel on the ground |
//! | [`image_quality`] | whether an image is usable |
//! | [`field_color`] | the colour of the carpet |
//! | [`body_contour`] | the part of the image that shows the robot itself |
//! | [`green_mask`] | the green pixels, and their number in any rectangle |
//! | [`scan_lines`] | green, white and other runs along columns |
//! | [`field_boundary`] | the border of the carpet |
//! | [`line_spots`] | points on the centre lines of white lines |
//! | [`center_circle`] | the centre circle |
//! | [`line_finder`] | straight pieces of lines |
//! | [`crossings`] | corners, tees and crosses |
//! | [`penalty_marks`] | marks that are not part of lines |
//! | [`uprights`] | objects that stand on the field: their feet and widths |
//! | [`goal_posts`] | feet of goal posts |
//! | [`obstacles`] | robots |
//! | [`ball_candidates`], [`ball_classifier`] | possible balls, and their likelihood |
//! | [`percepts`] | ball, lines, landmarks and obstacles as both cameras see them, in robot coordinates |
//!
//! [`landmarks`] runs the same modules on a single image of any origin; [`landmark_score`] compares
//! the result with the truth.

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
