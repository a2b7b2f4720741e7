//! The part of the image that shows the robot itself.

use glam::Vec3;
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use crate::geometry::Pose3;
use crate::representations::motion::TorsoPose;
use crate::representations::sensing::JointAngles;
use crate::robot::Side;
use crate::robot::kinematics::Links;

/// The lower border of the usable part of the image: below it, the image may show the robot itself.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// One row for each strip of [`Contour::STRIP`] columns; empty when nothing of the robot is in
    /// the image.
    pub rows: Vec<f32>,
}

impl Contour {
    /// The number of columns that share a row.
    pub const STRIP: usize = 8;

    /// Returns the first row of the robot itself at a column; `height`, the end of the image, if it
    /// is not seen.
    #[inline]
    #[must_use]
    pub fn row(&self, column: f32, height: f32) -> f32 {
        self.rows.get(column.max(0.0) as usize / Self::STRIP).map_or(height, |row| row.min(height))
    }
}

/// The contour of the body in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperContour {
    /// The contour.
    pub contour: Contour,
}

/// The contour of the body in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerContour {
    /// The contour.
    pub contour: Contour,
}

/// Parameters of [`BodyContour`].
#[derive(Parameters)]
pub struct BodyContourParameters {
    /// The radius of the balls around points of the feet, shins, elbows and hands; a little more
    /// than that of the body.
    #[parameter(default = 0.05, range = 0.0..=0.2, unit = "m")]
    pub thickness: f32,
}

/// Projects balls around points of feet, shins and arms into the image and keeps the upper outline
/// of all of them.
#[derive(Module, Default)]
pub struct BodyContour {
    #[parameters]
    parameters: BodyContourParameters,
}

#[module]
impl BodyContour {
    #[update]
    fn upper(&self, camera: &UpperCamera, joints: &JointAngles, torso: &TorsoPose, contour: &mut UpperContour) {
        self.outline(&camera.view, joints, torso, &mut contour.contour);
    }

    #[update]
    fn lower(&self, camera: &LowerCamera, joints: &JointAngles, torso: &TorsoPose, contour: &mut LowerContour) {
        self.outline(&camera.view, joints, torso, &mut contour.contour);
    }
}

impl BodyContour {
    pub(super) fn outline(&self, view: &CameraView, joints: &JointAngles, torso: &TorsoPose, contour: &mut Contour) {
        let links = Links::new(&joints.positions);
        let torso = Pose3::new(torso.attitude, Vec3::Z * torso.height);
        for side in Side::BOTH {
            let sole = torso * links.sole(side);
            let [ankle, knee] = [links.ankle(side), links.knee(side)].map(|link| (torso * link).translation);
            let arm = [links.elbow(side), links.hand(side)].map(|link| (torso * link).translation);
            let foot = [-0.04, 0.0, 0.04, 0.08].map(|x| sole.transform(Vec3::new(x, 0.0, 0.03)));
            for point in [ankle, knee, ankle.midpoint(knee), arm[0], arm[1]].into_iter().chain(foot) {
                cover(view, point, self.parameters.thickness, contour);
            }
        }
    }
}

/// Adds a ball of `radius` metres to the contour.
fn cover(view: &CameraView, point: Vec3, radius: f32, contour: &mut Contour) {
    let depth = view.pose.relative(point).x;
    let Some(center) = view.image(point).filter(|_| depth > 2.0 * radius) else { return };
    let radius = view.focal_length.x * radius / depth;
    if center.y - radius >= view.size.y || center.x + radius < 0.0 || center.x - radius >= view.size.x {
        return;
    }
    if contour.rows.is_empty() {
        contour.rows.resize((view.size.x as usize).div_ceil(Contour::STRIP), view.size.y);
    }
    for (strip, row) in contour.rows.iter_mut().enumerate() {
        let offset = (strip as f32 + 0.5) * Contour::STRIP as f32 - center.x;
        if offset.abs() < radius {
            *row = row.min(center.y - (radius * radius - offset * offset).sqrt()).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Joint;
    use crate::robot::kinematics::Camera;

    fn contour(camera: Camera, head_pitch: f32) -> Contour {
        let mut joints = JointAngles::default();
        joints.positions[Joint::HeadPitch.index()] = head_pitch;
        for side in Side::BOTH {
            joints.positions[Joint::arm(side)[0].index()] = 1.6;
        }
        let torso = TorsoPose::default();
        let pose = Pose3::from_translation(Vec3::Z * torso.height) * Links::new(&joints.positions).camera(camera);
        let view = CameraView::new(pose, 320, 240, glam::Vec2::new(0.98, 0.76));
        let mut contour = Contour::default();
        BodyContour::default().outline(&view, &joints, &torso, &mut contour);
        contour
    }

    #[test]
    fn who_looks_down_sees_his_feet_and_who_looks_ahead_does_not() {
        let down = contour(Camera::Lower, 0.5);
        assert!(down.row(100.0, 240.0) < 200.0, "{down:?}");
        assert_eq!(contour(Camera::Upper, 0.0), Contour::default());
    }
}
