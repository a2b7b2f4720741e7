//! The other robots, which walk slowly along closed paths and do not react to anything.

use glam::Vec2;
use hemiola::prelude::*;

use super::random::Random;
use crate::geometry::Pose2;

/// The team of a robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Team {
    /// Our own team, in blue.
    Own,
    /// The opponents, in red.
    #[default]
    Opponent,
}

/// Another robot on the field.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct OtherRobot {
    /// The team for which the robot plays.
    pub team: Team,
    /// The pose on the field.
    pub pose: Pose2,
    /// The phase of the stride, in radians.
    pub stride: f32,
}

impl OtherRobot {
    /// The radius around the robot's centre that a ball or a robot cannot enter, in metres.
    pub const RADIUS: f32 = 0.13;
}

/// A slow walk around an ellipse.
#[derive(Clone, Debug)]
pub struct Patrol {
    team: Team,
    center: Vec2,
    half_axes: Vec2,
    phase: f32,
    /// The rate at which the phase changes, in rad/s.
    speed: f32,
}

impl Patrol {
    /// Creates a walk around `center` with up to `reach` metres to each side, at up to 0.12 m/s.
    #[must_use]
    pub fn new(team: Team, center: Vec2, reach: f32, random: &mut Random) -> Self {
        let half_axes = Vec2::new(random.uniform(0.3..1.0), random.uniform(0.3..1.0)) * reach;
        let speed = random.sign() * random.uniform(0.06..0.12) / half_axes.max_element();
        Self { team, center, half_axes, phase: random.uniform(0.0..std::f32::consts::TAU), speed }
    }

    /// Returns the robot `time` seconds after the start.
    #[must_use]
    pub fn at(&self, time: f32) -> OtherRobot {
        let angle = self.phase + self.speed * time;
        let place = self.center + self.half_axes * Vec2::from_angle(angle);
        let heading = self.half_axes * Vec2::from_angle(angle).perp() * self.speed.signum();
        OtherRobot {
            team: self.team,
            pose: Pose2 { rotation: heading.to_angle(), translation: place },
            stride: self.phase + std::f32::consts::TAU * 1.5 * time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patrol_stays_within_reach_walks_slowly_and_looks_where_it_goes() {
        let mut random = Random::new(3);
        let center = Vec2::new(2.0, -1.0);
        for _ in 0..20 {
            let patrol = Patrol::new(Team::Opponent, center, 0.5, &mut random);
            for step in 0..600_u16 {
                let (now, soon) = (patrol.at(f32::from(step) * 0.1), patrol.at(f32::from(step) * 0.1 + 0.01));
                assert!(now.pose.translation.distance(center) <= 0.5 * 2.0_f32.sqrt());
                let way = soon.pose.translation - now.pose.translation;
                assert!(way.length() < 0.12 * 0.01 * 1.01, "{way}");
                assert!(way.normalize().dot(now.pose.forward()) > 0.99);
            }
        }
    }
}
