//! The projection from points of the field to the image, and the rays of pixels.

use glam::{Vec2, Vec3};

use super::Camera;
use crate::geometry::Pose3;
use crate::robot::dimensions::{CAMERA_HORIZONTAL_VIEW, CAMERA_VERTICAL_VIEW};
use crate::robot::kinematics::Links;
use crate::simulator::world::SimulatedWorld;

/// The minimum height of a camera, in metres, even if the robot lies on its face.
const LOWEST: f32 = 0.02;

/// A pinhole camera in the field. Image coordinates are in pixels from the upper left corner; the
/// first pixel's centre is at (0.5, 0.5).
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    pose: Pose3,
    focal_length: Vec2,
    center: Vec2,
}

impl Projection {
    /// Creates the camera of the robot in the snapshot, for an image of the given size.
    #[must_use]
    pub fn new(world: &SimulatedWorld, camera: Camera, width: u32, height: u32) -> Self {
        let mut pose = world.torso * Links::new(&world.joints).camera(camera);
        pose.translation.z = pose.translation.z.max(LOWEST);
        let center = Vec2::new(width as f32, height as f32) / 2.0;
        let half_view = Vec2::new((CAMERA_HORIZONTAL_VIEW / 2.0).tan(), (CAMERA_VERTICAL_VIEW / 2.0).tan());
        Self { pose, focal_length: center / half_view, center }
    }

    /// Returns the camera's frame in the field's: x is the optical axis, y points left and z up in
    /// the image.
    #[must_use]
    pub fn pose(&self) -> &Pose3 {
        &self.pose
    }

    /// Returns the focal length: the size of one radian in the centre of the image, in pixels.
    #[must_use]
    pub fn focal_length(&self) -> f32 {
        self.focal_length.x
    }

    /// Returns where a point of the field appears, and its depth along the optical axis; none for a
    /// point behind the camera.
    #[must_use]
    pub fn project(&self, point: Vec3) -> Option<(Vec2, f32)> {
        let seen = self.pose.relative(point);
        (seen.x > 0.0).then(|| (self.image_of(seen), seen.x))
    }

    /// Returns where a point in the camera's frame, in front of it, appears.
    #[must_use]
    pub(super) fn image_of(&self, seen: Vec3) -> Vec2 {
        self.center - self.focal_length * Vec2::new(seen.y, seen.z) / seen.x
    }

    /// Returns the ray of the image point (`u`, `v`) in the field; its length along the optical
    /// axis is 1.
    #[must_use]
    pub fn ray(&self, u: f32, v: f32) -> Vec3 {
        let offset = (self.center - Vec2::new(u, v)) / self.focal_length;
        self.pose.rotation * Vec3::new(1.0, offset.x, offset.y)
    }
}
