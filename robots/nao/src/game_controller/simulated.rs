//! A referee for the simulator: it sees the goals, and speaks to robots as the league's does.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use hemiola::prelude::*;

use super::referee::{Referee, Rules, Side};
use super::status::StatusPacket;
use super::{CONTROL_PORT, STATUS_PORT};
use crate::representations::game::{MatchState, Penalty};
use crate::representations::sensing::GroundTruth;

/// The parameters of [`SimulatedReferee`]: times as in [`Rules`].
#[derive(Parameters)]
pub struct SimulatedRefereeParameters {
    /// The number of the robot's team, which kicks off the first half.
    #[parameter(default = 12)]
    pub team: u8,
    /// The number of the other team.
    #[parameter(default = 7)]
    pub opponents: u8,
    /// The address to which control packets go.
    #[parameter(default = format!("127.0.0.1:{CONTROL_PORT}"))]
    pub robots: String,
    /// The port at which status packets arrive.
    #[parameter(default = STATUS_PORT)]
    pub status_port: u16,
    /// The time in the state initial, before each half.
    #[parameter(default = 2.0, range = 0.0..=600.0, unit = "s")]
    pub initial: f32,
    /// The time in the state standby, before each half.
    #[parameter(default = 1.0, range = 0.0..=600.0, unit = "s")]
    pub standby: f32,
    /// The time to walk to the places.
    #[parameter(default = 25.0, range = 0.0..=600.0, unit = "s")]
    pub ready: f32,
    /// The time between the places and the beginning.
    #[parameter(default = 3.0, range = 0.0..=600.0, unit = "s")]
    pub set: f32,
    /// The time until the ball is free after a kick-off.
    #[parameter(default = 10.0, range = 0.0..=600.0, unit = "s")]
    pub kick_off: f32,
    /// The length of a half.
    #[parameter(default = 60.0, range = 1.0..=3600.0, unit = "s")]
    pub half: f32,
    /// The pause between both halves.
    #[parameter(default = 5.0, range = 0.0..=3600.0, unit = "s")]
    pub half_time: f32,
    /// The time in the first half's play at which the robot is penalised; 0: it is not.
    #[parameter(default = 0.0, range = 0.0..=3600.0, unit = "s")]
    pub penalty_at: f32,
    /// The length of that penalty.
    #[parameter(default = 10.0, range = 0.0..=250.0, unit = "s")]
    pub penalty: f32,
    /// The number of the robot that is penalised.
    #[parameter(default = 1, range = 1..=20)]
    pub player: u8,
}

/// The game as the simulator's referee sees it.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct RefereeReport {
    /// The state of the game.
    pub state: MatchState,
    /// True in the first half, and the pause after it.
    pub first_half: bool,
    /// True when both halves are over.
    pub is_over: bool,
    /// The number of goals of the robot's team.
    pub own_score: u8,
    /// The number of goals of the other team.
    pub opponent_score: u8,
    /// The number of control packets that were sent.
    pub packets: u32,
    /// The number of status packets that were received.
    pub statuses: u32,
    /// True if the last status says that its robot has fallen.
    pub reports_fallen: bool,
    /// The position that the robot reported last, on the field.
    pub reported: Option<glam::Vec2>,
}

/// Referees the simulated game: sends control packets over UDP, twice a second, and receives what
/// robots report.
#[derive(Source)]
pub struct SimulatedReferee {
    #[parameters]
    parameters: SimulatedRefereeParameters,
    game: Option<Game>,
    report: RefereeReport,
}

struct Game {
    referee: Referee,
    socket: UdpSocket,
    statuses: UdpSocket,
    /// The goals that the simulator has counted, by team.
    seen: [u32; 2],
    /// The time for which the state was playing.
    played: Duration,
    has_penalised: bool,
}

/// The maximum number of packets that are received at a time.
const MOST_PACKETS: usize = 64;

#[source]
impl SimulatedReferee {
    #[sample(rate = 2.0)]
    fn sample(&mut self, clock: &Clock, truth: &GroundTruth, report: &mut RefereeReport) -> io::Result<Option<Time>> {
        let game = match &mut self.game {
            Some(game) => {
                game.referee.advance(clock.step());
                game
            }
            None => self.game.insert(Game::new(&self.parameters, truth)?),
        };
        game.watch(truth);
        game.penalise(&self.parameters, clock.step());
        let packet = game.referee.packet();
        let sent = game.socket.send_to(&packet.to_bytes(), &self.parameters.robots);
        let [own_score, opponent_score] = game.referee.score();
        let before = &mut self.report;
        before.packets += u32::from(sent.is_ok());
        (before.state, before.first_half, before.is_over) = (packet.state, packet.first_half, game.referee.is_over());
        (before.own_score, before.opponent_score) = (own_score, opponent_score);
        game.receive(before);
        report.clone_from(before);
        match sent {
            // Nobody listens yet.
            Err(error) if error.kind() != ErrorKind::ConnectionRefused => Err(io::Error::new(
                error.kind(),
                format!("the referee cannot reach {} ({error}): check `robots`", self.parameters.robots),
            )),
            _ => Ok(Some(clock.now())),
        }
    }
}

impl Game {
    fn new(parameters: &SimulatedRefereeParameters, truth: &GroundTruth) -> io::Result<Self> {
        let time = Duration::from_secs_f32;
        let rules = Rules {
            initial: time(parameters.initial),
            standby: time(parameters.standby),
            ready: time(parameters.ready),
            set: time(parameters.set),
            kick_off: time(parameters.kick_off),
            half: time(parameters.half),
            half_time: time(parameters.half_time),
            ..Rules::default()
        };
        let open = |port| {
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).map_err(|error| {
                let text =
                    format!("the referee cannot use the port {port} ({error}): set `status_port` to one that is free");
                io::Error::new(error.kind(), text)
            })?;
            socket.set_nonblocking(true)?;
            Ok::<_, io::Error>(socket)
        };
        Ok(Self {
            referee: Referee::new(rules, [parameters.team, parameters.opponents]),
            socket: open(0)?,
            statuses: open(parameters.status_port)?,
            seen: [truth.score, truth.goals_against],
            played: Duration::ZERO,
            has_penalised: false,
        })
    }

    /// Counts the goals that the simulator has seen.
    fn watch(&mut self, truth: &GroundTruth) {
        let goals = [truth.score, truth.goals_against];
        for (side, (seen, now)) in [Side::First, Side::Second].into_iter().zip(self.seen.iter().zip(goals)) {
            if now > *seen {
                self.referee.goal(side);
            }
        }
        self.seen = goals;
    }

    fn penalise(&mut self, parameters: &SimulatedRefereeParameters, step: Duration) {
        if self.referee.state() == MatchState::Playing {
            self.played += step;
        }
        let is_due = parameters.penalty_at > 0.0 && self.played.as_secs_f32() >= parameters.penalty_at;
        if is_due && !std::mem::replace(&mut self.has_penalised, true) {
            let time = Duration::from_secs_f32(parameters.penalty);
            self.referee.penalise(Side::First, parameters.player, Penalty::PlayerPushing, time);
        }
    }

    fn receive(&self, report: &mut RefereeReport) {
        let mut bytes = [0; 64];
        for _ in 0..MOST_PACKETS {
            let Ok(length) = self.statuses.recv(&mut bytes) else { return };
            let Some(status) = StatusPacket::read(&bytes[..length]) else { continue };
            report.statuses = report.statuses.saturating_add(1);
            report.reports_fallen = status.fallen;
            report.reported = Some(status.pose.translation);
        }
    }
}
