//! `snapshot`: all values of all cycles at one moment.

use std::process::ExitCode;

use hemiola_live::protocol::Request;
use serde_json::Value;

use super::complete;
use super::connect::connect;
use super::text::{document, longest_list};
use crate::command_line::live::SnapshotArguments;
use crate::commands::print_or_write;
use crate::error::CommandError;

pub fn snapshot(own: Option<&str>, arguments: &SnapshotArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let captured = robot.request(Request::Capture {})?;
    let file = arguments.file.as_deref();
    if arguments.output.json {
        let text = serde_json::to_string_pretty(&captured).unwrap_or_default() + "\n";
        return complete(&robot, print_or_write(&text, file)?);
    }
    let longest = if file.is_some() { usize::MAX } else { longest_list() };
    let mut text = format!("# at {:.3} s\n", captured["time"].as_i64().unwrap_or_default() as f64 / 1e9);
    for (cycle, values) in captured["cycles"].as_object().into_iter().flatten() {
        text += &format!("\n[{cycle}]\n{}", document(values, longest));
    }
    for cycle in captured["silent"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text += &format!("\n# cycle {cycle} did not answer\n");
    }
    complete(&robot, print_or_write(&text, file)?)
}
