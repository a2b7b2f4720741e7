//! The motion of the robot by its own joints: one sole is planted, the torso follows from it, and
//! weight beyond the edge of the soles makes the robot tip.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::{Quat, Vec2, Vec3};

use super::random::Random;
use super::support::SupportPolygon;
use crate::geometry::{Pose2, Pose3, normalize_angle};
use crate::robot::dimensions::sole_outline;
use crate::robot::kinematics::Links;
use crate::robot::{JOINTS, Side};

#[cfg(test)]
mod tests;

/// The acceleration due to gravity, in m/s².
pub const GRAVITY: f32 = 9.81;

/// The depth below the planted foot at which the other foot takes over, in metres.
const SWITCH_DEPTH: f32 = 0.0005;
/// The height within which a sole carries weight, in metres.
const CONTACT_HEIGHT: f32 = 0.004;
/// The time constant with which a change of the planted foot is smoothed, in seconds.
const SETTLING_TIME: f32 = 0.04;
/// The time constant with which the acceleration of the centre of mass is smoothed, in seconds.
const ACCELERATION_TIME: f32 = 0.03;
/// The inclination beyond which the robot falls, in radians.
const POINT_OF_NO_RETURN: f32 = 0.6;
/// The moment of inertia around the tipping edge, as a multiple of that of a point mass.
const INERTIA: f32 = 1.2;
/// The height of a lying torso, in metres: half the depth of the chest.
const LYING_HEIGHT: f32 = 0.07;
/// The time for which the joints must hold a standing posture until a lying robot gets up, in
/// seconds.
const PATIENCE: f32 = 2.0;
/// The duration of getting up, in seconds.
const RISING_TIME: f32 = 1.5;

/// The posture of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Posture {
    /// The robot is on its feet, perhaps rocking.
    Upright,
    /// The robot is past the point of no return.
    Falling,
    /// The robot is on the ground, for some time with its joints in a standing posture.
    Lying {
        /// The time for which the joints have been in a standing posture, in seconds.
        stood_for: f32,
    },
    /// The robot is getting up.
    Rising,
}

/// The uneven grip of the soles, which is constant in a run, so that odometry drifts.
#[derive(Clone, Debug)]
struct Slip {
    /// The turn per step, in radians.
    turn: f32,
    /// The displacement sideways and forward per step, in metres.
    way: Vec2,
}

/// The robot's body on the ground.
///
/// Without a lean the torso's pose is the planted sole's pose on the ground and the kinematic chain
/// from there. The lean is a rotation around the edge of the support polygon. It follows the
/// equation of a body rocking on that edge, driven by where the zero moment point lies: z = c - c''
/// h / g (Vukobratović). A zero moment point inside sets the robot back on its feet; outside for
/// long enough, it tips over and lies. A lying robot gets up (along the way it fell) when its stiff
/// leg joints hold a standing posture for some seconds; the motion of getting up itself is not
/// simulated.
#[derive(Clone, Debug)]
pub struct Body {
    support: Side,
    /// The planted sole.
    planted: Pose2,
    /// The rest of the last change of the planted sole.
    settling: Pose3,
    /// The direction in which the robot leans; its length is the angle in radians.
    lean: Vec2,
    lean_velocity: Vec2,
    posture: Posture,
    slip: Slip,
    center: Center,
    polygon: SupportPolygon,
    contacts: [bool; 2],
    center_of_pressure: Vec2,
    torso: Pose3,
    soles: [Pose3; 2],
}

/// The centre of mass and its motion in the plane, as the joints alone cause it.
#[derive(Clone, Debug, Default)]
struct Center {
    position: Vec3,
    velocity: Vec2,
    acceleration: Vec2,
}

impl Body {
    /// Creates a body that stands with the midpoint between its soles at `place`.
    #[must_use]
    pub fn new(place: &Pose2, positions: &[f32; JOINTS], random: &mut Random) -> Self {
        let links = Links::new(positions);
        let soles = Side::BOTH.map(|side| links.sole(side));
        let middle = (soles[0].translation + soles[1].translation) / 2.0;
        let height = -middle.z;
        let torso = Pose3::above(place, height) * Pose3::from_translation(-middle.with_z(0.0));
        let planted = (torso * soles[0]).on_ground();
        let slip =
            Slip { turn: 0.003 * random.normal(), way: Vec2::new(0.0008 * random.normal(), 0.0005 * random.normal()) };
        let mut body = Self {
            support: Side::Left,
            planted,
            settling: Pose3::IDENTITY,
            lean: Vec2::ZERO,
            lean_velocity: Vec2::ZERO,
            posture: Posture::Upright,
            slip,
            center: Center::default(),
            polygon: SupportPolygon::default(),
            contacts: [true; 2],
            center_of_pressure: place.translation,
            torso,
            soles,
        };
        body.center.position = body.standing_torso(&soles).transform(links.center_of_mass());
        body.touch(&soles);
        body.place(&soles);
        body
    }

    /// Advances by `dt` seconds to the given joint positions.
    pub fn step(&mut self, dt: f32, positions: &[f32; JOINTS], legs: Legs, random: &mut Random) {
        let links = Links::new(positions);
        let soles = Side::BOTH.map(|side| links.sole(side));
        if self.posture == Posture::Upright {
            self.change_support(&soles, random);
        }
        self.settle(dt);
        self.observe_center(dt, self.standing_torso(&soles).transform(links.center_of_mass()));
        if self.posture == Posture::Upright {
            self.touch(&soles);
        }
        match self.posture {
            Posture::Upright => self.rock(dt),
            Posture::Falling => self.fall(dt),
            Posture::Lying { stood_for } => {
                self.rest();
                let stands = legs == Legs::Stiff && is_standing_posture(&soles);
                let stood_for = if stands { stood_for + dt } else { 0.0 };
                self.posture = if stood_for < PATIENCE { Posture::Lying { stood_for } } else { Posture::Rising };
            }
            Posture::Rising => self.rise(dt, random),
        }
        self.place(&soles);
    }

    /// Returns the torso's frame in the field's.
    #[must_use]
    pub fn torso(&self) -> Pose3 {
        self.torso
    }

    /// Returns a sole's frame in the field's.
    #[must_use]
    pub fn sole(&self, side: Side) -> Pose3 {
        self.soles[side as usize]
    }

    /// Returns the posture of the robot.
    #[must_use]
    pub fn posture(&self) -> Posture {
        self.posture
    }

    /// Returns whether a sole carries weight.
    #[must_use]
    pub fn touches(&self, side: Side) -> bool {
        self.posture == Posture::Upright && self.contacts[side as usize]
    }

    /// Returns the point at which the ground's reaction acts: the zero moment point, or the nearest
    /// point of the support polygon.
    #[must_use]
    pub fn center_of_pressure(&self) -> Vec2 {
        self.center_of_pressure
    }

    /// Slides the feet, as when the robot walks into an obstacle.
    pub fn push(&mut self, way: Vec2) {
        self.planted.translation += way;
        self.settling.translation -= way.extend(0.0);
    }

    /// Moves the whole robot at once, as when another one pushes it along.
    #[cfg(feature = "game")]
    pub fn slide(&mut self, way: Vec2) {
        let shift = way.extend(0.0);
        self.planted.translation += way;
        self.center.position += shift;
        self.center_of_pressure += way;
        self.polygon.shift(way);
        self.torso.translation += shift;
        for sole in &mut self.soles {
            sole.translation += shift;
        }
    }

    /// Changes the velocity of the centre of mass by a hit, in m/s, which tips a robot that stands.
    #[cfg(feature = "game")]
    pub fn shove(&mut self, velocity: Vec2) {
        if self.posture == Posture::Upright && velocity != Vec2::ZERO {
            let turn = velocity / self.center.position.z.max(0.1);
            self.lean_velocity += turn;
            if self.lean == Vec2::ZERO {
                self.lean = turn * 1e-3;
            }
        }
    }

    /// Returns the torso over the planted sole, before any lean.
    fn standing_torso(&self, soles: &[Pose3; 2]) -> Pose3 {
        let nominal = Pose3::above(&self.planted, 0.0) * soles[self.support as usize].inverse();
        Pose3::new(self.settling.rotation * nominal.rotation, self.settling.translation + nominal.translation)
    }

    /// Plants the other sole if it reaches below the planted one.
    fn change_support(&mut self, soles: &[Pose3; 2], random: &mut Random) {
        let nominal = Pose3::above(&self.planted, 0.0) * soles[self.support as usize].inverse();
        let other = self.support.other();
        if (nominal * soles[other as usize]).translation.z > -SWITCH_DEPTH {
            return;
        }
        let before = self.standing_torso(soles);
        let mut planted = (before * soles[other as usize]).on_ground();
        let way = self.slip.way + Vec2::new(0.001 * random.normal(), 0.0007 * random.normal());
        planted.translation = planted.transform(way);
        planted.rotation = normalize_angle(planted.rotation + self.slip.turn + 0.004 * random.normal());
        self.support = other;
        self.planted = planted;
        let after = Pose3::above(&planted, 0.0) * soles[other as usize].inverse();
        self.settling = Pose3::new(before.rotation * after.rotation.inverse(), before.translation - after.translation);
    }

    fn settle(&mut self, dt: f32) {
        let rest = (-dt / SETTLING_TIME).exp();
        self.settling.translation *= rest;
        self.settling.rotation = Quat::IDENTITY.slerp(self.settling.rotation, rest);
    }

    fn observe_center(&mut self, dt: f32, position: Vec3) {
        let velocity = (position - self.center.position).truncate() / dt;
        let acceleration = (velocity - self.center.velocity) / dt;
        self.center.position = position;
        self.center.velocity = velocity;
        self.center.acceleration += (acceleration - self.center.acceleration) * (1.0 - (-dt / ACCELERATION_TIME).exp());
    }

    /// Determines which soles carry weight, and the polygon that they span. A new edge to lean over
    /// settles like a new foot.
    fn touch(&mut self, soles: &[Pose3; 2]) {
        let standing = self.standing_torso(soles);
        let before = self.leaning();
        let leaning = before * standing;
        self.contacts = Side::BOTH
            .map(|side| side == self.support || (leaning * soles[side as usize]).translation.z < CONTACT_HEIGHT);
        let touching = Side::BOTH.into_iter().filter(|side| self.contacts[*side as usize]);
        self.polygon = SupportPolygon::around(touching.flat_map(|side| {
            let sole = (standing * soles[side as usize]).on_ground();
            sole_outline(side).map(|corner| sole.transform(corner))
        }));
        let moved = self.leaning();
        self.settling.translation += moved.rotation.inverse() * (before.translation - moved.translation);
    }

    /// Lets the body rock on the edge of the support polygon, or stand.
    fn rock(&mut self, dt: f32) {
        let center = self.leaning().transform(self.center.position);
        let zero_moment_point = center.truncate() - self.center.acceleration * (center.z / GRAVITY);
        self.center_of_pressure = self.polygon.nearest(zero_moment_point);

        let outwards = zero_moment_point - self.center_of_pressure;
        let Some(direction) = self.lean.try_normalize().or_else(|| outwards.try_normalize()) else {
            self.lean_velocity = Vec2::ZERO;
            return;
        };
        let edge = self.polygon.furthest(direction);
        let arm = (zero_moment_point - edge).dot(direction);
        let radius_squared = center.distance_squared(edge.extend(0.0));
        self.lean_velocity += direction * (GRAVITY * arm / (INERTIA * radius_squared) * dt);
        self.lean += self.lean_velocity * dt;
        if self.lean.dot(direction) <= 0.0 {
            // The soles are flat on the ground again, and stay there: they do not bounce.
            self.lean = Vec2::ZERO;
            self.lean_velocity = Vec2::ZERO;
        } else if self.lean.length() > POINT_OF_NO_RETURN {
            self.posture = Posture::Falling;
        }
    }

    fn fall(&mut self, dt: f32) {
        let direction = self.lean.normalize_or(Vec2::X);
        let radius = self.center.position.z.max(0.1);
        let angle = self.lean.length();
        let speed = self.lean_velocity.dot(direction).max(0.0) + GRAVITY * angle.sin() / (INERTIA * radius) * dt;
        self.lean_velocity = direction * speed;
        self.lean = direction * (angle + speed * dt);
        if (self.torso.rotation * Vec3::Z).z <= 0.0 {
            self.lean_velocity = Vec2::ZERO;
            self.posture = Posture::Lying { stood_for: 0.0 };
        }
    }

    /// Lays the body flat, whatever the joints do to the torso.
    fn rest(&mut self) {
        let inclination = (self.torso.rotation * Vec3::Z).z.clamp(-1.0, 1.0).asin();
        let angle = self.lean.length();
        self.lean = self.lean.normalize_or(Vec2::X) * (angle + 0.2 * inclination).clamp(POINT_OF_NO_RETURN, PI);
    }

    fn rise(&mut self, dt: f32, random: &mut Random) {
        let angle = self.lean.length() - FRAC_PI_2 / RISING_TIME * dt;
        self.lean = self.lean.normalize_or(Vec2::X) * angle.max(0.0);
        if angle <= 0.0 {
            self.posture = Posture::Upright;
            self.center.acceleration = Vec2::ZERO;
            self.planted.rotation = normalize_angle(self.planted.rotation + random.uniform(-0.3..0.3));
        }
    }

    /// Returns the rotation around the edge that the robot leans over.
    fn leaning(&self) -> Pose3 {
        let angle = self.lean.length();
        if angle == 0.0 {
            return Pose3::IDENTITY;
        }
        let direction = self.lean / angle;
        let pivot = self.polygon.furthest(direction).extend(0.0);
        // Leaning along x is a pitch around y, leaning along y a roll around -x.
        let rotation = Quat::from_axis_angle(Vec3::new(-direction.y, direction.x, 0.0), angle);
        Pose3::new(rotation, pivot - rotation * pivot)
    }

    fn place(&mut self, soles: &[Pose3; 2]) {
        self.torso = self.leaning() * self.standing_torso(soles);
        self.torso.translation.z = self.torso.translation.z.max(LYING_HEIGHT);
        self.soles = soles.map(|sole| self.torso * sole);
    }
}

/// The ability of the legs to carry the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legs {
    /// All joints of the legs hold their position.
    Stiff,
    /// Some joint has no power.
    Limp,
}

/// Returns whether both soles are flat and below the torso.
fn is_standing_posture(soles: &[Pose3; 2]) -> bool {
    soles.iter().all(|sole| {
        let flat = (sole.rotation * Vec3::Z).z > 0.95;
        flat && sole.translation.z < -0.2 && sole.translation.x.abs() < 0.08
    })
}
