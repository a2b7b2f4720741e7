//! `link`: the peers of each link, and the traffic over it.

use std::process::ExitCode;

use hemiola_link::LinkStatistics;

use super::complete;
use super::connect::connect;
use super::topic::statistics;
use crate::command_line::live::{LinkCommand, OutputArguments};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn link(own: Option<&str>, command: &LinkCommand) -> Result<ExitCode, CommandError> {
    match command {
        LinkCommand::List(arguments) => list(own, arguments),
    }
}

fn list(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let links = statistics(&mut robot)?["links"].as_array().cloned().unwrap_or_default();
    if arguments.json {
        return complete(&robot, print_json(&links.into())?);
    }
    if links.is_empty() {
        return complete(&robot, print("this robot has no links\n")?);
    }
    let processes: Vec<_> = links.iter().map(|link| link["process"].as_str().map(str::to_owned)).collect();
    let links: Vec<LinkStatistics> = serde_json::from_value(links.into()).map_err(|error| {
        CommandError::Usage(format!("this program cannot read the robot's answer about its links: {error}"))
    })?;
    let (mut text, mut last) = (String::new(), None);
    for (link, process) in links.iter().zip(&processes) {
        if let Some(process) = process.as_ref().filter(|_| *process != last) {
            text += &format!("process {process}\n");
        }
        last.clone_from(process);
        text += &format!("{link}\n");
    }
    complete(&robot, print(&text)?)
}
