//! The uncertainty of a position on the ground that a camera in the head has seen.

use glam::{Mat2, Vec2};

/// The height of the cameras above the ground while the robot walks, in metres.
const CAMERA_HEIGHT: f32 = 0.5;
/// The minimum standard deviation of a position, in metres.
const SMALLEST_DEVIATION: f32 = 0.01;

/// Returns the standard deviations along and across the line of sight, in metres, of an object seen
/// at `distance` metres if the camera's direction is uncertain by `angle` radians. The flatter the
/// ray, the more an error in the angle moves the position.
pub fn deviations(distance: f32, angle: f32) -> (f32, f32) {
    let ray_squared = distance * distance + CAMERA_HEIGHT * CAMERA_HEIGHT;
    let along = angle * ray_squared / CAMERA_HEIGHT;
    let across = angle * ray_squared.sqrt();
    (along.max(SMALLEST_DEVIATION), across.max(SMALLEST_DEVIATION))
}

/// Returns the covariance of an object seen at `position` relative to the robot.
pub fn covariance(position: Vec2, angle: f32) -> Mat2 {
    let (along, across) = deviations(position.length(), angle);
    let direction = position.normalize_or(Vec2::X);
    let turn = Mat2::from_cols(direction, direction.perp());
    turn * Mat2::from_diagonal(Vec2::new(along * along, across * across)) * turn.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_harder_to_see_than_direction() {
        let covariance = covariance(Vec2::new(0.0, 3.0), 0.01);
        let (along, across) = deviations(3.0, 0.01);
        assert!(along > 5.0 * across);
        let expected = Mat2::from_diagonal(Vec2::new(across * across, along * along));
        assert!(covariance.abs_diff_eq(expected, 1e-6));
    }
}
