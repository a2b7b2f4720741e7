//! `service`: the services of a robot, and calls.

use std::process::ExitCode;

use hemiola_live::protocol::Request;
use hemiola_words::{Column, Columns, grouped};
use serde_json::Value;

use super::complete;
use super::connect::connect;
use super::text::{document, longest_list, typed};
use super::topic::statistics;
use crate::command_line::live::{OutputArguments, ServiceCallArguments, ServiceCommand};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn service(own: Option<&str>, command: &ServiceCommand) -> Result<ExitCode, CommandError> {
    match command {
        ServiceCommand::List(arguments) => list(own, arguments),
        ServiceCommand::Call(arguments) => call(own, arguments),
    }
}

fn list(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let services = statistics(&mut robot)?["services"].as_array().cloned().unwrap_or_default();
    if arguments.json {
        return complete(&robot, print_json(&services.into())?);
    }
    if services.is_empty() {
        return complete(&robot, print("this robot has no services\n")?);
    }
    let row = |service: &Value| {
        let [requests, refused, waiting] =
            ["requests", "refused", "waiting"].map(|key| grouped(service[key].as_u64().unwrap_or_default()));
        [service["name"].as_str().unwrap_or_default().to_owned(), requests, refused, waiting]
    };
    let heading = ["service", "requests", "refused", "waiting"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heading).chain(services.iter().map(row)).collect();
    let figure = Column::right(0).after(2);
    complete(&robot, print(&Columns::new([Column::left(0), figure, figure, figure]).table(&rows))?)
}

fn call(own: Option<&str>, arguments: &ServiceCallArguments) -> Result<ExitCode, CommandError> {
    let call = Request::Call { service: arguments.service.clone(), request: typed(&arguments.request)? };
    let mut robot = connect(own, &arguments.output.robot)?;
    let answer = robot.request(call)?;
    let response = &answer["response"];
    if arguments.output.json { print_json(response) } else { print(&document(response, longest_list())) }
}
