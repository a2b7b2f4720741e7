use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use glam::Vec3;
use hemiola::prelude::*;

use super::LolaError;
use super::connection::Connection;
use super::wire::SensorFrame;
use crate::representations::body::{
    Battery, BodyIdentity, BodyLine, LineReport, LineSocket, MotorStates, SonarDistances, TorsoAngles, TouchSensors,
};
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};

/// The weight of a kilogram, in newtons.
const NEWTONS: f32 = 9.81;

/// Reads the sensors of the NAO V6 from `LoLA`'s socket, at the rate of the body.
#[derive(Source)]
pub struct Lola {
    #[parameters]
    parameters: LolaParameters,
    connection: Option<Connection>,
    /// Set if the connection has delivered a state.
    is_proven: bool,
    frame: SensorFrame,
    report: LineReport,
}

/// Parameters of [`Lola`].
#[derive(Parameters)]
pub struct LolaParameters {
    /// The path of the socket.
    #[parameter(default = "/tmp/robocup".to_owned())]
    pub socket: String,
    /// The silence after which the connection is made anew.
    #[parameter(default = Duration::from_millis(100), unit = "s")]
    pub patience: Duration,
    /// The pause between two attempts to connect.
    #[parameter(default = Duration::from_millis(100), unit = "s")]
    pub pause: Duration,
}

#[source]
impl Lola {
    #[sample]
    #[expect(clippy::too_many_arguments, reason = "a body has many sensors")]
    pub(super) fn sample(
        &mut self,
        clock: &Clock,
        line: &mut BodyLine,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        feet: &mut FootPressure,
        motors: &mut MotorStates,
        touch: &mut TouchSensors,
        battery: &mut Battery,
        sonar: &mut SonarDistances,
        angles: &mut TorsoAngles,
        identity: &mut BodyIdentity,
        report: &mut LineReport,
    ) -> Result<Option<Time>, LolaError> {
        let called = Instant::now();
        self.receive()?;
        let frame = &self.frame;
        line.connection = self.report.connections;
        line.socket = LineSocket(self.connection.as_ref().map(Connection::line));
        imu.angular_velocity = Vec3::from(frame.gyroscope);
        // The body measures gravity, this robot what keeps it from falling.
        imu.acceleration = -Vec3::from(frame.accelerometer);
        joints.positions = frame.position;
        let [front_left, front_right, rear_left, rear_right, ..] = frame.fsr;
        feet.left = [front_left, front_right, rear_left, rear_right].map(|weight| weight * NEWTONS);
        // The outside of the right foot is the right one.
        let [.., front_left, front_right, rear_left, rear_right] = frame.fsr;
        feet.right = [front_right, front_left, rear_right, rear_left].map(|weight| weight * NEWTONS);
        motors.currents = frame.current;
        motors.temperatures = frame.temperature;
        motors.stiffness = frame.stiffness;
        motors.status = frame.status;
        *touch = pressed(&frame.touch);
        let [charge, status, current, temperature] = frame.battery;
        *battery = Battery { charge, current, temperature, status: status as i32 };
        [sonar.left, sonar.right] = frame.sonar;
        [angles.roll, angles.pitch] = frame.angles;
        let versions = &frame.versions;
        identity.body.clone_from(&versions.body);
        identity.body_version.clone_from(&versions.body_version);
        identity.head.clone_from(&versions.head);
        identity.head_version.clone_from(&versions.head_version);
        report.clone_from(&self.report);
        Ok(Some(clock.now() + called.elapsed()))
    }

    #[cfg(test)]
    pub(super) fn report(&self) -> &LineReport {
        &self.report
    }

    /// Receives the next state. If there is none, the connection ends, and the reason is counted.
    fn receive(&mut self) -> Result<(), LolaError> {
        let error = match self.try_to_receive() {
            Ok(skipped) => {
                self.is_proven = true;
                self.report.states += 1;
                self.report.skipped += u64::from(skipped);
                return Ok(());
            }
            Err(error) => error,
        };
        let had_connection = self.connection.take().map(Connection::end).is_some();
        match error {
            LolaError::Stalled { .. } => self.report.stalls += 1,
            LolaError::Garbage(_) => self.report.garbage += 1,
            _ if had_connection => self.report.hang_ups += 1,
            _ => {}
        }
        self.report.last_error = error.to_string();
        // A body that was there is tried again at once.
        if !std::mem::take(&mut self.is_proven) {
            thread::sleep(self.parameters.pause);
        }
        Err(error)
    }

    fn try_to_receive(&mut self) -> Result<u32, LolaError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => {
                let LolaParameters { socket, patience, .. } = &self.parameters;
                let opened = Connection::open(Path::new(socket), (*patience).max(SHORTEST))?;
                self.report.connections += 1;
                self.connection.insert(opened)
            }
        };
        connection.receive(&mut self.frame)
    }
}

/// The shortest patience: a read without a time-out would never end.
const SHORTEST: Duration = Duration::from_millis(1);

fn pressed(touch: &[f32; 14]) -> TouchSensors {
    let [
        chest,
        front,
        middle,
        rear,
        left_bumper_left,
        left_bumper_right,
        left_back,
        left_left,
        left_right,
        right_bumper_left,
        right_bumper_right,
        right_back,
        right_left,
        right_right,
    ] = touch.map(|value| value > 0.5);
    TouchSensors {
        chest,
        head: [front, middle, rear],
        left_foot: [left_bumper_left, left_bumper_right],
        right_foot: [right_bumper_left, right_bumper_right],
        left_hand: [left_back, left_left, left_right],
        right_hand: [right_back, right_left, right_right],
    }
}
