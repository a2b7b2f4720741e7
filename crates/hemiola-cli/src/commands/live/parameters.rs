//! `parameters get|set|save|diff`: those of a running robot.

use std::fmt::Write;
use std::process::ExitCode;

use hemiola_live::client::WholeRobot;
use hemiola_live::protocol::{ChangeText, Request};
use serde_json::{Value, json};

use super::connect::connect;
use super::text::{inline, typed};
use super::{complete, say};
use crate::command_line::live::{
    ParametersCommand, ParametersDiffArguments, ParametersGetArguments, ParametersSaveArguments, ParametersSetArguments,
};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn parameters(own: Option<&str>, command: &ParametersCommand) -> Result<ExitCode, CommandError> {
    match command {
        ParametersCommand::Get(arguments) => get(own, arguments),
        ParametersCommand::Set(arguments) => set(own, arguments),
        ParametersCommand::Save(arguments) => save(own, arguments),
        ParametersCommand::Diff(arguments) => diff(own, arguments),
    }
}

fn get(own: Option<&str>, arguments: &ParametersGetArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let (module, name) = match arguments.name.as_deref().map(|name| (name, name.split_once('.'))) {
        None => (None, None),
        Some((_, Some((module, name)))) => (Some(module), Some(name)),
        Some((module, None)) => (Some(module), None),
    };
    let mut found = all(&mut robot, module)?;
    if let (Some(module), Some(name)) = (module, name) {
        let parameter = one(&found, module, name)?;
        return match arguments.output.json {
            true => print_json(parameter),
            false => print(&format!("{}\n", inline(&parameter["value"], usize::MAX))),
        };
    }
    if arguments.output.json {
        return complete(&robot, print_json(&found.into())?);
    }
    found.sort_by(|one, other| text(&one["module"]).cmp(text(&other["module"])));
    let listed = listed(&found, |parameter| {
        let mut remarks = Vec::new();
        remarks.extend(parameter["origin"].as_str().map(str::to_owned));
        if parameter["value"] != parameter["configured"] {
            remarks.push(format!("configured as {}", inline(&parameter["configured"], usize::MAX)));
        }
        if parameter["value"] != parameter["default"] {
            remarks.push(format!("default {}", inline(&parameter["default"], usize::MAX)));
        }
        let range = [text_of(&parameter["minimum"]), text_of(&parameter["maximum"])];
        if range.iter().any(Option::is_some) {
            let [minimum, maximum] = range.map(Option::unwrap_or_default);
            remarks.push(format!("{minimum}..{maximum}"));
        }
        remarks.join("; ")
    });
    complete(&robot, print(&listed)?)
}

fn set(own: Option<&str>, arguments: &ParametersSetArguments) -> Result<ExitCode, CommandError> {
    let ParametersSetArguments { name: full, value, output } = arguments;
    let Some((module, name)) = full.split_once('.') else {
        return Err(CommandError::Usage(format!("`{full}` is a module; write MODULE.NAME, such as {full}.gain")));
    };
    let value = typed(value)?;
    let mut robot = connect(own, &output.robot)?;
    let known = all(&mut robot, Some(module))?;
    let before = one(&known, module, name)?["value"].clone();
    let (module, name) = (module.to_owned(), name.to_owned());
    robot.request(Request::Change { change: ChangeText::Parameter { module, name, value: value.clone() } })?;
    let value = json!(value);
    let [new, old] = [&value, &before].map(|value| inline(value, usize::MAX));
    say(
        output,
        &json!({ "parameter": full, "value": value, "before": before }),
        &format!("{full} = {new}  # was {old}"),
    )
}

fn save(own: Option<&str>, arguments: &ParametersSaveArguments) -> Result<ExitCode, CommandError> {
    let parameters = Some(arguments.names.clone()).filter(|names| !names.is_empty());
    let save = Request::Save { overlay: arguments.overlay.clone(), parameters };
    let mut robot = connect(own, &arguments.output.robot)?;
    let answer = robot.request(save)?;
    let saved: Vec<_> = answer["saved"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let said = match saved.as_slice() {
        [] => "nothing to save: all parameters are as configured".to_owned(),
        saved => format!("saved in {}: {}", text(&answer["file"]), saved.join(", ")),
    };
    say(&arguments.output, &answer, &said)
}

fn diff(own: Option<&str>, arguments: &ParametersDiffArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let (from, word) = if arguments.defaults { ("default", "default") } else { ("configured", "configured as") };
    let mut found = all(&mut robot, arguments.module.as_deref())?;
    found.retain(|parameter| parameter["value"] != parameter[from]);
    if arguments.output.json {
        return complete(&robot, print_json(&found.into())?);
    }
    if found.is_empty() {
        let said = if arguments.defaults {
            "all parameters have their defaults\n"
        } else {
            "all parameters are as configured\n"
        };
        return complete(&robot, print(said)?);
    }
    let listed = listed(&found, |parameter| {
        let origin = parameter["origin"].as_str().map(|origin| format!("{origin}: ")).unwrap_or_default();
        format!("{origin}{word} {}", inline(&parameter[from], usize::MAX))
    });
    complete(&robot, print(&listed)?)
}

fn all(robot: &mut WholeRobot, module: Option<&str>) -> Result<Vec<Value>, CommandError> {
    let asked = Request::Parameters { module: module.map(str::to_owned) };
    Ok(robot.request(asked)?.as_array().cloned().unwrap_or_default())
}

fn one<'p>(parameters: &'p [Value], module: &str, name: &str) -> Result<&'p Value, CommandError> {
    let found = parameters.iter().find(|parameter| parameter["name"] == name);
    let known = || parameters.iter().filter_map(|parameter| parameter["name"].as_str());
    found.ok_or_else(|| CommandError::unknown(&format!("parameter of {module}"), name, known()))
}

/// Lists parameters in the notation of robot.toml, in a table for each module.
fn listed(parameters: &[Value], remark: impl Fn(&Value) -> String) -> String {
    let mut listed = String::new();
    let mut table = None;
    for parameter in parameters {
        let module = text(&parameter["module"]);
        if table != Some(module) {
            let _ = writeln!(listed, "{}[module.{module}]", if table.is_some() { "\n" } else { "" });
            table = Some(module);
        }
        let unit = text(&parameter["unit"]);
        let remark = [unit.to_owned(), remark(parameter)].into_iter().filter(|part| !part.is_empty());
        let remark = remark.collect::<Vec<_>>().join("; ");
        let value = inline(&parameter["value"], usize::MAX);
        let _ = match remark.as_str() {
            "" => writeln!(listed, "{} = {value}", text(&parameter["name"])),
            remark => writeln!(listed, "{} = {value}  # {remark}", text(&parameter["name"])),
        };
    }
    listed
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn text_of(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| inline(value, usize::MAX))
}
