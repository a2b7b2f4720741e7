//! `top`: a running robot on the whole terminal.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use hemiola_live::client::{ClientError, Incoming, WholeRobot};
use hemiola_live::protocol::{Request, Watched};

use super::complete;
use super::connect::connect;
use super::topic::statistics;
use super::wait;
use crate::command_line::live::OutputArguments;
use crate::commands::{print, print_json};
use crate::error::CommandError;
use crate::interruption::Interruption;
use crate::terminal::{self, Bell, Screen, Terminal};
use crate::top::{Bounds, Ends, Frame, Notes, Pressed, Top};

/// The interval at which the robot sends statistics.
const PERIOD: Duration = Duration::from_millis(500);
/// The interval at which processes of the robot that were restarted are looked for.
const REJOIN_PERIOD: Duration = Duration::from_secs(1);
/// The interval between two requests for the bounds, which change with the measurements.
const BOUNDS_PERIOD: Duration = Duration::from_secs(30);

pub fn top(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    if arguments.json {
        let statistics = statistics(&mut robot)?;
        return complete(&robot, print_json(&statistics)?);
    }
    if !terminal::is_ours() {
        let text = "`top` needs a terminal; use `top --json` for a pipe";
        return Err(CommandError::Usage(text.to_owned()));
    }
    let nanoseconds = u64::try_from(PERIOD.as_nanos()).unwrap_or(u64::MAX);
    robot.request(Request::Watch { what: Watched::Statistics, period: Some(nanoseconds), names: None })?;
    robot.request(Request::Watch { what: Watched::Journal, period: None, names: None })?;
    let terminal = Terminal::default();
    let unusable = |error| CommandError::Write { path: "the terminal".into(), error };
    let bell = Bell::new().map_err(unusable)?;
    let interruption = Interruption::of_view(&terminal, bell.event());
    let mut screen = Screen::open(&terminal).map_err(unusable)?;
    let ended = watch(&mut robot, &mut screen, &interruption, &bell);
    drop(screen);
    match ended {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ClientError::Ended { reason }) => print(&format!("{} has ended: {reason}\n", robot.name())),
        Err(error) => Err(error.into()),
    }
}

/// Shows the robot until the user quits or the robot ends.
fn watch(
    robot: &mut WholeRobot,
    screen: &mut Screen,
    interruption: &Interruption,
    bell: &Bell,
) -> Result<(), ClientError> {
    let mut top = Top::new(Ends::View, Vec::new());
    let (mut notes, mut bounds) = (Notes::default(), Bounds::default());
    let (mut bounds_due, mut rejoin_due) = (Instant::now(), Instant::now());
    let (robot_name, pace) = (robot.name().to_owned(), robot.welcome().pace.clone());
    while !interruption.has_come() && !screen.is_gone() {
        let message = robot.next(Duration::ZERO)?;
        let has_more = message.is_some();
        match message {
            Some(Incoming::Event { name, content }) if name == "statistics" => {
                let frame = Frame::of_event(&content);
                let (name, pace) = (robot_name.clone(), pace.clone());
                let missing = robot.missing().map(str::to_owned).collect();
                top.update(Frame { robot: name, pace, missing, bounds: bounds.clone(), notes: notes.clone(), ..frame });
                screen.draw(|canvas| top.draw(canvas));
                if Instant::now() >= bounds_due {
                    bounds_due = Instant::now() + BOUNDS_PERIOD;
                    bounds = match robot.request(Request::Bounds {}) {
                        Ok(answer) => Bounds::of_answer(&answer),
                        // A robot refuses bounds if too little is known; the old ones stay.
                        Err(ClientError::Refused(_)) => bounds,
                        Err(error) => return Err(error),
                    };
                }
            }
            Some(Incoming::Journal(entry)) => notes.add_text(&entry),
            _ => {}
        }
        if Instant::now() >= rejoin_due {
            rejoin_due = Instant::now() + REJOIN_PERIOD;
            robot.rejoin();
        }
        while let Some(key) = screen.key() {
            match top.press(key) {
                Pressed::Quit => return Ok(()),
                Pressed::Shown => screen.draw(|canvas| top.draw(canvas)),
                Pressed::Other(_) => {}
            }
        }
        if !has_more {
            // Processes that are missing are looked for, and everything else is noticed when it
            // comes.
            let is_complete = robot.missing().next().is_none();
            let patience = rejoin_due.saturating_duration_since(Instant::now());
            wait(robot, screen, bell, (!is_complete).then_some(patience));
        }
    }
    Ok(())
}
