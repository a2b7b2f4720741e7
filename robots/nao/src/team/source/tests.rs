use glam::Vec2;

use super::*;
use crate::game_controller::referee::{Referee, Rules, Side};
use crate::geometry::Pose2;
use crate::representations::game::MatchState;
use crate::representations::modeling::WorldBall;

const TEAM: u8 = 12;

/// A robot of the team, and where it believes to be.
struct Robot {
    source: TeamCommunication,
    world: WorldModel,
    fall: FallState,
}

/// Returns addresses of this computer that nobody uses.
fn free<const COUNT: usize>() -> [String; COUNT] {
    let sockets: [_; COUNT] = std::array::from_fn(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().to_string())
}

impl Robot {
    fn new(player: u8, address: &str, mates: &str) -> Self {
        let parameters = TeamCommunicationParameters {
            team: TEAM,
            player,
            address: address.to_owned(),
            mates: mates.to_owned(),
            ..Default::default()
        };
        let place = Vec2::new(-1.0, f32::from(player));
        let ball = WorldBall { position: Vec2::new(0.5, f32::from(player)), unseen_for: 0.25, ..Default::default() };
        let world = WorldModel {
            robot: Pose2 { rotation: 0.5, translation: place },
            ball: Some(ball),
            ..WorldModel::default()
        };
        Self { source: TeamCommunication::create(parameters), world, fall: FallState::default() }
    }

    fn sample(&mut self, game: &GameControl, now: f64) -> io::Result<TeamReport> {
        let clock = Clock::new(Time::from_seconds(now), Duration::from_millis(100), 0);
        let mut report = TeamReport::default();
        self.source.sample(&clock, game, &self.world, &self.fall, &mut report).map(|_| report)
    }
}

/// Returns what a robot hears of a game, with the budget that is left.
fn game(referee: &mut Referee, now: f64) -> GameControl {
    let mut game = referee.packet().seen_by(TEAM, 1).unwrap();
    game.last_packet = Some(Time::from_seconds(now));
    game
}

#[test]
fn two_robots_tell_each_other_where_they_and_the_ball_are_within_the_budget() {
    let [first, second] = free();
    let mut robots = [Robot::new(2, &first, &second), Robot::new(5, &second, &first)];
    let mut referee =
        Referee::new(Rules { initial: Duration::ZERO, standby: Duration::ZERO, ..Rules::default() }, [TEAM, 7]);
    referee.advance(Duration::from_secs(50));
    assert_eq!(referee.state(), MatchState::Playing);
    robots[1].world.ball = None;
    robots[1].fall.state = Uprightness::Fallen;
    let mut reports = [TeamReport::default(), TeamReport::default()];
    for step in 0..300_u32 {
        let now = f64::from(step) * 0.1;
        let before: u32 = reports.iter().map(|report| report.sent).sum();
        for (robot, report) in robots.iter_mut().zip(&mut reports) {
            *report = robot.sample(&game(&mut referee, now), now).unwrap();
        }
        let sent: u32 = reports.iter().map(|report| report.sent).sum();
        (before..sent).for_each(|_| assert!(referee.count_message(Side::First)));
        referee.advance(Duration::from_millis(100));
    }
    let [second, fifth] = &reports;
    let [mate] = second.mates[..] else { panic!("{second:?}") };
    assert_eq!((mate.player, mate.fallen, mate.ball, mate.lost), (5, true, None, 0));
    assert_eq!(mate.pose, robots[1].world.robot);
    let [mate] = fifth.mates[..] else { panic!("{fifth:?}") };
    assert_eq!((mate.player, mate.fallen, mate.ball, mate.ball_age), (2, false, Some(Vec2::new(0.5, 2.0)), 0.25));
    assert_eq!(mate.pose, robots[0].world.robot);
    // A seventh of 1,180 messages in the 20 minutes that are left is one in 7.1 s.
    for report in &reports {
        assert!((4..=5).contains(&report.sent) && report.withheld.too_soon > 200, "{report:?}");
    }
    assert!(second.received + 1 >= fifth.sent && fifth.received + 1 >= second.sent && second.refused == 0);
}

#[test]
fn without_a_budget_or_a_game_nothing_is_sent() {
    let [own, mate] = free();
    let mate = UdpSocket::bind(mate).unwrap();
    mate.set_nonblocking(true).unwrap();
    let mut robot = Robot::new(2, &own, &mate.local_addr().unwrap().to_string());
    let playing = GameControl {
        last_packet: Some(Time::ZERO),
        state: MatchState::Playing,
        message_budget: 0,
        seconds_remaining: 600,
        ..GameControl::default()
    };
    let report = robot.sample(&playing, 0.1).unwrap();
    assert_eq!((report.sent, report.withheld.no_budget), (0, 1));
    let report = robot.sample(&GameControl::default(), 0.2).unwrap();
    assert_eq!((report.sent, report.withheld.no_game), (0, 1));
    assert!(mate.recv(&mut [0; 200]).is_err(), "nothing has been sent");
    let report = robot.sample(&GameControl { message_budget: 1200, ..playing }, 0.3).unwrap();
    assert_eq!((report.sent, mate.recv(&mut [0; 200]).ok()), (1, Some(super::super::message::LENGTH)));
}

#[test]
fn losses_are_counted_and_what_is_no_message_is_refused() {
    let [own, elsewhere] = free();
    let mut robot = Robot::new(2, &own, &elsewhere);
    let mate = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    robot.sample(&GameControl::default(), 0.0).unwrap();
    let send = |bytes: &[u8]| _ = mate.send_to(bytes, &own).unwrap();
    let message = |team, player, number| TeamMessage { team, player, number, ..TeamMessage::default() }.to_bytes();
    for number in [65_533, 65_534, 1, 2, 2] {
        send(&message(TEAM, 4, number));
    }
    send(&message(TEAM, 2, 9));
    send(&message(TEAM + 1, 5, 1));
    send(b"hello");
    send(&[0; 900]);
    let report = robot.sample(&GameControl::default(), 0.1).unwrap();
    assert_eq!((report.received, report.refused), (5, 3));
    let [mate] = report.mates[..] else { panic!("{report:?}") };
    assert_eq!((mate.player, mate.lost, mate.at), (4, 2, Time::from_seconds(0.1)));
}

#[test]
fn a_robot_without_a_team_says_so_once() {
    let mut robot = Robot::new(2, "", "");
    robot.source = TeamCommunication::create(TeamCommunicationParameters::default());
    assert!(robot.sample(&GameControl::default(), 0.0).unwrap_err().to_string().contains("set `team`"));
    assert_eq!(robot.sample(&GameControl::default(), 0.1).unwrap(), TeamReport::default());
}
