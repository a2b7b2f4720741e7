//! The walking velocity that keeps the robot on the path.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::normalize_angle;
use crate::representations::behaviour::{Arrival, WalkPath, WalkVelocity};
use crate::representations::modeling::WorldModel;

/// Walks forward along the path while it is long, and turns to the final direction, stepping
/// sideways if necessary, when it gets short.
///
/// Speeds lie within an ellipse with different axes ahead, back and to the sides, and a fast turn
/// leaves less of it.
#[derive(Module)]
pub struct WalkController {
    #[parameters]
    parameters: WalkControllerParameters,
}

/// Parameters of [`WalkController`].
#[derive(Parameters)]
pub struct WalkControllerParameters {
    /// The maximum speed forward.
    #[parameter(default = 0.25, range = 0.02..=0.6, unit = "m/s")]
    forward: f32,
    /// The maximum speed backward.
    #[parameter(default = 0.15, range = 0.02..=0.6, unit = "m/s")]
    backward: f32,
    /// The maximum speed to the sides.
    #[parameter(default = 0.15, range = 0.02..=0.6, unit = "m/s")]
    sideways: f32,
    /// The maximum turn rate.
    #[parameter(default = 0.8, range = 0.1..=3.0, unit = "rad/s")]
    turn: f32,
    /// The turn rate per error of the direction.
    #[parameter(default = 1.8, range = 0.1..=10.0, unit = "1/s")]
    turn_gain: f32,
    /// The speed per distance that is left before a stop.
    #[parameter(default = 1.5, range = 0.1..=10.0, unit = "1/s")]
    speed_gain: f32,
    /// The length of the path from which on the robot faces forward.
    #[parameter(default = 0.7, range = 0.1..=3.0, unit = "m")]
    look_ahead: f32,
    /// The length of the path below which the robot faces the final direction.
    #[parameter(default = 0.35, range = 0.0..=3.0, unit = "m")]
    look_final: f32,
}

#[module]
impl WalkController {
    #[update]
    pub(crate) fn walk_velocity(&self, path: &WalkPath, world: &WorldModel, debug: &Debug, walk: &mut WalkVelocity) {
        let Some(next) = path.corners.get(1) else { return };
        let way = world.robot.relative(*next);
        let turned = self.turned(path, world.robot.rotation, (*next - world.robot.translation).to_angle());
        walk.turn = (self.parameters.turn_gain * turned).clamp(-self.parameters.turn, self.parameters.turn);

        let distance = if path.arrival == Arrival::Stop { path.length } else { path.length.max(0.15) };
        let wanted = way.normalize_or_zero() * (distance * self.parameters.speed_gain);
        // A long path is walked straight: turn towards it first.
        let is_long = path.length > self.parameters.look_ahead;
        let care = if is_long { turned.cos().clamp(0.05, 1.0) } else { 1.0 };
        let share = 1.0 - 0.5 * (walk.turn / self.parameters.turn).abs();
        walk.velocity = self.within_limits(wanted, share * care);
        debug.plot("walk.forward", walk.velocity.x);
        debug.plot("walk.turn", walk.turn);
    }

    /// Returns the angle between the robot and where it should face: along the path, or in the
    /// final direction.
    fn turned(&self, path: &WalkPath, rotation: f32, ahead: f32) -> f32 {
        let (near, far) = (self.parameters.look_final, self.parameters.look_ahead);
        let share = ((path.length - near) / (far - near).max(0.01)).clamp(0.0, 1.0);
        let at_end = normalize_angle(path.final_rotation - rotation);
        let on_way = normalize_angle(ahead - rotation);
        normalize_angle(at_end + share * normalize_angle(on_way - at_end))
    }

    /// Returns the velocity, limited to a `share` of the limits in the same direction.
    fn within_limits(&self, velocity: Vec2, share: f32) -> Vec2 {
        let ahead = if velocity.x >= 0.0 { self.parameters.forward } else { self.parameters.backward };
        let limit = Vec2::new(ahead, self.parameters.sideways) * share;
        let excess = (velocity / limit).length();
        if excess > 1.0 { velocity / excess } else { velocity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose2;

    fn walk(robot: Pose2, corners: &[(f32, f32)], arrival: Arrival) -> WalkVelocity {
        let controller = WalkController::create(WalkControllerParameters::default());
        let mut corners: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
        corners.insert(0, robot.translation);
        let length = corners.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let path = WalkPath { corners, length, final_rotation: 0.0, arrival };
        let mut velocity = WalkVelocity::default();
        let world = WorldModel { robot, ..Default::default() };
        controller.walk_velocity(&path, &world, &Debug::default(), &mut velocity);
        velocity
    }

    #[test]
    fn a_long_way_ahead_is_walked_at_full_speed() {
        let walk = walk(Pose2::default(), &[(2.0, 0.0)], Arrival::Stop);
        assert!(walk.velocity.abs_diff_eq(Vec2::new(0.25, 0.0), 1e-6) && walk.turn == 0.0, "{walk:?}");
    }

    #[test]
    fn a_long_way_behind_begins_with_a_turn() {
        let walk = walk(Pose2::new(0.0, 0.0, 2.5), &[(2.0, 0.0)], Arrival::Stop);
        assert!((walk.turn + 0.8).abs() < 1e-6 && walk.velocity.length() < 0.02, "{walk:?}");
    }

    #[test]
    fn a_short_way_to_the_side_is_walked_sideways() {
        let walk = walk(Pose2::default(), &[(0.0, 0.2)], Arrival::Stop);
        assert!(walk.velocity.y > 0.1 && walk.velocity.y <= 0.15 && walk.turn.abs() < 1e-6, "{walk:?}");
    }

    #[test]
    fn before_a_stop_the_robot_slows_down_but_not_before_a_corner() {
        assert!(walk(Pose2::default(), &[(0.02, 0.0)], Arrival::Stop).velocity.x < 0.05);
        assert!(walk(Pose2::default(), &[(0.02, 0.0)], Arrival::Pass).velocity.x > 0.2);
    }

    #[test]
    fn the_walk_ends_at_the_end_wherever_it_begins() {
        for start in 0..12_u8 {
            let mut robot = Pose2::new(0.0, 0.0, f32::from(start) * 0.5);
            let end = Vec2::new(1.2, -0.8);
            for _ in 0..600 {
                let WalkVelocity { velocity, turn } = walk(robot, &[end.into()], Arrival::Stop);
                robot = robot * Pose2 { rotation: turn / 30.0, translation: velocity / 30.0 };
            }
            assert!(robot.translation.distance(end) < 0.01 && robot.rotation.abs() < 0.02, "{robot:?}");
        }
    }
}
