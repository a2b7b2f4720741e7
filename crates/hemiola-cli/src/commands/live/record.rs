//! `record`: logs that begin and end while the robot runs, and marks in them.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::connect::connect;
use super::{as_robot_sees, say};
use crate::command_line::live::RecordCommand;
use crate::error::CommandError;

pub fn record(own: Option<&str>, command: &RecordCommand) -> Result<ExitCode, CommandError> {
    match command {
        RecordCommand::Start(arguments) => {
            let mut robot = connect(own, &arguments.output.robot)?;
            let asked = match &arguments.file {
                Some(file) => json!({ "file": as_robot_sees(file, &robot)? }),
                None => json!({}),
            };
            let answer = robot.request("record", asked)?;
            say(&arguments.output, &answer, &format!("recording to {} until: record stop", text(&answer["file"])))
        }
        RecordCommand::Stop(output) => {
            let answer = connect(own, &output.robot)?.request("record", json!({ "stop": true }))?;
            let said = match text(&answer["text"]) {
                "" => format!("recorded: {}", text(&answer["file"])),
                said => said.to_owned(),
            };
            say(output, &answer, &said)
        }
        RecordCommand::Mark(arguments) => {
            let answer = connect(own, &arguments.output.robot)?.request("mark", json!({ "text": arguments.text }))?;
            say(&arguments.output, &answer, "marked")
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
