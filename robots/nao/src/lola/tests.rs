//! Tests of the driver over the real wire: the simulated body, and peers that stall, restart, hang
//! up and send garbage.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use glam::Vec3;
use hemiola::prelude::*;

use super::connection::{Connection, command};
use super::simulator::LolaSimulator;
use super::wire::{ActuatorFrame, LARGEST_FRAME, SensorFrame};
use super::*;
use crate::representations::body::*;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles, JointRequest};
use crate::robot::{JOINTS, Joint};
use crate::simulator::{Scenario, World, standing_positions};

/// The path of a socket in a folder of its own, which is removed with it.
struct Socket(PathBuf);

impl Socket {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("nao-lola-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Self(folder.join("robocup"))
    }

    fn listen(&self) -> UnixListener {
        UnixListener::bind(&self.0).unwrap()
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a driver that waits long enough for peers of the same thread and any computer.
    fn driver(&self) -> Driver {
        self.driver_with(Duration::from_secs(30))
    }

    fn driver_with(&self, patience: Duration) -> Driver {
        let pause = Duration::from_millis(1);
        let parameters = LolaParameters { socket: self.0.display().to_string(), patience, pause };
        Driver { source: Lola::create(parameters), ..Driver::default() }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            _ = fs::remove_dir_all(folder);
        }
    }
}

/// The source and what it has provided last.
struct Driver {
    source: Lola,
    line: BodyLine,
    imu: ImuSample,
    joints: JointAngles,
    feet: FootPressure,
    motors: MotorStates,
    touch: TouchSensors,
    battery: Battery,
    identity: BodyIdentity,
    report: LineReport,
}

impl Default for Driver {
    fn default() -> Self {
        let source = Lola::create(LolaParameters::default());
        let (line, imu, joints, feet, motors) = Default::default();
        let (touch, battery, identity, report) = Default::default();
        Self { source, line, imu, joints, feet, motors, touch, battery, identity, report }
    }
}

impl Driver {
    fn sample(&mut self) -> Result<(), LolaError> {
        let (mut sonar, mut angles) = Default::default();
        let sampled = self.source.sample(
            &Clock::default(),
            &mut self.line,
            &mut self.imu,
            &mut self.joints,
            &mut self.feet,
            &mut self.motors,
            &mut self.touch,
            &mut self.battery,
            &mut sonar,
            &mut angles,
            &mut self.identity,
            &mut self.report,
        );
        sampled.map(|stamp| assert!(stamp.is_some(), "a body does not end"))
    }

    /// Returns the statistics, which are provided with the next sample only.
    fn source_report(&self) -> &LineReport {
        self.source.report()
    }

    fn command(&self, frame: &ActuatorFrame) -> Result<(), LolaError> {
        command(self.line.socket.0.as_ref().unwrap(), frame)
    }
}

fn encoded(frame: &SensorFrame) -> Vec<u8> {
    let mut buffer = [0; LARGEST_FRAME];
    let length = frame.encode(&mut buffer).unwrap();
    buffer[..length].to_vec()
}

/// A state that can be told from others.
fn numbered(number: f32) -> SensorFrame {
    SensorFrame { gyroscope: [number, 0.0, 0.0], ..SensorFrame::default() }
}

fn stiff(positions: [f32; JOINTS]) -> ActuatorFrame {
    ActuatorFrame { position: Some(positions), stiffness: Some([1.0; JOINTS]), ..ActuatorFrame::default() }
}

#[test]
fn a_state_has_this_robots_units_and_signs() {
    let socket = Socket::new("units");
    let listener = socket.listen();
    let mut driver = socket.driver();
    let mut frame = SensorFrame { accelerometer: [0.1, 0.2, -9.81], ..SensorFrame::default() };
    frame.fsr = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    frame.touch = std::array::from_fn(|index| if [0, 3, 5, 6, 11].contains(&index) { 1.0 } else { 0.0 });
    frame.battery = [0.99, -32552.0, 0.016, 31.0];
    frame.position[Joint::LeftKneePitch.index()] = 0.7;
    frame.versions.head = "P0000074A03S84F00006".to_owned();
    // The listener's queue takes the connection before it is accepted.
    let mut peer = connected(&listener, &mut driver);
    peer.write_all(&encoded(&frame)).unwrap();
    driver.sample().unwrap();
    assert_eq!(driver.imu.acceleration, Vec3::new(-0.1, -0.2, 9.81));
    assert_eq!(driver.feet.left.map(|force| (force / 0.981).round()), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(driver.feet.right.map(|force| (force / 0.981).round()), [6.0, 5.0, 8.0, 7.0], "outside first");
    let expected = TouchSensors {
        chest: true,
        head: [false, false, true],
        left_foot: [false, true],
        left_hand: [true, false, false],
        right_hand: [true, false, false],
        ..TouchSensors::default()
    };
    assert_eq!(driver.touch, expected);
    assert_eq!(driver.battery, Battery { charge: 0.99, current: 0.016, temperature: 31.0, status: -32552 });
    assert_eq!(driver.joints.positions[Joint::LeftKneePitch.index()], 0.7);
    assert_eq!(driver.identity.head, "P0000074A03S84F00006");
}

/// Lets a driver connect by a first state, and returns the body's end.
fn connected(listener: &UnixListener, driver: &mut Driver) -> UnixStream {
    std::thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let (mut peer, _) = listener.accept().unwrap();
            peer.write_all(&encoded(&numbered(0.0))).unwrap();
            peer
        });
        driver.sample().unwrap();
        peer.join().unwrap()
    })
}

#[test]
fn a_state_in_pieces_is_one_and_of_several_that_wait_the_newest_counts() {
    let socket = Socket::new("pieces");
    let listener = socket.listen();
    let mut driver = socket.driver();
    let mut peer = connected(&listener, &mut driver);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for piece in encoded(&numbered(1.0)).chunks(100) {
                peer.write_all(piece).unwrap();
            }
        });
        driver.sample().unwrap();
    });
    assert_eq!((driver.imu.angular_velocity.x, driver.report.skipped), (1.0, 0));

    let mut waiting = [2.0, 3.0, 4.0].map(|number| encoded(&numbered(number))).concat();
    let begun = encoded(&numbered(5.0));
    waiting.extend(&begun[..10]);
    peer.write_all(&waiting).unwrap();
    driver.sample().unwrap();
    assert_eq!((driver.imu.angular_velocity.x, driver.report.skipped), (4.0, 2));
    peer.write_all(&begun[10..]).unwrap();
    driver.sample().unwrap();
    assert_eq!((driver.imu.angular_velocity.x, driver.report.states), (5.0, 4));
}

#[test]
fn a_body_that_hangs_up_or_sends_garbage_is_connected_to_again_and_that_is_counted() {
    let socket = Socket::new("garbage");
    let listener = socket.listen();
    let mut driver = socket.driver();
    drop(connected(&listener, &mut driver));
    assert!(matches!(driver.sample(), Err(LolaError::HungUp)));

    let half = encoded(&numbered(1.0));
    let mut peer = connected(&listener, &mut driver);
    peer.write_all(&half[..500]).unwrap();
    drop(peer);
    assert!(matches!(driver.sample(), Err(LolaError::HungUp)), "half a state is none");

    let mut peer = connected(&listener, &mut driver);
    peer.write_all(b"HTTP/1.1 400 Bad Request\r\n").unwrap();
    assert!(matches!(driver.sample(), Err(LolaError::Garbage(_))));
    assert_eq!(peer.read(&mut [0; 16]).unwrap(), 0, "the body sees that the connection has ended");

    let mut peer = connected(&listener, &mut driver);
    // What begins like a state and never ends.
    let endless = [b"\x8d\xa1?\xdd\xff\xff\xff\xff".as_slice(), &[1; 2 * LARGEST_FRAME]].concat();
    peer.write_all(&endless).unwrap();
    let error = driver.sample().unwrap_err();
    assert!(error.to_string().contains("more than 4096 bytes"), "{error}");

    // What was taken for garbage may have been a state that began with some: it is never joined to
    // what comes over the next connection.
    let mut peer = connected(&listener, &mut driver);
    peer.write_all(&encoded(&numbered(7.0))).unwrap();
    driver.sample().unwrap();
    assert_eq!(driver.imu.angular_velocity.x, 7.0);
    let LineReport { states, connections, hang_ups, garbage, stalls, last_error, .. } = &driver.report;
    assert_eq!((*states, *connections, *hang_ups, *garbage, *stalls), (6, 5, 2, 2, 0));
    assert!(last_error.contains("more than 4096 bytes"), "{last_error}");
    assert_eq!(driver.line.connection, 5);
}

#[test]
fn a_body_that_stalls_is_connected_to_again_even_if_it_sends_a_byte_now_and_then() {
    let socket = Socket::new("stall");
    let listener = socket.listen();
    let mut driver = socket.driver_with(Duration::from_millis(200));
    // It sends nothing at all, and does not even accept: the next connection waits in its queue.
    let silent = driver.sample();
    assert!(matches!(silent, Err(LolaError::Stalled { .. })), "{silent:?}");
    drop(listener.accept().unwrap());
    let (mut trickling, stalled) = std::thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let (mut peer, _) = listener.accept().unwrap();
            for byte in encoded(&numbered(1.0)) {
                if peer.write_all(&[byte]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            peer
        });
        let stalled = driver.sample();
        (peer.join().unwrap(), stalled)
    });
    assert!(matches!(stalled, Err(LolaError::Stalled { .. })), "{stalled:?}");
    assert!(trickling.write_all(&[0]).is_err(), "the connection has ended");
    assert_eq!((driver.source_report().stalls, driver.source_report().connections), (2, 2));
}

#[test]
fn without_a_body_there_is_an_error_that_says_what_to_do_and_a_body_that_comes_later_is_found() {
    let socket = Socket::new("nobody");
    let mut driver = socket.driver();
    let error = driver.sample().unwrap_err().to_string();
    assert!(error.contains("no connection to LoLA") && error.contains("lola-simulator"), "{error}");
    let listener = socket.listen();
    connected(&listener, &mut driver);
    assert_eq!((driver.report.states, driver.report.hang_ups), (1, 0));
}

#[test]
fn a_body_that_does_not_read_its_commands_holds_nobody_up() {
    let (line, _peer) = UnixStream::pair().unwrap();
    let frame = stiff([0.1; JOINTS]);
    let outcome = (0..100_000).map(|_| command(&line, &frame)).find(Result::is_err);
    assert!(matches!(outcome, Some(Err(LolaError::Unheard))), "{outcome:?}");
    assert!(
        matches!(command(&line, &frame), Err(LolaError::Line(_))),
        "a part of a command is never followed by another"
    );
}

#[test]
fn over_the_wire_the_simulated_body_is_the_same_to_the_bit() {
    let socket = Socket::new("bits");
    let mut simulator = LolaSimulator::bind(socket.path(), 5, Scenario::AloneInTheMiddle).unwrap();
    let mut connection = Connection::open(socket.path(), Duration::from_secs(30)).unwrap();
    let mut world = World::new(5, Scenario::AloneInTheMiddle);
    let mut request = JointRequest { positions: standing_positions(), stiffness: [0.0; JOINTS] };
    let mut frame = SensorFrame::default();
    for cycle in 0..200 {
        simulator.cycle();
        connection.receive(&mut frame).unwrap();
        world.step(0.012, &request);
        let (mut imu, mut joints, mut feet): (ImuSample, JointAngles, FootPressure) = Default::default();
        world.sense(&mut imu, &mut joints, &mut feet);
        assert_eq!(frame.position, joints.positions, "cycle {cycle}");
        assert_eq!(frame.gyroscope, imu.angular_velocity.to_array());
        assert_eq!(frame.accelerometer, (-imu.acceleration).to_array());

        let mut positions = standing_positions();
        positions[Joint::HeadYaw.index()] = 0.01 * cycle as f32;
        command(&connection.line(), &stiff(positions)).unwrap();
        request = JointRequest { positions, stiffness: [1.0; JOINTS] };
    }
    assert!((frame.position[Joint::HeadYaw.index()] - 1.94).abs() < 0.03, "{:?}", frame.position);
    assert_eq!(frame.stiffness, [1.0; JOINTS]);
    assert!((frame.fsr.iter().sum::<f32>() - crate::robot::dimensions::total_mass()).abs() < 0.5, "{:?}", frame.fsr);
    assert!(frame.angles.iter().all(|angle| angle.abs() < 0.05), "{:?}", frame.angles);
    let statistics = simulator.statistics();
    assert_eq!((statistics.states, statistics.commands, statistics.unanswered), (200, 199, 0));
}

#[test]
fn the_simulated_body_serves_one_client_at_a_time_and_ends_one_that_sends_garbage() {
    let socket = Socket::new("clients");
    let mut simulator = LolaSimulator::bind(socket.path(), 1, Scenario::AloneInTheMiddle).unwrap();
    let mut first = UnixStream::connect(socket.path()).unwrap();
    let mut second = UnixStream::connect(socket.path()).unwrap();
    second.set_nonblocking(true).unwrap();
    simulator.cycle();
    assert!(second.read(&mut [0; 16]).is_err(), "the second one has to wait");
    first.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    simulator.cycle();
    simulator.cycle();
    assert!(second.read(&mut [0; 16]).is_ok());
    assert_eq!((simulator.statistics().garbage, simulator.statistics().clients), (1, 2));
    assert!(LolaSimulator::bind(socket.path(), 1, Scenario::AloneInTheMiddle).is_err(), "a body is there");
    drop(simulator);
    assert!(!socket.path().exists());
    // A program that was killed leaves its socket.
    drop(socket.listen());
    LolaSimulator::bind(socket.path(), 1, Scenario::AloneInTheMiddle).unwrap();
}

#[test]
fn what_was_commanded_last_stays_in_force_until_a_client_says_otherwise() {
    let socket = Socket::new("limp");
    let mut simulator = LolaSimulator::bind(socket.path(), 1, Scenario::AloneInTheMiddle).unwrap();
    let mut driver = socket.driver();
    let mut connection = Connection::open(socket.path(), Duration::from_secs(30)).unwrap();
    simulator.cycle();
    command(&connection.line(), &stiff(standing_positions())).unwrap();
    simulator.cycle();
    connection.receive(&mut SensorFrame::default()).unwrap();
    drop(connection);
    simulator.cycle();
    simulator.cycle();
    assert!(!simulator.has_client() && simulator.request().stiffness == [1.0; JOINTS]);

    std::thread::scope(|scope| {
        scope.spawn(|| driver.sample().unwrap());
        while simulator.statistics().clients < 2 {
            simulator.cycle();
        }
    });
    assert_eq!(driver.motors.stiffness, [1.0; JOINTS]);
    driver.command(&ActuatorFrame { stiffness: Some([0.0; JOINTS]), ..ActuatorFrame::default() }).unwrap();
    simulator.cycle();
    assert_eq!(simulator.request().stiffness, [0.0; JOINTS]);
    assert_eq!(simulator.request().positions, standing_positions());
}
