//! The measurements of iCub, another humanoid, converted to this robot: joints by their meaning,
//! forces under the feet, and the mounting of its inertial unit.

use std::f32::consts::FRAC_PI_2;
use std::path::Path;

use glam::{EulerRot, Quat};

use super::table::{Column, Stamps, Table};
use crate::NaoError;
use crate::representations::sensing::{FootPressure, JointAngles};
use crate::robot::Joint;

/// The joints of iCub, those of this robot, the sign between them, and this robot's position where
/// that of iCub is zero.
///
/// iCub's root frame faces backwards and its arms hang in zero pose; the signs are those of the
/// axes in its URDF, seen in this robot's torso. Its hip yaw has no counterpart: this robot turns
/// both legs with one joint on a slanted axis.
const JOINTS: [(&str, Joint, f32, f32); 20] = [
    ("neck_yaw", Joint::HeadYaw, 1.0, 0.0),
    ("neck_pitch", Joint::HeadPitch, -1.0, 0.0),
    ("l_shoulder_pitch", Joint::LeftShoulderPitch, 1.0, FRAC_PI_2),
    ("l_shoulder_roll", Joint::LeftShoulderRoll, 1.0, 0.0),
    ("l_shoulder_yaw", Joint::LeftElbowYaw, 1.0, -FRAC_PI_2),
    ("l_elbow", Joint::LeftElbowRoll, -1.0, 0.0),
    ("r_shoulder_pitch", Joint::RightShoulderPitch, 1.0, FRAC_PI_2),
    ("r_shoulder_roll", Joint::RightShoulderRoll, -1.0, 0.0),
    ("r_shoulder_yaw", Joint::RightElbowYaw, -1.0, FRAC_PI_2),
    ("r_elbow", Joint::RightElbowRoll, 1.0, 0.0),
    ("l_hip_roll", Joint::LeftHipRoll, 1.0, 0.0),
    ("l_hip_pitch", Joint::LeftHipPitch, -1.0, 0.0),
    ("l_knee", Joint::LeftKneePitch, -1.0, 0.0),
    ("l_ankle_pitch", Joint::LeftAnklePitch, 1.0, 0.0),
    ("l_ankle_roll", Joint::LeftAnkleRoll, 1.0, 0.0),
    ("r_hip_roll", Joint::RightHipRoll, -1.0, 0.0),
    ("r_hip_pitch", Joint::RightHipPitch, -1.0, 0.0),
    ("r_knee", Joint::RightKneePitch, -1.0, 0.0),
    ("r_ankle_pitch", Joint::RightAnklePitch, 1.0, 0.0),
    ("r_ankle_roll", Joint::RightAnkleRoll, -1.0, 0.0),
];

/// A table of joint positions, read in the order of time.
#[derive(Debug)]
pub struct JointTable {
    cursor: Cursor,
    /// The joints that were recorded, by their index in [`JOINTS`].
    columns: Vec<(usize, Column)>,
}

/// A table of normal forces under both feet, read in the order of time.
#[derive(Debug)]
pub struct FootForces {
    cursor: Cursor,
    columns: [Column; 2],
}

impl JointTable {
    /// Reads a table with a column of times and `q.NAME` for each joint.
    pub fn new(table: Table) -> Result<Self, NaoError> {
        let column = |(index, joint): (usize, &(&str, Joint, f32, f32))| {
            table.find(&format!("q.{}", joint.0)).map(|column| (index, column))
        };
        let columns = JOINTS.iter().enumerate().filter_map(column).collect();
        Ok(Self { cursor: Cursor::new(table)?, columns })
    }

    /// Reads the newest positions at a time.
    pub fn read(&mut self, seconds: f64, joints: &mut JointAngles) -> Result<(), NaoError> {
        let row = self.cursor.seek(seconds)?;
        let Some(row) = self.cursor.table.row(row) else { return Ok(()) };
        for &(index, column) in &self.columns {
            let (_, joint, sign, offset) = JOINTS[index];
            joints.positions[joint.index()] = sign * row.number(column)? as f32 + offset;
        }
        Ok(())
    }
}

impl FootForces {
    /// Reads a table with a column of times, `left_fz` and `right_fz`.
    pub fn new(table: Table) -> Result<Self, NaoError> {
        Ok(Self { columns: table.columns(["left_fz", "right_fz"])?, cursor: Cursor::new(table)? })
    }

    /// Reads the newest forces at a time. The point under the foot at which they act is not
    /// recorded: its four sensors share them evenly.
    pub fn read(&mut self, seconds: f64, pressure: &mut FootPressure) -> Result<(), NaoError> {
        let row = self.cursor.seek(seconds)?;
        let Some(row) = self.cursor.table.row(row) else { return Ok(()) };
        let [left, right] = row.numbers(self.columns)?.map(|force| [force.max(0.0) / 4.0; 4]);
        (pressure.left, pressure.right) = (left, right);
        Ok(())
    }
}

/// A table with stamps, and the current position in it.
#[derive(Debug)]
struct Cursor {
    table: Table,
    stamps: Stamps,
    row: usize,
}

impl Cursor {
    fn new(table: Table) -> Result<Self, NaoError> {
        Ok(Self { stamps: table.stamps()?, table, row: 0 })
    }

    /// Returns the last row that is not later than `seconds`; the first one if all are. It never
    /// goes back, so that it takes O(1) on average.
    fn seek(&mut self, seconds: f64) -> Result<usize, NaoError> {
        while let Some(next) = self.table.row(self.row + 1) {
            if next.stamp(self.stamps)? > seconds {
                break;
            }
            self.row += 1;
        }
        Ok(self.row)
    }
}

/// Returns the rotation from the frame of the inertial unit in a robot's root link to that of the
/// root link: the accelerometer's `origin` in the URDF `text`; `file` is for messages only.
///
/// # Errors
/// The text is no URDF with such a sensor.
pub fn imu_rotation(file: &Path, text: &str) -> Result<Quat, NaoError> {
    let wrong = |reason: &str| NaoError::format(file, "URDF with the pose of `root_link_imu_acc`", reason);
    let document = roxmltree::Document::parse(text).map_err(|reason| wrong(&reason.to_string()))?;
    let origin = document
        .descendants()
        .filter(|node| node.has_tag_name("sensor") && node.attribute("name") == Some("root_link_imu_acc"))
        .find_map(|sensor| sensor.children().find(|node| node.has_tag_name("origin")))
        .ok_or_else(|| wrong("no such sensor with an origin"))?;
    let angles: Vec<f32> =
        origin.attribute("rpy").unwrap_or("0 0 0").split_whitespace().filter_map(|angle| angle.parse().ok()).collect();
    match angles[..] {
        [roll, pitch, yaw] if angles.iter().all(|angle| angle.is_finite()) => {
            Ok(Quat::from_euler(EulerRot::ZYX, yaw, pitch, roll))
        }
        _ => Err(wrong("its rpy is not three numbers")),
    }
}
