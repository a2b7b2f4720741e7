//! How far off a place on the ground can be that was seen by a camera in the head.

use glam::{Mat2, Vec2};

/// Height of the cameras above the ground while the robot walks, in metre.
const CAMERA_HEIGHT: f32 = 0.5;
/// No place is known better, in metre.
const SMALLEST_DEVIATION: f32 = 0.01;

/// Standard deviations along and across the line of sight, in metre, of a thing seen at `distance`
/// metre when the camera's direction is uncertain by `angle` radian. An error in the angle moves
/// the place further the flatter the ray.
pub fn deviations(distance: f32, angle: f32) -> (f32, f32) {
    let ray_squared = distance * distance + CAMERA_HEIGHT * CAMERA_HEIGHT;
    let along = angle * ray_squared / CAMERA_HEIGHT;
    let across = angle * ray_squared.sqrt();
    (along.max(SMALLEST_DEVIATION), across.max(SMALLEST_DEVIATION))
}

/// The covariance of a place seen at `position` relative to the robot.
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
