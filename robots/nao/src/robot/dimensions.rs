//! Lengths, offsets and masses of the NAO V6 as its manufacturer publishes them (technical
//! documentation, "Links", "Cameras", "Masses", "FSRs"), in metres, kilograms and radians; x
//! forward, y left, z up; the torso's origin lies between hips and neck.

use glam::{Vec2, Vec3};

use super::Side;

/// The offset from torso to neck, along z.
pub const NECK_OFFSET_Z: f32 = 0.1265;
/// The offset from torso to shoulder, along y.
pub const SHOULDER_OFFSET_Y: f32 = 0.098;
/// The offset from torso to shoulder, along z.
pub const SHOULDER_OFFSET_Z: f32 = 0.1;
/// The offset from shoulder to elbow, along the arm.
pub const UPPER_ARM_LENGTH: f32 = 0.105;
/// The offset from shoulder to elbow, across the arm.
pub const ELBOW_OFFSET_Y: f32 = 0.015;
/// The offset from elbow to wrist.
pub const LOWER_ARM_LENGTH: f32 = 0.05595;
/// The offset from wrist to hand, along the arm.
pub const HAND_OFFSET_X: f32 = 0.05775;
/// The offset from wrist to hand, downwards.
pub const HAND_OFFSET_Z: f32 = 0.01231;
/// The offset from torso to hip, along y.
pub const HIP_OFFSET_Y: f32 = 0.05;
/// The offset from torso to hip, downwards.
pub const HIP_OFFSET_Z: f32 = 0.085;
/// The length from hip to knee.
pub const THIGH_LENGTH: f32 = 0.1;
/// The length from knee to ankle.
pub const TIBIA_LENGTH: f32 = 0.1029;
/// The height of the ankle above the sole.
pub const FOOT_HEIGHT: f32 = 0.04519;

/// The offset from the neck to the upper camera.
pub const UPPER_CAMERA_OFFSET: Vec3 = Vec3::new(0.05871, 0.0, 0.06364);
/// The angle by which the upper camera looks down from the head's x axis.
pub const UPPER_CAMERA_PITCH: f32 = 1.2_f32.to_radians();
/// The offset from the neck to the lower camera.
pub const LOWER_CAMERA_OFFSET: Vec3 = Vec3::new(0.05071, 0.0, 0.01774);
/// The angle by which the lower camera looks down from the head's x axis.
pub const LOWER_CAMERA_PITCH: f32 = 39.7_f32.to_radians();
/// The horizontal field of view of both cameras.
pub const CAMERA_HORIZONTAL_VIEW: f32 = 56.3_f32.to_radians();
/// The vertical field of view of both cameras.
pub const CAMERA_VERTICAL_VIEW: f32 = 43.7_f32.to_radians();

/// The position of the inertial unit in the torso.
pub const IMU_OFFSET: Vec3 = Vec3::new(-0.008, 0.00606, 0.027);

/// The outline of the left sole around the point below the ankle, counter-clockwise and convex. The
/// right sole mirrors it. It is simplified from the drawing of the foot to eight corners.
const LEFT_SOLE: [Vec2; 8] = [
    Vec2::new(0.102, -0.018),
    Vec2::new(0.102, 0.023),
    Vec2::new(0.084, 0.044),
    Vec2::new(-0.036, 0.044),
    Vec2::new(-0.057, 0.024),
    Vec2::new(-0.057, -0.022),
    Vec2::new(-0.04, -0.036),
    Vec2::new(0.076, -0.036),
];

/// The positions of the four force sensors under the left foot: front outside, front inside, rear
/// outside, rear inside.
const LEFT_FORCE_SENSORS: [Vec2; 4] = [
    Vec2::new(0.07025, 0.0299),
    Vec2::new(0.07025, -0.0231),
    Vec2::new(-0.03025, 0.0299),
    Vec2::new(-0.02965, -0.0191),
];

/// Returns the outline of a sole around the point below the ankle, convex; counter-clockwise on the
/// left, clockwise on the right.
#[must_use]
pub fn sole_outline(side: Side) -> [Vec2; 8] {
    LEFT_SOLE.map(|corner| Vec2::new(corner.x, corner.y * side.sign()))
}

/// Returns the positions of the four force sensors under a foot, around the point below the ankle:
/// front outside, front inside, rear outside, rear inside.
#[must_use]
pub fn force_sensors(side: Side) -> [Vec2; 4] {
    LEFT_FORCE_SENSORS.map(|sensor| Vec2::new(sensor.x, sensor.y * side.sign()))
}

/// A link's mass in kilograms and its centre of mass in the frame of the joint that moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The mass in kilograms.
    pub mass: f32,
    /// The centre of mass, in metres.
    pub center: Vec3,
}

impl Mass {
    const fn new(mass: f32, x: f32, y: f32, z: f32) -> Self {
        Self { mass, center: Vec3::new(x, y, z) }
    }

    /// Returns the same link on the given side; masses are listed for the left.
    pub(crate) fn on(self, side: Side) -> Self {
        Self { mass: self.mass, center: Vec3::new(self.center.x, self.center.y * side.sign(), self.center.z) }
    }
}

/// The torso with battery and computer.
pub const TORSO: Mass = Mass::new(1.0496, -0.00413, 0.0, 0.04342);
/// The neck, moved by head yaw.
pub const NECK: Mass = Mass::new(0.07842, 0.0, 0.0, -0.02742);
/// The head, moved by head pitch.
pub const HEAD: Mass = Mass::new(0.60533, -0.00112, 0.0, 0.05258);
/// The links of the left arm, each in the frame of its joint: shoulder, upper arm, elbow, lower
/// arm, hand.
pub const LEFT_ARM: [Mass; 5] = [
    Mass::new(0.09304, -0.00165, -0.02663, 0.00014),
    Mass::new(0.15777, 0.02455, 0.00563, 0.0033),
    Mass::new(0.06483, -0.02744, 0.0, -0.00014),
    Mass::new(0.07761, 0.02556, 0.00281, 0.00076),
    Mass::new(0.18533, 0.03434, -0.00088, 0.00308),
];
/// The links of the left leg, each in the frame of its joint: pelvis, hip, thigh, tibia, ankle,
/// foot.
pub const LEFT_LEG: [Mass; 6] = [
    Mass::new(0.06981, -0.00781, -0.01114, 0.02661),
    Mass::new(0.14053, -0.01549, 0.00029, -0.00515),
    Mass::new(0.38968, 0.00138, 0.00221, -0.05373),
    Mass::new(0.30142, 0.00453, 0.00225, -0.04936),
    Mass::new(0.13416, 0.00045, 0.00029, 0.00685),
    Mass::new(0.17184, 0.02542, 0.0033, -0.03239),
];

/// Returns the mass of the whole robot, in kilograms.
#[must_use]
pub fn total_mass() -> f32 {
    let sum = |links: &[Mass]| links.iter().map(|link| link.mass).sum::<f32>();
    TORSO.mass + NECK.mass + HEAD.mass + 2.0 * (sum(&LEFT_ARM) + sum(&LEFT_LEG))
}
