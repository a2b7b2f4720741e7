//! `record`: logs that are started and ended while the robot runs, and marks in them.

use std::process::ExitCode;

use hemiola_live::protocol::Request;
use serde_json::Value;

use super::connect::connect;
use super::{as_robot_sees, say};
use crate::command_line::live::RecordCommand;
use crate::error::CommandError;

pub fn record(own: Option<&str>, command: &RecordCommand) -> Result<ExitCode, CommandError> {
    match command {
        RecordCommand::Start(arguments) => {
            let mut robot = connect(own, &arguments.output.robot)?;
            let file = arguments.file.as_ref().map(|file| as_robot_sees(file, &robot)).transpose()?;
            let file = file.map(|file| file.to_string_lossy().into_owned());
            let answer = robot.request(Request::Record { file, stop: false })?;
            say(&arguments.output, &answer, &format!("recording to {} until: record stop", files(&answer)))
        }
        RecordCommand::Stop(output) => {
            let answer = connect(own, &output.robot)?.request(Request::Record { file: None, stop: true })?;
            let said = match text(&answer["text"]) {
                "" => format!("recorded: {}", files(&answer)),
                said => said.to_owned(),
            };
            say(output, &answer, &said)
        }
        RecordCommand::Mark(arguments) => {
            let mark = Request::Mark { text: arguments.text.clone() };
            let answer = connect(own, &arguments.output.robot)?.request(mark)?;
            say(&arguments.output, &answer, "marked")
        }
    }
}

/// Returns the name of the log; each process of a robot has one of its own.
fn files(answer: &Value) -> String {
    match answer["files"].as_array() {
        Some(files) => files.iter().map(text).collect::<Vec<_>>().join(", "),
        None => text(&answer["file"]).to_owned(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
