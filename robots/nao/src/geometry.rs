//! Poses in the plane and in space, and angles on the circle. Lengths are in metres, angles in
//! radians; x points forward, y left, z up.

use std::f32::consts::{PI, TAU};
use std::ops::Mul;

use glam::{Quat, Vec2, Vec3};
use hemiola::prelude::*;

/// A pose in the plane: turn by `rotation`, then move by `translation`.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose2 {
    /// The rotation, counter-clockwise, in radians.
    pub rotation: f32,
    /// The translation, in metres.
    pub translation: Vec2,
}

impl Pose2 {
    /// Creates the pose at (`x`, `y`) metres that faces along `rotation` radians.
    pub const fn new(x: f32, y: f32, rotation: f32) -> Self {
        Self { rotation, translation: Vec2::new(x, y) }
    }

    /// Returns the inverse of this pose.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = Vec2::from_angle(-self.rotation);
        Self { rotation: -self.rotation, translation: -back.rotate(self.translation) }
    }

    /// Transforms a point relative to this pose into the frame of the pose.
    #[must_use]
    pub fn transform(&self, point: Vec2) -> Vec2 {
        self.translation + Vec2::from_angle(self.rotation).rotate(point)
    }

    /// Transforms a point in the frame of the pose to be relative to this pose.
    #[must_use]
    pub fn relative(&self, point: Vec2) -> Vec2 {
        Vec2::from_angle(-self.rotation).rotate(point - self.translation)
    }

    /// Returns the pose from which a field looks the same that is symmetric around its origin: half
    /// a turn around the origin.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { rotation: normalize_angle(self.rotation + PI), translation: -self.translation }
    }

    /// Returns the direction that the pose faces, as a unit vector.
    #[must_use]
    pub fn forward(&self) -> Vec2 {
        Vec2::from_angle(self.rotation)
    }
}

impl Mul for Pose2 {
    type Output = Self;

    /// Chains poses: `right` is relative to `self`. The rotation stays in (-π, π].
    #[expect(clippy::suspicious_arithmetic_impl, reason = "turns in the plane chain by adding their angles")]
    fn mul(self, right: Self) -> Self {
        Self {
            rotation: normalize_angle(self.rotation + right.rotation),
            translation: self.transform(right.translation),
        }
    }
}

/// A pose in space: turn by `rotation`, then move by `translation`.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose3 {
    /// The rotation, as a unit quaternion.
    pub rotation: Quat,
    /// The translation, in metres.
    pub translation: Vec3,
}

impl Pose3 {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    /// Creates a pose: turn by `rotation`, then move by `translation` metres.
    pub const fn new(rotation: Quat, translation: Vec3) -> Self {
        Self { rotation, translation }
    }

    /// Creates a pose without rotation.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { rotation: Quat::IDENTITY, translation }
    }

    /// Creates a pose without translation.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, translation: Vec3::ZERO }
    }

    /// Returns the pose `height` metres above the plane and parallel to it.
    #[must_use]
    pub fn above(ground: &Pose2, height: f32) -> Self {
        Self { rotation: Quat::from_rotation_z(ground.rotation), translation: ground.translation.extend(height) }
    }

    /// Returns the inverse of this pose.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Transforms a point relative to this pose into the frame of the pose.
    #[must_use]
    pub fn transform(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.translation
    }

    /// Transforms a point in the frame of the pose to be relative to this pose.
    #[must_use]
    pub fn relative(&self, point: Vec3) -> Vec3 {
        self.rotation.inverse() * (point - self.translation)
    }

    /// Returns the pose in the plane below: its position, and the direction of its x axis seen from
    /// above.
    #[must_use]
    pub fn on_ground(&self) -> Pose2 {
        Pose2 { rotation: yaw(self.rotation), translation: self.translation.truncate() }
    }
}

impl Mul for Pose3 {
    type Output = Self;

    /// Chains poses: `right` is relative to `self`.
    fn mul(self, right: Self) -> Self {
        Self { rotation: self.rotation * right.rotation, translation: self.transform(right.translation) }
    }
}

/// Returns the direction of the x axis after `rotation` seen from above, in radians; 0 if it points
/// straight up or down.
#[must_use]
pub fn yaw(rotation: Quat) -> f32 {
    let forward = rotation * Vec3::X;
    forward.y.atan2(forward.x)
}

/// Returns the same angle in (-π, π].
#[must_use]
pub fn normalize_angle(angle: f32) -> f32 {
    let turned = (angle + PI).rem_euclid(TAU) - PI;
    if turned <= -PI { PI } else { turned }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn a_point_survives_the_way_into_a_pose_and_back() {
        let pose = Pose2::new(1.0, -2.0, 0.7);
        let point = Vec2::new(0.3, 0.4);
        assert!(pose.relative(pose.transform(point)).abs_diff_eq(point, 1e-6));
        let pose = Pose3::new(Quat::from_rotation_y(0.4) * Quat::from_rotation_x(0.9), Vec3::new(1.0, 2.0, 3.0));
        let point = Vec3::new(-0.5, 0.2, 4.0);
        assert!(pose.relative(pose.transform(point)).abs_diff_eq(point, 1e-5));
        assert!((pose * pose.inverse()).translation.length() < 1e-6);
    }

    #[test]
    fn chained_poses_turn_the_way_of_the_second() {
        let corner = Pose2::new(1.0, 0.0, FRAC_PI_2) * Pose2::new(2.0, 0.0, FRAC_PI_2);
        assert!(corner.translation.abs_diff_eq(Vec2::new(1.0, 2.0), 1e-6));
        assert!((corner.rotation.abs() - PI).abs() < 1e-6);
    }

    #[test]
    fn angles_stay_on_the_circle() {
        for turns in -3..=3_i16 {
            let angle = normalize_angle(1.0 + f32::from(turns) * TAU);
            assert!((angle - 1.0).abs() < 1e-5, "{angle}");
        }
        assert_eq!(normalize_angle(-PI), PI);
    }
}
