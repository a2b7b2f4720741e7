//! The errors of the robot's beliefs, which only a simulation knows.

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::BALL_RADIUS;
use crate::geometry::normalize_angle;
use crate::representations::modeling::{BallModel, RobotPose};
use crate::representations::sensing::GroundTruth;

/// The robot's beliefs and the truth.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TruthReport {
    /// The simulated time, in seconds.
    pub time: f32,
    /// The number of goals scored.
    pub score: u32,
    /// The time of the first goal, in seconds of simulated time; `None` before.
    pub scored_at: Option<f32>,
    /// The distance of the believed position from the true one, in metres.
    pub position_error: f32,
    /// The difference of the believed heading from the true one, in radians.
    pub heading_error: f32,
    /// The distance of the believed ball from the true one, in metres; `None` while no ball is
    /// known.
    pub ball_error: Option<f32>,
    /// The root of the mean squared position error so far, in metres.
    pub position_rms: f32,
    /// The root of the mean squared ball error so far, in metres.
    pub ball_rms: f32,
    /// The number of times that the robot has fallen.
    pub falls: u32,
}

/// Compares the robot's beliefs with the simulator's truth, on which nothing that the robot does
/// depends.
#[derive(Module)]
pub struct TruthComparison {
    squared_position: f64,
    squared_ball: f64,
    poses: u32,
    balls: u32,
    falls: u32,
    was_fallen: bool,
}

/// The time before which the robot cannot know where it is, in seconds.
const SETTLED: f32 = 3.0;

#[module]
impl TruthComparison {
    #[update]
    fn report(
        &mut self,
        truth: &GroundTruth,
        pose: &RobotPose,
        ball: &BallModel,
        debug: &Debug,
        report: &mut TruthReport,
    ) {
        report.time = truth.time;
        report.score = truth.score;
        report.scored_at = truth.scored_at;
        report.position_error = pose.pose.translation.distance(truth.robot.translation);
        report.heading_error = normalize_angle(pose.pose.rotation - truth.robot.rotation).abs();
        // Relative to the robot, so that an error of the pose is not counted twice.
        let true_ball = truth.robot.relative(truth.ball);
        report.ball_error = ball.position.map(|position| position.distance(true_ball));
        if truth.time > SETTLED {
            self.poses += 1;
            self.squared_position += f64::from(report.position_error).powi(2);
            if let Some(error) = report.ball_error {
                self.balls += 1;
                self.squared_ball += f64::from(error).powi(2);
            }
        }
        report.position_rms = (self.squared_position / f64::from(self.poses.max(1))).sqrt() as f32;
        report.ball_rms = (self.squared_ball / f64::from(self.balls.max(1))).sqrt() as f32;
        self.falls += u32::from(truth.fallen && !self.was_fallen);
        self.was_fallen = truth.fallen;
        report.falls = self.falls;
        debug.draw("field/truth", |canvas| {
            let nose = truth.robot.transform(Vec2::new(0.3, 0.0));
            canvas.circle(truth.robot.translation, 0.13, Color::WHITE);
            canvas.arrow(truth.robot.translation, nose, Color::WHITE);
            canvas.circle(truth.ball, BALL_RADIUS, Color::WHITE);
            truth.others.iter().for_each(|other| canvas.circle(*other, 0.13, Color::GRAY));
        });
        debug.plot("truth.position error", report.position_error);
        debug.plot("truth.ball error", report.ball_error.unwrap_or(f32::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose2;

    #[test]
    fn a_wrong_pose_and_a_wrong_ball_are_told_apart() {
        let mut comparison = TruthComparison::create(());
        let truth = GroundTruth {
            time: 5.0,
            robot: Pose2::new(1.0, 0.0, 0.0),
            ball: Vec2::new(2.0, 0.0),
            ..GroundTruth::default()
        };
        let pose = RobotPose { pose: Pose2::new(1.0, 0.5, 0.1), quality: 1.0 };
        let ball = BallModel { position: Some(Vec2::new(1.0, 0.2)), ..BallModel::default() };
        let mut report = TruthReport::default();
        comparison.report(&truth, &pose, &ball, &Debug::default(), &mut report);
        assert!((report.position_error - 0.5).abs() < 1e-6 && (report.heading_error - 0.1).abs() < 1e-6);
        assert!((report.ball_error.unwrap() - 0.2).abs() < 1e-6);
    }
}
