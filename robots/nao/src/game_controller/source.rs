//! The robot's end: receives control packets, and sends status packets.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use hemiola::prelude::*;

use super::packet::{ControlPacket, LENGTH, Refusal};
use super::status::StatusPacket;
use super::{CONTROL_PORT, STATUS_PORT};
use crate::network::{Port, Socket};
use crate::representations::game::{GameControl, RefusedPackets};
use crate::representations::modeling::{BallModel, RobotPose};
use crate::representations::motion::{FallState, Uprightness};

/// The parameters of [`GameController`].
#[derive(Parameters)]
pub struct GameControllerParameters {
    /// The number of the robot's team in the league's list; 0 is no team.
    #[parameter(default = 0)]
    pub team: u8,
    /// The number on the robot's shirt.
    #[parameter(default = 1, range = 1..=20)]
    pub player: u8,
    /// The address at which control packets arrive.
    #[parameter(default = format!("0.0.0.0:{CONTROL_PORT}"))]
    pub address: String,
    /// The port of the GameController's computer to which status packets go; 0: none are sent.
    #[parameter(default = STATUS_PORT)]
    pub status_port: u16,
    /// The time between status packets; the league allows 0.5 to 2 s.
    #[parameter(default = 1.0, range = 0.5..=2.0, unit = "s")]
    pub status_period: f32,
}

/// Receives the GameController's packets, and sends it the robot's state.
///
/// It asks its socket at a rate instead of waiting there, so that it also works in simulated time,
/// and a robot without a GameController has a [`GameControl`] that says so. Its thread has no
/// real-time priority. What it refuses is counted, and told once for each reason.
#[derive(Source)]
pub struct GameController {
    #[parameters]
    parameters: GameControllerParameters,
    connection: Connection,
}

impl GameController {
    /// Creates the robot's end of a simulated network.
    #[must_use]
    pub fn simulated(parameters: GameControllerParameters, port: Port) -> Self {
        let socket = Some(Socket::Simulated(port));
        Self { parameters, connection: Connection { socket, ..Connection::default() } }
    }
}

/// The maximum number of packets that are taken at a time; more than ten wait only after a stall.
const MOST_PACKETS: usize = 64;
/// The time without control packets after which no more status packets are sent.
const GONE: Duration = Duration::from_secs(10);
/// The time between attempts to open the socket.
const PAUSE: Duration = Duration::from_secs(1);

#[source]
impl GameController {
    #[sample(rate = 10.0)]
    fn sample(
        &mut self,
        clock: &Clock,
        pose: &RobotPose,
        ball: &BallModel,
        fall: &FallState,
        control: &mut GameControl,
    ) -> io::Result<Option<Time>> {
        let now = clock.now();
        let status = StatusPacket {
            player: self.parameters.player,
            team: self.parameters.team,
            fallen: fall.state != Uprightness::Upright,
            pose: pose.pose,
            ball_age: ball.last_seen.map(|seen| now.since(seen).as_secs_f32()),
            ball: ball.position.unwrap_or_default(),
        };
        let exchanged = self.connection.exchange(&self.parameters, &status, now);
        // Counted packets are in the next sample if this one is an error.
        control.clone_from(&self.connection.control);
        exchanged.map(|()| Some(now))
    }
}

/// The socket, and what has come over it.
#[derive(Default)]
struct Connection {
    socket: Option<Socket>,
    opened: Option<Time>,
    control: GameControl,
    /// The computer of the GameController.
    controller: Option<IpAddr>,
    last_status: Option<Time>,
    has_told_of_status: bool,
}

impl Connection {
    /// Receives what has arrived, and sends a status if it is time.
    ///
    /// # Errors
    /// Returns the first reason that was not told before.
    fn exchange(&mut self, parameters: &GameControllerParameters, status: &StatusPacket, now: Time) -> io::Result<()> {
        if parameters.team == 0 {
            return self.first_time(now, || {
                io::Error::new(
                    ErrorKind::InvalidInput,
                    "the robot has no team, so that no game can be its own: \
                    set `team` in [source.GameController.parameters]",
                )
            });
        }
        if self.socket.is_none() && self.opened.is_none_or(|opened| now.since(opened) >= PAUSE) {
            self.opened = Some(now);
            self.socket = Some(open(&parameters.address)?);
        }
        let Some(socket) = self.socket.take() else { return Ok(()) };
        let received = self.receive(&socket, parameters, now);
        let sent = self.report(&socket, parameters, status, now);
        self.socket = Some(socket);
        received.and(sent)
    }

    /// Returns an error in the first sample.
    fn first_time(&mut self, now: Time, error: impl FnOnce() -> io::Error) -> io::Result<()> {
        if self.opened.replace(now).is_none() { Err(error()) } else { Ok(()) }
    }

    fn receive(&mut self, socket: &Socket, parameters: &GameControllerParameters, now: Time) -> io::Result<()> {
        // One byte more than a packet has, so that a longer one is not taken for a packet.
        let mut bytes = [0; LENGTH + 1];
        let mut outcome = Ok(());
        for _ in 0..MOST_PACKETS {
            let (length, from) = match socket.recv_from(&mut bytes) {
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // Someone to whom a status was sent does not listen, which is no reason to stop.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
                Err(error) => return Err(error),
            };
            let packet = ControlPacket::read(&bytes[..length]);
            match packet.and_then(|packet| packet.seen_by(parameters.team, parameters.player)) {
                Ok(control) => self.take(control, from, now),
                Err(refusal) => outcome = outcome.and(self.refuse(refusal)),
            }
        }
        outcome
    }

    fn take(&mut self, control: GameControl, from: SocketAddr, now: Time) {
        let GameControl { packets, refused, statuses, .. } = self.control;
        self.control =
            GameControl { last_packet: Some(now), packets: packets.saturating_add(1), refused, statuses, ..control };
        self.controller = Some(from.ip());
    }

    /// Counts a packet, and returns the reason as an error if it is the first one of its kind.
    fn refuse(&mut self, refusal: Refusal) -> io::Result<()> {
        let RefusedPackets { length, magic, version, content, team } = &mut self.control.refused;
        let count = match refusal {
            Refusal::Length { .. } => length,
            Refusal::Magic { .. } => magic,
            Refusal::Version { .. } => version,
            Refusal::Content { .. } => content,
            Refusal::Team { .. } => team,
        };
        *count = count.saturating_add(1);
        if *count == 1 { Err(io::Error::new(ErrorKind::InvalidData, refusal)) } else { Ok(()) }
    }

    fn report(
        &mut self,
        socket: &Socket,
        parameters: &GameControllerParameters,
        status: &StatusPacket,
        now: Time,
    ) -> io::Result<()> {
        let period = Duration::from_secs_f32(parameters.status_period);
        let is_due = self.last_status.is_none_or(|last| now.since(last) >= period);
        let is_there = self.control.last_packet.is_some_and(|last| now.since(last) < GONE);
        let Some(controller) = self.controller.filter(|_| is_due && is_there && parameters.status_port != 0) else {
            return Ok(());
        };
        self.last_status = Some(now);
        match socket.send_to(&status.to_bytes(), (controller, parameters.status_port)) {
            Ok(()) => {
                self.control.statuses = self.control.statuses.saturating_add(1);
                Ok(())
            }
            Err(_) if std::mem::replace(&mut self.has_told_of_status, true) => Ok(()),
            Err(error) => {
                let to = SocketAddr::new(controller, parameters.status_port);
                let text = format!("no status can be sent to {to} ({error}): check the network; it is tried again");
                Err(io::Error::new(error.kind(), text))
            }
        }
    }
}

fn open(address: &str) -> io::Result<Socket> {
    let problem = |error: io::Error| {
        let text = format!(
            "no control packets can be received at {address} ({error}): \
            set `address` in [source.GameController.parameters] to an address of this computer that is free"
        );
        io::Error::new(error.kind(), text)
    };
    let socket = UdpSocket::bind(address).map_err(problem)?;
    socket.set_nonblocking(true).map_err(problem)?;
    Ok(Socket::Udp(socket))
}

#[cfg(test)]
mod tests;
