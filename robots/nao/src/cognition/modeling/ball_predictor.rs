//! The prediction of the ball's path and of where it stops.

use hemiola::prelude::*;

use super::moving_point::roll;
use crate::representations::modeling::{BallModel, BallPrediction};

/// Predicts the ball until friction has stopped it.
#[derive(Module)]
pub struct BallPredictor {
    #[parameters]
    parameters: BallPredictorParameters,
}

/// Parameters of [`BallPredictor`].
#[derive(Parameters)]
pub struct BallPredictorParameters {
    /// The deceleration of a rolling ball by the carpet.
    #[parameter(default = 0.6, range = 0.05..=2.0, unit = "m/s²")]
    deceleration: f32,
    /// The speed below which a ball is assumed to rest: the estimated velocity of a resting ball is
    /// noisy.
    #[parameter(default = 0.12, range = 0.0..=1.0, unit = "m/s")]
    slowest: f32,
}

/// The maximum number of points of a path: five seconds.
const MOST_POINTS: usize = 50;

#[module]
impl BallPredictor {
    #[update]
    pub(crate) fn ball_prediction(&self, ball: &BallModel, debug: &Debug, prediction: &mut BallPrediction) {
        let Some(position) = ball.position else { return };
        prediction.rest = Some(position);
        prediction.path.push(position);
        let speed = ball.velocity.length();
        if speed < self.parameters.slowest {
            return;
        }
        let deceleration = self.parameters.deceleration;
        prediction.time_to_rest = speed / deceleration;
        prediction.rest = Some(roll(position, ball.velocity, prediction.time_to_rest, deceleration).0);
        let points = (prediction.time_to_rest / BallPrediction::STEP).ceil() as usize;
        prediction.path.extend(
            (1..=points.min(MOST_POINTS))
                .map(|index| roll(position, ball.velocity, index as f32 * BallPrediction::STEP, deceleration).0),
        );
        debug.draw("robot/ball path", |canvas| canvas.line(prediction.path.iter().copied(), 0xffcc88));
        prediction.passing = passing(&prediction.path);
    }
}

/// Returns where and when a path crosses the robot's y axis from ahead.
fn passing(path: &[glam::Vec2]) -> Option<(f32, f32)> {
    path.windows(2).enumerate().find(|(_, pair)| pair[0].x > 0.0 && pair[1].x <= 0.0).map(|(index, pair)| {
        let part = pair[0].x / (pair[0].x - pair[1].x);
        (pair[0].lerp(pair[1], part).y, (index as f32 + part) * BallPrediction::STEP)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    fn predict(position: Vec2, velocity: Vec2) -> BallPrediction {
        let predictor = BallPredictor::create(BallPredictorParameters::default());
        let ball = BallModel { position: Some(position), velocity, last_seen: None };
        let mut prediction = BallPrediction::default();
        predictor.ball_prediction(&ball, &Debug::default(), &mut prediction);
        prediction
    }

    #[test]
    fn a_rolling_ball_ends_where_its_energy_is_spent() {
        let prediction = predict(Vec2::new(3.0, 1.0), Vec2::new(0.0, -1.2));
        assert!(prediction.rest.unwrap().abs_diff_eq(Vec2::new(3.0, -0.2), 1e-5));
        assert!((prediction.time_to_rest - 2.0).abs() < 1e-5);
        assert!(prediction.path.last().unwrap().abs_diff_eq(Vec2::new(3.0, -0.2), 1e-5));
    }

    #[test]
    fn a_ball_that_comes_passes_the_robot_at_some_time_on_some_side() {
        let (y, time) = predict(Vec2::new(0.5, 0.4), Vec2::new(-1.2, 0.0)).passing.unwrap();
        assert!((y - 0.4).abs() < 1e-5);
        // 1.2 t - 0.3 t² = 0.5
        assert!((time - 0.472).abs() < 0.02, "{time}");
        assert_eq!(predict(Vec2::new(2.0, 0.4), Vec2::new(-1.0, 0.0)).passing, None, "it stops before");
    }

    #[test]
    fn noise_does_not_roll_a_resting_ball_away() {
        let prediction = predict(Vec2::X, Vec2::new(0.05, 0.05));
        assert_eq!((prediction.rest, prediction.path.len()), (Some(Vec2::X), 1));
    }
}
