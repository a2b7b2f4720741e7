//! The part of the ground that the cameras see.

use glam::{Vec2, Vec3};
use hemiola::prelude::*;

use crate::geometry::Pose3;
use crate::representations::modeling::{FieldOfView, GroundArea};
use crate::representations::motion::TorsoPose;
use crate::representations::sensing::JointAngles;
use crate::robot::dimensions::{CAMERA_HORIZONTAL_VIEW, CAMERA_VERTICAL_VIEW};
use crate::robot::kinematics::{Camera, Links};

/// Intersects the corner rays of both cameras with the ground.
///
/// An object in this area that is not seen does not exist (or is hidden): filters reduce its
/// belief.
#[derive(Module)]
pub struct GroundViewer {
    #[parameters]
    parameters: GroundViewerParameters,
}

/// Parameters of [`GroundViewer`].
#[derive(Parameters)]
pub struct GroundViewerParameters {
    /// The distance beyond which objects are too small to be recognised.
    #[parameter(default = 4.0, range = 0.5..=15.0, unit = "m")]
    range: f32,
}

#[module]
impl GroundViewer {
    #[update]
    pub(crate) fn field_of_view(&self, joints: &JointAngles, torso: &TorsoPose, view: &mut FieldOfView) {
        let links = Links::new(&joints.positions);
        let torso = Pose3::new(torso.attitude, Vec3::Z * torso.height);
        let area = |camera| self.area(&(torso * links.camera(camera)));
        (view.upper, view.lower) = (area(Camera::Upper), area(Camera::Lower));
    }

    /// Returns the area between the lower right, upper right, upper left and lower left corner of
    /// the image, which is counter-clockwise on the ground.
    fn area(&self, camera: &Pose3) -> Option<GroundArea> {
        let (half_width, half_height) = ((CAMERA_HORIZONTAL_VIEW / 2.0).tan(), (CAMERA_VERTICAL_VIEW / 2.0).tan());
        let rays = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
            .map(|(left, up)| camera.rotation * Vec3::new(1.0, left * half_width, up * half_height));
        let below = |ray: Vec3| ray.z < 0.0;
        (below(rays[0]) && below(rays[3]))
            .then(|| GroundArea { corners: rays.map(|ray| self.hit(camera.translation, ray)) })
    }

    /// Returns the point at which a ray hits the ground, or leaves the range.
    fn hit(&self, eye: Vec3, ray: Vec3) -> Vec2 {
        let (eye_on_ground, way) = (eye.truncate(), ray.truncate());
        let reach = self.parameters.range / way.length().max(f32::EPSILON);
        let length = if ray.z < 0.0 { (eye.z / -ray.z).min(reach) } else { reach };
        eye_on_ground + way * length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::{JOINTS, Joint};

    fn view(yaw: f32) -> FieldOfView {
        let viewer = GroundViewer::create(GroundViewerParameters::default());
        let mut joints = JointAngles { positions: [0.0; JOINTS] };
        joints.positions[Joint::HeadYaw.index()] = yaw;
        let mut view = FieldOfView::default();
        viewer.field_of_view(&joints, &TorsoPose::default(), &mut view);
        view
    }

    #[test]
    fn a_robot_that_looks_ahead_sees_from_its_toes_to_the_range() {
        let view = view(0.0);
        for seen in [(0.5, 0.0), (1.0, 0.3), (3.5, -1.5)] {
            assert!(view.shows(Vec2::from(seen), 0.02), "{seen:?} {view:?}");
        }
        for unseen in [(0.1, 0.0), (0.5, 0.6), (-1.0, 0.0), (5.0, 0.0)] {
            assert!(!view.shows(Vec2::from(unseen), 0.0), "{unseen:?} {view:?}");
        }
    }

    #[test]
    fn the_view_turns_with_the_head() {
        let view = view(std::f32::consts::FRAC_PI_2);
        assert!(view.shows(Vec2::new(0.0, 1.0), 0.1) && !view.shows(Vec2::new(1.0, 0.0), 0.0), "{view:?}");
    }
}
