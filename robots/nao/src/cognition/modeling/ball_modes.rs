//! The position and velocity of the ball, by filters for each kind of its motion.

use hemiola::prelude::*;

use self::moving_ball::{MovingBall, Surface};
use super::sighting;
use crate::field::BALL_RADIUS;
use crate::representations::modeling::{BallModel, FieldOfView, OdometryStep};
use crate::representations::motion::{FallState, Uprightness};
use crate::representations::perception::{BallPercept, SeenBall};

mod moving_ball;
#[cfg(test)]
mod tests;

/// Follows the ball by three filters, one for each kind of its motion: it rests, rolls, or is
/// struck. What it does is part of the estimate, so that a resting ball does not seem to creep, and
/// a kicked one is followed at once.
///
/// The filters are those of an interacting multiple model (Blom, Bar-Shalom: The Interacting
/// Multiple Model Algorithm for Systems with Markovian Switching Coefficients, 1988). A sighting is
/// of the ball, or false and then anywhere: it counts as far as it is the ball's (probabilistic
/// data association; Bar-Shalom, Tse: Tracking in a Cluttered Environment with Probabilistic Data
/// Association, 1975). The sightings that are not explained found a rival, which becomes the ball
/// when it is confirmed much better.
///
/// An alternative to [`BallFilter`](super::ball_filter::BallFilter) and
/// [`BallFit`](super::ball_fit::BallFit). When it becomes the provider while the robot plays, it
/// begins with the ball that its predecessor knew.
#[derive(Module)]
pub struct BallModes {
    #[parameters]
    parameters: BallModesParameters,
    ball: Option<Candidate>,
    /// The other thing that could be the ball.
    rival: Option<Candidate>,
    has_begun: bool,
}

/// Parameters of [`BallModes`].
#[derive(Parameters)]
pub struct BallModesParameters {
    /// The deceleration of a rolling ball by the carpet.
    #[parameter(default = 0.6, range = 0.0..=2.0, unit = "m/s²")]
    deceleration: f32,
    /// The standard deviation of the angle under which a ball is seen.
    #[parameter(default = 0.015, range = 0.001..=0.1, unit = "rad")]
    sighting_angle: f32,
    /// The share of the robot's way, and of its turn, by which odometry is wrong.
    #[parameter(default = 0.1, range = 0.0..=1.0)]
    odometry_error: f32,
    /// The variance per second that the position of a resting ball gains.
    #[parameter(default = 0.00002, range = 0.0..=0.1, unit = "m²/s")]
    creep: f32,
    /// The variance per second that the velocity of a rolling ball gains.
    #[parameter(default = 0.05, range = 0.0..=10.0, unit = "m²/s³")]
    unevenness: f32,
    /// The standard deviation of the velocity that a ball gains when it is struck.
    #[parameter(default = 1.5, range = 0.1..=10.0, unit = "m/s")]
    strike: f32,
    /// The distance within which the feet can touch a ball.
    #[parameter(default = 0.3, range = 0.0..=1.0, unit = "m")]
    feet_reach: f32,
    /// The frequency at which a ball within reach of the feet is struck.
    #[parameter(default = 2.0, range = 0.0..=20.0, unit = "1/s")]
    near_strikes: f32,
    /// The frequency at which a ball elsewhere is struck: by others, goal posts and boards.
    #[parameter(default = 0.1, range = 0.0..=20.0, unit = "1/s")]
    far_strikes: f32,
    /// The mean time for which a ball rolls.
    #[parameter(default = 2.0, range = 0.1..=20.0, unit = "s")]
    rolling_time: f32,
    /// The density of sightings that are false.
    #[parameter(default = 0.1, range = 0.001..=10.0, unit = "1/m²")]
    clutter: f32,
    /// The share of the missing existence that a sighting with full score adds.
    #[parameter(default = 0.35, range = 0.01..=1.0)]
    confirmation: f32,
    /// The time for which a ball that should be seen but is not stays likely.
    #[parameter(default = 1.2, range = 0.05..=10.0, unit = "s")]
    faith: f32,
    /// The existence from which on a rival may become the ball.
    #[parameter(default = 0.5, range = 0.1..=1.0)]
    belief: f32,
    /// The additional existence that a rival needs to become the ball instead of another one.
    #[parameter(default = 0.4, range = 0.0..=1.0)]
    loyalty: f32,
    /// The time for which a ball that is out of sight is remembered.
    #[parameter(default = 8.0, range = 0.5..=60.0, unit = "s")]
    memory: f32,
}

/// Something that could be the ball.
#[derive(Data, Clone, Copy, Debug)]
struct Candidate {
    motion: MovingBall,
    existence: f32,
    last_seen: Time,
}

/// The existence below which a candidate is given up.
const LEAST_EXISTENCE: f32 = 0.1;
/// The maximum probability that a sighting is of a ball, however it looks.
const MOST_CERTAIN: f32 = 0.98;
/// The probability from which on a sighting confirms a candidate.
const CLEARLY: f32 = 0.5;

#[module]
impl BallModes {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(crate) fn ball(
        &mut self,
        percept: &BallPercept,
        odometry: &OdometryStep,
        view: &FieldOfView,
        fall: &FallState,
        before: Previous<BallModel>,
        clock: &Clock,
        debug: &Debug,
        model: &mut BallModel,
    ) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.succeed(&before);
        }
        self.predict(odometry, clock.step_seconds());
        let [of_ball, of_rival] = percept.ball.as_ref().map_or([0.0; 2], |seen| self.observe(seen, clock.now()));
        if fall.state == Uprightness::Upright {
            let loss = 1.0 - (-clock.step_seconds() / self.parameters.faith).exp();
            doubt(&mut self.ball, view, of_ball, loss);
            doubt(&mut self.rival, view, of_rival, loss);
        }
        self.choose(clock.now());

        if let Some(ball) = &self.ball {
            model.position = Some(ball.motion.position());
            model.velocity = ball.motion.velocity();
            model.last_seen = Some(ball.last_seen);
        }
        let probabilities = || self.ball.map(|ball| ball.motion.probabilities()).unwrap_or_default();
        debug.plot("ball modes.rests", || probabilities()[0]);
        debug.plot("ball modes.rolls", || probabilities()[1]);
        debug.plot("ball modes.struck", || probabilities()[2]);
        debug.draw("robot/ball modes", |canvas| {
            for (candidate, opacity) in [(&self.ball, 1.0), (&self.rival, 0.4)] {
                let Some(Candidate { motion, existence, .. }) = candidate else { continue };
                let color = Color::CYAN.with_opacity(opacity);
                canvas.circle(motion.position(), BALL_RADIUS, color);
                canvas.covariance(motion.position(), motion.combined().covariance(), color);
                canvas.arrow(motion.position(), motion.position() + motion.velocity(), color);
                canvas.text(motion.position(), format_args!("{existence:.2}"), color);
            }
        });
    }

    /// Begins with the ball of the module that provided it until now.
    fn succeed(&mut self, before: &BallModel) {
        let (Some(position), Some(last_seen)) = (before.position, before.last_seen) else { return };
        let covariance = sighting::covariance(position, self.parameters.sighting_angle);
        let motion = MovingBall::moving(position, covariance, before.velocity, &self.surface());
        self.ball = Some(Candidate { motion, existence: self.parameters.belief, last_seen });
    }

    fn predict(&mut self, odometry: &OdometryStep, seconds: f32) {
        let surface = self.surface();
        let Self { parameters, ball, rival, .. } = self;
        for Candidate { motion, .. } in ball.iter_mut().chain(rival) {
            motion.carry(odometry, parameters.odometry_error);
            let is_near = motion.position().length() < parameters.feet_reach;
            let strikes = if is_near { parameters.near_strikes } else { parameters.far_strikes };
            motion.predict(seconds, &surface, strikes);
        }
    }

    /// Updates the candidates with a sighting, or makes it a new rival. Returns the probabilities
    /// that it is of the ball, and of the rival.
    fn observe(&mut self, seen: &SeenBall, now: Time) -> [f32; 2] {
        let covariance = sighting::covariance(seen.position, self.parameters.sighting_angle);
        // Doubtful sightings count much less than certain ones: an object that looks like a ball
        // does so in many images.
        let certainty = seen.score.clamp(0.0, 1.0).powi(4).min(MOST_CERTAIN);
        let clutter = self.parameters.clutter;
        let gain = self.parameters.confirmation * certainty;
        let confirm = |candidate: &mut Option<Candidate>, share: f32| {
            let Some(candidate) = candidate else { return 0.0 };
            let of_it = candidate.motion.observe(seen.position, covariance, certainty * share, clutter);
            candidate.existence += gain * of_it * (1.0 - candidate.existence);
            if of_it > CLEARLY {
                candidate.last_seen = now;
            }
            of_it
        };
        let of_ball = confirm(&mut self.ball, 1.0);
        let of_rival = confirm(&mut self.rival, 1.0 - of_ball);
        if of_ball < CLEARLY && of_rival < CLEARLY {
            let motion = MovingBall::new(seen.position, covariance, &self.surface());
            self.rival = Some(Candidate { motion, existence: gain, last_seen: now });
            return [of_ball, 1.0];
        }
        [of_ball, of_rival]
    }

    /// Drops candidates that are disproved or too old, and makes the rival the ball if there is no
    /// better one.
    fn choose(&mut self, now: Time) {
        let BallModesParameters { memory, belief, loyalty, .. } = self.parameters;
        let is_kept = |candidate: &Candidate| {
            candidate.existence > LEAST_EXISTENCE && now.since(candidate.last_seen).as_secs_f32() < memory
        };
        self.ball = self.ball.filter(is_kept);
        self.rival = self.rival.filter(is_kept);
        let needed = self.ball.map_or(belief, |ball| belief.max(ball.existence + loyalty));
        if self.rival.is_some_and(|rival| rival.existence >= needed) {
            std::mem::swap(&mut self.ball, &mut self.rival);
        }
    }

    fn surface(&self) -> Surface {
        let BallModesParameters { deceleration, creep, unevenness, strike, rolling_time, .. } = self.parameters;
        Surface { deceleration, creep, unevenness, strike_variance: strike * strike, rolling_time }
    }
}

/// Reduces the existence of a candidate that should have been seen and was not.
fn doubt(candidate: &mut Option<Candidate>, view: &FieldOfView, seen: f32, loss: f32) {
    let Some(candidate) = candidate else { return };
    // Where it would be if it had been struck meanwhile does not count: that is anywhere.
    let likeliest = candidate.motion.likeliest();
    if view.shows(likeliest.position, likeliest.deviation().max(0.05)) {
        candidate.existence *= 1.0 - (1.0 - seen) * loss;
    }
}
