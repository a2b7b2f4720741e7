//! The obstacles around the robot, which are remembered while they are out of sight.

use hemiola::prelude::*;

use super::moving_point::MovingPoint;
use super::sighting;
use crate::representations::modeling::{FieldOfView, Obstacle, ObstacleModel, OdometryStep};
use crate::representations::perception::{ObstaclePercept, SeenObstacle};

/// The maximum number of obstacles.
const MOST_TRACKS: usize = 16;

/// Tracks each obstacle with a Kalman filter; sightings belong to the nearest one.
///
/// The confidence rises with sightings and falls with time: slowly out of sight, fast where a
/// camera looks and sees nothing.
#[derive(Module)]
pub struct ObstacleTracker {
    #[parameters]
    parameters: ObstacleTrackerParameters,
    tracks: Vec<Track>,
}

/// Parameters of [`ObstacleTracker`].
#[derive(Parameters)]
pub struct ObstacleTrackerParameters {
    /// The standard deviation of the angle under which an obstacle's foot is seen.
    #[parameter(default = 0.02, range = 0.001..=0.1, unit = "rad")]
    sighting_angle: f32,
    /// The variance per second that an obstacle's velocity gains.
    #[parameter(default = 0.02, range = 0.0..=1.0, unit = "m²/s³")]
    noise: f32,
    /// The expected maximum speed of an obstacle when it is first seen.
    #[parameter(default = 0.1, range = 0.0..=1.0, unit = "m/s")]
    speed: f32,
    /// The distance beyond which a sighting belongs to another obstacle.
    #[parameter(default = 0.5, range = 0.1..=2.0, unit = "m")]
    reach: f32,
    /// The time for which an obstacle that is out of sight is remembered.
    #[parameter(default = 8.0, range = 0.1..=60.0, unit = "s")]
    memory: f32,
    /// The time for which an obstacle that should be seen but is not is kept.
    #[parameter(default = 1.0, range = 0.05..=10.0, unit = "s")]
    faith: f32,
    /// The confidence from which on an obstacle is published.
    #[parameter(default = 0.4, range = 0.0..=1.0)]
    belief: f32,
    /// The distance beyond which obstacles are dropped.
    #[parameter(default = 5.0, range = 1.0..=15.0, unit = "m")]
    range: f32,
}

#[derive(Data, Clone, Copy, Debug)]
struct Track {
    point: MovingPoint,
    radius: f32,
    confidence: f32,
    was_seen: bool,
}

#[module]
impl ObstacleTracker {
    #[update]
    pub(crate) fn obstacles(
        &mut self,
        percept: &ObstaclePercept,
        odometry: &OdometryStep,
        view: &FieldOfView,
        clock: &Clock,
        debug: &Debug,
        model: &mut ObstacleModel,
    ) {
        for track in &mut self.tracks {
            track.point.carry(odometry);
            track.point.predict(clock.step_seconds(), 0.0, self.parameters.noise);
            track.was_seen = false;
        }
        percept.obstacles.iter().for_each(|seen| self.observe(seen));
        self.age(view, clock.step_seconds());

        let believed = self.tracks.iter().filter(|track| track.confidence >= self.parameters.belief);
        model.obstacles.extend(believed.map(|track| Obstacle {
            position: track.point.position,
            velocity: track.point.velocity,
            radius: track.radius,
            confidence: track.confidence,
        }));
        model.obstacles.sort_unstable_by(|a, b| a.position.length_squared().total_cmp(&b.position.length_squared()));
        debug.draw("robot/obstacles", |canvas| {
            for track in &self.tracks {
                let opacity = if track.confidence >= self.parameters.belief { 1.0 } else { 0.4 };
                canvas.circle(track.point.position, track.radius, Color::RED.with_opacity(opacity));
                canvas.covariance(track.point.position, track.point.covariance(), Color::RED.with_opacity(0.4));
            }
        });
    }

    fn observe(&mut self, seen: &SeenObstacle) {
        let covariance = sighting::covariance(seen.position, self.parameters.sighting_angle);
        let reach = self.parameters.reach + self.parameters.sighting_angle * seen.position.length_squared();
        let distance = |track: &Track| track.point.position.distance(seen.position);
        let nearest =
            self.tracks.iter_mut().filter(|track| !track.was_seen).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(track) = nearest.filter(|track| distance(track) < reach) {
            track.point.observe(seen.position, covariance);
            track.radius += 0.1 * (seen.radius - track.radius);
            track.confidence += 0.25 * (1.0 - track.confidence);
            track.was_seen = true;
        } else if self.tracks.len() < MOST_TRACKS {
            let point = MovingPoint::new(seen.position, covariance, self.parameters.speed);
            self.tracks.push(Track { point, radius: seen.radius, confidence: 0.25, was_seen: true });
        }
    }

    fn age(&mut self, view: &FieldOfView, seconds: f32) {
        let parameters = &self.parameters;
        for track in self.tracks.iter_mut().filter(|track| !track.was_seen) {
            let time = if view.shows(track.point.position, 0.1) { parameters.faith } else { parameters.memory };
            track.confidence *= (-seconds / time).exp();
        }
        self.tracks.retain(|track| track.confidence > 0.1 && track.point.position.length() < parameters.range);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use glam::Vec2;

    use super::*;
    use crate::geometry::Pose2;
    use crate::representations::modeling::GroundArea;

    fn run(tracker: &mut ObstacleTracker, seen: &[Vec2], step: Pose2) -> Vec<Obstacle> {
        let obstacles = seen.iter().map(|position| SeenObstacle { position: *position, radius: 0.15 }).collect();
        let corners = [(0.2, -2.0), (3.0, -2.0), (3.0, 2.0), (0.2, 2.0)].map(Vec2::from);
        let mut model = ObstacleModel::default();
        tracker.obstacles(
            &ObstaclePercept { obstacles },
            &OdometryStep { step },
            &FieldOfView { upper: Some(GroundArea { corners }), lower: None },
            &Clock::new(Time::ZERO, Duration::from_millis(33), 0),
            &Debug::default(),
            &mut model,
        );
        model.obstacles
    }

    #[test]
    fn two_obstacles_stay_two_and_are_believed_after_some_sightings() {
        let mut tracker = ObstacleTracker::create(ObstacleTrackerParameters::default());
        let places = [Vec2::new(2.0, 1.0), Vec2::new(1.0, -0.5)];
        assert!(run(&mut tracker, &places, Pose2::default()).is_empty());
        let obstacles = (0..10).map(|_| run(&mut tracker, &places, Pose2::default())).last().unwrap();
        assert_eq!(obstacles.len(), 2);
        assert!(obstacles[0].position.distance(places[1]) < 0.02, "nearest first: {obstacles:?}");
        assert!(obstacles[1].position.distance(places[0]) < 0.02);
    }

    #[test]
    fn behind_the_back_obstacles_are_remembered_in_sight_they_are_not() {
        let mut tracker = ObstacleTracker::create(ObstacleTrackerParameters::default());
        let place = [Vec2::new(1.0, 0.0)];
        (0..30).for_each(|_| drop(run(&mut tracker, &place, Pose2::default())));
        assert_eq!(run(&mut tracker, &[], Pose2::new(2.0, 0.0, 0.0)).len(), 1);
        let behind = (0..60).map(|_| run(&mut tracker, &[], Pose2::default())).last().unwrap();
        assert!(behind[0].position.distance(Vec2::new(-1.0, 0.0)) < 0.05);
        run(&mut tracker, &[], Pose2::new(-2.0, 0.0, 0.0));
        let ahead = (0..60).map(|_| run(&mut tracker, &[], Pose2::default())).last().unwrap();
        assert!(ahead.is_empty(), "{ahead:?}");
    }
}
