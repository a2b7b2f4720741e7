use std::time::Duration;

use super::super::random::Random;
use super::*;
use crate::geometry::Pose2;
use crate::representations::modeling::GroundArea;
use crate::representations::perception::SeenBall;

const STEP: f32 = 1.0 / 30.0;

/// A module and its world.
struct Setup {
    fit: BallFit,
    now: Time,
    model: BallModel,
    view: FieldOfView,
}

impl Setup {
    fn new() -> Self {
        let corners = [(0.2, -3.0), (4.0, -3.0), (4.0, 3.0), (0.2, 3.0)].map(Vec2::from);
        Self {
            fit: BallFit::create(BallFitParameters::default()),
            now: Time::ZERO,
            model: BallModel::default(),
            view: FieldOfView { upper: Some(GroundArea { corners }), lower: None },
        }
    }

    fn run(&mut self, ball: Option<Vec2>, step: Pose2) -> Option<Vec2> {
        self.now = self.now + Duration::from_secs_f32(STEP);
        self.model = BallModel::default();
        self.fit.ball(
            &BallPercept { ball: ball.map(|position| SeenBall { position, score: 0.9 }) },
            &OdometryStep { step },
            &self.view,
            &Clock::new(self.now, Duration::from_secs_f32(STEP), 0),
            &Debug::default(),
            &mut self.model,
        );
        self.model.position
    }

    fn noisy(position: Vec2, random: &mut Random) -> Vec2 {
        let (along, across) = sighting::deviations(position.length(), 0.01);
        let direction = position.normalize();
        position + direction * along * random.normal() + direction.perp() * across * random.normal()
    }
}

#[test]
fn a_ball_that_rests_does_not_seem_to_roll() {
    let (mut setup, mut random) = (Setup::new(), Random::new(5));
    let place = Vec2::new(1.5, 0.3);
    let mut moving = 0;
    for run in 0..300 {
        let ball = setup.run(Some(Setup::noisy(place, &mut random)), Pose2::default());
        if run > 10 {
            assert!(ball.unwrap().distance(place) < 0.1, "run {run}: {ball:?}");
            moving += u32::from(setup.model.velocity != Vec2::ZERO);
        }
    }
    assert!(moving < 10, "in {moving} runs");
}

#[test]
fn a_ball_that_rolls_through_noise_is_found_with_its_velocity() {
    let (mut setup, mut random) = (Setup::new(), Random::new(8));
    let (mut position, mut velocity) = (Vec2::new(2.5, 1.5), Vec2::new(-0.5, -1.0));
    for _ in 0..30 {
        (position, velocity) = roll(position, velocity, STEP, 0.6);
        setup.run(Some(Setup::noisy(position, &mut random)), Pose2::default());
    }
    assert!(setup.model.position.unwrap().distance(position) < 0.1, "{:?} instead of {position}", setup.model);
    assert!(setup.model.velocity.distance(velocity) < 0.35, "{:?} instead of {velocity}", setup.model);
}

#[test]
fn false_sightings_among_true_ones_do_not_move_the_ball() {
    let (mut setup, mut random) = (Setup::new(), Random::new(3));
    let place = Vec2::new(1.5, 0.2);
    for run in 0..150 {
        let wrong = Vec2::new(random.uniform(0.5, 4.0), random.uniform(-2.0, 2.0));
        let seen = if run % 4 == 3 { wrong } else { place };
        let ball = setup.run(Some(seen), Pose2::default());
        if run > 10 {
            assert!(ball.unwrap().distance(place) < 0.08, "run {run}: {ball:?}");
        }
    }
}

#[test]
fn a_ball_that_is_carried_elsewhere_is_there_within_half_a_second() {
    let mut setup = Setup::new();
    let [before, after] = [Vec2::new(1.0, 1.0), Vec2::new(2.0, -1.0)];
    (0..60).for_each(|_| _ = setup.run(Some(before), Pose2::default()));
    let there =
        (0..15).find(|_| setup.run(Some(after), Pose2::default()).is_some_and(|ball| ball.distance(after) < 0.1));
    assert!(there.is_some(), "{:?}", setup.model);
}

#[test]
fn a_robot_that_walks_keeps_a_resting_ball_in_its_place() {
    let mut setup = Setup::new();
    let (step, mut ball) = (Pose2::new(0.01, 0.0, 0.02), Vec2::new(2.0, 0.0));
    for run in 0..90 {
        ball = OdometryStep { step }.carry(ball);
        let seen = (run < 45).then_some(ball);
        setup.run(seen, step);
    }
    assert!(setup.model.position.unwrap().distance(ball) < 0.05, "{:?} instead of {ball}", setup.model);
}

#[test]
fn what_should_be_seen_and_is_not_is_given_up() {
    let mut setup = Setup::new();
    (0..30).for_each(|_| _ = setup.run(Some(Vec2::new(2.0, 0.0)), Pose2::default()));
    let lasting = (0..90).take_while(|_| setup.run(None, Pose2::default()).is_some()).count();
    assert!((30..45).contains(&lasting), "{lasting} runs");
}
