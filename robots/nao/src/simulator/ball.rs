//! The ball: it rolls, slows down, is kicked by feet, and bounces off obstacles.

use glam::{Quat, Vec2, Vec3};

use crate::field::{BALL_RADIUS, BORDER, GOAL_DEPTH, GOAL_WIDTH, LENGTH, LINE_WIDTH, POST_RADIUS, POSTS, WIDTH};
use crate::geometry::{Pose2, Pose3};
use crate::robot::Side;
use crate::robot::dimensions::sole_outline;

/// The deceleration of a rolling ball by the carpet, in m/s².
pub const ROLLING_DECELERATION: f32 = 0.6;

/// The share of the speed that remains after a hit.
const FOOT_RESTITUTION: f32 = 0.35;
const POST_RESTITUTION: f32 = 0.6;
const NET_RESTITUTION: f32 = 0.1;
const WALL_RESTITUTION: f32 = 0.4;
const ROBOT_RESTITUTION: f32 = 0.3;
/// The number of parts of a step: a fast foot crosses a ball's radius in less than a step.
const PARTS: u16 = 4;

/// The motion of a foot during a step.
#[derive(Clone, Copy, Debug)]
pub struct MovingFoot {
    /// The side of the foot.
    pub side: Side,
    /// The sole at the beginning of the step.
    pub before: Pose3,
    /// The sole at the end of the step.
    pub after: Pose3,
}

/// The goal that the ball entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The opponent's, at positive x.
    Scored,
    /// Our own.
    Conceded,
}

/// The ball on the ground.
#[derive(Clone, Debug)]
pub struct Ball {
    position: Vec2,
    velocity: Vec2,
    rotation: Quat,
    in_goal: bool,
}

impl Ball {
    /// Creates a ball at `position`, in metres.
    #[must_use]
    pub fn new(position: Vec2, velocity: Vec2, rotation: Quat) -> Self {
        Self { position, velocity, rotation, in_goal: false }
    }

    /// Returns the point at which it touches the ground, in metres.
    #[must_use]
    pub fn position(&self) -> Vec2 {
        self.position
    }

    /// Returns the velocity, in m/s.
    #[must_use]
    pub fn velocity(&self) -> Vec2 {
        self.velocity
    }

    /// Returns the orientation of its pattern.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        self.rotation
    }

    /// Advances by `dt` seconds among feet and other robots (upright cylinders: position and
    /// radius). Returns the goal that the whole ball has entered, once per visit.
    pub fn step(
        &mut self,
        dt: f32,
        feet: &[MovingFoot],
        robots: impl Iterator<Item = (Vec2, f32)> + Clone,
    ) -> Option<Goal> {
        let part = dt / f32::from(PARTS);
        for index in 1..=PARTS {
            self.roll(part);
            for foot in feet {
                self.meet_foot(foot, f32::from(index) / f32::from(PARTS), dt);
            }
            for (place, radius) in robots.clone() {
                self.bounce_off(place, radius, ROBOT_RESTITUTION);
            }
            for post in POSTS {
                self.bounce_off(post, POST_RADIUS, POST_RESTITUTION);
            }
            self.meet_nets();
            self.meet_walls();
        }
        self.goal()
    }

    fn roll(&mut self, dt: f32) {
        let speed = self.velocity.length();
        let slower = (speed - ROLLING_DECELERATION * dt).max(0.0);
        if speed == 0.0 {
            return;
        }
        let direction = self.velocity / speed;
        let way = (speed + slower) / 2.0 * dt;
        self.position += direction * way;
        self.velocity = direction * slower;
        let axis = Vec3::new(-direction.y, direction.x, 0.0);
        self.rotation = (Quat::from_axis_angle(axis, way / BALL_RADIUS) * self.rotation).normalize();
    }

    /// Pushes the ball out of the foot's outline, with more than the foot's speed.
    fn meet_foot(&mut self, foot: &MovingFoot, progress: f32, dt: f32) {
        let (before, after) = (foot.before.on_ground(), foot.after.on_ground());
        let height = foot.before.translation.z + progress * (foot.after.translation.z - foot.before.translation.z);
        if height > 1.5 * BALL_RADIUS {
            return;
        }
        let now = between(&before, &after, progress);
        let (smallest, largest) = foot_box(foot.side);
        let center = now.relative(self.position);
        let nearest = center.clamp(smallest, largest);
        let (contact, normal) = match (center - nearest).try_normalize() {
            Some(normal) if center.distance_squared(nearest) < BALL_RADIUS * BALL_RADIUS => (nearest, normal),
            Some(_) => return,
            None => shortest_way_out(center, smallest, largest),
        };
        let normal_on_field = Vec2::from_angle(now.rotation).rotate(normal);
        self.position = now.transform(contact + normal * BALL_RADIUS);
        let foot_velocity = (after.transform(contact) - before.transform(contact)) / dt;
        self.rebound(normal_on_field, foot_velocity, FOOT_RESTITUTION);
    }

    fn bounce_off(&mut self, place: Vec2, radius: f32, restitution: f32) {
        let apart = self.position - place;
        let distance = apart.length();
        if distance < radius + BALL_RADIUS {
            let normal = apart.normalize_or(-Vec2::X);
            self.position = place + normal * (radius + BALL_RADIUS);
            self.rebound(normal, Vec2::ZERO, restitution);
        }
    }

    /// Stops the ball at the nets, which close both goals at the sides and at the back.
    fn meet_nets(&mut self) {
        let (front, back) = (LENGTH / 2.0, LENGTH / 2.0 + GOAL_DEPTH);
        let side = GOAL_WIDTH / 2.0 + POST_RADIUS;
        if self.position.x.abs() < front || self.position.x.abs() > back + BALL_RADIUS {
            return;
        }
        let x = self.position.x.abs().min(back) * self.position.x.signum();
        for y in [side, -side] {
            self.bounce_off(Vec2::new(x, y), 0.0, NET_RESTITUTION);
        }
        if self.position.y.abs() <= side {
            self.bounce_off(Vec2::new(back * self.position.x.signum(), self.position.y), 0.0, NET_RESTITUTION);
        }
    }

    /// Stops the ball at the boards around the carpet.
    fn meet_walls(&mut self) {
        let limit = Vec2::new(LENGTH, WIDTH) / 2.0 + Vec2::splat(BORDER - BALL_RADIUS);
        for (axis, normal) in [Vec2::X, Vec2::Y].into_iter().enumerate() {
            if self.position[axis].abs() > limit[axis] {
                let inwards = -normal * self.position[axis].signum();
                self.position[axis] = limit[axis] * self.position[axis].signum();
                self.rebound(inwards, Vec2::ZERO, WALL_RESTITUTION);
            }
        }
    }

    /// Changes the velocity by a collision with an object that moves with `velocity`; `normal`
    /// points towards the ball.
    fn rebound(&mut self, normal: Vec2, velocity: Vec2, restitution: f32) {
        let approach = (self.velocity - velocity).dot(normal);
        if approach < 0.0 {
            self.velocity -= normal * ((1.0 + restitution) * approach);
        }
    }

    fn goal(&mut self) -> Option<Goal> {
        let behind_line = self.position.x.abs() > LENGTH / 2.0 + LINE_WIDTH / 2.0 + BALL_RADIUS;
        let was_in_goal = self.in_goal;
        self.in_goal = behind_line && self.position.y.abs() < GOAL_WIDTH / 2.0;
        let goal = if self.position.x > 0.0 { Goal::Scored } else { Goal::Conceded };
        (self.in_goal && !was_in_goal).then_some(goal)
    }
}

/// Returns the box around a sole, in its frame.
fn foot_box(side: Side) -> (Vec2, Vec2) {
    let outline = sole_outline(side);
    (outline.into_iter().fold(Vec2::MAX, Vec2::min), outline.into_iter().fold(Vec2::MIN, Vec2::max))
}

/// Returns the nearest point on the sides of a box, from a point within it, and the outward normal.
fn shortest_way_out(point: Vec2, smallest: Vec2, largest: Vec2) -> (Vec2, Vec2) {
    let ways = [
        (largest.x - point.x, Vec2::X),
        (point.x - smallest.x, Vec2::NEG_X),
        (largest.y - point.y, Vec2::Y),
        (point.y - smallest.y, Vec2::NEG_Y),
    ];
    let (way, normal) = ways.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, Vec2::X));
    (point + normal * way, normal)
}

fn between(from: &Pose2, to: &Pose2, progress: f32) -> Pose2 {
    let turn = crate::geometry::normalize_angle(to.rotation - from.rotation);
    Pose2 { rotation: from.rotation + progress * turn, translation: from.translation.lerp(to.translation, progress) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 0.012;

    fn ball(x: f32, y: f32, velocity_x: f32, velocity_y: f32) -> Ball {
        Ball::new(Vec2::new(x, y), Vec2::new(velocity_x, velocity_y), Quat::IDENTITY)
    }

    fn run(ball: &mut Ball, seconds: f32) -> Vec<Goal> {
        (0..(seconds / DT) as usize).filter_map(|_| ball.step(DT, &[], std::iter::empty())).collect()
    }

    fn foot(before: Vec2, after: Vec2) -> MovingFoot {
        let sole = |place: Vec2| Pose3::from_translation(place.extend(0.0));
        MovingFoot { side: Side::Left, before: sole(before), after: sole(after) }
    }

    #[test]
    fn a_ball_rolls_as_far_as_friction_lets_it() {
        let mut ball = ball(-1.0, 0.5, 1.2, 0.0);
        run(&mut ball, 5.0);
        let expected = 1.2 * 1.2 / (2.0 * ROLLING_DECELERATION);
        assert!((ball.position().x + 1.0 - expected).abs() < 1e-3, "{ball:?}");
        assert_eq!((ball.position().y, ball.velocity()), (0.5, Vec2::ZERO));
    }

    #[test]
    fn a_rolling_ball_turns_once_in_its_circumference() {
        let mut ball = ball(0.0, 1.0, 0.6, 0.0);
        run(&mut ball, 3.0);
        let angle = 0.3 / BALL_RADIUS;
        assert!(ball.rotation().angle_between(Quat::from_rotation_y(angle)) < 0.02, "{ball:?}");
    }

    #[test]
    fn a_goal_counts_once_and_the_net_keeps_the_ball() {
        let mut scored = ball(4.0, 0.2, 2.0, 0.0);
        assert_eq!(run(&mut scored, 4.0), [Goal::Scored]);
        assert!(scored.position().x < LENGTH / 2.0 + GOAL_DEPTH, "{scored:?}");
        let mut conceded = ball(-4.0, 0.2, -2.0, 0.0);
        assert_eq!(run(&mut conceded, 4.0), [Goal::Conceded]);
        let mut wide = ball(4.0, 1.0, 2.0, 0.0);
        assert_eq!(run(&mut wide, 4.0), []);
    }

    #[test]
    fn a_post_sends_the_ball_back() {
        let mut ball = ball(4.0, POSTS[0].y, 2.0, 0.0);
        assert_eq!(run(&mut ball, 4.0), []);
        assert!(ball.position().x < 4.4, "{ball:?}");
    }

    #[test]
    fn boards_and_robots_keep_the_ball_out() {
        let mut fast = ball(0.0, 2.0, 0.3, 3.0);
        run(&mut fast, 6.0);
        assert!(fast.position().y < WIDTH / 2.0 + BORDER - BALL_RADIUS + 1e-6, "{fast:?}");
        let mut blocked = ball(0.0, 0.0, 1.0, 0.0);
        for _ in 0..200 {
            blocked.step(DT, &[], [(Vec2::new(0.4, 0.02), 0.12)].into_iter());
            assert!(blocked.position().distance(Vec2::new(0.4, 0.02)) >= 0.12 + BALL_RADIUS - 1e-5);
        }
    }

    #[test]
    fn a_swinging_foot_kicks_the_ball_faster_than_itself() {
        let mut ball = ball(0.16, 0.0, 0.0, 0.0);
        let step = Vec2::X * DT;
        for index in 0..3_u8 {
            let start = step * f32::from(index);
            ball.step(DT, &[foot(start, start + step)], std::iter::empty());
        }
        assert!((1.2..1.4).contains(&ball.velocity().x), "{ball:?}");
        assert!(ball.velocity().y.abs() < 1e-3);
    }

    #[test]
    fn a_foot_set_onto_the_ball_squeezes_it_out_and_a_lifted_foot_passes_above() {
        let mut squeezed = ball(0.05, 0.03, 0.0, 0.0);
        squeezed.step(DT, &[foot(Vec2::ZERO, Vec2::ZERO)], std::iter::empty());
        assert!((squeezed.position().y - 0.094).abs() < 1e-5, "{squeezed:?}");
        let mut untouched = ball(0.05, 0.03, 0.0, 0.0);
        let lifted = Pose3::from_translation(Vec3::new(0.0, 0.0, 0.12));
        untouched.step(DT, &[MovingFoot { side: Side::Left, before: lifted, after: lifted }], std::iter::empty());
        assert_eq!(untouched.position(), Vec2::new(0.05, 0.03));
    }
}
