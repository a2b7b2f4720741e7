use hemiola::prelude::*;

use super::kalman_filter::MovingNumber;
use crate::geometry::{Direction, FOCAL_LENGTH, View};
use crate::representations::{Ball, BallTrack, Balls, Exposure};

#[derive(Parameters)]
pub struct BallTrackerParameters {
    /// The variance of the change of a rate in a second: a ball that flies turns often.
    #[parameter(default = 0.6, range = 0.001..=100.0, unit = "(rad or m)²/s³")]
    agility: f64,
    /// The standard deviation of a measured direction.
    #[parameter(default = 0.0015, range = 0.0001..=0.1, unit = "rad")]
    angle_noise: f64,
    /// The standard deviation of a measured distance, as a share of it.
    #[parameter(default = 0.02, range = 0.001..=1.0)]
    distance_noise: f64,
    /// The time after which a ball that is not found any more is forgotten.
    #[parameter(default = 1.0, range = 0.1..=10.0, unit = "s")]
    patience: f64,
}

/// Follows one ball through all images: a Kalman filter for its direction and distance. What is too
/// far from where the ball should be is not the ball.
#[derive(Module)]
pub struct BallTracker {
    #[parameters]
    parameters: BallTrackerParameters,
    track: Option<Track>,
}

#[derive(Data, Clone, Default)]
struct Track {
    azimuth: MovingNumber,
    elevation: MovingNumber,
    distance: MovingNumber,
    sightings: u32,
    /// The time for which it was not found, in seconds.
    missed: f64,
}

/// Three measurements that are right are farther off with a probability of 0.1 % (χ²).
const GATE: f64 = 16.3;

#[module]
impl BallTracker {
    #[update]
    pub(super) fn track(
        &mut self,
        balls: &Balls,
        exposure: &Exposure,
        clock: &Clock,
        debug: &Debug,
        track: &mut BallTrack,
    ) {
        if let Some(known) = &mut self.track {
            known.predict(clock.step().as_secs_f64(), &self.parameters);
        }
        self.learn(balls);
        track.time = clock.now();
        if let Some(known) = &self.track {
            track.is_known = true;
            track.direction = Direction::new(known.azimuth.value, known.elevation.value);
            track.rates = Direction::new(known.azimuth.rate, known.elevation.rate);
            track.distance = known.distance.value;
            track.deviation =
                Direction::new(known.azimuth.covariance[0][0], known.elevation.covariance[0][0]).map(f64::sqrt);
            track.sightings = known.sightings;
        }
        show(track, &View::towards(exposure.direction), debug);
    }

    /// Corrects the track by the ball that fits it best. Without a track, the nearest ball begins
    /// one.
    fn learn(&mut self, balls: &Balls) {
        let Self { parameters, track } = self;
        let Some(known) = track else {
            let nearest = balls.balls.iter().min_by(|one, other| one.distance.total_cmp(&other.distance));
            *track = nearest.map(|ball| Track::begin(ball, parameters));
            return;
        };
        let surprises = balls.balls.iter().map(|ball| (known.surprise(ball, parameters), ball));
        let best = surprises.min_by(|(one, _), (other, _)| one.total_cmp(other));
        match best.filter(|(surprise, _)| *surprise < GATE) {
            Some((_, ball)) => known.correct(ball, parameters),
            None if known.missed > parameters.patience => *track = None,
            None => {}
        }
    }
}

impl Track {
    fn begin(ball: &Ball, parameters: &BallTrackerParameters) -> Self {
        let (angle, distance) = parameters.variances(ball);
        Self {
            azimuth: MovingNumber::begin(ball.direction.azimuth, angle, 1.0),
            elevation: MovingNumber::begin(ball.direction.elevation, angle, 1.0),
            distance: MovingNumber::begin(ball.distance, distance, 1.0),
            sightings: 1,
            missed: 0.0,
        }
    }

    fn predict(&mut self, seconds: f64, parameters: &BallTrackerParameters) {
        for number in [&mut self.azimuth, &mut self.elevation, &mut self.distance] {
            number.predict(seconds, parameters.agility);
        }
        self.missed += seconds;
    }

    fn surprise(&self, ball: &Ball, parameters: &BallTrackerParameters) -> f64 {
        let (angle, distance) = parameters.variances(ball);
        self.azimuth.surprise(ball.direction.azimuth, angle)
            + self.elevation.surprise(ball.direction.elevation, angle)
            + self.distance.surprise(ball.distance, distance)
    }

    fn correct(&mut self, ball: &Ball, parameters: &BallTrackerParameters) {
        let (angle, distance) = parameters.variances(ball);
        self.azimuth.correct(ball.direction.azimuth, angle);
        self.elevation.correct(ball.direction.elevation, angle);
        self.distance.correct(ball.distance, distance);
        self.sightings += 1;
        self.missed = 0.0;
    }
}

impl BallTrackerParameters {
    /// Returns the variances of the angles and the distance of a ball in an image.
    fn variances(&self, ball: &Ball) -> (f64, f64) {
        (self.angle_noise.powi(2), (self.distance_noise * ball.distance).powi(2))
    }
}

/// Draws the track in the image, with where it will be in the next half second, and in the room.
fn show(track: &BallTrack, view: &View, debug: &Debug) {
    let ahead = |seconds: f64| track.direction + track.rates * seconds;
    debug.draw("CameraImage/track", |canvas| {
        let pixel = |direction: Direction| view.pixel(direction.at(track.distance)).map(|at| at.as_vec2().to_array());
        let Some(at) = pixel(track.direction).filter(|_| track.is_known) else { return };
        // Three standard deviations.
        let axes =
            [track.deviation.azimuth, track.deviation.elevation].map(|angle| (3.0 * FOCAL_LENGTH * angle) as f32);
        canvas.ellipse(at, axes, 0.0, Color::MAGENTA);
        canvas.line((0..=5).filter_map(|tenth| pixel(ahead(0.1 * f64::from(tenth)))), Color::MAGENTA);
    });
    debug.draw("room/track", |canvas| {
        if track.is_known {
            let at = |direction: Direction| direction.at(track.distance).truncate().as_vec2().to_array();
            canvas.circle(at(track.direction), 0.12, Color::ORANGE);
            canvas.arrow(at(track.direction), at(ahead(0.5)), Color::ORANGE);
        }
    });
    debug.plot("tracker.azimuth [°]", track.direction.azimuth.to_degrees());
    debug.plot("tracker.distance [m]", track.distance);
}
