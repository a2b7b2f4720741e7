//! The position and velocity of the ball, as the path that fits the last sightings best.

use std::collections::VecDeque;

use glam::{Mat2, Vec2};
use hemiola::prelude::*;

use super::moving_point::roll;
use super::sighting;
use crate::field::BALL_RADIUS;
use crate::representations::modeling::{BallModel, FieldOfView, OdometryStep};
use crate::representations::perception::BallPercept;

#[cfg(test)]
mod tests;

/// Keeps the latest sightings, and fits a resting ball to them, or a rolling one if that explains
/// them much better. Sightings far from the fit count little, so that a false one does not move the
/// ball; when most are far from it, the ball has been moved, and the older ones are dropped.
///
/// An alternative to [`BallFilter`](super::ball_filter::BallFilter): it has no noise to be tuned
/// and follows a kicked ball at once, but tracks one object only, and assumes that the first one it
/// sees is the ball.
#[derive(Module)]
pub struct BallFit {
    #[parameters]
    parameters: BallFitParameters,
    /// The oldest first, where they are seen from today's place.
    sightings: VecDeque<Sighting>,
    ball: Option<Ball>,
    /// One coordinate of all sightings, for computing their median.
    #[stateless]
    coordinates: Vec<f32>,
}

/// Parameters of [`BallFit`].
#[derive(Parameters)]
pub struct BallFitParameters {
    /// The time for which a sighting counts.
    #[parameter(default = 0.7, range = 0.1..=3.0, unit = "s")]
    window: f32,
    /// The minimum number of sightings within the window.
    #[parameter(default = 5, range = 1..=30)]
    fewest: u32,
    /// The deceleration of a rolling ball by the carpet.
    #[parameter(default = 0.6, range = 0.0..=2.0, unit = "m/s²")]
    deceleration: f32,
    /// The standard deviation of the angle under which a ball is seen.
    #[parameter(default = 0.015, range = 0.001..=0.1, unit = "rad")]
    sighting_angle: f32,
    /// The standard deviations from the fit beyond which a sighting counts less.
    #[parameter(default = 2.0, range = 0.5..=10.0)]
    far: f32,
    /// The factor by which the sum of squared deviations must be smaller for a rolling ball.
    #[parameter(default = 12.0, range = 0.0..=100.0)]
    evidence: f32,
    /// The time for which a ball that should be seen and is not is kept.
    #[parameter(default = 1.2, range = 0.05..=10.0, unit = "s")]
    faith: f32,
    /// The time for which a ball that is out of sight is remembered.
    #[parameter(default = 8.0, range = 0.5..=60.0, unit = "s")]
    memory: f32,
}

#[derive(Data, Clone, Copy, Debug)]
struct Sighting {
    position: Vec2,
    at: Time,
}

#[derive(Data, Clone, Copy, Debug)]
struct Ball {
    position: Vec2,
    velocity: Vec2,
    last_seen: Time,
    /// The time since the last sighting for which the ball should have been seen, in seconds.
    missed: f32,
}

/// The kind of motion of a ball.
#[derive(Clone, Copy, Debug)]
enum Path {
    Rests,
    Rolls,
}

/// A path, by its current position and velocity.
#[derive(Clone, Copy, Debug)]
struct Fit {
    position: Vec2,
    velocity: Vec2,
    /// The sum of squared deviations, in which large ones count less.
    cost: f32,
}

#[module]
impl BallFit {
    #[update]
    pub(crate) fn ball(
        &mut self,
        percept: &BallPercept,
        odometry: &OdometryStep,
        view: &FieldOfView,
        clock: &Clock,
        debug: &Debug,
        model: &mut BallModel,
    ) {
        self.carry(odometry, clock);
        if let Some(seen) = &percept.ball {
            self.sightings.push_back(Sighting { position: seen.position, at: clock.now() });
            self.follow(clock.now());
        } else {
            self.doubt(view, clock);
        }
        if let Some(ball) = &self.ball {
            model.position = Some(ball.position);
            model.velocity = ball.velocity;
            model.last_seen = Some(ball.last_seen);
        }
        debug.plot("ball fit.speed", || self.ball.map_or(0.0, |ball| ball.velocity.length()));
        debug.draw("robot/ball fit", |canvas| {
            canvas.points(self.sightings.iter().map(|sighting| sighting.position), Color::YELLOW);
            if let Some(ball) = &self.ball {
                canvas.circle(ball.position, BALL_RADIUS, Color::YELLOW);
                canvas.arrow(ball.position, ball.position + ball.velocity, Color::YELLOW);
            }
        });
    }

    /// Accounts for the motion of the robot and of the ball.
    fn carry(&mut self, odometry: &OdometryStep, clock: &Clock) {
        let (now, window) = (clock.now(), self.parameters.window);
        self.sightings.retain(|sighting| now.since(sighting.at).as_secs_f32() <= window);
        self.sightings.iter_mut().for_each(|sighting| sighting.position = odometry.carry(sighting.position));
        if let Some(ball) = &mut self.ball {
            let velocity = Vec2::from_angle(-odometry.step.rotation).rotate(ball.velocity);
            let rolled =
                roll(odometry.carry(ball.position), velocity, clock.step_seconds(), self.parameters.deceleration);
            (ball.position, ball.velocity) = rolled;
        }
    }

    /// Fits the ball to the sightings.
    fn follow(&mut self, now: Time) {
        if self.sightings.len() < self.parameters.fewest as usize {
            return;
        }
        let mut fit = self.best(now);
        if self.far_from(&fit, now) * 2 > self.sightings.len() {
            // The ball was moved: earlier sightings are no longer valid.
            let newest = self.sightings.len() - self.parameters.fewest as usize;
            self.sightings.drain(..newest);
            fit = self.best(now);
            if self.far_from(&fit, now) * 2 > self.sightings.len() {
                return;
            }
        }
        self.ball = Some(Ball { position: fit.position, velocity: fit.velocity, last_seen: now, missed: 0.0 });
    }

    /// Returns the fit of a resting ball, unless a rolling one explains much more.
    fn best(&mut self, now: Time) -> Fit {
        let middle = self.middle();
        let rests = self.fit(now, Path::Rests, Some(middle));
        let rolls = self.fit(now, Path::Rolls, None);
        if rests.cost - rolls.cost > self.parameters.evidence { rolls } else { rests }
    }

    /// Fits by iterated least squares, with weights from the previous fit, starting with
    /// `beginning`.
    fn fit(&self, now: Time, path: Path, beginning: Option<Fit>) -> Fit {
        const ROUNDS: usize = 4;
        let mut fit = beginning;
        for _ in 0..ROUNDS {
            let mut sums = Sums::NONE;
            for sighting in &self.sightings {
                let age = match path {
                    Path::Rests => 0.0,
                    Path::Rolls => now.since(sighting.at).as_secs_f32(),
                };
                let velocity = fit.map_or(Vec2::ZERO, |fit| fit.velocity);
                // Friction: it was faster before, and so farther back than by its current velocity.
                let slowed = velocity.normalize_or_zero() * (self.parameters.deceleration * age * age / 2.0);
                let far = fit.map_or(0.0, |fit| self.deviations(&fit, sighting, now));
                let weight = self.weight(far, path);
                sums.add(-age, sighting.position + slowed, self.certainty(sighting) * weight);
            }
            let (position, velocity) = sums.line();
            let mut next = Fit { position, velocity, cost: 0.0 };
            next.cost = self.sightings.iter().map(|sighting| self.cost(self.deviations(&next, sighting, now))).sum();
            fit = Some(next);
        }
        fit.unwrap_or(Fit { position: Vec2::ZERO, velocity: Vec2::ZERO, cost: f32::MAX })
    }

    /// Returns the distance of a sighting from the path, in standard deviations.
    fn deviations(&self, fit: &Fit, sighting: &Sighting, now: Time) -> f32 {
        let age = now.since(sighting.at).as_secs_f32();
        let slowed = fit.velocity.normalize_or_zero() * (self.parameters.deceleration * age * age / 2.0);
        let off = fit.position - fit.velocity * age - slowed - sighting.position;
        off.dot(self.certainty(sighting) * off).sqrt()
    }

    /// Returns the inverse of a sighting's covariance: directions are seen better than distances.
    fn certainty(&self, sighting: &Sighting) -> Mat2 {
        sighting::covariance(sighting.position, self.parameters.sighting_angle).inverse()
    }

    /// Returns the median of the sightings, which false ones do not move, however certain they
    /// seem.
    fn middle(&mut self) -> Fit {
        let Self { sightings, coordinates, .. } = self;
        let mut middle = |part: fn(Vec2) -> f32| {
            coordinates.clear();
            coordinates.extend(sightings.iter().map(|sighting| part(sighting.position)));
            coordinates.sort_unstable_by(f32::total_cmp);
            coordinates.get(coordinates.len() / 2).copied().unwrap_or_default()
        };
        Fit { position: Vec2::new(middle(|at| at.x), middle(|at| at.y)), velocity: Vec2::ZERO, cost: 0.0 }
    }

    /// Returns the weight of a sighting. For a resting ball, it is next to nothing far from the fit
    /// (Geman and McClure 1985), because the median is a good initial value; for a rolling one it
    /// decreases less (Huber 1964), because there is no good initial value, and all have to count.
    fn weight(&self, deviations: f32, path: Path) -> f32 {
        let far = self.parameters.far;
        match path {
            Path::Rests => (far * far / (far * far + deviations * deviations)).powi(2),
            Path::Rolls => far / deviations.max(far),
        }
    }

    /// Returns the cost of a deviation: its square near the fit, and bounded (Geman and McClure
    /// 1985).
    fn cost(&self, deviations: f32) -> f32 {
        let (far, squared) = (self.parameters.far.powi(2), deviations * deviations);
        far * squared / (far + squared)
    }

    fn far_from(&self, fit: &Fit, now: Time) -> usize {
        let is_far = |sighting: &&Sighting| self.deviations(fit, sighting, now) > 2.0 * self.parameters.far;
        self.sightings.iter().filter(is_far).count()
    }

    /// Reduces the belief in a ball that should have been seen and was not.
    fn doubt(&mut self, view: &FieldOfView, clock: &Clock) {
        let Some(ball) = &mut self.ball else { return };
        if view.shows(ball.position, 2.0 * BALL_RADIUS) {
            ball.missed += clock.step_seconds();
        }
        let is_forgotten = clock.now().since(ball.last_seen).as_secs_f32() > self.parameters.memory;
        if is_forgotten || ball.missed > self.parameters.faith {
            self.ball = None;
        }
    }
}

/// The sums of the normal equations of least squares for a line through weighted points.
struct Sums {
    weight: Mat2,
    time: Mat2,
    time_squared: Mat2,
    position: Vec2,
    moment: Vec2,
}

impl Sums {
    /// The sums of no points.
    const NONE: Self = Self {
        weight: Mat2::ZERO,
        time: Mat2::ZERO,
        time_squared: Mat2::ZERO,
        position: Vec2::ZERO,
        moment: Vec2::ZERO,
    };

    fn add(&mut self, time: f32, position: Vec2, weight: Mat2) {
        self.weight += weight;
        self.time += weight * time;
        self.time_squared += weight * (time * time);
        self.position += weight * position;
        self.moment += weight * position * time;
    }

    /// Returns the point at time zero and the slope, which is zero if all points have the same
    /// time.
    fn line(&self) -> (Vec2, Vec2) {
        let mean = self.weight.inverse();
        let spread = self.time_squared - self.time * mean * self.time;
        if spread.determinant() <= 1e-8 * self.weight.determinant() {
            return (mean * self.position, Vec2::ZERO);
        }
        let velocity = spread.inverse() * (self.moment - self.time * mean * self.position);
        (mean * (self.position - self.time * velocity), velocity)
    }
}
