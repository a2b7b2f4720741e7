//! The commands that observe and change a running robot through its door, without the robot's code.
//!
//! | file | commands |
//! |---|---|
//! | `connect` | the selection of the robot |
//! | `limit` | the ends of commands that go on until Ctrl-C |
//! | `text`, `decoder` | values in the notation of robot.toml, and as JSON |
//! | `ps`, `top`, `show`, `plot` | observing |
//! | `topic`, `service`, `link` | messages |
//! | `parameters`, `providers`, `steer` | changing |
//! | `trace`, `record`, `snapshot`, `why` | recording and explaining |
//! | `view` | a log in place of a robot |
//! | `frames` | pictures of the page |

mod connect;
mod decoder;
mod frames;
mod limit;
mod link;
pub mod parameters;
mod plot;
mod providers;
mod ps;
mod record;
mod service;
mod show;
mod snapshot;
mod steer;
mod text;
mod top;
mod topic;
mod trace;
mod view;
pub mod why;

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hemiola_live::client::{Address, WholeRobot};
use hemiola_live::protocol::{ChangeText, Request};
use serde_json::{Value, json};

use super::{print, print_json};
use crate::command_line::live::{LiveCommand, OutputArguments, ProvidersCommand};
use crate::error::CommandError;
use crate::terminal::{Bell, Screen};

/// Executes a command; `own` is the name of this program's robots.
pub fn live(own: Option<&str>, command: &LiveCommand) -> Result<ExitCode, CommandError> {
    match command {
        LiveCommand::Ps(arguments) => ps::ps(arguments),
        LiveCommand::View(arguments) => view::view(arguments),
        LiveCommand::Frames(arguments) => frames::frames(arguments),
        LiveCommand::Top(arguments) => top::top(own, arguments),
        LiveCommand::Show(arguments) => show::show(own, arguments),
        LiveCommand::Plot(arguments) => plot::plot(own, arguments),
        LiveCommand::Topic(arguments) => topic::topic(own, &arguments.command),
        LiveCommand::Service(arguments) => service::service(own, &arguments.command),
        LiveCommand::Link(arguments) => link::link(own, &arguments.command),
        LiveCommand::Providers(arguments) => match &arguments.command {
            ProvidersCommand::List(arguments) => providers::list(own, arguments),
            ProvidersCommand::Switch(arguments) => providers::switch(own, arguments),
        },
        LiveCommand::Override(arguments) => steer::override_value(own, arguments),
        LiveCommand::Release(arguments) => steer::release(own, arguments),
        LiveCommand::Workers(arguments) => steer::workers(own, arguments),
        LiveCommand::Trace(arguments) => trace::trace(own, &arguments.command),
        LiveCommand::Record(arguments) => record::record(own, &arguments.command),
        LiveCommand::SafeState(arguments) => steer::safe_state(own, &arguments.command),
        LiveCommand::Snapshot(arguments) => snapshot::snapshot(own, arguments),
        LiveCommand::Stop(arguments) => steer::stop(own, arguments),
    }
}

/// Waits until the robot sends something, a key is pressed, the bell is rung, or `patience` is
/// over, if it is given.
fn wait(robot: &WholeRobot, screen: &Screen, bell: &Bell, patience: Option<Duration>) {
    let input = screen.input();
    bell.wait(robot.sockets().chain(input.iter().map(AsFd::as_fd)), patience);
}

/// Changes the robot, and prints the change.
fn change(
    own: Option<&str>,
    output: &OutputArguments,
    change: ChangeText,
    said: &str,
) -> Result<ExitCode, CommandError> {
    let mut robot = connect::connect(own, &output.robot)?;
    robot.request(Request::Change { change: change.clone() })?;
    say(output, &json!({ "change": change }), said)
}

/// Ends a command about the whole robot: after the known answers were printed, a process that did
/// not answer is an error.
fn complete(robot: &WholeRobot, printed: ExitCode) -> Result<ExitCode, CommandError> {
    robot.complete()?;
    Ok(printed)
}

/// Prints the answer, as a sentence or as JSON.
fn say(output: &OutputArguments, answer: &Value, said: &str) -> Result<ExitCode, CommandError> {
    if output.json { print_json(answer) } else { print(&format!("{said}\n")) }
}

/// Returns the path of a file for the robot: a robot on this host has another current folder.
fn as_robot_sees(file: &Path, robot: &WholeRobot) -> Result<PathBuf, CommandError> {
    match robot.address() {
        Address::Unix(_) => {
            std::path::absolute(file).map_err(|error| CommandError::Write { path: file.to_owned(), error })
        }
        Address::Tcp { .. } => Ok(file.to_owned()),
    }
}
