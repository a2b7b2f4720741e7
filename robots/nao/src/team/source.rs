//! The robot's end: sends its messages when it may, and receives those of its mates.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use hemiola::prelude::*;

use super::FIRST_PORT;
use super::allowance::{Allowance, MOST_BYTES, Pace};
use super::message::TeamMessage;
use crate::network::{Port, Socket};
use crate::representations::game::{GameControl, TeamReport, Teammate};
use crate::representations::modeling::WorldModel;
use crate::representations::motion::{FallState, Uprightness};

/// The parameters of [`TeamCommunication`].
#[derive(Parameters)]
pub struct TeamCommunicationParameters {
    /// The number of the robot's team in the league's list; 0 is no team.
    #[parameter(default = 0)]
    pub team: u8,
    /// The number on the robot's shirt.
    #[parameter(default = 1, range = 1..=20)]
    pub player: u8,
    /// The address at which messages arrive; if empty, the team's port.
    #[parameter(default = String::new())]
    pub address: String,
    /// The addresses to which messages go, separated by commas; if empty, the team's port of every
    /// computer of the network.
    #[parameter(default = String::new())]
    pub mates: String,
    /// The shortest time between two messages.
    #[parameter(default = 1.0, range = 0.1..=60.0, unit = "s")]
    pub shortest: f32,
    /// The number of robots that share the team's messages.
    #[parameter(default = 7, range = 1..=20)]
    pub players: u8,
    /// The length of a half.
    #[parameter(default = 600.0, range = 1.0..=3600.0, unit = "s")]
    pub half: f32,
}

/// Tells the mates where the robot and the ball are, as often as the league and the team's budget
/// allow, and receives what they tell.
///
/// Its thread has no real-time priority. What is received is in the log as any sample.
#[derive(Source)]
pub struct TeamCommunication {
    #[parameters]
    parameters: TeamCommunicationParameters,
    channel: Channel,
}

impl TeamCommunication {
    /// Creates the robot's end of a simulated network.
    #[must_use]
    pub fn simulated(parameters: TeamCommunicationParameters, port: Port) -> Self {
        let socket = Some(Socket::Simulated(port));
        Self { parameters, channel: Channel { socket, ..Channel::default() } }
    }
}

/// The maximum number of messages that are received at a time.
const MOST_MESSAGES: usize = 64;
/// The time between attempts to open the socket.
const PAUSE: Duration = Duration::from_secs(1);

#[source]
impl TeamCommunication {
    #[sample(rate = 10.0)]
    fn sample(
        &mut self,
        clock: &Clock,
        game: &GameControl,
        world: &WorldModel,
        fall: &FallState,
        report: &mut TeamReport,
    ) -> io::Result<Option<Time>> {
        let message = TeamMessage {
            team: self.parameters.team,
            player: self.parameters.player,
            number: 0,
            fallen: fall.state != Uprightness::Upright,
            pose: world.robot,
            ball: world.ball.map(|ball| ball.position),
            ball_age: world.ball.map_or(0.0, |ball| ball.unseen_for),
        };
        self.channel.report.player = if self.parameters.team == 0 { 0 } else { self.parameters.player };
        let exchanged = self.channel.exchange(&self.parameters, message, game, clock.now());
        report.clone_from(&self.channel.report);
        exchanged.map(|()| Some(clock.now()))
    }
}

/// The socket, and what has gone over it.
#[derive(Default)]
struct Channel {
    socket: Option<Socket>,
    opened: Option<Time>,
    allowance: Allowance,
    report: TeamReport,
    /// The number of the last message of each mate, in the order of the report.
    numbers: Vec<u16>,
    number: u16,
    has_told: bool,
}

impl Channel {
    fn exchange(
        &mut self,
        parameters: &TeamCommunicationParameters,
        message: TeamMessage,
        game: &GameControl,
        now: Time,
    ) -> io::Result<()> {
        if parameters.team == 0 {
            let text = "the robot has no team to talk to: set `team` in [source.TeamCommunication.parameters]";
            let is_new = self.opened.replace(now).is_none();
            return if is_new { Err(io::Error::new(ErrorKind::InvalidInput, text)) } else { Ok(()) };
        }
        if self.socket.is_none() && self.opened.is_none_or(|opened| now.since(opened) >= PAUSE) {
            self.opened = Some(now);
            self.socket = Some(open(parameters)?);
        }
        let Some(socket) = self.socket.take() else { return Ok(()) };
        let received = self.receive(&socket, parameters, now);
        let sent = self.send(&socket, parameters, message, game, now);
        (self.report.sent, self.report.withheld) = (self.allowance.sent(), self.allowance.withheld());
        self.socket = Some(socket);
        received.and(sent)
    }

    fn receive(&mut self, socket: &Socket, parameters: &TeamCommunicationParameters, now: Time) -> io::Result<()> {
        let mut bytes = [0; MOST_BYTES + 1];
        for _ in 0..MOST_MESSAGES {
            match socket.recv_from(&mut bytes) {
                Ok((length, _)) => {
                    match TeamMessage::read(&bytes[..length]).filter(|one| one.team == parameters.team) {
                        // What goes to everybody comes back to the robot itself.
                        Some(message) if message.player == parameters.player => {}
                        Some(message) => self.note(&message, now),
                        None => self.report.refused = self.report.refused.saturating_add(1),
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // A mate on the same computer is not there yet.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn note(&mut self, message: &TeamMessage, now: Time) {
        let TeamMessage { team: _, player, number, fallen, pose, ball, ball_age } = *message;
        self.report.received = self.report.received.saturating_add(1);
        let mate = |lost| Teammate { player, at: now, fallen, pose, ball, ball_age, lost };
        match self.report.mates.binary_search_by_key(&player, |mate| mate.player) {
            Ok(place) => {
                let known = &mut self.report.mates[place];
                let step = number.wrapping_sub(self.numbers[place]);
                // A number that goes back is of a robot that has started again, or of a message
                // that was overtaken: neither is a loss.
                let lost = if (1..0x8000).contains(&step) { u32::from(step) - 1 } else { 0 };
                *known = mate(known.lost.saturating_add(lost));
                self.numbers[place] = number;
            }
            Err(place) => {
                self.report.mates.insert(place, mate(0));
                self.numbers.insert(place, number);
            }
        }
    }

    fn send(
        &mut self,
        socket: &Socket,
        parameters: &TeamCommunicationParameters,
        message: TeamMessage,
        game: &GameControl,
        now: Time,
    ) -> io::Result<()> {
        let pace = Pace {
            shortest: Duration::from_secs_f32(parameters.shortest),
            players: parameters.players,
            half: Duration::from_secs_f32(parameters.half),
        };
        let bytes = TeamMessage { number: self.number, ..message }.to_bytes();
        if !self.allowance.admits(bytes.len(), game, &pace, now) {
            return Ok(());
        }
        self.number = self.number.wrapping_add(1);
        let everybody = || format!("{}:{}", Ipv4Addr::BROADCAST, port(parameters.team));
        let mates = if parameters.mates.is_empty() { everybody() } else { parameters.mates.clone() };
        let mut outcome = Ok(());
        for mate in mates.split(',') {
            match socket.send_to(&bytes, mate) {
                Err(error) if error.kind() != ErrorKind::ConnectionRefused && !self.has_told => {
                    self.has_told = true;
                    let text = format!(
                        "no message can be sent to {mate} ({error}): check `mates` and the network; it is tried again"
                    );
                    outcome = Err(io::Error::new(error.kind(), text));
                }
                _ => {}
            }
        }
        outcome
    }
}

fn port(team: u8) -> u16 {
    FIRST_PORT + u16::from(team)
}

fn open(parameters: &TeamCommunicationParameters) -> io::Result<Socket> {
    let own = || format!("{}:{}", Ipv4Addr::UNSPECIFIED, port(parameters.team));
    let address = if parameters.address.is_empty() { own() } else { parameters.address.clone() };
    let problem = |error: io::Error| {
        let text = format!(
            "no messages of the team can be received at {address} ({error}): \
            set `address` in [source.TeamCommunication.parameters] to an address of this computer that is free"
        );
        io::Error::new(error.kind(), text)
    };
    let socket = UdpSocket::bind(&address).map_err(problem)?;
    socket.set_nonblocking(true).and_then(|()| socket.set_broadcast(true)).map_err(problem)?;
    Ok(Socket::Udp(socket))
}

#[cfg(test)]
mod tests;
