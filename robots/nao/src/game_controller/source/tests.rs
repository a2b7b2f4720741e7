use std::net::Ipv4Addr;

use glam::Vec2;

use super::*;
use crate::game_controller::packet::VERSION;
use crate::geometry::Pose2;
use crate::representations::game::MatchState;

/// A robot's end and a GameController's, on this computer.
struct Exchange {
    source: GameController,
    controller: UdpSocket,
    /// The socket at which the GameController receives statuses.
    statuses: UdpSocket,
    robot: SocketAddr,
    now: f64,
}

/// Returns an address of this computer that nobody uses.
fn free() -> SocketAddr {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

impl Exchange {
    fn new() -> Self {
        let statuses = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        statuses.set_nonblocking(true).unwrap();
        let robot = free();
        let parameters = GameControllerParameters {
            team: 12,
            player: 2,
            address: robot.to_string(),
            status_port: statuses.local_addr().unwrap().port(),
            status_period: 1.0,
        };
        let controller = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut exchange = Self { source: GameController::create(parameters), controller, statuses, robot, now: 0.0 };
        assert_eq!(exchange.sample().unwrap(), GameControl::default());
        exchange
    }

    fn send(&self, bytes: &[u8]) {
        self.controller.send_to(bytes, self.robot).unwrap();
    }

    /// Returns the next sample, 100 ms after the previous one.
    fn sample(&mut self) -> Result<GameControl, String> {
        self.now += 0.1;
        let clock = Clock::new(Time::from_seconds(self.now), Duration::from_millis(100), 0);
        let pose = RobotPose { pose: Pose2::new(-1.0, 0.5, 0.25), quality: 1.0 };
        let ball = BallModel {
            position: Some(Vec2::new(1.5, 0.0)),
            last_seen: Some(Time::from_seconds(self.now - 0.5)),
            ..BallModel::default()
        };
        let mut control = GameControl::default();
        match self.source.sample(&clock, &pose, &ball, &FallState { state: Uprightness::Fallen }, &mut control) {
            Ok(stamp) => {
                assert_eq!(stamp, Some(clock.now()), "it goes on for ever");
                Ok(control)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the statuses that have arrived at the GameController.
    fn reported(&self) -> Vec<StatusPacket> {
        let mut bytes = [0; 64];
        let mut reported = Vec::new();
        while let Ok(length) = self.statuses.recv(&mut bytes) {
            reported.push(StatusPacket::read(&bytes[..length]).expect("a GameController takes it"));
        }
        reported
    }
}

fn packet(state: MatchState) -> ControlPacket {
    ControlPacket { state, kicking_team: Some(7), ..ControlPacket::of_teams([7, 12]) }
}

#[test]
fn the_newest_packet_is_the_state_of_the_game_and_stays_it_when_nothing_comes() {
    let mut exchange = Exchange::new();
    exchange.send(&packet(MatchState::Ready).to_bytes());
    exchange.send(&packet(MatchState::Set).to_bytes());
    let control = exchange.sample().unwrap();
    let now = Time::from_seconds(exchange.now);
    assert_eq!((control.state, control.packets, control.last_packet), (MatchState::Set, 2, Some(now)));
    let later = exchange.sample().unwrap();
    assert_eq!((later.state, later.packets, later.last_packet), (MatchState::Set, 2, Some(now)));
}

#[test]
fn what_is_refused_is_counted_and_told_once_and_changes_nothing() {
    let mut exchange = Exchange::new();
    exchange.send(&packet(MatchState::Ready).to_bytes());
    exchange.sample().unwrap();
    let changed = |place: usize, value: u8| {
        let mut bytes = packet(MatchState::Playing).to_bytes();
        bytes[place] = value;
        bytes.to_vec()
    };
    let foreign = ControlPacket { state: MatchState::Playing, ..ControlPacket::of_teams([3, 4]) }.to_bytes().to_vec();
    let long = [packet(MatchState::Playing).to_bytes().to_vec(), vec![0; 900]].concat();
    let refused = [
        (b"hello".to_vec(), "5 bytes"),
        (changed(0, b'x'), "begins with"),
        (changed(4, VERSION + 1), "version 19"),
        (changed(10, 77), "77 as its state"),
        (foreign, "teams 3 and 4"),
    ];
    for (bytes, expected) in &refused {
        exchange.send(bytes);
        let told = exchange.sample().unwrap_err();
        assert!(told.contains(expected) && told.contains("it is ignored"), "{told}");
        exchange.send(bytes);
        assert!(exchange.sample().is_ok(), "{expected}: it is told once");
    }
    exchange.send(&long);
    let control = exchange.sample().unwrap();
    let expected = RefusedPackets { length: 3, magic: 2, version: 2, content: 2, team: 2 };
    assert_eq!((control.refused, control.state, control.packets), (expected, MatchState::Ready, 1));
}

#[test]
fn the_robot_reports_its_state_once_a_second_to_the_computer_of_the_game_controller() {
    let mut exchange = Exchange::new();
    for _ in 0..10 {
        exchange.sample().unwrap();
    }
    assert_eq!(exchange.reported(), [], "nobody is there");
    for sample in 0..30 {
        if sample % 5 == 0 {
            exchange.send(&packet(MatchState::Playing).to_bytes());
        }
        exchange.sample().unwrap();
    }
    let reported = exchange.reported();
    assert!((3..=4).contains(&reported.len()), "{reported:?}");
    let StatusPacket { player, team, fallen, pose, ball_age, ball } = reported[0];
    assert_eq!((player, team, fallen, ball), (2, 12, true, Vec2::new(1.5, 0.0)));
    assert!((ball_age.unwrap() - 0.5).abs() < 1e-3 && pose == Pose2::new(-1.0, 0.5, 0.25));
    let statuses = exchange.sample().unwrap().statuses as usize;
    assert_eq!(statuses, reported.len() + exchange.reported().len());

    for _ in 0..200 {
        exchange.sample().unwrap();
    }
    assert!(exchange.reported().len() <= 10, "the GameController is gone");
    assert!(exchange.reported().is_empty());
}

#[test]
fn a_robot_without_a_team_says_so_once() {
    let mut source = GameController::create(GameControllerParameters::default());
    let mut sample = |seconds: f64| {
        let clock = Clock::new(Time::from_seconds(seconds), Duration::from_millis(100), 0);
        let mut control = GameControl::default();
        let inputs = (RobotPose::default(), BallModel::default(), FallState::default());
        source.sample(&clock, &inputs.0, &inputs.1, &inputs.2, &mut control).map(|_| control)
    };
    assert!(sample(0.0).unwrap_err().to_string().contains("set `team`"));
    assert_eq!(sample(0.1).unwrap(), GameControl::default());
}

#[test]
fn an_address_that_is_taken_is_told_and_tried_again() {
    let taken = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap();
    let parameters = GameControllerParameters { team: 12, address: address.to_string(), ..Default::default() };
    let (mut connection, now) = (Connection::default(), |seconds| Time::from_seconds(seconds));
    let status = StatusPacket::default();
    let told = connection.exchange(&parameters, &status, now(0.0)).unwrap_err().to_string();
    assert!(told.contains(&address.to_string()) && told.contains("set `address`"), "{told}");
    connection.exchange(&parameters, &status, now(0.5)).expect("there is a pause");
    assert!(connection.exchange(&parameters, &status, now(1.0)).is_err());
    drop(taken);
    connection.exchange(&parameters, &status, now(2.0)).expect("it is free");
    assert!(connection.socket.is_some());
}
