//! A measure that only a simulation has: how well the robot sees the ball, and follows it.

use hemiola::prelude::*;

use crate::geometry::{Direction, FOCAL_LENGTH, View};
use crate::representations::{BallTrack, Balls, Exposure};
use crate::simulator::{BALL_RADIUS, FRONT, POST_RADIUS, Truth, WALLS};

/// The balls that were found since the start, and how far off the robot was.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The number of images in which the whole ball was to be seen.
    pub clear: u32,
    /// The number of these in which it was found.
    pub found: u32,
    /// The number of balls that were found where none is.
    pub phantoms: u32,
    /// The difference between the track and the ball, in these images.
    pub track: Errors,
    /// The difference between where the head looks and the ball, in these images.
    pub head: Errors,
    /// The difference between the track and the ball in all others, such as behind the post.
    pub hidden: Errors,
}

/// The size of errors, in radians.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Errors {
    pub count: u32,
    pub squares: f64,
    pub greatest: f64,
}

impl Errors {
    fn add(&mut self, error: f64) {
        self.count += 1;
        self.squares += error * error;
        self.greatest = self.greatest.max(error);
    }

    /// Returns the root of the mean of the squares; 0 without any.
    #[must_use]
    pub fn root_mean_square(&self) -> f64 {
        (self.squares / f64::from(self.count.max(1))).sqrt()
    }
}

/// A ball so far from the true one is another one, in radians.
const ANOTHER: f64 = 0.04;
/// From so many images on a track is not new any more: the head has reached the ball.
const REACHED: u32 = 30;

/// Compares what the robot has made of an image with what is true.
#[derive(Module)]
pub struct Referee;

#[module]
impl Referee {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "all that may be wrong")]
    fn score(
        &self,
        truth: &Truth,
        exposure: &Exposure,
        balls: &Balls,
        track: &BallTrack,
        before: Previous<Score>,
        debug: &Debug,
        score: &mut Score,
    ) {
        score.clone_from(&before);
        if !truth.is_there {
            return;
        }
        let off = |direction: Direction| direction.apart(truth.direction);
        let right = balls.balls.iter().filter(|ball| off(ball.direction) < ANOTHER).count();
        score.clear += u32::from(truth.is_clear);
        score.found += u32::from(truth.is_clear && right > 0);
        score.phantoms += (balls.balls.len() - right) as u32;
        let is_followed = track.is_known && track.sightings > REACHED;
        if is_followed && truth.is_clear {
            score.track.add(off(track.direction));
            score.head.add(off(exposure.direction));
        } else if is_followed {
            score.hidden.add(off(track.direction));
        }
        debug.plot("score.track off [°]", off(track.direction).to_degrees());
        debug.plot("score.head off [°]", off(exposure.direction).to_degrees());
        show(truth, &View::towards(exposure.direction), debug);
    }
}

fn show(truth: &Truth, view: &View, debug: &Debug) {
    debug.draw("CameraImage/truth", |canvas| {
        if let Some(at) = view.pixel(truth.position) {
            let radius = FOCAL_LENGTH * BALL_RADIUS / view.depth(truth.position);
            canvas.circle(at.as_vec2().to_array(), radius as f32, Color::WHITE);
        }
    });
    debug.draw("room/truth", |canvas| {
        canvas.circle(truth.position.truncate().as_vec2().to_array(), BALL_RADIUS as f32, Color::WHITE);
    });
    debug.background("room/walls", |canvas| {
        let (front, side) = (FRONT as f32, WALLS as f32);
        canvas.line([[0.0, side], [front, side], [front, -side], [0.0, -side]], Color::GRAY);
        canvas.circle(truth.post.as_vec2().to_array(), POST_RADIUS as f32, Color::GRAY);
    });
}
