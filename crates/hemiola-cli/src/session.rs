//! The beginning of most commands: the configuration, and the robot that is assembled from the
//! linked modules.

mod part;
mod places;
mod recorded;

pub use part::{PROCESSES, histories, of_process, sockets, sockets_of, started_by};
pub use places::sibling;
pub use recorded::{Configured, configuration as recorded_configuration};

use hemiola_config::{Base, Catalog, ConfigurationText, Diagnostics, LoadOptions, Loaded, Origins};
use hemiola_insight::{Traces, profile};
use hemiola_recording::recorder::Head;
use hemiola_recording::replay::ReplayLog;
use hemiola_runtime::{Robot, RuntimeError};
use hemiola_trace::{Known, ProfileHistory};

use crate::command_line::ConfigurationArguments;
use crate::error::CommandError;
use crate::program::Program;

/// An assembled robot, and what is known about it.
pub struct Session {
    pub robot: Robot,
    pub origins: Origins,
    pub warnings: Diagnostics,
    /// The files that the configuration was read from.
    pub texts: Vec<ConfigurationText>,
    /// The name of the base configuration, for people.
    pub configured_by: String,
    /// The measurements of earlier runs, if they were kept.
    pub history: ProfileHistory,
    /// The part of the history that applies to this robot.
    pub known: Known,
    /// Remarks on where the configuration comes from.
    pub remarks: Vec<String>,
}

impl Session {
    /// Loads the configuration, assembles the robot, and gives it the durations of earlier runs.
    pub fn open(program: &Program, arguments: &ConfigurationArguments) -> Result<Self, CommandError> {
        let (loaded, configured_by) = configuration(program, arguments)?;
        Self::assemble(program, loaded, configured_by, arguments.process.as_deref())
    }

    /// Opens a session with the robot [as it was configured](recorded::configuration) when a log
    /// was recorded, unless the arguments demand otherwise. If that does not fit this robot any
    /// more, the current configuration is used, with a remark.
    pub fn of_log(
        program: &Program,
        arguments: &ConfigurationArguments,
        log: &ReplayLog,
    ) -> Result<Self, CommandError> {
        let Configured { loaded, providers, remarks } = recorded::configuration(program, arguments, log)?;
        let configured_by = log.split().first().display().to_string();
        let mut chosen = loaded.clone();
        let process = arguments.process.as_deref().or(log.process());
        let assembled = Self::assemble(program, loaded, configured_by.clone(), process).or_else(|error| {
            chosen.configuration.providers.extend(providers);
            Self::assemble(program, chosen, configured_by, process).map_err(|_| error)
        });
        match assembled {
            Ok(session) => Ok(Self { remarks, ..session }),
            Err(error) => {
                let arguments = ConfigurationArguments { process: process.map(str::to_owned), ..arguments.clone() };
                let session = Self::open(program, &arguments)?;
                Ok(Self { remarks: vec![recorded::misfit(&error)], ..session })
            }
        }
    }

    /// Assembles the robot, or the part of it that runs in a process.
    fn assemble(
        program: &Program,
        loaded: Loaded,
        configured_by: String,
        process: Option<&str>,
    ) -> Result<Self, CommandError> {
        let Loaded { mut configuration, origins, warnings, texts } = loaded;
        if let Some(process) = process {
            configuration =
                part::part(configuration, &program.services, process).map_err(|error| with_places(error, &origins))?;
        }
        let history = match configuration.output.profile.as_ref().filter(|path| path.exists()) {
            Some(path) => ProfileHistory::load(path)?,
            // A robot that has not run yet has no history.
            None => ProfileHistory::default(),
        };
        let robot = Robot::assemble(configuration).map_err(|error| with_places(error, &origins))?;
        let robot = robot.with_services(program.services.iter().cloned());
        let (robot, mut known) = profile::recall(robot, &origins, &history);
        if let Some(path) = &robot.configuration().output.profile {
            part::add_known(&mut known, &robot, path)?;
        }
        Ok(Self { robot, origins, warnings, texts, configured_by, history, known, remarks: Vec::new() })
    }

    /// Returns the differences of the configuration from that in a log, a line each.
    pub fn differences_from(&self, log: &ReplayLog) -> Result<Vec<String>, CommandError> {
        let head = Head::of(&self.robot, &self.configured_by, &self.origins, &self.texts);
        Ok(head.differences(log.split().first())?)
    }

    /// Returns the numbers of the cycles of a command: the one of that name, or all.
    pub fn cycles(&self, name: Option<&str>) -> Result<Vec<usize>, CommandError> {
        let cycles = &self.robot.resolved().cycles;
        let Some(name) = name else { return Ok((0..cycles.len()).collect()) };
        let found = cycles.iter().position(|cycle| cycle.name == name);
        let known = || cycles.iter().map(|cycle| cycle.name.as_str());
        found.map(|index| vec![index]).ok_or_else(|| CommandError::unknown("cycle", name, known()))
    }
}

/// Loads the configuration; returns it with its name for people.
pub fn configuration(program: &Program, arguments: &ConfigurationArguments) -> Result<(Loaded, String), CommandError> {
    let base = base(program, arguments);
    let configured_by = base.to_string();
    let ConfigurationArguments { overlays, foreign, assignments, .. } = arguments.clone();
    let options = LoadOptions { base, overlays, foreign, assignments };
    let mut loaded = hemiola_config::load(&options, &Catalog::linked())?;
    places::settle(&mut loaded.configuration, &loaded.origins, places::state_folder().as_deref());
    Ok((loaded, configured_by))
}

/// Returns the configuration over which everything else is applied.
pub fn base(program: &Program, arguments: &ConfigurationArguments) -> Base {
    arguments.config.as_ref().map_or_else(|| program.base.clone(), |path| Base::File(path.clone()))
}

/// Returns the folder for traces of the robot of this name, for when no path was given.
pub fn traces(program: &Program, arguments: &ConfigurationArguments, name: &str) -> Traces {
    Traces::new(places::traces(&base(program, arguments)), name)
}

/// Adds the places in the configuration that are involved in an error between modules.
fn with_places(error: RuntimeError, origins: &Origins) -> CommandError {
    let RuntimeError::Unresolved { problems } = &error else {
        return CommandError::Assembly { error, written: String::new() };
    };
    let written = problems.iter().filter_map(|problem| {
        let key = problem.key()?;
        let origin = origins.of(&key)?;
        Some(format!("\n  {}: here is `{key} = {}`", origin.place, origin.value))
    });
    let written = written.collect();
    CommandError::Assembly { error, written }
}

#[cfg(test)]
mod tests {
    use hemiola_config::{Component, parse};
    use hemiola_plan::Problem;

    use super::*;

    #[test]
    fn a_wrong_choice_is_shown_where_it_is_written() {
        let text = "[cycle.main]\nrate = 30.0\n[providers]\nBallPercept = \"Walk\"\n";
        let modules = [Component::new("Walk", "nao").providing(["BallPercept"])];
        let origins = parse(text, "robot.toml", &Catalog::new(modules, [])).unwrap().origins;
        let problem = Problem::ChoiceDoesNotProvide {
            representation: "BallPercept".into(),
            chosen: "Walk".into(),
            provides: Vec::new(),
            similar: None,
            candidates: Vec::new(),
        };
        let error = with_places(RuntimeError::Unresolved { problems: vec![problem] }, &origins).to_string();
        assert!(error.ends_with("robot.toml:4:15: here is `providers.BallPercept = \"Walk\"`"), "{error}");
    }
}
