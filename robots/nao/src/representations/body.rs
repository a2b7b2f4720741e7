//! The data of a real body beyond what the walk needs: motors, buttons, battery, lights.

use std::fmt;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use glam::Vec3;
use hemiola::data::{Data, DataType, ReadError, Reader, Writer};
use hemiola::prelude::*;

use crate::robot::JOINTS;

/// The state of the motors, each in the order of [`Joint`](crate::robot::Joint).
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MotorStates {
    /// The electric currents, in amperes.
    pub currents: [f32; JOINTS],
    /// The temperatures, in °C.
    pub temperatures: [f32; JOINTS],
    /// The stiffness in force, from 0 (limp) to 1.
    pub stiffness: [f32; JOINTS],
    /// The stages of becoming too hot: 0 is regular.
    pub status: [i32; JOINTS],
}

/// The buttons and touch sensors.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TouchSensors {
    /// The button in the chest.
    pub chest: bool,
    /// The sensors on the head: front, middle, rear.
    pub head: [bool; 3],
    /// The bumpers of the left foot: left, right.
    pub left_foot: [bool; 2],
    /// The bumpers of the right foot: left, right.
    pub right_foot: [bool; 2],
    /// The sensors on the left hand: back, left, right.
    pub left_hand: [bool; 3],
    /// The sensors on the right hand: back, left, right.
    pub right_hand: [bool; 3],
}

/// The battery.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Battery {
    /// The charge, from 0 (empty) to 1 (full).
    pub charge: f32,
    /// The electric current in amperes: negative while it is discharged.
    pub current: f32,
    /// The temperature, in °C.
    pub temperature: f32,
    /// The status bits of the battery's controller, as the body reports them.
    pub status: i32,
}

/// The distances that the sonars measure.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct SonarDistances {
    /// The distance to the nearest obstacle ahead and to the left, in metres.
    pub left: f32,
    /// The distance to the nearest obstacle ahead and to the right, in metres.
    pub right: f32,
}

/// The inclination of the torso by the body's own filter.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TorsoAngles {
    /// The angle around x, in radians: positive to the right.
    pub roll: f32,
    /// The angle around y, in radians: positive forward.
    pub pitch: f32,
}

/// The parts that the robot is made of.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BodyIdentity {
    /// The serial number of the body.
    pub body: String,
    /// The version of the body.
    pub body_version: String,
    /// The serial number of the head.
    pub head: String,
    /// The version of the head.
    pub head_version: String,
}

/// The lights of the robot, each from 0 to 1.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LightRequest {
    /// The red, green and blue of the chest button.
    pub chest: Vec3,
    /// The red, green and blue of the left eye: at 45°, 0°, 315° and so on to 90°.
    pub left_eye: [Vec3; 8],
    /// The red, green and blue of the right eye: at 0°, 45° and so on to 315°.
    pub right_eye: [Vec3; 8],
    /// The lights of the left ear, from 0° to 324°.
    pub left_ear: [f32; 10],
    /// The lights of the right ear, from 324° to 0°.
    pub right_ear: [f32; 10],
    /// The lights of the skull.
    pub skull: [f32; 12],
    /// The red, green and blue of the left foot.
    pub left_foot: Vec3,
    /// The red, green and blue of the right foot.
    pub right_foot: Vec3,
}

/// The power of the joints: a body is limp until somebody wants it to stand.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PowerState {
    /// The phase of the power of the joints.
    pub phase: PowerPhase,
    /// The part of the way from where the joints were to where they are requested, from 0 to 1.
    pub progress: f32,
    /// The positions of the joints in radians when the phase began.
    pub from: [f32; JOINTS],
}

/// A phase of the power of the joints.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PowerPhase {
    /// The joints are limp.
    #[default]
    Off,
    /// The joints are stiff, and on their way to what is requested.
    Rising,
    /// The joints follow what is requested.
    On,
}

/// The line to the body, over which the commands for the joints go.
#[derive(Representation, Clone, Debug, Default)]
pub struct BodyLine {
    /// The number of connections so far; the line of a log and of a body that is simulated in this
    /// process is 0.
    pub connection: u32,
    /// The socket of the connection; logs only hold whether there was one.
    pub socket: LineSocket,
}

/// The socket of a [`BodyLine`]. It is shared by the source that reads from it, and the update that
/// writes to it. In logs it is a truth value, so that a replay commands no body.
#[derive(Clone, Debug, Default)]
pub struct LineSocket(pub Option<Arc<UnixStream>>);

impl Data for LineSocket {
    fn data_type() -> DataType {
        bool::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.is_some().write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        bool::read(reader).map(|_| Self(None))
    }

    fn restore(&mut self, default: &Self) -> bool {
        self.0.clone_from(&default.0);
        true
    }
}

/// The statistics of the line to the body.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LineReport {
    /// The number of states of the body that were received.
    pub states: u64,
    /// The number of states that a newer one replaced before this program had time for them.
    pub skipped: u64,
    /// The number of connections that were made.
    pub connections: u32,
    /// The number of connections that ended because nothing came any more.
    pub stalls: u32,
    /// The number of connections that the body ended.
    pub hang_ups: u32,
    /// The number of connections that ended because something came that is no state.
    pub garbage: u32,
    /// The reason why the last connection ended; empty if none has.
    pub last_error: String,
}

impl fmt::Display for LineReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, skipped, connections, stalls, hang_ups, garbage, .. } = self;
        write!(formatter, "{states} states over {connections} connections")?;
        for (count, what) in [
            (skipped, "skipped"),
            (&u64::from(*stalls), "stalls"),
            (&u64::from(*hang_ups), "hang-ups"),
            (&u64::from(*garbage), "with garbage"),
        ] {
            if *count > 0 {
                write!(formatter, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hemiola::cdr;

    use super::*;

    #[test]
    fn a_line_of_a_log_leads_nowhere() {
        let (socket, _) = UnixStream::pair().unwrap();
        let line = BodyLine { connection: 3, socket: LineSocket(Some(Arc::new(socket))) };
        let read: BodyLine = cdr::decode(&cdr::encode(&line)).unwrap();
        assert!(read.connection == 3 && read.socket.0.is_none());
    }
}
