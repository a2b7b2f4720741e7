//! The pose of the robot on the field: a particle filter over lines, landmarks and odometry.

use std::f32::consts::FRAC_PI_2;
use std::time::Duration;

use glam::Vec2;
use hemiola::prelude::*;

use super::random::Random;
use crate::field::{LENGTH, PENALTY_MARK_DISTANCE, WIDTH, is_carpet};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::modeling::{
    CarriedTo, MirrorVerdict, OdometryStep, PlaceByRules, PoseParticle, PoseParticles,
};
use crate::representations::motion::{FallState, KeptBelief, Uprightness};
use crate::representations::perception::{LandmarkPercept, LinePercept};

mod features;
#[cfg(test)]
mod tests;

use features::{Features, Noise};

/// The time within which a pose that was kept since an earlier beginning may come.
const BEGINNING: Duration = Duration::from_millis(500);
/// The share of the particles that are placed where somebody has carried the robot. The others
/// stay: what is seen next decides.
const CARRIED_SHARE: f32 = 0.9;
/// The distance beyond the halfway line that is no error of the pose, in metres.
const HALFWAY_MARGIN: f32 = 0.3;

/// The number of particles per parallel task: tens of microseconds of work.
const CHUNK: usize = 25;

/// Monte Carlo localisation (Dellaert, Fox, Burgard, Thrun: Monte Carlo Localization for Mobile
/// Robots, 1999).
///
/// In every run particles move by the odometry with noise, are weighted by how well the percepts
/// fit the field from there, and are resampled when few of them carry the weight. When nothing fits
/// for a while, some particles are placed by a seen landmark (sensor resetting; Lenser, Veloso
/// 2000).
///
/// The field looks the same from the other half. The half follows from the start (the robot enters
/// its own half at a touch line) and from the heading, which odometry tracks well enough not to
/// turn around unnoticed. Where it is lost, the rules ([`PlaceByRules`]) and the mates
/// ([`MirrorVerdict`]) say which half it is.
#[derive(Module)]
pub struct SelfLocator {
    #[parameters]
    parameters: SelfLocatorParameters,
    particles: Vec<PoseParticle>,
    #[stateless]
    drawn: Vec<PoseParticle>,
    #[stateless]
    scores: Vec<f32>,
    #[stateless]
    features: Features,
    random: Option<Random>,
    /// The number of times that the robot was carried, and was found mirrored, which are settled.
    settled: (u32, u32),
    /// The time of the first run.
    began: Option<Time>,
    /// Set once this follows the pose by itself, and no longer goes on from a kept one.
    has_begun: bool,
    fit: f32,
    was_down: Uprightness,
}

/// Parameters of [`SelfLocator`].
#[derive(Parameters)]
pub struct SelfLocatorParameters {
    /// The number of particles.
    #[parameter(default = 150, range = 10..=2000)]
    particles: u32,
    /// The seed of the random numbers.
    #[parameter(default = 1)]
    seed: u64,
    /// The start of the range along the touch lines of the own half in which the robot may start.
    #[parameter(default = -2.4, range = -4.5..=4.5, unit = "m")]
    start_from: f32,
    /// The end of that range.
    #[parameter(default = -0.5, range = -4.5..=4.5, unit = "m")]
    start_to: f32,
    /// The standard deviation of the camera's direction.
    #[parameter(default = 0.02, range = 0.001..=0.1, unit = "rad")]
    sighting_angle: f32,
    /// The error of odometry, as a share of the distance.
    #[parameter(default = 0.12, range = 0.0..=1.0)]
    way_noise: f32,
    /// The unnoticed turn per metre driven or radian turned.
    #[parameter(default = 0.12, range = 0.0..=1.0, unit = "rad")]
    turn_noise: f32,
    /// The noise that is always added, so that particles that were drawn from the same one separate
    /// again.
    #[parameter(default = 0.004, range = 0.0..=0.1, unit = "m, rad")]
    idle_noise: f32,
    /// The average fit below which particles are placed by landmarks.
    #[parameter(default = 0.6, range = 0.0..=1.0)]
    smallest_fit: f32,
}

const PARTICLE: Color = Color::new(0x8888ff);

#[module]
impl SelfLocator {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(crate) fn particles(
        &mut self,
        odometry: &OdometryStep,
        lines: &LinePercept,
        landmarks: &LandmarkPercept,
        fall: &FallState,
        kept: &KeptBelief,
        rules: &PlaceByRules,
        mirror: &MirrorVerdict,
        clock: &Clock,
        scope: &Scope,
        debug: &Debug,
        particles: &mut PoseParticles,
    ) {
        let mut random = self.random.take().unwrap_or_else(|| self.begin());
        self.go_on_from(kept, clock.now(), &mut random);
        self.move_on(odometry, &mut random);
        self.obey_rules(rules, &mut random);
        self.turn_around(mirror);
        let was_down = std::mem::replace(&mut self.was_down, fall.state) != Uprightness::Upright;
        if fall.state == Uprightness::Upright {
            if was_down {
                self.scatter(&mut random);
            }
            self.features.collect(lines, landmarks, &Noise { angle: self.parameters.sighting_angle });
            if !self.features.is_empty() {
                self.weigh(scope);
                self.draw_anew(&mut random);
                self.reset_by_landmarks(landmarks, &mut random);
            }
        }
        self.random = Some(random);

        particles.particles.extend_from_slice(&self.particles);
        particles.fit = self.fit;
        debug.plot("pose.fit", self.fit);
        debug.draw("field/particles", |canvas| {
            canvas.points(self.particles.iter().map(|particle| particle.pose.translation), PARTICLE);
        });
    }

    /// Distributes the particles over the places where the robot may enter the field.
    fn begin(&mut self) -> Random {
        let mut random = Random::new(self.parameters.seed);
        let count = self.parameters.particles as usize;
        let weight = 1.0 / count as f32;
        self.particles.extend((0..count).map(|index| {
            let side = if index % 2 == 0 { 1.0 } else { -1.0 };
            let x = random.uniform(self.parameters.start_from, self.parameters.start_to);
            PoseParticle { pose: at_touch_line(x, side, &mut random), weight }
        }));
        self.drawn.reserve(count);
        self.scores.reserve(count);
        self.fit = 1.0;
        random
    }

    /// Places the particles around the pose that motion has kept, if this begins anew while the
    /// robot plays: after a crash, in a process that was restarted.
    fn go_on_from(&mut self, kept: &KeptBelief, now: Time, random: &mut Random) {
        self.has_begun |= now.since(*self.began.get_or_insert(now)) >= BEGINNING;
        if !self.has_begun
            && let Some(pose) = kept.pose
        {
            self.has_begun = true;
            for particle in &mut self.particles {
                let way = Vec2::new(random.normal(), random.normal()) * 0.1;
                particle.pose = pose * Pose2 { rotation: 0.1 * random.normal(), translation: way };
            }
        }
    }

    /// Moves every particle by the odometry, with noise of its own.
    fn move_on(&mut self, odometry: &OdometryStep, random: &mut Random) {
        let Pose2 { rotation, translation } = odometry.step;
        let way_deviation = self.parameters.idle_noise + self.parameters.way_noise * translation.length();
        let turn_deviation =
            self.parameters.idle_noise + self.parameters.turn_noise * (translation.length() + rotation.abs());
        for particle in &mut self.particles {
            let noise = Vec2::new(random.normal(), random.normal()) * way_deviation;
            let turn = rotation + random.normal() * turn_deviation;
            particle.pose = particle.pose * Pose2 { rotation: turn, translation: translation + noise };
        }
    }

    /// Places particles where somebody has carried the robot, and turns those around that are in
    /// the wrong half where the rules say which one it is.
    fn obey_rules(&mut self, rules: &PlaceByRules, random: &mut Random) {
        if rules.times != self.settled.0 {
            self.settled.0 = rules.times;
            let (from, to) = match rules.carried {
                CarriedTo::Nowhere => return,
                CarriedTo::Entry => (self.parameters.start_from, self.parameters.start_to),
                CarriedTo::Return => (RETURN_X - 0.4, RETURN_X + 0.4),
            };
            self.put_at_touch_lines(from, to, random);
        }
        if rules.in_own_half {
            let is_beyond = |particle: &&mut PoseParticle| particle.pose.translation.x > HALFWAY_MARGIN;
            self.particles.iter_mut().filter(is_beyond).for_each(|particle| particle.pose = particle.pose.mirrored());
        }
    }

    /// Turns all particles around the centre of the field, if the mates say that it is the other
    /// half.
    fn turn_around(&mut self, mirror: &MirrorVerdict) {
        if std::mem::replace(&mut self.settled.1, mirror.mirrored) != mirror.mirrored {
            self.particles.iter_mut().for_each(|particle| particle.pose = particle.pose.mirrored());
        }
    }

    /// Places most particles at both touch lines, between two values of x; all are then as probable
    /// as each other.
    fn put_at_touch_lines(&mut self, from: f32, to: f32, random: &mut Random) {
        let count = self.particles.len();
        let (weight, moved) = (1.0 / count as f32, (CARRIED_SHARE * count as f32) as usize);
        for (index, particle) in self.particles.iter_mut().enumerate() {
            // Distributed evenly, as resampling puts particles of one place next to each other.
            let is_moved = index * moved / count != (index + 1) * moved / count;
            if is_moved {
                let side = if random.index(2) == 0 { 1.0 } else { -1.0 };
                particle.pose = at_touch_line(random.uniform(from, to), side, random);
            }
            particle.weight = weight;
        }
    }

    /// Spreads the headings after a fall, in which the robot may have turned.
    fn scatter(&mut self, random: &mut Random) {
        for particle in &mut self.particles {
            let turn = random.uniform(-0.5, 0.5);
            let way = Vec2::new(random.normal(), random.normal()) * 0.15;
            particle.pose = particle.pose * Pose2 { rotation: turn, translation: way };
        }
    }

    /// Multiplies weights by the likelihood of the percepts, and normalises them.
    fn weigh(&mut self, scope: &Scope) {
        self.scores.resize(self.particles.len(), 0.0);
        let (particles, features) = (&self.particles, &self.features);
        scope.for_each_chunk(&mut self.scores, CHUNK, |chunk, scores| {
            for (score, particle) in scores.iter_mut().zip(&particles[chunk * CHUNK..]) {
                *score = features.cost(&particle.pose);
            }
        });
        let smallest = self.scores.iter().copied().fold(f32::MAX, f32::min);
        let mut sum = 0.0;
        for (particle, cost) in self.particles.iter_mut().zip(&self.scores) {
            particle.weight *= (smallest - cost).exp();
            sum += particle.weight;
        }
        let mut cost = 0.0;
        for (particle, particle_cost) in self.particles.iter_mut().zip(&self.scores) {
            particle.weight /= sum;
            cost += particle.weight * particle_cost;
        }
        self.fit += 0.05 * (1.0 - cost / self.features.largest_cost() - self.fit);
    }

    /// Resamples systematically if the effective number of particles has become small.
    fn draw_anew(&mut self, random: &mut Random) {
        let count = self.particles.len() as f32;
        let squares: f32 = self.particles.iter().map(|particle| particle.weight * particle.weight).sum();
        if 1.0 / squares > 0.6 * count {
            return;
        }
        let step = 1.0 / count;
        let (mut position, mut sum) = (random.uniform(0.0, step), 0.0);
        self.drawn.clear();
        for particle in &self.particles {
            sum += particle.weight;
            while position < sum && self.drawn.len() < self.particles.len() {
                self.drawn.push(PoseParticle { pose: particle.pose, weight: step });
                position += step;
            }
        }
        // Rounding may leave the sum a little below 1.
        while self.drawn.len() < self.particles.len() {
            self.drawn.push(PoseParticle { weight: step, ..self.particles[self.particles.len() - 1] });
        }
        std::mem::swap(&mut self.particles, &mut self.drawn);
    }

    /// Replaces some particles with poses that one seen landmark would explain, with headings close
    /// to those of the particles.
    fn reset_by_landmarks(&mut self, landmarks: &LandmarkPercept, random: &mut Random) {
        let lack = (self.parameters.smallest_fit - self.fit) / self.parameters.smallest_fit;
        if lack <= 0.0 || landmarks.landmarks.is_empty() {
            return;
        }
        let count = self.particles.len();
        let heading = self.particles.iter().map(|particle| particle.pose.forward() * particle.weight).sum::<Vec2>();
        for _ in 0..(lack * 0.1 * count as f32) as usize {
            let seen = landmarks.landmarks[random.index(landmarks.landmarks.len())];
            let places = features::places(seen.kind);
            let place = places[random.index(places.len())];
            let rotation = normalize_angle(heading.to_angle() + 0.35 * random.normal());
            let translation = place - Vec2::from_angle(rotation).rotate(seen.position);
            if is_carpet(translation) {
                let replaced = random.index(count);
                self.particles[replaced].pose = Pose2 { rotation, translation };
            }
        }
    }
}

/// x of the place where robots come back to the field after a penalty: level with the penalty mark
/// of their own half.
const RETURN_X: f32 = PENALTY_MARK_DISTANCE - LENGTH / 2.0;

/// Returns a pose at one of the touch lines that looks across the field.
fn at_touch_line(x: f32, side: f32, random: &mut Random) -> Pose2 {
    Pose2::new(x, side * WIDTH / 2.0 + 0.05 * random.normal(), -side * FRAC_PI_2 + 0.12 * random.normal())
}
