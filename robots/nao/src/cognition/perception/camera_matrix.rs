//! The poses of the cameras over the ground, and so the positions of pixels on it.

use glam::{Vec2, Vec3};
use hemiola::prelude::*;

use crate::geometry::Pose3;
use crate::representations::motion::TorsoPose;
use crate::representations::sensing::{Image, JointAngles, LowerImage, UpperImage};
use crate::robot::dimensions::{CAMERA_HORIZONTAL_VIEW, CAMERA_VERTICAL_VIEW};
use crate::robot::kinematics::{Camera, Links};

/// A pinhole camera over the ground.
///
/// Image points are in pixels from the upper left corner; the centre of the first pixel is (0.5,
/// 0.5). Ground points are relative to the robot: the origin lies below the torso, x points
/// forward, y left.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct CameraView {
    /// The camera over the ground: x is the optical axis, y points left and z up in the image.
    pub pose: Pose3,
    /// The number of pixels per tangent, across and down.
    pub focal_length: Vec2,
    /// The point of the image that the optical axis meets.
    pub center: Vec2,
    /// The size of the image, in pixels.
    pub size: Vec2,
}

impl CameraView {
    /// Creates a camera at `pose` over the ground that takes images of `width` x `height` pixels
    /// with these fields of view (radians).
    #[must_use]
    pub fn new(pose: Pose3, width: u32, height: u32, field_of_view: Vec2) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        let half = Vec2::new((field_of_view.x / 2.0).tan(), (field_of_view.y / 2.0).tan());
        Self { pose, focal_length: size / 2.0 / half, center: size / 2.0, size }
    }

    /// Returns the ray of an image point; its length along the optical axis is 1.
    #[inline]
    #[must_use]
    pub fn ray(&self, point: Vec2) -> Vec3 {
        let offset = (self.center - point) / self.focal_length;
        self.pose.rotation * Vec3::new(1.0, offset.x, offset.y)
    }

    /// Returns the point of the ground that an image point shows; none at the horizon and above.
    #[inline]
    #[must_use]
    pub fn ground(&self, point: Vec2) -> Option<Vec2> {
        self.at_height(point, 0.0)
    }

    /// Returns the position that an image point shows at a `height` in metres over the ground; none
    /// if the ray does not come down to it.
    #[inline]
    #[must_use]
    pub fn at_height(&self, point: Vec2, height: f32) -> Option<Vec2> {
        /// The slope of the flattest ray, one in a thousand: beyond, a pixel covers tens of metres.
        const FLATTEST: f32 = -1e-3;
        let ray = self.ray(point);
        let way = (height - self.pose.translation.z) / ray.z;
        (ray.z < FLATTEST && way > 0.0).then(|| self.pose.translation.truncate() + ray.truncate() * way)
    }

    /// Returns where a point in space appears, which may be outside the image; none behind the
    /// camera.
    #[inline]
    #[must_use]
    pub fn image(&self, point: Vec3) -> Option<Vec2> {
        let seen = self.pose.relative(point);
        (seen.x > 0.01).then(|| self.center - self.focal_length * Vec2::new(seen.y, seen.z) / seen.x)
    }

    /// Returns where a point of the ground appears; none behind the camera.
    #[inline]
    #[must_use]
    pub fn image_of_ground(&self, point: Vec2) -> Option<Vec2> {
        self.image(point.extend(0.0))
    }

    /// Returns the row of the horizon at a column, which is outside the image if the camera looks
    /// far enough up or down.
    #[must_use]
    pub fn horizon(&self, column: f32) -> f32 {
        let origin = self.ray(Vec2::new(column, 0.0)).z;
        let slope = self.ray(Vec2::new(column, 1.0)).z - origin;
        if slope.abs() < 1e-9 { f32::MIN } else { -origin / slope }
    }

    fn draw_horizon(&self, canvas: &Canvas<'_>) {
        canvas.line([0.0, self.size.x].map(|column| [column, self.horizon(column)]), Color::CYAN);
    }

    /// Returns the number of pixels that a metre spans at a ground point, across the line of sight.
    #[inline]
    #[must_use]
    pub fn pixels_per_metre(&self, ground: Vec2) -> f32 {
        self.focal_length.x / self.pose.translation.distance(ground.extend(0.0)).max(0.05)
    }

    /// Returns the number of columns that a metre across the line of sight spans on the ground at
    /// an image point, and the number of rows for a metre along it; zero at the horizon and above.
    /// Both follow from the slope of the ray; a roll of the camera is neglected.
    #[inline]
    #[must_use]
    pub fn ground_scale(&self, point: Vec2) -> Vec2 {
        let steepness = (-self.ray(point).z).max(0.0);
        self.focal_length * Vec2::new(steepness, steepness * steepness) / self.pose.translation.z.max(0.05)
    }

    /// Returns whether an image point lies in the image, at least `margin` pixels from its border.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Vec2, margin: f32) -> bool {
        point.cmpge(Vec2::splat(margin)).all() && point.cmple(self.size - margin).all()
    }
}

/// The upper camera.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperCamera {
    /// The pose and optics of the camera.
    pub view: CameraView,
}

/// The lower camera.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerCamera {
    /// The pose and optics of the camera.
    pub view: CameraView,
}

/// Parameters of [`CameraMatrix`].
#[derive(Parameters)]
pub struct CameraMatrixParameters {
    /// The horizontal field of view of both cameras.
    #[parameter(default = CAMERA_HORIZONTAL_VIEW, range = 0.2..=2.5, unit = "rad")]
    pub horizontal_view: f32,
    /// The vertical field of view of both cameras.
    #[parameter(default = CAMERA_VERTICAL_VIEW, range = 0.2..=2.5, unit = "rad")]
    pub vertical_view: f32,
    /// The angle by which the cameras look farther down than in the drawing, from a calibration.
    #[parameter(default = 0.0, range = -0.3..=0.3, unit = "rad")]
    pub pitch_correction: f32,
    /// The angle by which the cameras are turned clockwise around their axis relative to the
    /// drawing.
    #[parameter(default = 0.0, range = -0.3..=0.3, unit = "rad")]
    pub roll_correction: f32,
}

/// Computes the views of both cameras from the head's joints and the torso over the ground.
#[derive(Module, Default)]
pub struct CameraMatrix {
    #[parameters]
    parameters: CameraMatrixParameters,
}

#[module]
impl CameraMatrix {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        joints: &JointAngles,
        torso: &TorsoPose,
        debug: &Debug,
        camera: &mut UpperCamera,
    ) {
        camera.view = self.view(Camera::Upper, &image.image, joints, torso);
        debug.draw("UpperImage/horizon", |canvas| camera.view.draw_horizon(canvas));
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        joints: &JointAngles,
        torso: &TorsoPose,
        debug: &Debug,
        camera: &mut LowerCamera,
    ) {
        camera.view = self.view(Camera::Lower, &image.image, joints, torso);
        debug.draw("LowerImage/horizon", |canvas| camera.view.draw_horizon(canvas));
    }
}

impl CameraMatrix {
    pub(super) fn view(&self, camera: Camera, image: &Image, joints: &JointAngles, torso: &TorsoPose) -> CameraView {
        let parameters = &self.parameters;
        let correction = glam::Quat::from_rotation_y(parameters.pitch_correction)
            * glam::Quat::from_rotation_x(parameters.roll_correction);
        let pose = Pose3::new(torso.attitude, Vec3::Z * torso.height)
            * Links::new(&joints.positions).camera(camera)
            * Pose3::from_rotation(correction);
        let field_of_view = Vec2::new(parameters.horizontal_view, parameters.vertical_view);
        CameraView::new(pose, image.width, image.height, field_of_view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn view(camera: Camera) -> CameraView {
        let (image, joints) = (Image::new(320, 240), JointAngles::default());
        CameraMatrix::default().view(camera, &image, &joints, &TorsoPose::default())
    }

    #[test]
    fn a_ground_point_survives_the_way_into_the_image_and_back() {
        for (camera, point) in [(Camera::Upper, Vec2::new(2.0, 0.5)), (Camera::Lower, Vec2::new(0.4, -0.1))] {
            let view = view(camera);
            let pixel = view.image_of_ground(point).unwrap();
            assert!(view.contains(pixel, 0.0), "{pixel}");
            assert!(view.ground(pixel).unwrap().distance(point) < 1e-4);
        }
    }

    #[test]
    fn the_ground_ends_at_the_horizon() {
        let view = view(Camera::Upper);
        let horizon = view.horizon(100.0);
        assert!((0.0..240.0).contains(&horizon), "{horizon}");
        assert!(view.ground(Vec2::new(100.0, horizon - 1.0)).is_none());
        assert!(view.ground(Vec2::new(100.0, horizon + 2.0)).unwrap().x > 5.0);
    }

    #[test]
    fn the_scale_is_that_of_neighbouring_points() {
        let view = view(Camera::Upper);
        let point = Vec2::new(2.0, 0.0);
        let pixel = view.image_of_ground(point).unwrap();
        let across = view.image_of_ground(Vec2::new(2.0, 0.01)).unwrap().distance(pixel) / 0.01;
        let along = view.image_of_ground(Vec2::new(2.01, 0.0)).unwrap().distance(pixel) / 0.01;
        let scale = view.ground_scale(pixel);
        assert!((scale / Vec2::new(across, along) - 1.0).abs().max_element() < 0.02, "{scale} {across} {along}");
    }

    #[test]
    fn a_left_point_appears_left_and_a_near_one_below() {
        let view = view(Camera::Upper);
        let [left, right] = [0.5, -0.5].map(|y| view.image_of_ground(Vec2::new(2.0, y)).unwrap());
        assert!(left.x < right.x);
        assert!(view.image_of_ground(Vec2::new(1.5, 0.5)).unwrap().y > left.y);
    }
}
