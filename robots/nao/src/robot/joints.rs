//! The 25 actuated joints of the NAO V6 and their limits.

/// The number of actuated joints. The two hip-yaw-pitch joints share one motor and count once.
pub const JOINTS: usize = 25;

/// A joint, in the order in which the robot's body interface lists them.
///
/// Signs follow the right hand rule around x (roll), y (pitch) and z (yaw) of the torso in zero
/// pose: legs stretched, arms stretched forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the maker's names of the joints; there is nothing to add")]
pub enum Joint {
    HeadYaw,
    HeadPitch,
    LeftShoulderPitch,
    LeftShoulderRoll,
    LeftElbowYaw,
    LeftElbowRoll,
    LeftWristYaw,
    /// The joint that turns both legs: negative values turn both feet outward.
    HipYawPitch,
    LeftHipRoll,
    LeftHipPitch,
    LeftKneePitch,
    LeftAnklePitch,
    LeftAnkleRoll,
    RightHipRoll,
    RightHipPitch,
    RightKneePitch,
    RightAnklePitch,
    RightAnkleRoll,
    RightShoulderPitch,
    RightShoulderRoll,
    RightElbowYaw,
    RightElbowRoll,
    RightWristYaw,
    LeftHand,
    RightHand,
}

/// A side of the robot, seen from the robot itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side with positive y.
    Left,
    /// The side with negative y.
    Right,
}

impl Side {
    /// Both sides, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns the sign of y on this side: +1 for left, -1 for right.
    #[must_use]
    pub const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }

    /// Returns the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl Joint {
    /// Every joint, at its own index.
    pub const ALL: [Self; JOINTS] = [
        Self::HeadYaw,
        Self::HeadPitch,
        Self::LeftShoulderPitch,
        Self::LeftShoulderRoll,
        Self::LeftElbowYaw,
        Self::LeftElbowRoll,
        Self::LeftWristYaw,
        Self::HipYawPitch,
        Self::LeftHipRoll,
        Self::LeftHipPitch,
        Self::LeftKneePitch,
        Self::LeftAnklePitch,
        Self::LeftAnkleRoll,
        Self::RightHipRoll,
        Self::RightHipPitch,
        Self::RightKneePitch,
        Self::RightAnklePitch,
        Self::RightAnkleRoll,
        Self::RightShoulderPitch,
        Self::RightShoulderRoll,
        Self::RightElbowYaw,
        Self::RightElbowRoll,
        Self::RightWristYaw,
        Self::LeftHand,
        Self::RightHand,
    ];

    /// Returns shoulder pitch, shoulder roll, elbow yaw, elbow roll and wrist yaw of one arm, from
    /// the torso outwards.
    #[must_use]
    pub const fn arm(side: Side) -> [Self; 5] {
        match side {
            Side::Left => [
                Self::LeftShoulderPitch,
                Self::LeftShoulderRoll,
                Self::LeftElbowYaw,
                Self::LeftElbowRoll,
                Self::LeftWristYaw,
            ],
            Side::Right => [
                Self::RightShoulderPitch,
                Self::RightShoulderRoll,
                Self::RightElbowYaw,
                Self::RightElbowRoll,
                Self::RightWristYaw,
            ],
        }
    }

    /// Returns hip yaw-pitch (shared), hip roll, hip pitch, knee pitch, ankle pitch and ankle roll
    /// of one leg, from the torso outwards.
    #[must_use]
    pub const fn leg(side: Side) -> [Self; 6] {
        match side {
            Side::Left => [
                Self::HipYawPitch,
                Self::LeftHipRoll,
                Self::LeftHipPitch,
                Self::LeftKneePitch,
                Self::LeftAnklePitch,
                Self::LeftAnkleRoll,
            ],
            Side::Right => [
                Self::HipYawPitch,
                Self::RightHipRoll,
                Self::RightHipPitch,
                Self::RightKneePitch,
                Self::RightAnklePitch,
                Self::RightAnkleRoll,
            ],
        }
    }

    /// Returns the index of the joint in an array of [`JOINTS`] values.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the manufacturer's name, such as `LAnkleRoll`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the smallest and the largest position in radians (hands: 0 closed, 1 open), from the
    /// data sheet of the V6.
    #[must_use]
    pub const fn limits(self) -> (f32, f32) {
        let (_, smallest, largest) = self.facts();
        match self {
            Self::LeftHand | Self::RightHand => (smallest, largest),
            _ => (smallest.to_radians(), largest.to_radians()),
        }
    }

    /// Returns the nearest position that the joint can reach.
    #[must_use]
    pub const fn clamp(self, position: f32) -> f32 {
        let (smallest, largest) = self.limits();
        position.clamp(smallest, largest)
    }

    /// Returns the name and the limits in degrees (hands: opening).
    const fn facts(self) -> (&'static str, f32, f32) {
        match self {
            Self::HeadYaw => ("HeadYaw", -119.5, 119.5),
            Self::HeadPitch => ("HeadPitch", -38.5, 29.5),
            Self::LeftShoulderPitch => ("LShoulderPitch", -119.5, 119.5),
            Self::LeftShoulderRoll => ("LShoulderRoll", -18.0, 76.0),
            Self::LeftElbowYaw => ("LElbowYaw", -119.5, 119.5),
            Self::LeftElbowRoll => ("LElbowRoll", -88.5, -2.0),
            Self::LeftWristYaw => ("LWristYaw", -104.5, 104.5),
            Self::HipYawPitch => ("LHipYawPitch", -65.62, 42.44),
            Self::LeftHipRoll => ("LHipRoll", -21.74, 45.29),
            Self::LeftHipPitch => ("LHipPitch", -88.0, 27.73),
            Self::LeftKneePitch => ("LKneePitch", -5.29, 121.04),
            Self::LeftAnklePitch => ("LAnklePitch", -68.15, 52.86),
            Self::LeftAnkleRoll => ("LAnkleRoll", -22.79, 44.06),
            Self::RightHipRoll => ("RHipRoll", -45.29, 21.74),
            Self::RightHipPitch => ("RHipPitch", -88.0, 27.73),
            Self::RightKneePitch => ("RKneePitch", -5.9, 121.47),
            Self::RightAnklePitch => ("RAnklePitch", -67.97, 53.4),
            Self::RightAnkleRoll => ("RAnkleRoll", -44.06, 22.8),
            Self::RightShoulderPitch => ("RShoulderPitch", -119.5, 119.5),
            Self::RightShoulderRoll => ("RShoulderRoll", -76.0, 18.0),
            Self::RightElbowYaw => ("RElbowYaw", -119.5, 119.5),
            Self::RightElbowRoll => ("RElbowRoll", 2.0, 88.5),
            Self::RightWristYaw => ("RWristYaw", -104.5, 104.5),
            Self::LeftHand => ("LHand", 0.0, 1.0),
            Self::RightHand => ("RHand", 0.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joint_stands_at_its_own_index_with_a_name_of_its_own() {
        for (index, joint) in Joint::ALL.into_iter().enumerate() {
            assert_eq!(joint.index(), index);
            assert_eq!(Joint::ALL.iter().filter(|other| other.name() == joint.name()).count(), 1);
        }
    }

    #[test]
    fn a_clamped_position_lies_within_the_limits() {
        for joint in Joint::ALL {
            let (smallest, largest) = joint.limits();
            assert!(smallest < largest);
            assert_eq!(joint.clamp(-10.0), smallest);
            assert_eq!(joint.clamp(10.0), largest);
        }
    }
}
