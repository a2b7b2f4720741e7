//! The modules of vision on rendered images, against what is true of them.

use std::time::Duration;

use glam::DVec3;
use hemiola::prelude::*;

use super::ball_detector::{BallDetector, BallDetectorParameters};
use super::ball_tracker::{BallTracker, BallTrackerParameters};
use super::region_finder::{RegionFinder, RegionFinderParameters};
use super::segmenter::{Segmenter, SegmenterParameters};
use crate::geometry::{Direction, HEIGHT, View, WIDTH};
use crate::representations::{Ball, BallTrack, Balls, CameraImage, ColorRuns, Exposure, Regions};
use crate::simulator::{Random, Scene, render};

/// What becomes of one image that a head has taken which looks in this direction.
fn balls(scene: &Scene, ball: DVec3, direction: Direction, noise: u64) -> Vec<Ball> {
    let mut image = CameraImage::default();
    image.image.step = 3 * WIDTH;
    image.image.data.overwrite(3 * (WIDTH * HEIGHT) as usize, |pixels| {
        render(scene, ball, &View::towards(direction), pixels);
        Random::for_image(1, noise).add_noise(3.0, pixels);
    });

    let (mut runs, mut regions, mut balls) = (ColorRuns::default(), Regions::default(), Balls::default());
    let debug = Debug::default();
    Segmenter::create(SegmenterParameters::default()).runs(&image, &Scope::default(), &debug, &mut runs);
    RegionFinder::create(RegionFinderParameters::default()).regions(&runs, &debug, &mut regions);
    BallDetector::create(BallDetectorParameters::default()).balls(
        &regions,
        &Exposure { direction },
        &debug,
        &mut balls,
    );
    balls.balls
}

#[test]
fn a_ball_in_clear_view_is_found_where_it_is_and_nothing_else_is_taken_for_it() {
    let mut random = Random::new(7);
    let mut clear = 0;
    for image in 0..300 {
        let scene = Scene::new(1 + image / 30);
        let ball = scene.ball(Time::from_seconds(random.uniform(0.0..60.0)));
        let truth = Direction::of(ball);
        // Now in the middle of the image, now at its border.
        let direction = truth + Direction::new(random.uniform(-0.5..0.5), random.uniform(-0.4..0.4));
        let found = balls(&scene, ball, direction, image);
        for found in &found {
            let apart = found.direction.apart(truth).to_degrees();
            assert!(apart < 1.5, "image {image}: nothing of the kind is {apart}° from the ball");
        }
        if scene.is_clear(ball, &View::towards(direction)) {
            clear += 1;
            assert_eq!(found.len(), 1, "image {image}");
            let (apart, distance) = (found[0].direction.apart(truth).to_degrees(), found[0].distance / ball.length());
            assert!(apart < 0.15 && (0.97..1.03).contains(&distance), "image {image}: {apart}°, {distance}");
        }
    }
    assert!(clear > 100, "only {clear} images show the ball");
}

/// Feeds the tracker with so many images a thirtieth of a second apart.
fn tracked(images: u32, balls: impl Fn(u32) -> Vec<Ball>) -> BallTrack {
    let mut tracker = BallTracker::create(BallTrackerParameters::default());
    let step = Duration::from_secs(1) / 30;
    let mut track = BallTrack::default();
    for image in 0..images {
        let clock = Clock::new(Time::ZERO + step * image, step, u64::from(image));
        track = BallTrack::default();
        let balls = Balls { balls: balls(image) };
        tracker.track(&balls, &Exposure::default(), &clock, &Debug::default(), &mut track);
    }
    track
}

/// A ball that flies to the left with 0.5 rad/s.
fn flying(image: u32) -> Ball {
    Ball { direction: Direction::new(f64::from(image) / 60.0, 0.1), distance: 3.0, ..Ball::default() }
}

#[test]
fn a_ball_that_is_hidden_for_half_a_second_is_expected_where_it_flies() {
    let track = tracked(60, |image| if image < 45 { vec![flying(image)] } else { Vec::new() });
    assert!(track.is_known && track.sightings == 45);
    assert!(track.direction.apart(flying(59).direction) < 0.005, "{:?}", track.direction);
    let seen = tracked(45, |image| vec![flying(image)]);
    assert!(track.deviation.azimuth > 5.0 * seen.deviation.azimuth, "and it says that it is less sure");
}

#[test]
fn another_ball_is_not_taken_for_the_one_that_is_followed() {
    let other = Ball { direction: Direction::new(-0.3, 0.0), distance: 2.0, ..Ball::default() };
    let track = tracked(60, |image| if image == 0 { vec![flying(0)] } else { vec![other, flying(image)] });
    assert!(track.direction.apart(flying(59).direction) < 0.002, "{:?}", track.direction);
}

#[test]
fn a_ball_that_does_not_come_again_is_forgotten() {
    assert!(!tracked(90, |image| if image < 45 { vec![flying(image)] } else { Vec::new() }).is_known);
}
