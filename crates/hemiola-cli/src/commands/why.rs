//! `why`: the reasons why a run of a cycle, or a chain from a sensor to an output, took its time.

use std::process::ExitCode;

use hemiola_insight::why::Evidence;
use hemiola_model::configuration::Configuration;
use serde_json::json;

use super::{live, own_name, print, print_json};
use crate::command_line::WhyArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::{Session, configuration, traces};

pub fn why(program: &Program, name: &str, arguments: &WhyArguments) -> Result<ExitCode, CommandError> {
    if let Some(robot) = live::why::asked(own_name(program, name), arguments) {
        return live::why::why(own_name(program, name), &robot, arguments);
    }
    // A trace or log needs no modules; only the names of chains come from the configuration.
    let configuration = match (program.has_robot, &arguments.configuration.process) {
        // Chains into a process have names of their own there.
        (true, Some(_)) => Session::open(program, &arguments.configuration)?.robot.configuration().clone(),
        (true, None) => configuration(program, &arguments.configuration)?.0.configuration,
        (false, _) => Configuration::default(),
    };
    let question = arguments.question();
    let evidence = Evidence::find(&question, configuration, &traces(program, &arguments.configuration, name))?;
    let answer = evidence.answer(&question)?;
    match arguments.json {
        true => print_json(&json!(answer))?,
        false => print(&answer.text)?,
    };
    if let (Some(path), Some(span)) = (&arguments.slice, answer.span) {
        evidence.write_slice(path, span)?;
        eprintln!("written: {}: open it in https://ui.perfetto.dev", path.display());
    }
    Ok(ExitCode::SUCCESS)
}
