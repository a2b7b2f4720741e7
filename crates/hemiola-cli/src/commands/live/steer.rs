//! `override`, `release`, `workers`, `safe-state`, `stop`.

use std::process::ExitCode;
use std::time::Duration;

use hemiola_live::client::ClientError;
use serde_json::{Value, json};

use super::text::typed;
use super::{change, connect::connect, say};
use crate::command_line::live::{
    OutputArguments, OverrideArguments, ReleaseArguments, SafeStateCommand, Workers, WorkersArguments,
};
use crate::error::CommandError;

pub fn override_value(own: Option<&str>, arguments: &OverrideArguments) -> Result<ExitCode, CommandError> {
    let OverrideArguments { representation, value, output } = arguments;
    let value = typed(value)?;
    let overridden = json!({ "override": { "representation": representation, "value": value } });
    change(own, output, overridden, &format!("{representation} shows that until: release {representation}"))
}

pub fn release(own: Option<&str>, arguments: &ReleaseArguments) -> Result<ExitCode, CommandError> {
    let ReleaseArguments { representation, output } = arguments;
    let released = json!({ "release": { "representation": representation } });
    change(own, output, released, &format!("{representation} is what its provider says"))
}

pub fn workers(own: Option<&str>, arguments: &WorkersArguments) -> Result<ExitCode, CommandError> {
    let WorkersArguments { cycle, workers, output } = arguments;
    let (count, said) = match workers {
        Workers::Auto => (None, format!("{cycle} runs on as many workers as its plan says")),
        Workers::Count(count) => {
            (Some(count), format!("{cycle} runs on {}", hemiola_words::counted(*count as u64, "worker")))
        }
    };
    change(own, output, json!({ "workers": { "cycle": cycle, "workers": count } }), &said)
}

pub fn safe_state(own: Option<&str>, command: &SafeStateCommand) -> Result<ExitCode, CommandError> {
    let (output, enters, said) = match command {
        SafeStateCommand::Enter(output) => (output, true, "the robot is in its safe state until: safe-state leave"),
        SafeStateCommand::Leave(output) => (output, false, "the robot has left its safe state"),
    };
    change(own, output, json!({ "safe_state": enters }), said)
}

/// Ends the robot, and waits until it has ended.
pub fn stop(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let name = robot.welcome().name.clone();
    let ended = robot.request("stop", Value::Null).map(|_| {
        loop {
            match robot.next(Duration::from_secs(10)) {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(ended) => break Some(ended),
            }
        }
    });
    match ended {
        Ok(None) => Err(CommandError::Usage(format!("{name} was asked to end, and has not for 10 s"))),
        // Its last word may be lost with it.
        Ok(Some(ClientError::Ended { .. } | ClientError::Lost { .. })) | Err(ClientError::Ended { .. }) => {
            say(arguments, &json!({ "ended": name }), &format!("{name} has ended"))
        }
        Ok(Some(error)) | Err(error) => Err(error.into()),
    }
}
