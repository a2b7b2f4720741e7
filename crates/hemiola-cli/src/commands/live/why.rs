//! `why` for a running robot: what its last seconds show.

use std::process::ExitCode;

use hemiola_live::RunningSocket;
use hemiola_live::protocol::Request;
use serde_json::Value;

use super::connect::connect;
use crate::command_line::live::RobotArguments;
use crate::command_line::{At, WhyArguments};
use crate::commands::{print, print_json};
use crate::error::CommandError;
use crate::notes::tell;

/// Returns the selection of the running robot in question, or `None` if the question is about a
/// trace or log.
pub fn asked(own: Option<&str>, arguments: &WhyArguments) -> Option<RobotArguments> {
    let WhyArguments { trace, log, slice, configuration, at, robot, .. } = arguments;
    if let Some(At::Address(address)) = at {
        return Some(RobotArguments { at: Some(address.clone()), ..RobotArguments::default() });
    }
    let process = configuration.process.clone();
    if robot.is_some() {
        return Some(RobotArguments { robot: robot.clone(), process, ..RobotArguments::default() });
    }
    let is_said = trace.is_some() || log.is_some() || slice.is_some() || at.is_some();
    let is_configured =
        configuration.config.is_some() || !configuration.overlays.is_empty() || !configuration.assignments.is_empty();
    if is_said || is_configured {
        return None;
    }
    let runs = || RunningSocket::all().iter().any(|robot| own.is_some_and(|own| own == robot.robot));
    (own.is_none() || runs()).then(|| RobotArguments { process, ..RobotArguments::default() })
}

pub fn why(own: Option<&str>, robot: &RobotArguments, arguments: &WhyArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, robot)?;
    let WhyArguments { subject, worst, run, age, .. } = arguments;
    let question = Request::Why { subject: subject.clone(), worst: Some(*worst), run: *run, age: *age };
    let answer = robot.request(question)?;
    match robot.processes().as_slice() {
        [] => {
            tell(format_args!("note: from {}, which is running as process {}", robot.name(), robot.welcome().process))
        }
        processes => tell(format_args!("note: from {}, which is running as {}", robot.name(), processes.join(", "))),
    }
    match &answer["text"] {
        _ if arguments.json => print_json(&answer),
        Value::String(text) => print(text),
        _ => print(""),
    }
}
