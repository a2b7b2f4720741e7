//! The game as a message: what happens on the field, and what each robot believes.

use glam::{Vec2, Vec3};
use hemiola::prelude::*;

use super::course::{Course, Said};
use super::player::Player;
use crate::geometry::{Pose2, Pose3};
use crate::representations::behaviour::{Role, TeamRole};
use crate::representations::game::MatchState;
use crate::representations::modeling::WorldModel;
use crate::robot::JOINTS;
use crate::simulator::arena::TeamSide;

/// A game at one time. All poses are in the frame of the first team, which is blue and plays
/// towards positive x.
///
/// ```
/// use nao::game::report::GameReport;
///
/// let report = GameReport { score: [2, 1], is_first_half: true, ..GameReport::default() };
/// assert_eq!(report.headline(), "blue 2 : 1 red   first half, initial, 0.0 s");
/// ```
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GameReport {
    /// The time since the game began, in seconds.
    pub time: f32,
    /// True in the first half, and in the pause after it.
    pub is_first_half: bool,
    /// The state of the game.
    pub state: MatchState,
    /// The number of goals of the first and of the second team.
    pub score: [u8; 2],
    /// The centre of the ball, and the rotation of its pattern.
    pub ball: Pose3,
    /// The last places of the ball, oldest first.
    pub trail: Vec<Vec2>,
    /// The robots: those of the first team, then those of the second.
    pub robots: Vec<ReportedRobot>,
    /// The last messages of robots to their mates, oldest first.
    pub messages: Vec<ReportedMessage>,
}

/// A robot of a game.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ReportedRobot {
    /// The team of the robot.
    pub side: TeamSide,
    /// The number on its shirt, from 1.
    pub number: u8,
    /// The true pose of its torso.
    pub torso: Pose3,
    /// The true positions of its joints, in radians.
    pub joints: [f32; JOINTS],
    /// True if it lies or falls.
    pub is_down: bool,
    /// The pose at which it believes itself to be.
    pub believed: Pose2,
    /// The quality of that pose, from 0 to 1.
    pub quality: f32,
    /// The position at which it believes the ball to be; `None` if it does not know.
    pub ball: Option<Vec2>,
    /// The part of the robot in the play of its team.
    pub role: Role,
}

/// A message of a robot to its mates.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct ReportedMessage {
    /// The number of the message among those of all robots, from 1.
    pub number: u32,
    /// The team of the robot.
    pub side: TeamSide,
    /// The number of the robot.
    pub player: u8,
    /// The pose that it tells.
    pub pose: Pose2,
    /// The ball that it tells.
    pub ball: Option<Vec2>,
    /// The time since it saw the ball, in seconds.
    pub ball_age: f32,
    /// True if it tells that it has fallen.
    pub fallen: bool,
}

impl GameReport {
    /// Reports a game as it is now.
    #[must_use]
    pub fn of(course: &Course) -> Self {
        let (arena, referee) = (course.arena(), course.official().referee());
        Self {
            time: arena.time(),
            is_first_half: referee.is_first_half(),
            state: referee.state(),
            score: referee.score(),
            ball: arena.ball_pose(),
            trail: course.trail().iter().copied().collect(),
            robots: course
                .players()
                .iter()
                .enumerate()
                .map(|(index, one)| ReportedRobot::of(course, index, one))
                .collect(),
            messages: course.said().iter().map(ReportedMessage::of).collect(),
        }
    }

    /// Returns score, half, state and time in one line.
    #[must_use]
    pub fn headline(&self) -> String {
        let [blue, red] = self.score;
        let half = if self.is_first_half { "first" } else { "second" };
        format!("blue {blue} : {red} red   {half} half, {}, {:.1} s", self.state.name(), self.time)
    }
}

impl ReportedRobot {
    fn of(course: &Course, index: usize, player: &Player) -> Self {
        let Player { side, number, stepper, .. } = player;
        let world = stepper.with_value(WorldModel::clone).unwrap_or_default();
        Self {
            side: *side,
            number: *number,
            torso: course.arena().torso(index),
            joints: *course.arena().joints(index),
            is_down: course.arena().is_down(index),
            believed: side.pose(&world.robot),
            quality: world.robot_quality,
            ball: world.ball.map(|ball| side.turn(ball.position)),
            role: stepper.with_value(|role: &TeamRole| role.role).unwrap_or_default(),
        }
    }

    /// Returns the place on the field above which its torso is.
    #[must_use]
    pub fn place(&self) -> Vec2 {
        let Vec3 { x, y, .. } = self.torso.translation;
        Vec2::new(x, y)
    }
}

impl ReportedMessage {
    fn of(said: &Said) -> Self {
        let Said { number, side, message } = *said;
        Self {
            number,
            side,
            player: message.player,
            pose: side.pose(&message.pose),
            ball: message.ball.map(|ball| side.turn(ball)),
            ball_age: message.ball_age,
            fallen: message.fallen,
        }
    }

    /// Returns the message in one line.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { side, player, pose, .. } = self;
        // Adding 0 to a number that is rounded to -0 removes its sign.
        let rounded = |metres: f32| (10.0 * metres).round() / 10.0 + 0.0;
        let at = |place: Vec2| format!("{:.1}, {:.1}", rounded(place.x), rounded(place.y));
        let ball = match self.ball {
            Some(ball) => format!("ball at {}, seen {:.1} s ago", at(ball), self.ball_age),
            None => "no ball".to_owned(),
        };
        let posture = if self.fallen { ", down" } else { "" };
        format!("{side} {player}: I am at {}{posture}; {ball}", at(pose.translation))
    }
}

#[cfg(test)]
mod tests {
    use hemiola::cdr;

    use super::*;

    #[test]
    fn a_report_comes_back_from_a_log_as_it_was() {
        let robot = ReportedRobot {
            side: TeamSide::Away,
            number: 3,
            torso: Pose3::new(glam::Quat::from_rotation_z(0.5), Vec3::new(1.0, 2.0, 0.33)),
            joints: std::array::from_fn(|joint| joint as f32 / 10.0),
            is_down: true,
            believed: Pose2::new(1.5, 2.5, -0.5),
            quality: 0.75,
            ball: Some(Vec2::new(-1.0, 0.25)),
            role: Role::Supporter,
        };
        let message = ReportedMessage {
            number: 7,
            side: TeamSide::Away,
            player: 3,
            pose: Pose2::new(1.0, -2.0, 0.0),
            ball: Some(Vec2::new(0.5, -0.04)),
            ball_age: 0.2,
            fallen: false,
        };
        assert_eq!(message.words(), "red 3: I am at 1.0, -2.0; ball at 0.5, 0.0, seen 0.2 s ago");
        let report = GameReport {
            time: 12.5,
            is_first_half: true,
            state: MatchState::Playing,
            score: [0, 2],
            ball: Pose3::from_translation(Vec3::new(0.5, 0.0, 0.05)),
            trail: vec![Vec2::ZERO, Vec2::new(0.5, 0.0)],
            robots: vec![robot],
            messages: vec![message],
        };
        assert_eq!(cdr::decode::<GameReport>(&cdr::encode(&report)), Ok(report));
    }
}
