//! `providers`: the provider of each representation, and its alternatives.

use std::process::ExitCode;

use hemiola_live::protocol::{ChangeText, Request};
use hemiola_words::{Column, Columns};
use serde_json::Value;

use super::{change, complete, connect::connect};
use crate::command_line::live::{OutputArguments, ProvidersSwitchArguments};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn list(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let described = robot.request(Request::Describe {})?;
    let provided = described["representations"].as_array().cloned().unwrap_or_default();
    if arguments.json {
        return complete(&robot, print_json(&provided.into())?);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |provided: &Value| {
        let candidates = provided["candidates"].as_array().into_iter().flatten();
        let others: Vec<_> =
            candidates.filter(|other| **other != provided["provider"]).filter_map(Value::as_str).collect();
        [text(&provided["name"]), text(&provided["provider"]), text(&provided["owner"]), others.join(", ")]
    };
    let heading = ["representation", "provider", "in", "could be"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heading).chain(provided.iter().map(row)).collect();
    let column = Column::left(0).after(2);
    complete(&robot, print(&Columns::new([Column::left(0), column, column, column]).table(&rows))?)
}

pub fn switch(own: Option<&str>, arguments: &ProvidersSwitchArguments) -> Result<ExitCode, CommandError> {
    let ProvidersSwitchArguments { representation, module, output } = arguments;
    let provider = ChangeText::Provider { representation: representation.clone(), module: module.clone() };
    change(own, output, provider, &format!("{module} provides {representation} now"))
}
