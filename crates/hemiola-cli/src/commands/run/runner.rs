//! A runner of the robot: its own threads, or one thread that steps it.

use std::thread;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_runtime::{Pace, Player, PreparedRobot, Robot, RobotHandle, RunningRobot, Tempo, Transport};

use crate::command_line::RunArguments;
use crate::error::CommandError;
use crate::interruption::Interruption;

/// A robot that is prepared, and waits to begin.
pub enum Runner {
    Live(PreparedRobot),
    Played(Player),
}

/// A robot that has begun.
pub enum Running {
    Live(RunningRobot),
    Played(Player),
}

/// The time between two looks whether a replay has come to the time where it is shown from.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

impl Runner {
    /// Prepares the robot. A replay is stepped at any pace, so that it is the same at each; the
    /// pace is `chosen`, if one was chosen since.
    pub fn start(robot: Robot, arguments: &RunArguments, chosen: Option<Tempo>) -> Result<Self, CommandError> {
        let Some(tempo) = stepped(arguments) else {
            let pace = arguments.speed.map_or(Pace::RealTime, Pace::Factor);
            return Ok(Self::Live(robot.prepare(pace)?));
        };
        let player = robot.into_player(chosen.unwrap_or(tempo))?;
        if let Some(end) = end(arguments) {
            player.transport().end_at(end);
        }
        Ok(Self::Played(player))
    }

    pub fn handle(&self) -> &RobotHandle {
        match self {
            Self::Live(prepared) => prepared.handle(),
            Self::Played(player) => player.handle(),
        }
    }

    /// Returns the robot that waits to begin, if it has threads of its own.
    pub fn prepared(&self) -> Option<&PreparedRobot> {
        match self {
            Self::Live(prepared) => Some(prepared),
            Self::Played(_) => None,
        }
    }

    /// Returns the transport that keys act on.
    pub fn transport(&self) -> Option<Transport> {
        match self {
            Self::Live(_) => None,
            Self::Played(player) => Some(player.transport()),
        }
    }

    /// Computes everything before that time as fast as possible.
    pub fn hurry_to(&self, time: Time, interruption: &Interruption) {
        let Self::Played(player) = self else { return };
        let transport = player.transport();
        transport.hurry_to(time);
        while !transport.is_at_rest() && !interruption.has_come() {
            thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Lets the robot begin.
    pub fn begin(self) -> Running {
        match self {
            Self::Live(prepared) => Running::Live(prepared.begin()),
            Self::Played(player) => {
                player.transport().resume();
                Running::Played(player)
            }
        }
    }
}

impl Running {
    pub fn stop(self) {
        match self {
            Self::Live(running) => drop(running.stop()),
            Self::Played(player) => {
                let handle = player.handle().clone();
                let played = player.stop();
                for remark in [played.failure, played.deviation].into_iter().flatten() {
                    handle.note(remark);
                }
            }
        }
    }
}

/// Returns the time on the robot's clock at which it is to end, if the arguments give one.
pub fn end(arguments: &RunArguments) -> Option<Time> {
    let duration = arguments.duration.map(|duration| arguments.from.unwrap_or_default() + duration);
    duration.into_iter().chain(arguments.to).min().map(|end| Time::ZERO + end)
}

/// Returns the pace at which the robot is stepped, if it is.
pub fn stepped(arguments: &RunArguments) -> Option<Tempo> {
    if arguments.fast {
        return Some(Tempo::AsFastAsPossible);
    }
    arguments.replay.is_some().then(|| Tempo::Factor(arguments.speed.unwrap_or(1.0)))
}
