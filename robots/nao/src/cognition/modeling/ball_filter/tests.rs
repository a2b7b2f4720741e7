use std::time::Duration;

use glam::Vec2;

use super::super::random::Random;
use super::*;
use crate::geometry::Pose2;
use crate::representations::modeling::GroundArea;

const STEP: f32 = 1.0 / 30.0;

/// A filter and its world.
struct Setup {
    filter: BallFilter,
    now: Time,
    model: BallModel,
    view: FieldOfView,
}

impl Setup {
    fn new() -> Self {
        let corners = [(0.2, -3.0), (4.0, -3.0), (4.0, 3.0), (0.2, 3.0)].map(Vec2::from);
        Self {
            filter: BallFilter::create(BallFilterParameters::default()),
            now: Time::ZERO,
            model: BallModel::default(),
            view: FieldOfView { upper: Some(GroundArea { corners }), lower: None },
        }
    }

    fn run(&mut self, ball: Option<Vec2>, step: Pose2) -> Option<Vec2> {
        self.now = self.now + Duration::from_secs_f32(STEP);
        self.model = BallModel::default();
        self.filter.ball(
            &BallPercept { ball: ball.map(|position| SeenBall { position, score: 0.9 }) },
            &OdometryStep { step },
            &self.view,
            &FallState::default(),
            &Clock::new(self.now, Duration::from_secs_f32(STEP), 0),
            &Debug::default(),
            &mut BallHypotheses::default(),
            &mut self.model,
        );
        self.model.position
    }
}

#[test]
fn a_single_false_sighting_never_becomes_the_ball() {
    let mut setup = Setup::new();
    assert_eq!(setup.run(Some(Vec2::new(2.0, 1.0)), Pose2::default()), None);
    for _ in 0..30 {
        assert_eq!(setup.run(None, Pose2::default()), None);
    }
}

#[test]
fn false_sightings_among_true_ones_do_not_move_the_ball() {
    let (mut setup, mut random) = (Setup::new(), Random::new(3));
    for run in 0..150 {
        let wrong = Vec2::new(random.uniform(0.5, 4.0), random.uniform(-2.0, 2.0));
        let seen = if run % 4 == 3 { wrong } else { Vec2::new(1.5, 0.2) };
        let ball = setup.run(Some(seen), Pose2::default());
        if run > 10 {
            assert!(ball.unwrap().distance(Vec2::new(1.5, 0.2)) < 0.05, "run {run}: {ball:?}");
        }
    }
}

#[test]
fn a_ball_that_rolls_through_noise_is_found_with_its_velocity() {
    let (mut setup, mut random) = (Setup::new(), Random::new(8));
    let (mut position, mut velocity) = (Vec2::new(2.5, 1.5), Vec2::new(-0.5, -1.0));
    for _ in 0..30 {
        (position, velocity) = super::super::moving_point::roll(position, velocity, STEP, 0.6);
        let (along, across) = sighting::deviations(position.length(), 0.01);
        let direction = position.normalize();
        let noise = direction * along * random.normal() + direction.perp() * across * random.normal();
        setup.run(Some(position + noise), Pose2::default());
    }
    assert!(setup.model.position.unwrap().distance(position) < 0.1, "{:?} is not {position}", setup.model);
    assert!(setup.model.velocity.distance(velocity) < 0.2, "{:?} is not {velocity}", setup.model);
}

#[test]
fn odometry_carries_a_ball_out_of_sight_and_memory_fades() {
    let mut setup = Setup::new();
    for _ in 0..10 {
        setup.run(Some(Vec2::X), Pose2::default());
    }
    // Turn left by ninety degrees: the ball is now to the right, where no camera looks.
    for _ in 0..30 {
        setup.run(None, Pose2::new(0.0, 0.0, std::f32::consts::FRAC_PI_2 / 30.0));
    }
    assert!(setup.model.position.unwrap().abs_diff_eq(Vec2::NEG_Y, 0.02), "{:?}", setup.model);
    for _ in 0..300 {
        setup.run(None, Pose2::default());
    }
    assert_eq!(setup.model, BallModel::default());
}

#[test]
fn a_ball_that_was_taken_away_is_given_up_soon() {
    let mut setup = Setup::new();
    for _ in 0..20 {
        setup.run(Some(Vec2::X), Pose2::default());
    }
    let lasts = (0..150).take_while(|_| setup.run(None, Pose2::default()).is_some()).count();
    assert!((15..90).contains(&lasts), "{lasts} runs");
    for _ in 0..10 {
        setup.run(Some(Vec2::new(2.0, -1.0)), Pose2::default());
    }
    assert!(setup.model.position.unwrap().distance(Vec2::new(2.0, -1.0)) < 0.1);
}
