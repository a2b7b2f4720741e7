//! Poses in the plane, in metres and radians; x forwards, y to the left, headings counter-clockwise
//! (REP-103).

use std::f64::consts::{PI, TAU};
use std::ops::Mul;

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::{Point, Pose, Quaternion, Transform, Vector3};

/// A position and a heading. As an operation: turn by `heading`, then move to (`x`, `y`).
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose2 {
    /// The coordinate forwards, in metres.
    pub x: f64,
    /// The coordinate to the left, in metres.
    pub y: f64,
    /// The heading, in radians, counter-clockwise.
    pub heading: f64,
}

impl Pose2 {
    /// Creates the pose at (`x`, `y`) metres that faces along `heading` radians.
    #[must_use]
    pub const fn new(x: f64, y: f64, heading: f64) -> Self {
        Self { x, y, heading }
    }

    /// Returns the position alone.
    #[must_use]
    pub const fn position(&self) -> [f64; 2] {
        [self.x, self.y]
    }

    /// Transforms a point relative to this pose into the frame of the pose.
    #[must_use]
    pub fn transform(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (sine, cosine) = self.heading.sin_cos();
        [self.x + cosine * x - sine * y, self.y + sine * x + cosine * y]
    }

    /// Returns the inverse of this pose: `pose.inverse() * pose` is the identity.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let [x, y] = Self::new(0.0, 0.0, -self.heading).transform([-self.x, -self.y]);
        Self::new(x, y, -self.heading)
    }

    /// Returns the distance to a point, in metres.
    #[must_use]
    pub fn distance(&self, to: [f64; 2]) -> f64 {
        (to[0] - self.x).hypot(to[1] - self.y)
    }

    /// Returns the pose as a message of ROS.
    #[must_use]
    pub fn to_message(&self) -> Pose {
        Pose { position: Point { x: self.x, y: self.y, z: 0.0 }, orientation: rotation(self.heading) }
    }

    /// Returns the pose as a transform of ROS's tree of frames.
    #[must_use]
    pub fn to_transform(&self) -> Transform {
        Transform { translation: Vector3 { x: self.x, y: self.y, z: 0.0 }, rotation: rotation(self.heading) }
    }

    /// Returns a point relative to this pose, for drawings.
    #[must_use]
    pub fn drawn(&self, x: f64, y: f64) -> [f32; 2] {
        drawn(self.transform([x, y]))
    }
}

impl Mul for Pose2 {
    type Output = Self;

    /// Chains poses: `right` is relative to `self`. The heading stays in (-π, π].
    #[expect(clippy::suspicious_arithmetic_impl, reason = "turns in the plane chain by adding their angles")]
    fn mul(self, right: Self) -> Self {
        let [x, y] = self.transform(right.position());
        Self { x, y, heading: normalize_angle(self.heading + right.heading) }
    }
}

impl From<&Pose> for Pose2 {
    /// Projects a pose in space onto the plane.
    fn from(pose: &Pose) -> Self {
        let Quaternion { x, y, z, w } = pose.orientation;
        let heading = (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
        Self::new(pose.position.x, pose.position.y, heading)
    }
}

/// Converts a point for drawings.
#[must_use]
pub fn drawn([x, y]: [f64; 2]) -> [f32; 2] {
    [x as f32, y as f32]
}

/// Returns the same angle in (-π, π].
#[must_use]
pub fn normalize_angle(angle: f64) -> f64 {
    PI - (PI - angle).rem_euclid(TAU)
}

fn rotation(heading: f64) -> Quaternion {
    let (z, w) = (heading / 2.0).sin_cos();
    Quaternion { x: 0.0, y: 0.0, z, w }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn poses() -> impl Strategy<Value = Pose2> {
        (-50.0..50.0, -50.0..50.0, -PI..PI).prop_map(|(x, y, heading)| Pose2::new(x, y, heading))
    }

    proptest! {
        #[test]
        fn a_pose_and_its_inverse_cancel_out(pose in poses()) {
            for identity in [pose * pose.inverse(), pose.inverse() * pose] {
                prop_assert!(identity.x.abs() < 1e-9 && identity.y.abs() < 1e-9 && identity.heading.abs() < 1e-9);
            }
        }

        #[test]
        fn chained_poses_transform_as_one(one in poses(), other in poses(), point in [-9.0..9.0, -9.0..9.0]) {
            let (chained, in_turn) = ((one * other).transform(point), one.transform(other.transform(point)));
            prop_assert!((chained[0] - in_turn[0]).hypot(chained[1] - in_turn[1]) < 1e-9);
        }

        #[test]
        fn a_pose_survives_its_message(pose in poses()) {
            let read = Pose2::from(&pose.to_message());
            prop_assert!(pose.distance(read.position()) < 1e-9);
            prop_assert!(normalize_angle(pose.heading - read.heading).abs() < 1e-9);
        }

        #[test]
        fn normal_angles_stay_and_turns_are_taken_out(angle in -PI..PI, turns in -5..5) {
            let turned = normalize_angle(angle + TAU * f64::from(turns));
            prop_assert!((turned - angle).abs() < 1e-9 && turned > -PI && turned <= PI);
        }
    }
}
