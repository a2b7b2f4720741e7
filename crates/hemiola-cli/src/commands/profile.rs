//! `profile`: the measurements of earlier runs: shows or deletes them.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use hemiola_insight::{kept, kept_as_json};
use hemiola_model::configuration::Configuration;

use super::print;
use crate::command_line::profile::{ProfileArguments, ProfileCommand, ResetArguments, ShowArguments};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::{Session, configuration};

pub fn profile(program: &Program, arguments: &ProfileArguments) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ProfileCommand::Show(arguments) => show(program, arguments),
        ProfileCommand::Reset(arguments) => reset(program, arguments),
    }
}

fn show(program: &Program, arguments: &ShowArguments) -> Result<ExitCode, CommandError> {
    let Session { robot, history, known, .. } = Session::open(program, &arguments.configuration)?;
    let path = file(robot.configuration())?;
    let now = &known.profile.conditions;
    if arguments.json {
        let mut all = kept_as_json(&history, now);
        all["file"] = path.display().to_string().into();
        return print(&(serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"));
    }
    let mut text = path.display().to_string();
    if path.exists() {
        let _ = write!(text, "\n\n{}", kept(&history, now));
    } else {
        text += " does not exist yet: a run writes it\n";
    }
    print(&text)
}

/// Removes the profile, even one that cannot be read.
fn reset(program: &Program, arguments: &ResetArguments) -> Result<ExitCode, CommandError> {
    let path = file(&configuration(program, &arguments.configuration)?.0.configuration)?;
    match std::fs::remove_file(&path) {
        Ok(()) => print(&format!("removed: {}\n", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            print(&format!("nothing to remove: {} does not exist\n", path.display()))
        }
        Err(error) => Err(CommandError::Remove { path, error }),
    }
}

fn file(configuration: &Configuration) -> Result<PathBuf, CommandError> {
    let remedy = "this robot keeps no profile; write under `[output]` in robot.toml: profile = \"robot.profile.json\"";
    configuration.output.profile.clone().ok_or_else(|| CommandError::Usage(remedy.to_owned()))
}
