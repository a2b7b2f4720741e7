//! The position and velocity of the ball, from sightings that are noisy, incomplete and sometimes
//! wrong.

use hemiola::prelude::*;

use super::moving_point::MovingPoint;
use super::sighting;
use crate::field::BALL_RADIUS;
use crate::representations::modeling::{BallHypotheses, BallHypothesis, BallModel, FieldOfView, OdometryStep};
use crate::representations::motion::{FallState, Uprightness};
use crate::representations::perception::{BallPercept, SeenBall};

#[cfg(test)]
mod tests;

/// The maximum number of hypotheses: more objects that look like a ball are not worth tracking.
const MOST_HYPOTHESES: usize = 8;
/// The distance within which two hypotheses are merged, in metres.
const MERGE_DISTANCE: f32 = 0.15;

/// Tracks everything that could be the ball, each with a Kalman filter, and selects the hypothesis
/// that was confirmed most.
///
/// A sighting belongs to the hypothesis that explains it best, or starts a new one. A hypothesis
/// gains existence with every sighting and loses it while a camera should see it and does not; so a
/// spot that was mistaken for the ball once never becomes the ball, and the ball survives when it
/// is hidden or out of sight. A ball near the feet may be pushed at any time, so that its velocity
/// is more uncertain there.
#[derive(Module)]
pub struct BallFilter {
    #[parameters]
    parameters: BallFilterParameters,
    tracks: Vec<Track>,
    /// The track that was published last.
    best: Option<u32>,
    next_id: u32,
}

/// Parameters of [`BallFilter`].
#[derive(Parameters)]
pub struct BallFilterParameters {
    /// The deceleration of a rolling ball by the carpet.
    #[parameter(default = 0.6, range = 0.0..=2.0, unit = "m/s²")]
    deceleration: f32,
    /// The standard deviation of the angle under which a ball is seen.
    #[parameter(default = 0.015, range = 0.001..=0.1, unit = "rad")]
    sighting_angle: f32,
    /// The variance per second that the velocity of an untouched ball gains.
    #[parameter(default = 0.05, range = 0.0..=10.0, unit = "m²/s³")]
    free_noise: f32,
    /// The variance per second that the velocity of a ball within reach of the feet gains.
    #[parameter(default = 8.0, range = 0.0..=100.0, unit = "m²/s³")]
    pushed_noise: f32,
    /// The distance within which the feet can touch a ball.
    #[parameter(default = 0.3, range = 0.0..=1.0, unit = "m")]
    feet_reach: f32,
    /// The maximum squared Mahalanobis distance of a sighting from its hypothesis.
    #[parameter(default = 14.0, range = 1.0..=100.0)]
    gate: f32,
    /// The share of the missing existence that a sighting with full score adds.
    #[parameter(default = 0.35, range = 0.01..=1.0)]
    confirmation: f32,
    /// The time for which a ball that should be seen but is not stays likely.
    #[parameter(default = 1.2, range = 0.05..=10.0, unit = "s")]
    faith: f32,
    /// The existence from which on a hypothesis may become the ball.
    #[parameter(default = 0.5, range = 0.1..=1.0)]
    belief: f32,
    /// The additional existence that another hypothesis needs to become the ball instead.
    #[parameter(default = 0.4, range = 0.0..=1.0)]
    loyalty: f32,
    /// The time for which a ball that is out of sight is remembered.
    #[parameter(default = 8.0, range = 0.5..=60.0, unit = "s")]
    memory: f32,
}

/// One hypothesis.
#[derive(Data, Clone, Copy, Debug)]
struct Track {
    id: u32,
    point: MovingPoint,
    existence: f32,
    last_seen: Time,
}

#[module]
impl BallFilter {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(crate) fn ball(
        &mut self,
        percept: &BallPercept,
        odometry: &OdometryStep,
        view: &FieldOfView,
        fall: &FallState,
        clock: &Clock,
        debug: &Debug,
        hypotheses: &mut BallHypotheses,
        model: &mut BallModel,
    ) {
        self.predict(odometry, clock.step_seconds());
        let matched = percept.ball.as_ref().map(|ball| self.observe(ball, clock.now()));
        if fall.state == Uprightness::Upright {
            self.doubt(view, matched, clock.step_seconds());
        }
        self.tidy(clock.now());

        hypotheses.hypotheses.extend(self.tracks.iter().map(Track::summary));
        if let Some(track) = self.choose() {
            model.position = Some(track.point.position);
            model.velocity = track.point.velocity;
            model.last_seen = Some(track.last_seen);
            debug.plot("ball.deviation", track.point.deviation());
        }
        debug.draw("robot/ball", |canvas| {
            for track in &self.tracks {
                let is_chosen = Some(track.id) == self.best;
                let color = Color::ORANGE.with_opacity(if is_chosen { 1.0 } else { 0.4 });
                canvas.circle(track.point.position, BALL_RADIUS, color);
                canvas.covariance(track.point.position, track.point.covariance(), color);
                canvas.text(track.point.position, format_args!("{:.2}", track.existence), color);
            }
        });
    }

    fn predict(&mut self, odometry: &OdometryStep, seconds: f32) {
        let parameters = &self.parameters;
        for track in &mut self.tracks {
            track.point.carry(odometry);
            let is_near_feet = track.point.position.length() < parameters.feet_reach;
            let noise = if is_near_feet { parameters.pushed_noise } else { parameters.free_noise };
            track.point.predict(seconds, parameters.deceleration, noise);
        }
    }

    /// Adds a sighting to the hypothesis that explains it best, or to a new one, and returns its
    /// number.
    fn observe(&mut self, ball: &SeenBall, now: Time) -> u32 {
        let covariance = sighting::covariance(ball.position, self.parameters.sighting_angle);
        // Doubtful sightings count much less than certain ones: an object that looks like a ball
        // does so in many images.
        let gain = self.parameters.confirmation * ball.score.clamp(0.0, 1.0).powi(4);
        let distance = |track: &Track| track.point.distance_squared(ball.position, covariance);
        let nearest = self.tracks.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(track) = nearest.filter(|track| distance(track) < self.parameters.gate) {
            track.point.observe(ball.position, covariance);
            track.existence += gain * (1.0 - track.existence);
            track.last_seen = now;
            return track.id;
        }
        if self.tracks.len() == MOST_HYPOTHESES {
            self.forget_least();
        }
        let id = self.next_id;
        self.next_id += 1;
        let point = MovingPoint::new(ball.position, covariance, 1.0);
        self.tracks.push(Track { id, point, existence: gain, last_seen: now });
        id
    }

    /// Reduces the existence of hypotheses that should have been seen and were not.
    fn doubt(&mut self, view: &FieldOfView, matched: Option<u32>, seconds: f32) {
        let loss = (-seconds / self.parameters.faith).exp();
        for track in self.tracks.iter_mut().filter(|track| Some(track.id) != matched) {
            if view.shows(track.point.position, track.point.deviation().max(0.05)) {
                track.existence *= loss;
            }
        }
    }

    /// Drops hypotheses that are too old or disproved, and the weaker of two that have merged.
    fn tidy(&mut self, now: Time) {
        let memory = self.parameters.memory;
        self.tracks.retain(|track| track.existence > 0.1 && now.since(track.last_seen).as_secs_f32() < memory);
        let mut index = 0;
        while index < self.tracks.len() {
            let track = self.tracks[index];
            let is_shadow = self.tracks.iter().any(|other| {
                other.id != track.id
                    && (other.existence, other.id) > (track.existence, track.id)
                    && other.point.position.distance(track.point.position) < MERGE_DISTANCE
            });
            if is_shadow {
                self.tracks.remove(index);
            } else {
                index += 1;
            }
        }
    }

    fn forget_least(&mut self) {
        let least =
            (0..self.tracks.len()).min_by(|a, b| self.tracks[*a].existence.total_cmp(&self.tracks[*b].existence));
        if let Some(least) = least {
            self.tracks.swap_remove(least);
        }
    }

    /// Selects the hypothesis with the most existence; the last choice must be exceeded clearly.
    fn choose(&mut self) -> Option<Track> {
        let loyalty = self.parameters.loyalty;
        let score = |track: &Track| track.existence + if Some(track.id) == self.best { loyalty } else { 0.0 };
        let is_believed = |track: &&Track| {
            track.existence >= self.parameters.belief || (Some(track.id) == self.best && track.existence > 0.2)
        };
        let best = self.tracks.iter().filter(is_believed).max_by(|a, b| score(a).total_cmp(&score(b))).copied();
        self.best = best.map(|track| track.id);
        best
    }
}

impl Track {
    fn summary(&self) -> BallHypothesis {
        BallHypothesis {
            position: self.point.position,
            velocity: self.point.velocity,
            deviation: self.point.deviation(),
            existence: self.existence,
        }
    }
}
