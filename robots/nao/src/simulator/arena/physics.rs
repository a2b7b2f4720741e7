//! The rigid bodies of the field: ball, goals, boards, and the robots' limbs, which move as their
//! joints say and push the ball.

use std::collections::BTreeMap;

use glam::{Quat, Vec2, Vec3};
use rapier3d::prelude as rapier;

use crate::field::{BALL_RADIUS, BORDER, GOAL_DEPTH, GOAL_HEIGHT, GOAL_WIDTH, LENGTH, POST_RADIUS, POSTS, WIDTH};
use crate::geometry::Pose3;
use crate::robot::Side;
use crate::robot::dimensions::{TIBIA_LENGTH, sole_outline};
use crate::robot::kinematics::Links;
use crate::simulator::ball::ROLLING_DECELERATION;
use crate::simulator::body::GRAVITY;

/// The mass of the league's ball, in kilograms.
const BALL_MASS: f32 = 0.044;
/// The friction of the ball with everything.
const FRICTION: f32 = 0.5;
/// The share of the speed that remains after a hit.
const CARPET_RESTITUTION: f32 = 0.4;
const FOOT_RESTITUTION: f32 = 0.35;
const POST_RESTITUTION: f32 = 0.6;
const NET_RESTITUTION: f32 = 0.1;
const WALL_RESTITUTION: f32 = 0.4;
const ROBOT_RESTITUTION: f32 = 0.3;
/// Half the thickness of nets, boards and carpet, in metres.
const HALF_THICKNESS: f32 = 0.05;
/// The height of a shoe, in metres.
const SHOE_HEIGHT: f32 = 0.05;
const SHIN_RADIUS: f32 = 0.04;
const TRUNK_RADIUS: f32 = 0.09;
/// The height above its place on the ground up to which the ball rolls, in metres.
const ROLLING_HEIGHT: f32 = 0.003;
/// The number of limbs of a robot that the ball meets: two feet, two shins, and the trunk.
const LIMBS: usize = 5;

/// The ball among goals, boards and robots.
pub(super) struct Physics {
    world: rapier::PhysicsWorld,
    ball: rapier::RigidBodyHandle,
    ball_collider: rapier::ColliderHandle,
    robots: Vec<[rapier::RigidBodyHandle; LIMBS]>,
    /// The robot to which a collider belongs.
    owners: BTreeMap<(u32, u32), usize>,
}

impl Physics {
    /// Creates the field with the ball at rest on the centre mark, and no robots.
    pub(super) fn new() -> Self {
        let mut world = rapier::PhysicsWorld { gravity: vector(Vec3::Z * -GRAVITY), ..Default::default() };
        build_carpet_and_boards(&mut world);
        for side in [-1.0, 1.0] {
            build_goal(&mut world, side);
        }
        let body = rapier::RigidBodyBuilder::dynamic()
            .translation(vector(Vec3::Z * BALL_RADIUS))
            .ccd_enabled(true)
            .can_sleep(false);
        let shape = rapier::ColliderBuilder::ball(BALL_RADIUS)
            .mass(BALL_MASS)
            .friction(FRICTION)
            .restitution(1.0)
            .restitution_combine_rule(rapier::CoefficientCombineRule::Multiply);
        let (ball, ball_collider) = world.insert(body, shape);
        Self { world, ball, ball_collider, robots: Vec::new(), owners: BTreeMap::new() }
    }

    /// Adds a robot, whose torso and joints are as given.
    pub(super) fn add_robot(&mut self, torso: &Pose3, links: &Links) {
        let shapes = limb_shapes();
        let poses = limb_poses(torso, links);
        let index = self.robots.len();
        let mut handles = [rapier::RigidBodyHandle::invalid(); LIMBS];
        for ((handle, shape), limb) in handles.iter_mut().zip(shapes).zip(&poses) {
            let body = rapier::RigidBodyBuilder::kinematic_position_based().pose(pose(limb));
            let collider;
            (*handle, collider) = self.world.insert(body, shape);
            self.owners.insert(collider.into_raw_parts(), index);
        }
        self.robots.push(handles);
    }

    /// Moves the limbs of a robot within the next step, at the speed that this takes.
    pub(super) fn move_robot(&mut self, robot: usize, torso: &Pose3, links: &Links) {
        for (handle, limb) in self.robots[robot].iter().zip(limb_poses(torso, links)) {
            if let Some(body) = self.world.bodies.get_mut(*handle) {
                body.set_next_kinematic_position(pose(&limb));
            }
        }
    }

    /// Puts the limbs of a robot elsewhere at once: they hit nothing on the way.
    pub(super) fn place_robot(&mut self, robot: usize, torso: &Pose3, links: &Links) {
        for (handle, limb) in self.robots[robot].iter().zip(limb_poses(torso, links)) {
            if let Some(body) = self.world.bodies.get_mut(*handle) {
                body.set_position(pose(&limb), true);
            }
        }
    }

    /// Advances by `dt` seconds.
    pub(super) fn step(&mut self, dt: f32) {
        self.world.integration_parameters.dt = dt;
        self.world.step();
        let ball = &mut self.world.bodies[self.ball];
        if ball.translation().z < BALL_RADIUS + ROLLING_HEIGHT {
            let velocity = ball.linvel();
            let speed = Vec2::new(velocity.x, velocity.y).length();
            let rest = if speed > 0.0 { (1.0 - ROLLING_DECELERATION * dt / speed).max(0.0) } else { 0.0 };
            let slower = rapier::Vector::new(velocity.x * rest, velocity.y * rest, velocity.z);
            ball.set_linvel(slower, true);
            ball.set_angvel(ball.angvel() * rest, true);
        }
    }

    /// Returns the robot that touches the ball; that with the smallest index of several.
    pub(super) fn touching_robot(&self) -> Option<usize> {
        let pairs = self.world.narrow_phase.contact_pairs_with(self.ball_collider);
        let touching = pairs.filter(|pair| pair.has_any_active_contact());
        let colliders = touching.flat_map(|pair| [pair.collider1, pair.collider2]);
        colliders.filter_map(|collider| self.owners.get(&collider.into_raw_parts()).copied()).min()
    }

    /// Puts the ball at `place`, in metres, with a velocity in m/s.
    pub(super) fn place_ball(&mut self, place: Vec2, velocity: Vec3) {
        let ball = &mut self.world.bodies[self.ball];
        ball.set_translation(vector(place.extend(BALL_RADIUS)), true);
        ball.set_linvel(vector(velocity), true);
        ball.set_angvel(rapier::Vector::ZERO, true);
    }

    /// Returns the centre of the ball, in metres.
    pub(super) fn ball(&self) -> Vec3 {
        Vec3::from_array(self.world.bodies[self.ball].translation().to_array())
    }

    /// Returns the velocity of the ball, in m/s.
    pub(super) fn ball_velocity(&self) -> Vec3 {
        Vec3::from_array(self.world.bodies[self.ball].linvel().to_array())
    }

    /// Returns the orientation of the ball's pattern.
    pub(super) fn ball_rotation(&self) -> Quat {
        Quat::from_array(self.world.bodies[self.ball].rotation().to_array())
    }

    /// Returns the energy of the ball's motion and height, in joules.
    #[cfg(test)]
    pub(super) fn ball_energy(&self) -> f32 {
        let ball = &self.world.bodies[self.ball];
        ball.kinetic_energy() + BALL_MASS * GRAVITY * (ball.translation().z - BALL_RADIUS)
    }
}

fn build_carpet_and_boards(world: &mut rapier::PhysicsWorld) {
    let (x, y) = (LENGTH / 2.0 + BORDER, WIDTH / 2.0 + BORDER);
    let carpet = Vec3::new(x + 1.0, y + 1.0, 0.5);
    build_box(world, Vec3::Z * -0.5, carpet, CARPET_RESTITUTION);
    for side in [-1.0, 1.0] {
        let along_x = Vec3::new(x + 1.0, HALF_THICKNESS, 2.0);
        build_box(world, Vec3::new(0.0, side * (y + HALF_THICKNESS), 2.0), along_x, WALL_RESTITUTION);
        let along_y = Vec3::new(HALF_THICKNESS, y + 1.0, 2.0);
        build_box(world, Vec3::new(side * (x + HALF_THICKNESS), 0.0, 2.0), along_y, WALL_RESTITUTION);
    }
}

/// Builds posts, crossbar and nets of the goal at positive or negative x.
fn build_goal(world: &mut rapier::PhysicsWorld, side: f32) {
    let posts = POSTS.into_iter().filter(|post| post.x * side > 0.0);
    let tops = posts.map(|post| {
        let top = post.extend(GOAL_HEIGHT);
        build_bar(world, post.extend(0.0), top);
        top
    });
    let tops: Vec<Vec3> = tops.collect();
    build_bar(world, tops[0], tops[1]);

    let (front, back) = (tops[0].x, side * (LENGTH / 2.0 + GOAL_DEPTH));
    let half = GOAL_WIDTH / 2.0 + POST_RADIUS;
    let rear = Vec3::new(back + side * HALF_THICKNESS, 0.0, GOAL_HEIGHT / 2.0);
    build_box(world, rear, Vec3::new(HALF_THICKNESS, half + HALF_THICKNESS, GOAL_HEIGHT / 2.0), NET_RESTITUTION);
    let depth = (back - front).abs() / 2.0;
    for y in [-half, half] {
        let place = Vec3::new((front + back) / 2.0, y, GOAL_HEIGHT / 2.0);
        build_box(world, place, Vec3::new(depth, POST_RADIUS, GOAL_HEIGHT / 2.0), NET_RESTITUTION);
    }
    let roof = Vec3::new((front + back) / 2.0, 0.0, GOAL_HEIGHT + HALF_THICKNESS);
    build_box(world, roof, Vec3::new(depth, half, HALF_THICKNESS), NET_RESTITUTION);
}

fn build_box(world: &mut rapier::PhysicsWorld, place: Vec3, half: Vec3, restitution: f32) {
    let shape = rapier::ColliderBuilder::cuboid(half.x, half.y, half.z).friction(FRICTION).restitution(restitution);
    world.insert(rapier::RigidBodyBuilder::fixed().translation(vector(place)), shape);
}

fn build_bar(world: &mut rapier::PhysicsWorld, from: Vec3, to: Vec3) {
    let shape = rapier::ColliderBuilder::capsule_from_endpoints(vector(from), vector(to), POST_RADIUS);
    world.insert(rapier::RigidBodyBuilder::fixed(), shape.friction(FRICTION).restitution(POST_RESTITUTION));
}

/// Returns the shapes of the limbs, in the frames of [`limb_poses`].
fn limb_shapes() -> [rapier::ColliderBuilder; LIMBS] {
    let foot = |side| {
        let outline = sole_outline(side);
        let smallest = outline.into_iter().fold(Vec2::MAX, Vec2::min);
        let largest = outline.into_iter().fold(Vec2::MIN, Vec2::max);
        let (center, half) = ((smallest + largest) / 2.0, (largest - smallest) / 2.0);
        rapier::ColliderBuilder::cuboid(half.x, half.y, SHOE_HEIGHT / 2.0)
            .translation(vector(center.extend(SHOE_HEIGHT / 2.0)))
            .friction(FRICTION)
            .restitution(FOOT_RESTITUTION)
    };
    let round = |from: f32, to: f32, radius: f32| {
        rapier::ColliderBuilder::capsule_from_endpoints(vector(Vec3::Z * from), vector(Vec3::Z * to), radius)
            .friction(FRICTION)
            .restitution(ROBOT_RESTITUTION)
    };
    [
        foot(Side::Left),
        foot(Side::Right),
        round(0.0, -TIBIA_LENGTH, SHIN_RADIUS),
        round(0.0, -TIBIA_LENGTH, SHIN_RADIUS),
        round(-0.05, 0.15, TRUNK_RADIUS),
    ]
}

/// Returns the frames of both soles, both knees, and the torso, in the field's frame.
fn limb_poses(torso: &Pose3, links: &Links) -> [Pose3; LIMBS] {
    let [left, right] = Side::BOTH;
    [links.sole(left), links.sole(right), links.knee(left), links.knee(right), Pose3::IDENTITY]
        .map(|limb| *torso * limb)
}

/// Converts to the engine's vectors, which are of another version of the same crate.
fn vector(vector: Vec3) -> rapier::Vector {
    rapier::Vector::from_array(vector.to_array())
}

fn pose(pose: &Pose3) -> rapier::Pose {
    let rotation = rapier::Rotation::from_array(pose.rotation.normalize().to_array());
    rapier::Pose::from_parts(vector(pose.translation), rotation)
}
