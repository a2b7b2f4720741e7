//! Odometry from the legs.

use hemiola::prelude::*;

use crate::geometry::{Pose2, Pose3, normalize_angle, yaw};
use crate::representations::motion::{BodyModel, FallState, Foot, Odometry, Orientation, SupportFoot, Uprightness};

/// Computes odometry: the planted foot does not move, so that the torso moves relative to it.
///
/// The distance comes from the support leg's kinematics; whenever the weight shifts to the other
/// foot, that one is assumed to be planted at its current position. The turn comes from the
/// gyroscope, which also measures a slipping sole. While the robot is not upright, its position is
/// kept and only the turn is followed.
#[derive(Module)]
pub struct LegOdometry {
    pose: Pose2,
    /// The state in the last run; `None` before the first one.
    last: Option<Last>,
}

/// The state in the last run.
#[derive(Data, Clone, Copy, Debug)]
struct Last {
    heading: f32,
    /// The torso relative to each sole, on the ground.
    torso_on_soles: [Pose2; 2],
}

#[module]
impl LegOdometry {
    #[update]
    pub(super) fn odometry(
        &mut self,
        orientation: &Orientation,
        body: &BodyModel,
        support: &SupportFoot,
        fall: &FallState,
        odometry: &mut Odometry,
        debug: &Debug,
    ) {
        let tilt = Pose3::from_rotation(glam::Quat::from_rotation_z(-yaw(orientation.attitude)) * orientation.attitude);
        let now = Last {
            heading: yaw(orientation.attitude),
            torso_on_soles: body.soles.map(|sole| (tilt * sole).on_ground().inverse()),
        };
        if let Some(last) = self.last {
            if fall.state == Uprightness::Upright {
                self.pose = self.pose * way(support.foot, &last, &now);
            }
            self.pose.rotation = normalize_angle(self.pose.rotation + now.heading - last.heading);
        }
        self.last = Some(now);
        odometry.pose = self.pose;
        debug.draw("odometry", |canvas| canvas.point(self.pose.translation, 0x4488ff));
    }
}

/// Returns the motion of the torso over a foot, in the torso's previous frame on the ground;
/// without its turn.
fn way(foot: Foot, last: &Last, now: &Last) -> Pose2 {
    let [last, now] = [last, now].map(|run| run.torso_on_soles[foot.index()]);
    Pose2 { rotation: 0.0, translation: last.relative(now.translation) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec2, Vec3};

    fn run(module: &mut LegOdometry, foot: Foot, feet: [Vec2; 2], heading: f32, state: Uprightness) -> Pose2 {
        let soles = feet.map(|foot| Pose3::from_translation(foot.extend(-0.3)));
        let orientation = Orientation { attitude: Quat::from_rotation_z(heading), inclination: 0.0 };
        let support = SupportFoot { foot, ..Default::default() };
        let body = BodyModel { soles, center_of_mass: Vec3::ZERO };
        let mut odometry = Odometry::default();
        let fall = FallState { state };
        module.odometry(&orientation, &body, &support, &fall, &mut odometry, &Debug::default());
        odometry.pose
    }

    #[test]
    fn the_torso_moves_ahead_while_the_planted_foot_falls_behind() {
        let mut module = LegOdometry::create(());
        let upright = Uprightness::Upright;
        let feet = |left: f32, right: f32| [Vec2::new(left, 0.05), Vec2::new(right, -0.05)];
        run(&mut module, Foot::Left, feet(0.0, 0.0), 0.0, upright);
        run(&mut module, Foot::Left, feet(-0.03, 0.03), 0.0, upright);
        let pose = run(&mut module, Foot::Right, feet(0.0, 0.0), 0.0, upright);
        assert!(pose.translation.abs_diff_eq(Vec2::new(0.06, 0.0), 1e-6) && pose.rotation == 0.0, "{pose:?}");
    }

    #[test]
    fn the_way_goes_where_the_gyroscope_says_and_a_fallen_robot_goes_nowhere() {
        let mut module = LegOdometry::create(());
        let feet = |x: f32| [Vec2::new(x, 0.05), Vec2::new(x, -0.05)];
        run(&mut module, Foot::Left, feet(0.0), 0.5, Uprightness::Upright);
        run(&mut module, Foot::Left, feet(0.2), 0.5 + 1.5, Uprightness::Fallen);
        let pose = run(&mut module, Foot::Left, feet(0.1), 0.5 + 1.5, Uprightness::Upright);
        assert!((pose.rotation - 1.5).abs() < 1e-5, "{pose:?}");
        assert!(pose.translation.abs_diff_eq(0.1 * Vec2::from_angle(1.5), 1e-5), "{pose:?}");
    }
}
