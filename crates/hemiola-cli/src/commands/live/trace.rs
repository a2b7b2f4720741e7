//! `trace`: traces of what runs where and when, for Perfetto.

use std::path::PathBuf;
use std::process::ExitCode;

use hemiola_live::client::Address;
use hemiola_live::protocol::{ChangeText, Request};
use serde_json::{Value, json};

use super::connect::connect;
use super::{as_robot_sees, change, say};
use crate::command_line::live::{FileArguments, TraceCommand};
use crate::error::CommandError;

pub fn trace(own: Option<&str>, command: &TraceCommand) -> Result<ExitCode, CommandError> {
    match command {
        TraceCommand::Start(arguments) => start(own, arguments),
        TraceCommand::Stop(output) => change(own, output, ChangeText::Trace { file: None }, "the trace has ended"),
    }
}

fn start(own: Option<&str>, arguments: &FileArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let file = match (&arguments.file, robot.address()) {
        (Some(file), _) => file.clone(),
        (None, Address::Unix(_)) => next_free(robot.name()),
        (None, Address::Tcp { .. }) => {
            let text = "give the path of the trace on the robot's host: trace start FILE";
            return Err(CommandError::Usage(text.to_owned()));
        }
    };
    let file = as_robot_sees(&file, &robot)?;
    let text = file.to_string_lossy().into_owned();
    let answer = robot.request(Request::Change { change: ChangeText::Trace { file: Some(text) } })?;
    // Each process of a robot has a trace of its own.
    let (answer, files) = match answer["files"].as_array() {
        Some(files) => {
            let names: Vec<_> = files.iter().filter_map(Value::as_str).collect();
            (json!({ "files": files }), names.join(", "))
        }
        None => (json!({ "file": file }), file.display().to_string()),
    };
    say(&arguments.output, &answer, &format!("tracing to {files} until: trace stop"))
}

/// Returns the first of `nao-1.pftrace` and so on that does not exist yet in the current folder.
fn next_free(name: &str) -> PathBuf {
    let mut numbered = (1_u32..).map(|number| PathBuf::from(format!("{name}-{number}.pftrace")));
    numbered.find(|path| !path.exists()).unwrap_or_else(|| format!("{name}.pftrace").into())
}
