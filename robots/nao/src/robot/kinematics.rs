//! Forward kinematics of the whole robot, analytic inverse kinematics of the legs, and the centre
//! of mass.
//!
//! Every pose is relative to the torso unless its name says otherwise. Zero pose: legs stretched,
//! arms stretched forward. No function allocates.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use glam::{Mat3, Quat, Vec3};

use super::dimensions::{self as size, Mass};
use super::joints::{JOINTS, Joint, Side};
use crate::geometry::{Pose3, normalize_angle};

#[cfg(test)]
mod tests;

/// One of the two cameras in the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Camera {
    /// The camera in the forehead, which looks at the horizon.
    Upper,
    /// The camera in the mouth, which looks at the feet.
    Lower,
}

/// The poses of all links to which something is mounted, computed once per set of joint angles.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    neck: Pose3,
    head: Pose3,
    arms: [[Pose3; 5]; 2],
    legs: [[Pose3; 6]; 2],
}

impl Links {
    /// Computes the forward kinematics of all chains, from joint positions in radians. A chain
    /// takes about 0.3 microseconds.
    #[must_use]
    pub fn new(positions: &[f32; JOINTS]) -> Self {
        let neck = Pose3::new(
            Quat::from_rotation_z(positions[Joint::HeadYaw.index()]),
            Vec3::new(0.0, 0.0, size::NECK_OFFSET_Z),
        );
        let head = neck * Pose3::from_rotation(Quat::from_rotation_y(positions[Joint::HeadPitch.index()]));
        Self {
            neck,
            head,
            arms: Side::BOTH.map(|side| arm(side, Joint::arm(side).map(|joint| positions[joint.index()]))),
            legs: Side::BOTH.map(|side| leg(side, LegAngles::of(side, positions))),
        }
    }

    /// Returns the head, turned by yaw and pitch.
    #[must_use]
    pub fn head(&self) -> Pose3 {
        self.head
    }

    /// Returns a camera: x is the optical axis, y points left and z up in the image.
    #[must_use]
    pub fn camera(&self, camera: Camera) -> Pose3 {
        let (offset, pitch) = match camera {
            Camera::Upper => (size::UPPER_CAMERA_OFFSET, size::UPPER_CAMERA_PITCH),
            Camera::Lower => (size::LOWER_CAMERA_OFFSET, size::LOWER_CAMERA_PITCH),
        };
        self.head * Pose3::new(Quat::from_rotation_y(pitch), offset)
    }

    /// Returns the centre of a hand.
    #[must_use]
    pub fn hand(&self, side: Side) -> Pose3 {
        let wrist = self.arms[side as usize][4];
        wrist * Pose3::from_translation(Vec3::new(size::HAND_OFFSET_X, 0.0, -size::HAND_OFFSET_Z))
    }

    /// Returns the elbow of an arm.
    #[must_use]
    pub fn elbow(&self, side: Side) -> Pose3 {
        self.arms[side as usize][3]
    }

    /// Returns the knee of a leg, turned with the tibia.
    #[must_use]
    pub fn knee(&self, side: Side) -> Pose3 {
        self.legs[side as usize][3]
    }

    /// Returns the ankle of a leg, turned with the foot.
    #[must_use]
    pub fn ankle(&self, side: Side) -> Pose3 {
        self.legs[side as usize][5]
    }

    /// Returns the point on the sole below the ankle: z is the sole's normal, x points to the toes.
    #[must_use]
    pub fn sole(&self, side: Side) -> Pose3 {
        self.ankle(side) * Pose3::from_translation(Vec3::new(0.0, 0.0, -size::FOOT_HEIGHT))
    }

    /// Returns the centre of mass of the whole robot.
    #[must_use]
    pub fn center_of_mass(&self) -> Vec3 {
        let mut moment = size::TORSO.mass * size::TORSO.center;
        let mut mass = size::TORSO.mass;
        let mut add = |link: &Pose3, part: Mass| {
            moment += part.mass * link.transform(part.center);
            mass += part.mass;
        };
        add(&self.neck, size::NECK);
        add(&self.head, size::HEAD);
        for side in Side::BOTH {
            for (link, part) in self.arms[side as usize].iter().zip(size::LEFT_ARM) {
                add(link, part.on(side));
            }
            for (link, part) in self.legs[side as usize].iter().zip(size::LEFT_LEG) {
                add(link, part.on(side));
            }
        }
        moment / mass
    }
}

/// The angles of one leg, in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are named after the joints")]
pub struct LegAngles {
    pub hip_yaw_pitch: f32,
    pub hip_roll: f32,
    pub hip_pitch: f32,
    pub knee_pitch: f32,
    pub ankle_pitch: f32,
    pub ankle_roll: f32,
}

impl LegAngles {
    /// Selects the angles of one leg from all joints.
    #[must_use]
    pub fn of(side: Side, positions: &[f32; JOINTS]) -> Self {
        let [hip_yaw_pitch, hip_roll, hip_pitch, knee_pitch, ankle_pitch, ankle_roll] =
            Joint::leg(side).map(|joint| positions[joint.index()]);
        Self { hip_yaw_pitch, hip_roll, hip_pitch, knee_pitch, ankle_pitch, ankle_roll }
    }

    /// Writes the angles to those of one leg among all joints, each clamped to its limits.
    pub fn write(&self, side: Side, positions: &mut [f32; JOINTS]) {
        let angles =
            [self.hip_yaw_pitch, self.hip_roll, self.hip_pitch, self.knee_pitch, self.ankle_pitch, self.ankle_roll];
        for (joint, angle) in Joint::leg(side).into_iter().zip(angles) {
            positions[joint.index()] = joint.clamp(angle);
        }
    }

    /// Computes the forward kinematics of one leg alone: the pose of its sole.
    #[must_use]
    pub fn sole(&self, side: Side) -> Pose3 {
        leg(side, *self)[5] * Pose3::from_translation(Vec3::new(0.0, 0.0, -size::FOOT_HEIGHT))
    }

    /// Returns all six angles that place one sole at `sole`, including a hip-yaw-pitch of this
    /// leg's own.
    ///
    /// The chain is solved from the foot upwards: seen from the ankle, the hip's position
    /// determines the roll and pitch of the ankle and, by the law of cosines, the knee; the
    /// remaining rotation is split around the three axes of the hip (Graf, Härtl, Röfer, Laue: A
    /// Robust Closed-Loop Gait for the Standard Platform League Humanoid, 2009). A target out of
    /// reach is approached with the leg stretched or folded as far as it goes. Limits are not
    /// applied.
    #[must_use]
    pub fn reaching(side: Side, sole: &Pose3) -> Self {
        let hip = hip_position(side);
        let ankle = sole.transform(Vec3::new(0.0, 0.0, size::FOOT_HEIGHT));
        let hip_from_foot = sole.rotation.inverse() * (hip - ankle);
        let bend = Bend::for_distance(hip_from_foot.length());

        // The hip of a strongly folded leg may lie below the foot's plane; the ankle does not roll
        // over in this case.
        let above = 1.0_f32.copysign(hip_from_foot.z);
        let ankle_roll = (above * hip_from_foot.y).atan2(hip_from_foot.z.abs());
        let upwards = above * hip_from_foot.y.hypot(hip_from_foot.z);
        let ankle_pitch = normalize_angle(-bend.at_ankle - hip_from_foot.x.atan2(upwards));

        let thigh =
            sole.rotation * Quat::from_rotation_x(-ankle_roll) * Quat::from_rotation_y(-ankle_pitch - bend.knee_pitch);
        // The motor's axis is tilted by 45 degrees. In a frame tilted alike it is an ordinary yaw,
        // and the three rotations of the hip are Euler angles in the order z, x, y.
        let tilt = FRAC_PI_4 * side.sign();
        let tilted = Mat3::from_quat(Quat::from_rotation_x(-tilt) * thigh);
        let yaw = (-tilted.y_axis.x).atan2(tilted.y_axis.y);
        Self {
            hip_yaw_pitch: -yaw * side.sign(),
            hip_roll: tilted.y_axis.z.clamp(-1.0, 1.0).asin() + tilt,
            hip_pitch: (-tilted.x_axis.z).atan2(tilted.z_axis.z),
            knee_pitch: bend.knee_pitch,
            ankle_pitch,
            ankle_roll,
        }
    }

    /// Returns the five other angles that place one sole at `sole` for a given hip-yaw-pitch.
    ///
    /// Position and inclination of the sole are exact (within reach), while its rotation around its
    /// own normal follows from hip-yaw-pitch.
    #[must_use]
    pub fn reaching_with(side: Side, sole: &Pose3, hip_yaw_pitch: f32) -> Self {
        let ankle = sole.transform(Vec3::new(0.0, 0.0, size::FOOT_HEIGHT));
        let pelvis = Quat::from_axis_angle(hip_axis(side), hip_yaw_pitch);
        let ankle_from_hip = pelvis.inverse() * (ankle - hip_position(side));
        let bend = Bend::for_distance(ankle_from_hip.length());

        let hip_roll = ankle_from_hip.y.atan2(-ankle_from_hip.z);
        let downwards = ankle_from_hip.y.hypot(ankle_from_hip.z);
        let hip_pitch = (-ankle_from_hip.x).atan2(downwards) - bend.at_hip;

        let tibia = pelvis * Quat::from_rotation_x(hip_roll) * Quat::from_rotation_y(hip_pitch + bend.knee_pitch);
        let normal = tibia.inverse() * (sole.rotation * Vec3::Z);
        Self {
            hip_yaw_pitch,
            hip_roll,
            hip_pitch,
            knee_pitch: bend.knee_pitch,
            ankle_pitch: normal.x.atan2(normal.z),
            ankle_roll: (-normal.y).clamp(-1.0, 1.0).asin(),
        }
    }

    /// Returns the angles of both legs (left first) that place the soles at `left` and `right` with
    /// a single motor for both yaws.
    ///
    /// Hip-yaw-pitch is the mean of the angles for each leg alone: exact for feet that are turned
    /// by opposite angles, as they are in a walk that keeps the torso between the feet; otherwise
    /// both soles share the error in yaw.
    #[must_use]
    pub fn reaching_both(left: &Pose3, right: &Pose3) -> [Self; 2] {
        let wanted = Self::reaching(Side::Left, left).hip_yaw_pitch + Self::reaching(Side::Right, right).hip_yaw_pitch;
        let hip_yaw_pitch = Joint::HipYawPitch.clamp(wanted / 2.0);
        [Self::reaching_with(Side::Left, left, hip_yaw_pitch), Self::reaching_with(Side::Right, right, hip_yaw_pitch)]
    }
}

/// The triangle of thigh, tibia and the line from hip to ankle.
struct Bend {
    knee_pitch: f32,
    /// The angle between thigh and line.
    at_hip: f32,
    /// The angle between tibia and line.
    at_ankle: f32,
}

impl Bend {
    fn for_distance(distance: f32) -> Self {
        let (thigh, tibia) = (size::THIGH_LENGTH, size::TIBIA_LENGTH);
        let cosine = (distance * distance - thigh * thigh - tibia * tibia) / (2.0 * thigh * tibia);
        let knee_pitch = cosine.clamp(-1.0, 1.0).acos();
        let (sine, cosine) = knee_pitch.sin_cos();
        Self {
            knee_pitch,
            at_hip: (tibia * sine).atan2(thigh + tibia * cosine),
            at_ankle: (thigh * sine).atan2(tibia + thigh * cosine),
        }
    }
}

fn hip_position(side: Side) -> Vec3 {
    Vec3::new(0.0, size::HIP_OFFSET_Y * side.sign(), -size::HIP_OFFSET_Z)
}

/// Returns the axis of hip-yaw-pitch: halfway between pitch and yaw, mirrored between the legs.
fn hip_axis(side: Side) -> Vec3 {
    Vec3::new(0.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2 * side.sign())
}

/// Returns the poses of pelvis, hip, thigh, tibia, ankle and foot.
fn leg(side: Side, angles: LegAngles) -> [Pose3; 6] {
    let pelvis = Pose3::new(Quat::from_axis_angle(hip_axis(side), angles.hip_yaw_pitch), hip_position(side));
    let hip = pelvis * Pose3::from_rotation(Quat::from_rotation_x(angles.hip_roll));
    let thigh = hip * Pose3::from_rotation(Quat::from_rotation_y(angles.hip_pitch));
    let down = |length: f32, pitch: f32| Pose3::new(Quat::from_rotation_y(pitch), Vec3::new(0.0, 0.0, -length));
    let tibia = thigh * down(size::THIGH_LENGTH, angles.knee_pitch);
    let ankle = tibia * down(size::TIBIA_LENGTH, angles.ankle_pitch);
    let foot = ankle * Pose3::from_rotation(Quat::from_rotation_x(angles.ankle_roll));
    [pelvis, hip, thigh, tibia, ankle, foot]
}

/// Returns the poses of shoulder, upper arm, elbow (turned by yaw), lower arm and wrist.
fn arm(side: Side, [shoulder_pitch, shoulder_roll, elbow_yaw, elbow_roll, wrist_yaw]: [f32; 5]) -> [Pose3; 5] {
    let shoulder = Pose3::new(
        Quat::from_rotation_y(shoulder_pitch),
        Vec3::new(0.0, size::SHOULDER_OFFSET_Y * side.sign(), size::SHOULDER_OFFSET_Z),
    );
    let upper_arm = shoulder * Pose3::from_rotation(Quat::from_rotation_z(shoulder_roll));
    let elbow = upper_arm
        * Pose3::new(
            Quat::from_rotation_x(elbow_yaw),
            Vec3::new(size::UPPER_ARM_LENGTH, size::ELBOW_OFFSET_Y * side.sign(), 0.0),
        );
    let lower_arm = elbow * Pose3::from_rotation(Quat::from_rotation_z(elbow_roll));
    let wrist = lower_arm * Pose3::new(Quat::from_rotation_x(wrist_yaw), Vec3::new(size::LOWER_ARM_LENGTH, 0.0, 0.0));
    [shoulder, upper_arm, elbow, lower_arm, wrist]
}
