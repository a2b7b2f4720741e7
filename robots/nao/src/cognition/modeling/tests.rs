//! Tests of all ball models against the truth: the ball of the simulator, which is seen through
//! noise, among false sightings, by a robot that walks.

use std::time::Duration;

use glam::{Quat, Vec2, Vec3};
use proptest::prelude::*;

use hemiola::prelude::*;

use super::ball_trial::{BallSenses, BallTrial};
use super::moving_point::roll;
use super::random::Random;
use super::sighting;
use crate::geometry::{Pose2, Pose3};
use crate::representations::modeling::{FieldOfView, GroundArea, OdometryStep};
use crate::representations::motion::FallState;
use crate::representations::perception::{BallPercept, SeenBall};
use crate::robot::Side;
use crate::simulator::ball::{Ball, MovingFoot, ROLLING_DECELERATION};

const COUNT: usize = BallTrial::NAMES.len();
const FILTER: usize = 0;
const MODES: usize = 2;
/// The time between two images, in seconds.
const STEP: f32 = 1.0 / 30.0;
/// The steps of the simulator between two images.
const PARTS: u16 = 3;
/// The speed of the foot that kicks, in m/s.
const FOOT_SPEED: f32 = 1.5;

/// A scene: the simulator's ball, and a robot that sees it.
struct Scene {
    trial: BallTrial,
    ball: Ball,
    robot: Pose2,
    /// The walk of the robot, per image.
    step: Pose2,
    /// The share of false sightings.
    falsehood: f32,
    now: Time,
    random: Random,
}

/// The errors of the ball models at one time; infinite while they know of no ball.
#[derive(Clone, Copy, Debug)]
struct Errors {
    /// The distances from the true ball, in metres.
    position: [f32; COUNT],
    /// The differences of the velocity, in m/s.
    velocity: [f32; COUNT],
    /// The distances of where the ball would stop from where it truly would, in metres.
    stop: [f32; COUNT],
}

impl Scene {
    /// Creates a ball somewhere ahead, and a robot that stands.
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let position = Vec2::new(random.uniform(0.8, 2.5), random.uniform(-1.0, 1.0));
        Self {
            trial: BallTrial::new(),
            ball: Ball::new(position, Vec2::ZERO, Quat::IDENTITY),
            robot: Pose2::default(),
            step: Pose2::default(),
            falsehood: 0.0,
            now: Time::ZERO,
            random,
        }
    }

    /// Lets the ball roll in some direction.
    fn roll(mut self) -> Self {
        let direction = Vec2::from_angle(self.random.uniform(-3.1, 3.1));
        let velocity = direction * self.random.uniform(0.6, 1.5);
        self.ball = Ball::new(self.ball.position(), velocity, Quat::IDENTITY);
        self
    }

    /// Lets a foot swing through the ball, in some direction.
    fn kick(&mut self) {
        let side = if self.random.index(2) == 0 { Side::Left } else { Side::Right };
        let turn = self.random.uniform(-1.0, 1.0);
        let dt = STEP / f32::from(PARTS);
        let sole = |way: f32| {
            let place = self.ball.position() + Vec2::from_angle(turn) * (way - 0.16);
            Pose3 { translation: place.extend(0.0), rotation: Quat::from_axis_angle(Vec3::Z, turn) }
        };
        let steps: [MovingFoot; 4] = std::array::from_fn(|index| {
            let way = index as f32 * FOOT_SPEED * dt;
            MovingFoot { side, before: sole(way), after: sole(way + FOOT_SPEED * dt) }
        });
        for foot in steps {
            self.ball.step(dt, &[foot], std::iter::empty());
        }
    }

    /// Lets an image pass, in which the ball is seen.
    fn run(&mut self) -> Errors {
        self.now = self.now + Duration::from_secs_f32(STEP);
        (0..PARTS).for_each(|_| _ = self.ball.step(STEP / f32::from(PARTS), &[], std::iter::empty()));
        self.robot = self.robot * self.step;
        let truth = self.robot.relative(self.ball.position());
        let turn = Vec2::from_angle(-self.robot.rotation);
        let true_velocity = turn.rotate(self.ball.velocity());
        let seconds = self.ball.velocity().length() / ROLLING_DECELERATION;
        let true_stop = roll(truth, true_velocity, seconds, ROLLING_DECELERATION).0;

        let position = if self.random.uniform(0.0, 1.0) < self.falsehood {
            Vec2::new(self.random.uniform(0.3, 4.0), self.random.uniform(-2.0, 2.0))
        } else {
            let (along, across) = sighting::deviations(truth.length(), 0.01);
            let direction = truth.normalize();
            truth + direction * along * self.random.normal() + direction.perp() * across * self.random.normal()
        };
        let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(Vec2::from);
        let models = self.trial.run(&BallSenses {
            percept: &BallPercept { ball: Some(SeenBall { position, score: 0.9 }) },
            odometry: &OdometryStep { step: self.step },
            view: &FieldOfView { upper: Some(GroundArea { corners }), lower: None },
            fall: &FallState::default(),
            clock: &Clock::new(self.now, Duration::from_secs_f32(STEP), 0),
        });
        let mut errors =
            Errors { position: [f32::INFINITY; COUNT], velocity: [f32::INFINITY; COUNT], stop: [f32::INFINITY; COUNT] };
        for (index, model) in models.iter().enumerate() {
            let Some(position) = model.position else { continue };
            errors.position[index] = position.distance(truth);
            errors.velocity[index] = model.velocity.distance(true_velocity);
            let seconds = model.velocity.length() / ROLLING_DECELERATION;
            errors.stop[index] = roll(position, model.velocity, seconds, ROLLING_DECELERATION).0.distance(true_stop);
        }
        errors
    }

    /// Lets images pass for some seconds, and returns the last errors.
    fn run_for(&mut self, seconds: f32) -> Errors {
        let images = (seconds / STEP) as usize;
        (1..images).for_each(|_| _ = self.run());
        self.run()
    }
}

/// Scenes in a case: medians of so many are steady.
const SCENES: u64 = 60;

/// Returns the medians of what is measured in scenes with seeds from `first` on, for each model.
fn medians(first: u64, measure: impl Fn(u64) -> [f32; COUNT]) -> [f32; COUNT] {
    let measured: Vec<[f32; COUNT]> = (first..first + SCENES).map(measure).collect();
    std::array::from_fn(|model| {
        let mut of_model: Vec<f32> = measured.iter().map(|errors| errors[model]).collect();
        of_model.sort_by(f32::total_cmp);
        of_model[of_model.len() / 2]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_longer_a_ball_rests_the_better_its_place_is_known(seed in 0_u64..1 << 40) {
        let after = |seconds: f32| move |seed: u64| {
            let mut scene = Scene::new(seed);
            scene.run_for(seconds);
            // The mean over a third of a second.
            (0..10).map(|_| scene.run().position).fold([0.0; COUNT], |sum, errors| {
                std::array::from_fn(|model| sum[model] + errors[model] / 10.0)
            })
        };
        let [early, late] = [0.2, 5.0].map(|seconds| medians(seed, after(seconds)));
        println!("resting: {early:.3?} m after 0.2 s, {late:.3?} m after 5 s");
        prop_assert!(late[MODES] < early[MODES] && late[MODES] < late[FILTER], "{early:?} {late:?}");
        prop_assert!(late.iter().all(|error| *error < 0.03), "{late:?}");
    }

    #[test]
    fn a_resting_ball_does_not_seem_to_roll_while_the_robot_walks(seed in 0_u64..1 << 40) {
        let speeds = medians(seed, |seed| {
            let mut scene = Scene::new(seed);
            scene.step = Pose2::new(0.004, 0.0, 0.004);
            scene.run_for(2.0).velocity
        });
        println!("resting: seems to roll with {speeds:.3?} m/s");
        prop_assert!(speeds[MODES] < 0.02 && speeds[MODES] < speeds[FILTER], "{speeds:?}");
    }

    #[test]
    fn a_rolling_ball_stops_where_it_was_predicted(seed in 0_u64..1 << 40) {
        let early = medians(seed, |seed| Scene::new(seed).roll().run_for(0.4).stop);
        let late = medians(seed, |seed| Scene::new(seed).roll().run_for(1.0).stop);
        println!("rolling: stop off by {early:.3?} m after 0.4 s, {late:.3?} m after 1 s");
        prop_assert!(late.iter().all(|error| *error < 0.2), "{late:?}");
        prop_assert!(late[MODES] < early[MODES], "{early:?} {late:?}");
    }

    #[test]
    fn a_kicked_ball_is_followed(seed in 0_u64..1 << 40) {
        let after = |seconds: f32| move |seed: u64| {
            let mut scene = Scene::new(seed);
            scene.run_for(2.0);
            scene.kick();
            scene.run_for(seconds)
        };
        let [soon, later] = [0.2, 0.6].map(|seconds| medians(seed, |seed| after(seconds)(seed).velocity));
        println!("kicked: velocity off by {soon:.3?} m/s after 0.2 s, {later:.3?} m/s after 0.6 s");
        prop_assert!(later[MODES] < 0.3 && later[MODES] < soon[MODES], "{soon:?} {later:?}");
        prop_assert!(soon[MODES] < soon[FILTER], "{soon:?}");
    }

    #[test]
    fn false_sightings_do_not_move_the_ball(seed in 0_u64..1 << 40) {
        let off = medians(seed, |seed| {
            let mut scene = Scene::new(seed);
            scene.falsehood = 0.3;
            scene.run_for(1.0);
            // The worst of two seconds.
            (0..60).map(|_| scene.run().position).fold([0.0; COUNT], |worst, errors| {
                std::array::from_fn(|model| f32::max(worst[model], errors[model]))
            })
        });
        println!("false sightings: off by at most {off:.3?} m");
        prop_assert!(off[MODES] < 0.15, "{off:?}");
    }
}
