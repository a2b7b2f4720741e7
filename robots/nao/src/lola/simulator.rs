//! `LoLA` in simulation: the same socket with the simulated body behind it.
//!
//! It serves one client at a time, as `LoLA` does. Each cycle reads the commands that have come,
//! moves the world by 12 ms, and sends the new state; a client that is late is not waited for. What
//! was commanded last stays in force, also when the client is gone: a body does not know that its
//! software has died, which is what `soften-joints` is for.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use glam::{EulerRot, Quat};

use super::LolaError;
use super::wire::{ActuatorFrame, BodyVersions, LARGEST_FRAME, SensorFrame, WireError};
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest};
use crate::robot::JOINTS;
use crate::simulator::{Scenario, World, standing_positions};

/// The period of the body.
pub const PERIOD: Duration = Duration::from_millis(12);
/// The number of periods by which the simulator may be late before it gives up to catch up.
const MOST_LATE: u32 = 10;
/// The weight of a kilogram, in newtons.
const NEWTONS: f32 = 9.81;

/// The simulated body of a NAO at a socket, which is removed when this is dropped.
#[derive(Debug)]
pub struct LolaSimulator {
    socket: PathBuf,
    listener: UnixListener,
    client: Option<Client>,
    world: World,
    request: JointRequest,
    lights: ActuatorFrame,
    state: SensorFrame,
    /// The number of cycles for which the chest button is still pressed.
    pressed: u32,
    statistics: Statistics,
}

/// The numbers of what has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of cycles of 12 ms.
    pub cycles: u64,
    /// The number of states that were sent.
    pub states: u64,
    /// The number of states that were not sent because the client had not read the earlier ones.
    pub untaken: u64,
    /// The number of commands that were received.
    pub commands: u64,
    /// The number of cycles after a state that brought no command, although there was a client.
    pub unanswered: u64,
    /// The number of clients that have connected.
    pub clients: u64,
    /// The number of clients that were disconnected because what they sent is no command.
    pub garbage: u64,
}

#[derive(Debug)]
struct Client {
    stream: UnixStream,
    buffer: Box<[u8; LARGEST_FRAME]>,
    filled: usize,
    /// The number of states that were sent to the client.
    states: u64,
}

/// The pace of the simulated body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPace {
    /// A cycle every 12 ms, as the real body.
    RealTime,
    /// The same, but each cycle waits for the command to the last state, at most so long: a busy
    /// computer makes the body slow, and not its software late.
    Answered(Duration),
}

impl LolaSimulator {
    /// Offers the body at a socket. A socket that a dead program has left there is replaced.
    ///
    /// # Errors
    /// A program listens there, or the path cannot be used.
    pub fn bind(socket: &Path, seed: u64, scenario: Scenario) -> Result<Self, LolaError> {
        let listener = bind(socket).map_err(|error| LolaError::Bind { socket: socket.to_owned(), error })?;
        let versions = BodyVersions {
            body: "P0000000S00S00S00000".to_owned(),
            body_version: "6.0.0".to_owned(),
            head: "P0000000S00S00S00001".to_owned(),
            head_version: "6.0.0".to_owned(),
        };
        Ok(Self {
            socket: socket.to_owned(),
            listener,
            client: None,
            world: World::new(seed, scenario),
            request: JointRequest { positions: standing_positions(), stiffness: [0.0; JOINTS] },
            lights: ActuatorFrame::default(),
            state: SensorFrame { versions, ..SensorFrame::default() },
            pressed: 0,
            statistics: Statistics::default(),
        })
    }

    /// Runs cycles until `is_over`, which is asked after each of them.
    pub fn serve(&mut self, pace: BodyPace, mut is_over: impl FnMut(&mut Self) -> bool) {
        let mut due = Instant::now();
        loop {
            due += PERIOD;
            if let BodyPace::Answered(patience) = pace {
                self.wait_for_command(patience);
            }
            let now = Instant::now();
            if due > now {
                thread::sleep(due - now);
            } else if now - due > MOST_LATE * PERIOD {
                due = now;
            }
            self.cycle();
            if is_over(self) {
                return;
            }
        }
    }

    /// Runs a cycle: reads commands, moves the world by 12 ms, and sends the state.
    pub fn cycle(&mut self) {
        self.statistics.cycles += 1;
        self.accept();
        let before = self.statistics.commands;
        self.read_commands();
        if self.client.as_ref().is_some_and(|client| client.states > 0) && self.statistics.commands == before {
            self.statistics.unanswered += 1;
        }
        self.world.step(PERIOD.as_secs_f32(), &self.request);
        self.sense();
        self.send();
    }

    /// Presses the chest button for some cycles.
    pub fn press_chest_button(&mut self, cycles: u32) {
        self.pressed = cycles;
    }

    /// Returns whether there is a client.
    #[must_use]
    pub fn has_client(&self) -> bool {
        self.client.is_some()
    }

    /// Returns what was commanded last.
    #[must_use]
    pub fn request(&self) -> &JointRequest {
        &self.request
    }

    /// Returns the lights that were commanded last.
    #[must_use]
    pub fn lights(&self) -> &ActuatorFrame {
        &self.lights
    }

    /// Returns the state that was sent last.
    #[must_use]
    pub fn state(&self) -> &SensorFrame {
        &self.state
    }

    /// Returns the numbers of what has happened.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Returns the truth about the robot and the ball.
    #[must_use]
    pub fn truth(&self) -> GroundTruth {
        let mut truth = GroundTruth::default();
        self.world.ground_truth(&mut truth);
        truth
    }

    fn accept(&mut self) {
        if self.client.is_some() {
            return;
        }
        let Ok((stream, _)) = self.listener.accept() else { return };
        if stream.set_nonblocking(true).is_ok() {
            self.statistics.clients += 1;
            self.client = Some(Client { stream, buffer: Box::new([0; LARGEST_FRAME]), filled: 0, states: 0 });
        }
    }

    fn read_commands(&mut self) {
        let Some(client) = &mut self.client else { return };
        let mut command = ActuatorFrame::default();
        loop {
            match client.next(&mut command) {
                Ok(true) => {
                    self.statistics.commands += 1;
                    apply(&command, &mut self.request, &mut self.lights);
                }
                Ok(false) => return,
                Err(error) => {
                    self.statistics.garbage += u64::from(matches!(error, LolaError::Garbage(_)));
                    self.client = None;
                    return;
                }
            }
        }
    }

    fn sense(&mut self) {
        let (mut imu, mut joints, mut feet): (ImuSample, JointAngles, FootPressure) = Default::default();
        self.world.sense(&mut imu, &mut joints, &mut feet);
        let state = &mut self.state;
        state.accelerometer = (-imu.acceleration).to_array();
        state.gyroscope = imu.angular_velocity.to_array();
        let (_, pitch, roll) = self.torso().to_euler(EulerRot::ZYX);
        let state = &mut self.state;
        state.angles = [roll, pitch];
        state.position = joints.positions;
        state.stiffness = self.request.stiffness;
        let [left_outside, left_inside, left_rear_outside, left_rear_inside] = feet.left;
        let [right_outside, right_inside, right_rear_outside, right_rear_inside] = feet.right;
        state.fsr = [
            left_outside,
            left_inside,
            left_rear_outside,
            left_rear_inside,
            right_inside,
            right_outside,
            right_rear_inside,
            right_rear_outside,
        ]
        .map(|force| force / NEWTONS);
        state.battery = [0.9, 0.0, -1.0, 30.0];
        state.temperature = [38.0; JOINTS];
        state.sonar = [2.55; 2];
        state.touch[0] = if self.pressed > 0 { 1.0 } else { 0.0 };
        self.pressed = self.pressed.saturating_sub(1);
    }

    fn torso(&self) -> Quat {
        self.truth().torso_rotation
    }

    fn send(&mut self) {
        let Some(client) = &mut self.client else { return };
        let mut buffer = [0; LARGEST_FRAME];
        let Ok(length) = self.state.encode(&mut buffer) else { return };
        match client.stream.write(&buffer[..length]) {
            Ok(sent) if sent == length => {
                client.states += 1;
                self.statistics.states += 1;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.statistics.untaken += 1,
            // A part of a state cannot be taken back.
            _ => self.client = None,
        }
    }

    /// Waits until something comes from the client, if it has a state to answer.
    fn wait_for_command(&mut self, patience: Duration) {
        let Some(client) = &mut self.client else { return };
        if client.states == 0 || client.stream.set_nonblocking(false).is_err() {
            return;
        }
        _ = client.stream.set_read_timeout(Some(patience));
        client.fill();
        _ = client.stream.set_nonblocking(true);
    }
}

impl Drop for LolaSimulator {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.socket);
    }
}

impl Client {
    /// Takes the next command; `false` if there is none yet.
    fn next(&mut self, command: &mut ActuatorFrame) -> Result<bool, LolaError> {
        loop {
            match command.decode(&self.buffer[..self.filled]) {
                Ok(length) => {
                    self.buffer.copy_within(length..self.filled, 0);
                    self.filled -= length;
                    return Ok(true);
                }
                Err(WireError::Incomplete) if self.filled < LARGEST_FRAME => {}
                Err(WireError::Incomplete) => return Err(WireError::TooLarge.into()),
                Err(error) => return Err(error.into()),
            }
            match self.stream.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Err(LolaError::HungUp),
                Ok(length) => self.filled += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(LolaError::Line(error)),
            }
        }
    }

    /// Reads what comes next, if it comes in time; its end is noticed by the next read.
    fn fill(&mut self) {
        if let Ok(length) = self.stream.read(&mut self.buffer[self.filled..]) {
            self.filled += length;
        }
    }
}

fn apply(command: &ActuatorFrame, request: &mut JointRequest, lights: &mut ActuatorFrame) {
    if let Some(positions) = command.position {
        request.positions = positions;
    }
    if let Some(stiffness) = command.stiffness {
        request.stiffness = stiffness;
    }
    lights.chest = command.chest.or(lights.chest);
    lights.skull = command.skull.or(lights.skull);
    lights.left_eye = command.left_eye.or(lights.left_eye);
    lights.right_eye = command.right_eye.or(lights.right_eye);
    lights.left_ear = command.left_ear.or(lights.left_ear);
    lights.right_ear = command.right_ear.or(lights.right_ear);
    lights.left_foot = command.left_foot.or(lights.left_foot);
    lights.right_foot = command.right_foot.or(lights.right_foot);
}

fn bind(socket: &Path) -> io::Result<UnixListener> {
    let listener = UnixListener::bind(socket).or_else(|error| {
        let is_dead = || UnixStream::connect(socket).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
        if error.kind() != ErrorKind::AddrInUse || !is_dead() {
            return Err(error);
        }
        fs::remove_file(socket)?;
        UnixListener::bind(socket)
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
