use std::time::Duration;

use glam::Vec2;
use proptest::prelude::*;

use super::super::random::Random;
use super::*;
use crate::geometry::Pose2;
use crate::representations::modeling::GroundArea;

const STEP: f32 = 1.0 / 30.0;

/// A module and its world.
struct Setup {
    modes: BallModes,
    now: Time,
    model: BallModel,
    view: FieldOfView,
}

impl Setup {
    fn new() -> Self {
        Self::after(BallModel::default())
    }

    /// The robot whose ball was `before`, by another module.
    fn after(before: BallModel) -> Self {
        let corners = [(0.2, -3.0), (4.0, -3.0), (4.0, 3.0), (0.2, 3.0)].map(Vec2::from);
        Self {
            modes: BallModes::create(BallModesParameters::default()),
            now: before.last_seen.unwrap_or(Time::ZERO),
            model: before,
            view: FieldOfView { upper: Some(GroundArea { corners }), lower: None },
        }
    }

    fn run(&mut self, ball: Option<SeenBall>, step: Pose2, seconds: f32) -> Option<Vec2> {
        self.now = self.now + Duration::from_secs_f32(seconds);
        let before = std::mem::take(&mut self.model);
        self.modes.ball(
            &BallPercept { ball },
            &OdometryStep { step },
            &self.view,
            &FallState::default(),
            Previous::new(&before),
            &Clock::new(self.now, Duration::from_secs_f32(seconds), 0),
            &Debug::default(),
            &mut self.model,
        );
        self.model.position
    }

    fn see(&mut self, position: Vec2) -> Option<Vec2> {
        self.run(Some(SeenBall { position, score: 0.9 }), Pose2::default(), STEP)
    }

    fn miss(&mut self) -> Option<Vec2> {
        self.run(None, Pose2::default(), STEP)
    }
}

#[test]
fn a_single_false_sighting_never_becomes_the_ball() {
    let mut setup = Setup::new();
    assert_eq!(setup.see(Vec2::new(2.0, 1.0)), None);
    assert!((0..30).all(|_| setup.miss().is_none()));
}

#[test]
fn the_kind_of_motion_is_known_soon() {
    let (mut setup, mut random) = (Setup::new(), Random::new(5));
    let probabilities = |setup: &Setup| setup.modes.ball.unwrap().motion.probabilities();
    let (mut position, mut velocity) = (Vec2::new(1.5, 0.3), Vec2::ZERO);
    let mut see = |setup: &mut Setup, position: Vec2| {
        let (along, across) = sighting::deviations(position.length(), 0.01);
        let direction = position.normalize();
        let noise = direction * along * random.normal() + direction.perp() * across * random.normal();
        setup.see(position + noise);
    };
    (0..60).for_each(|_| see(&mut setup, position));
    let [rests, ..] = probabilities(&setup);
    assert!(rests > 0.8, "{:?}", probabilities(&setup));
    assert!(setup.model.velocity.length() < 0.05, "{:?}", setup.model);
    velocity += Vec2::new(0.8, -0.9);
    for _ in 0..15 {
        (position, velocity) = super::super::moving_point::roll(position, velocity, STEP, 0.6);
        see(&mut setup, position);
    }
    let [rests, ..] = probabilities(&setup);
    assert!(rests < 0.1, "{:?}", probabilities(&setup));
    assert!(setup.model.velocity.distance(velocity) < 0.4, "{:?} instead of {velocity}", setup.model);
}

#[test]
fn odometry_carries_a_ball_out_of_sight_and_memory_fades() {
    let mut setup = Setup::new();
    (0..10).for_each(|_| _ = setup.see(Vec2::X));
    // Turn left by ninety degrees: the ball is now to the right, where no camera looks.
    for _ in 0..30 {
        setup.run(None, Pose2::new(0.0, 0.0, std::f32::consts::FRAC_PI_2 / 30.0), STEP);
    }
    assert!(setup.model.position.unwrap().abs_diff_eq(Vec2::NEG_Y, 0.02), "{:?}", setup.model);
    (0..300).for_each(|_| _ = setup.miss());
    assert_eq!(setup.model, BallModel::default());
}

#[test]
fn a_ball_that_was_taken_away_is_given_up_soon() {
    let mut setup = Setup::new();
    (0..20).for_each(|_| _ = setup.see(Vec2::X));
    let lasting = (0..150).take_while(|_| setup.miss().is_some()).count();
    assert!((15..120).contains(&lasting), "{lasting} runs");
}

#[test]
fn a_ball_that_is_carried_elsewhere_is_there_within_a_second() {
    let mut setup = Setup::new();
    let [before, after] = [Vec2::new(1.0, 1.0), Vec2::new(2.0, -1.0)];
    (0..60).for_each(|_| _ = setup.see(before));
    let there = (0..60).find(|_| setup.see(after).is_some_and(|ball| ball.distance(after) < 0.1));
    println!("{there:?}");
    assert!(there.is_some(), "{:?}", setup.model);
}

#[test]
fn it_begins_with_the_ball_of_its_predecessor_where_no_camera_looks() {
    let before = BallModel {
        position: Some(Vec2::new(-1.0, 0.5)),
        velocity: Vec2::new(0.4, 0.0),
        last_seen: Some(Time::from_seconds(7.0)),
    };
    let mut setup = Setup::after(before.clone());
    let step = Pose2::new(0.01, 0.0, 0.0);
    let ball = setup.run(None, step, STEP).unwrap();
    assert!(ball.distance(Vec2::new(-1.01, 0.5)) < 0.02, "{ball}");
    assert_eq!(setup.model.last_seen, before.last_seen);
    (0..8 * 30).for_each(|_| _ = setup.run(None, step, STEP));
    assert_eq!(setup.model, BallModel::default(), "it is not remembered for longer than its predecessor would");
}

#[test]
fn who_knew_no_ball_hands_none_over() {
    assert_eq!(Setup::new().miss(), None);
}

/// Any sighting: scores and places beyond all that cameras see, also those right below the robot.
fn sightings() -> impl Strategy<Value = Option<SeenBall>> {
    let position = prop_oneof![
        (-5.0_f32..10.0, -5.0_f32..5.0),
        (1.4_f32..1.6, 0.2_f32..0.4),
        Just((0.0, 0.0)),
        (-1e3_f32..1e3, -1e3_f32..1e3),
    ];
    let seen = (position, -0.5_f32..1.5).prop_map(|(position, score)| SeenBall { position: position.into(), score });
    proptest::option::weighted(0.8, seen)
}

fn steps() -> impl Strategy<Value = Pose2> {
    (-0.3_f32..0.3, -0.3_f32..0.3, -1.0_f32..1.0).prop_map(|(x, y, turn)| Pose2::new(x, y, turn))
}

/// The time between two images, also where the robot was stopped for a while.
fn times() -> impl Strategy<Value = f32> {
    prop_oneof![6 => Just(STEP), 2 => Just(0.5), 1 => Just(0.0), 1 => Just(30.0)]
}

fn reflected(vector: Vec2) -> Vec2 {
    Vec2::new(vector.x, -vector.y)
}

proptest! {
    #[test]
    fn estimates_are_finite_and_probabilities_sum_up_to_one_whatever_is_seen(
        runs in proptest::collection::vec((sightings(), steps(), times()), 1..120)
    ) {
        let mut setup = Setup::new();
        for (seen, step, seconds) in runs {
            let position = setup.run(seen, step, seconds);
            prop_assert!(position.is_none_or(Vec2::is_finite), "{position:?}");
            prop_assert!(setup.model.velocity.is_finite());
            for Candidate { motion, existence, .. } in [setup.modes.ball, setup.modes.rival].into_iter().flatten() {
                let probabilities = motion.probabilities();
                prop_assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{probabilities:?}");
                prop_assert!(probabilities.iter().all(|probability| *probability > 0.0), "{probabilities:?}");
                prop_assert!((0.0..=1.0).contains(&existence), "{existence}");
                prop_assert!(motion.combined().deviation().is_finite());
            }
        }
    }

    #[test]
    fn the_mirror_image_of_all_that_is_seen_gives_the_mirror_image_of_the_ball(
        runs in proptest::collection::vec((sightings(), steps()), 1..60)
    ) {
        let (mut one, mut other) = (Setup::new(), Setup::new());
        for (seen, step) in runs {
            one.run(seen, step, STEP);
            let seen = seen.map(|seen| SeenBall { position: reflected(seen.position), ..seen });
            let step = Pose2 { translation: reflected(step.translation), rotation: -step.rotation };
            other.run(seen, step, STEP);
            prop_assert_eq!(one.model.last_seen, other.model.last_seen);
            prop_assert_eq!(one.model.position.is_some(), other.model.position.is_some());
            if let (Some(one), Some(other)) = (one.model.position, other.model.position) {
                prop_assert!(one.distance(reflected(other)) < 1e-2 * one.length().max(1.0), "{one} {other}");
            }
        }
    }
}
