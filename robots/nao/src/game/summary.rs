//! The result of a game: goals, falls, messages, and how far off the robots' beliefs were.

use std::fmt;

use super::official::{Decision, Goal, MessageCount};
use super::player::Player;
use crate::representations::audio::Whistle;
use crate::representations::behaviour::{Role, TeamRole};
use crate::representations::game::TeamReport;
use crate::simulator::arena::TeamSide;
use crate::team::allowance::WithheldMessages;

/// The result of a game. Its text is a few lines, and a table with one line for each robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The length of the game, in seconds of simulated time.
    pub seconds: f32,
    /// The goals of both teams, as the referee counts them.
    pub score: [u8; 2],
    /// The goals in their order.
    pub goals: Vec<Goal>,
    /// The penalties in their order.
    pub decisions: Vec<Decision>,
    /// The number of times that the game began anew because nobody touched the ball.
    pub restarts: u32,
    /// The messages of both teams, as the referee counts them.
    pub messages: [MessageCount; 2],
    /// The errors of where the robots believed to be.
    pub localisation: Localisation,
    /// The robots: those of the first team, then those of the second.
    pub robots: Vec<RobotSummary>,
}

/// The errors of localisation: the distances of the believed position from the true one, of all
/// robots and at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Localisation {
    /// The median, in metres.
    pub p50: f32,
    /// The distance that is exceeded in a tenth of the time, in metres.
    pub p90: f32,
    /// The share of the time in which the distance was above [`LOST`](Self::LOST), from 0 to 1.
    pub lost: f32,
}

impl Localisation {
    /// The distance beyond which a robot is lost, in metres.
    pub const LOST: f32 = 1.0;

    /// Returns that of distances in any order.
    #[must_use]
    pub fn of(mut distances: Vec<f32>) -> Self {
        distances.sort_by(f32::total_cmp);
        let quantile = |percent: usize| distances.get(distances.len() * percent / 100).copied().unwrap_or_default();
        let lost = distances.iter().filter(|distance| **distance > Self::LOST).count();
        Self { p50: quantile(50), p90: quantile(90), lost: lost as f32 / distances.len().max(1) as f32 }
    }
}

/// The quantiles of an error, in metres; zero if there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tail {
    /// The median.
    pub p50: f32,
    /// The error that is exceeded in a twentieth of the time.
    pub p95: f32,
}

impl Tail {
    /// Returns that of errors in any order.
    #[must_use]
    pub fn of(errors: &[f32]) -> Self {
        let mut sorted = errors.to_vec();
        sorted.sort_by(f32::total_cmp);
        let quantile = |percent: usize| sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default();
        Self { p50: quantile(50), p95: quantile(95) }
    }
}

/// The result of one robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotSummary {
    /// The team of the robot.
    pub side: TeamSide,
    /// The number on its shirt, from 1.
    pub number: u8,
    /// The part that it plays in its team in the end.
    pub role: Role,
    /// The number of times that it fell.
    pub falls: u32,
    /// The distance of the believed position from the true one.
    pub position_error: Tail,
    /// The same for the ball relative to the robot, while it knows of one.
    pub ball_error: Tail,
    /// The time at which it last heard the referee's whistle, in seconds; `None` before.
    pub heard: Option<f32>,
    /// The number of messages that it sent to its mates.
    pub sent: u32,
    /// The number of messages of mates that it received.
    pub received: u32,
    /// The number of its packets to one mate that the network lost.
    pub lost: u32,
    /// The messages that it was not allowed to send.
    pub withheld: WithheldMessages,
}

impl RobotSummary {
    pub(super) fn of(player: &Player, falls: u32, lost: u32) -> Self {
        let stepper = &player.stepper;
        let report = stepper.with_value(TeamReport::clone).unwrap_or_default();
        Self {
            side: player.side,
            number: player.number,
            role: stepper.with_value(|role: &TeamRole| role.role).unwrap_or_default(),
            falls,
            position_error: Tail::of(&player.errors.position),
            ball_error: Tail::of(&player.errors.ball),
            heard: stepper.with_value(|whistle: &Whistle| whistle.last_heard).flatten().map(|at| at.seconds() as f32),
            sent: report.sent,
            received: report.received,
            lost,
            withheld: report.withheld,
        }
    }
}

impl fmt::Display for Tail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.2}, {:.2} m", self.p50, self.p95)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [blue, red] = self.score;
        writeln!(formatter, "blue {blue} : {red} red after {:.1} s", self.seconds)?;
        for Goal { side, time, by } in &self.goals {
            write!(formatter, "  {time:6.1} s  goal for {side}")?;
            match by {
                Some((by, number)) if by == side => writeln!(formatter, ", by number {number}")?,
                Some((by, number)) => writeln!(formatter, ", an own goal of {by} {number}")?,
                None => writeln!(formatter)?,
            }
        }
        for Decision { time, side, number, penalty, lasts } in &self.decisions {
            let reason = penalty.name();
            writeln!(formatter, "  {time:6.1} s  {side} {number} is out for {} s: {reason}", lasts.as_secs())?;
        }
        if self.restarts > 0 {
            writeln!(formatter, "  kick-offs because nobody touched the ball: {}", self.restarts)?;
        }
        for (side, MessageCount { sent, illegal }) in [TeamSide::Home, TeamSide::Away].into_iter().zip(self.messages) {
            writeln!(formatter, "  {side:4}  {sent} messages, {illegal} of them against the rules")?;
        }
        let Localisation { p50, p90, lost } = self.localisation;
        writeln!(
            formatter,
            "  poses of all robots: off by {p50:.2} m (median), {p90:.2} m (p90), by more than 1 m in {:.1} % of the time",
            100.0 * lost
        )?;
        writeln!(formatter)?;
        writeln!(
            formatter,
            "{:9}{:12}{:>6}{:>20}{:>20}{:>7}{:>10}{:>7}{:>10}",
            "robot", "part", "falls", "pose off p50, p95", "ball off p50, p95", "sent", "received", "lost", "withheld"
        )?;
        for robot in &self.robots {
            let part = match robot.role {
                Role::Striker => "striker",
                Role::Goalkeeper => "goalkeeper",
                Role::Supporter => "supporter",
            };
            // What comes too soon is no message: it is asked ten times a second.
            let WithheldMessages { too_long, too_soon: _, no_budget, no_game: _ } = robot.withheld;
            writeln!(
                formatter,
                "{:9}{part:12}{:>6}{:>20}{:>20}{:>7}{:>10}{:>7}{:>10}",
                format!("{} {}", robot.side, robot.number),
                robot.falls,
                robot.position_error.to_string(),
                robot.ball_error.to_string(),
                robot.sent,
                robot.received,
                robot.lost,
                too_long + no_budget
            )?;
        }
        Ok(())
    }
}
