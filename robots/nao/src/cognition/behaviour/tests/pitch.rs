//! An ideal world for tests of decisions: a robot that follows its requests, and a ball that rolls.
//!
//! It has no legs and cameras, unlike the simulator. A run of a minute takes some milliseconds.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::Vec2;

use crate::cognition::modeling::random::Random;
use crate::field::{BALL_RADIUS, BORDER, GOAL_WIDTH, LENGTH, POST_RADIUS, POSTS, WIDTH};
use crate::geometry::Pose2;
use crate::representations::behaviour::{KickFoot, Motion};

const ROBOT_RADIUS: f32 = 0.13;
/// The rectangle that both feet cover, around the robot's centre.
const FEET: (Vec2, Vec2) = (Vec2::new(-0.06, -0.09), Vec2::new(0.1, 0.09));
/// The time that the robot needs to follow a changed request, in seconds.
const LAG: f32 = 0.25;
/// The time from the request to the moment in which the foot hits, in seconds.
const BACKSWING: f32 = 1.0;
const DECELERATION: f32 = 0.6;

/// The difficulty of the world.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The standard deviation of the camera's direction in an image, in radians.
    pub camera_noise: f32,
    /// The maximum constant error of the camera's direction, in radians.
    pub camera_bias: f32,
    /// The share of the requested velocity that the legs reach.
    pub pace: f32,
    /// The share of kicks that miss the ball.
    pub misses: f32,
    /// The speed at which the ball leaves the foot, in m/s.
    pub kick_speed: f32,
}

impl Conditions {
    /// The conditions of a well calibrated robot.
    pub const GOOD: Self = Self { camera_noise: 0.012, camera_bias: 0.01, pace: 1.0, misses: 0.0, kick_speed: 2.5 };
    /// The conditions of a badly calibrated robot with worn legs.
    pub const BAD: Self = Self { camera_noise: 0.025, camera_bias: 0.02, pace: 0.7, misses: 0.4, kick_speed: 1.6 };
}

/// The world in its true state.
pub struct Pitch {
    conditions: Conditions,
    pub time: f32,
    pub robot: Pose2,
    /// The velocity forward, to the left and around, in m/s and rad/s.
    pub velocity: (Vec2, f32),
    pub ball: Vec2,
    pub ball_velocity: Vec2,
    pub kicks: u32,
    pub goal_time: Option<f32>,
    others: Vec<Other>,
    kicking_for: f32,
    random: Random,
}

struct Other {
    center: Vec2,
    radius: f32,
    phase: f32,
}

impl Pitch {
    /// Creates a pitch with the robot at a touch line of its own half, the ball near the centre,
    /// and three others on the field.
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        let mut random = Random::new(seed);
        let side = if random.uniform(0.0, 1.0) < 0.5 { 1.0 } else { -1.0 };
        let heading = -side * FRAC_PI_2 + random.uniform(-0.15, 0.15);
        let robot = Pose2::new(random.uniform(-1.8, -1.0), side * WIDTH / 2.0, heading);
        let ball = Vec2::new(random.uniform(-0.1, 0.4), random.uniform(-0.4, 0.4));
        let defended = if random.uniform(0.0, 1.0) < 0.5 { 1.0 } else { -1.0 };
        let places = [Vec2::new(3.1, 1.5 * defended), Vec2::new(1.6, -1.7 * defended), Vec2::new(-2.6, -0.8 * side)];
        let others =
            places.map(|center| Other { center, radius: random.uniform(0.1, 0.5), phase: random.uniform(0.0, TAU) });
        Self {
            conditions,
            time: 0.0,
            robot,
            velocity: (Vec2::ZERO, 0.0),
            ball,
            ball_velocity: Vec2::ZERO,
            kicks: 0,
            goal_time: None,
            others: others.into(),
            kicking_for: 0.0,
            random,
        }
    }

    /// Returns the positions of the other robots, which move on slow circles.
    pub fn others(&self) -> impl Iterator<Item = Vec2> + '_ {
        self.others
            .iter()
            .map(|other| other.center + Vec2::from_angle(other.phase + self.time * 0.1 / other.radius) * other.radius)
    }

    /// Advances the world, and returns the motion of the robot.
    pub fn step(&mut self, seconds: f32, request: &Motion) -> Pose2 {
        self.time += seconds;
        let (wanted, wanted_turn) = match request {
            Motion::Walk { velocity, turn } => (*velocity, *turn),
            Motion::Stand | Motion::Kick { .. } => (Vec2::ZERO, 0.0),
        };
        let limit = Vec2::new(0.25, 0.15);
        let (wanted, wanted_turn) = (wanted.clamp(-limit, limit), wanted_turn.clamp(-0.8, 0.8));
        let part = seconds / LAG;
        self.velocity.0 += (wanted - self.velocity.0) * part;
        self.velocity.1 += (wanted_turn - self.velocity.1) * part;
        let before = self.robot;
        let way = self.conditions.pace * seconds;
        let step = Pose2 { rotation: self.velocity.1 * way, translation: self.velocity.0 * way };
        self.robot = self.robot * step;
        self.keep_apart();
        self.swing(seconds, request);
        self.roll(seconds);
        self.meet_feet(self.velocity);
        before.inverse() * self.robot
    }

    fn keep_apart(&mut self) {
        let posts = POSTS.iter().map(|post| (*post, POST_RADIUS));
        let obstacles: Vec<_> = self.others().map(|other| (other, ROBOT_RADIUS)).chain(posts).collect();
        for (place, radius) in obstacles {
            let apart = self.robot.translation - place;
            let overlap = radius + ROBOT_RADIUS - apart.length();
            if overlap > 0.0 {
                self.robot.translation += apart.normalize_or(Vec2::X) * overlap;
            }
            let apart = self.ball - place;
            if apart.length() < radius + BALL_RADIUS {
                let normal = apart.normalize_or(Vec2::X);
                self.ball = place + normal * (radius + BALL_RADIUS);
                self.ball_velocity -= normal * (1.4 * self.ball_velocity.dot(normal)).min(0.0);
            }
        }
    }

    /// Lets the kicking foot hit once per swing what lies in front of it.
    fn swing(&mut self, seconds: f32, request: &Motion) {
        let Motion::Kick { foot } = request else {
            self.kicking_for = 0.0;
            return;
        };
        let before = self.kicking_for;
        self.kicking_for += seconds;
        if before >= BACKSWING || self.kicking_for < BACKSWING {
            return;
        }
        let side = if *foot == KickFoot::Left { 0.06 } else { -0.06 };
        let ball = self.robot.relative(self.ball);
        let aside = ball.y - side;
        let misses = self.random.uniform(0.0, 1.0) < self.conditions.misses;
        if !misses && (0.08..0.28).contains(&ball.x) && aside.abs() < 0.07 {
            let astray = -0.045 * side.signum() + 4.0 * aside + 0.05 * self.random.normal();
            let direction = self.robot.rotation + astray;
            let speed = self.conditions.kick_speed * (1.0 - 3.0 * aside.abs()) * self.random.uniform(0.85, 1.1);
            self.ball_velocity = Vec2::from_angle(direction) * speed;
            self.kicks += 1;
        }
    }

    fn roll(&mut self, seconds: f32) {
        let speed = self.ball_velocity.length();
        self.ball += self.ball_velocity * seconds;
        self.ball_velocity = self.ball_velocity.normalize_or_zero() * (speed - DECELERATION * seconds).max(0.0);
        let limit = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER - BALL_RADIUS;
        let inside = self.ball.clamp(-limit, limit);
        if inside != self.ball {
            (self.ball, self.ball_velocity) = (inside, Vec2::ZERO);
        }
        let is_in = self.ball.x > LENGTH / 2.0 + 0.03 + BALL_RADIUS && self.ball.y.abs() < GOAL_WIDTH / 2.0;
        if is_in && self.goal_time.is_none() {
            self.goal_time = Some(self.time);
        }
    }

    /// Pushes the ball out of the box of the feet, a little faster than they walk.
    fn meet_feet(&mut self, (velocity, turn): (Vec2, f32)) {
        let ball = self.robot.relative(self.ball);
        let nearest = ball.clamp(FEET.0, FEET.1);
        let apart = ball - nearest;
        if apart.length() >= BALL_RADIUS {
            return;
        }
        let normal = apart.normalize_or(Vec2::X);
        self.ball = self.robot.transform(nearest + normal * BALL_RADIUS);
        let heading = Vec2::from_angle(self.robot.rotation);
        let foot = heading.rotate(velocity + turn * nearest.perp());
        let normal = heading.rotate(normal);
        let approach = (self.ball_velocity - foot).dot(normal);
        if approach < 0.0 {
            self.ball_velocity -= normal * (1.35 * approach);
        }
    }
}
