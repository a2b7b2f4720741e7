//! What most commands begin with: the configuration, and the robot that it makes of the linked modules.

use std::path::PathBuf;

use hemiola_config::{Catalog, Diagnostics, LoadOptions, Loaded, Origins};
use hemiola_runtime::Robot;
use hemiola_trace::Profile;

use crate::application::{Application, Base};
use crate::command_line::ConfigurationArguments;
use crate::error::CommandError;

/// A robot that is put together, and what is known about it.
pub struct Session {
    pub robot: Robot,
    pub origins: Origins,
    pub warnings: Diagnostics,
    /// What people call the base configuration.
    pub configured_by: String,
    /// The profile was there.
    pub has_profile: bool,
}

impl Session {
    /// Loads the configuration, puts the robot together, and lets it know the durations of earlier runs.
    pub fn open(application: &Application, arguments: &ConfigurationArguments) -> Result<Self, CommandError> {
        let (Loaded { configuration, origins, warnings, .. }, configured_by) = configuration(application, arguments)?;
        let profile = known_durations(configuration.output.profile.as_ref())?;
        let has_profile = profile.is_some();
        let robot = Robot::assemble(configuration).map_err(CommandError::Assembly)?;
        let robot = robot.with_profile(profile.unwrap_or_default());
        Ok(Self { robot, origins, warnings, configured_by, has_profile })
    }

    /// The numbers of the cycles that a command is about: the one of that name, or all.
    pub fn cycles(&self, name: Option<&str>) -> Result<Vec<usize>, CommandError> {
        let cycles = &self.robot.resolved().cycles;
        let Some(name) = name else { return Ok((0..cycles.len()).collect()) };
        let found = cycles.iter().position(|cycle| cycle.name == name);
        let known = || cycles.iter().map(|cycle| cycle.name.as_str());
        found.map(|index| vec![index]).ok_or_else(|| CommandError::unknown("cycle", name, known()))
    }

    /// The one cycle that a command is about, for pictures.
    pub fn cycle(&self, name: Option<&str>, what: &str) -> Result<usize, CommandError> {
        match self.cycles(name)?.as_slice() {
            &[index] => Ok(index),
            indices => {
                let cycles = &self.robot.resolved().cycles;
                let names: Vec<_> = indices.iter().map(|&index| cycles[index].name.as_str()).collect();
                Err(CommandError::Usage(format!("{what} shows one cycle; name one of: {}", names.join(", "))))
            }
        }
    }
}

/// The configuration, and what people call it.
pub fn configuration(
    application: &Application,
    arguments: &ConfigurationArguments,
) -> Result<(Loaded, String), CommandError> {
    let catalog = Catalog::linked();
    let ConfigurationArguments { config, overlays, assignments } = arguments;
    let path = match (config, application.base()) {
        (Some(path), _) | (None, Base::File(path)) => path,
        (None, Base::Text(text)) => {
            if !overlays.is_empty() || !assignments.is_empty() {
                let advice = "the configuration is part of the program: `--overlay` and `--set` need `--config FILE`";
                return Err(CommandError::Usage(advice.to_owned()));
            }
            return Ok((
                hemiola_config::parse(text, "built-in robot.toml", &catalog)?,
                "the built-in robot.toml".into(),
            ));
        }
    };
    let options = LoadOptions { path: path.clone(), overlays: overlays.clone(), assignments: assignments.clone() };
    Ok((hemiola_config::load(&options, &catalog)?, path.display().to_string()))
}

/// The profile of earlier runs; a robot that has not run yet has none.
fn known_durations(path: Option<&PathBuf>) -> Result<Option<Profile>, CommandError> {
    match path.filter(|path| path.exists()) {
        Some(path) => Ok(Some(Profile::load(path)?)),
        None => Ok(None),
    }
}
