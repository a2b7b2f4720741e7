//! The configuration with which a log was recorded.

use std::collections::BTreeMap;
use std::path::Path;

use hemiola_config::{Base, Catalog, LoadOptions, Loaded, Origins, text_of};
use hemiola_model::Value;
use hemiola_recording::recorder::{as_json, is_of_run};
use hemiola_recording::replay::ReplayLog;

use crate::command_line::ConfigurationArguments;
use crate::error::CommandError;
use crate::program::Program;

/// The configuration of a robot whose log is replayed.
pub struct Configured {
    pub loaded: Loaded,
    /// The current providers that the log does not name: a representation that had one candidate
    /// then may have several now.
    pub providers: BTreeMap<String, String>,
    /// Remarks on the differences to the current configuration.
    pub remarks: Vec<String>,
}

/// Returns the configuration with which the log was recorded, with the arguments applied over it;
/// or the current one if the arguments name a file, or the log has none, or one that does not fit
/// this robot.
///
/// Where files are written, which topics of other robots' logs hold what, and where people reach
/// the robot (`[output]`, `[log]`, `[replay]`, `[page]`) is as it is now: it was not recorded.
/// Links are as they were, because what they received comes from the log.
pub fn configuration(
    program: &Program,
    arguments: &ConfigurationArguments,
    log: &ReplayLog,
) -> Result<Configured, CommandError> {
    let present = super::configuration(program, arguments).map(|(loaded, _)| loaded);
    let Some(recorded) = log.configuration().filter(|_| arguments.config.is_none()) else {
        return Ok(Configured { loaded: present?, providers: BTreeMap::new(), remarks: Vec::new() });
    };
    let text = text(recorded);
    let base = Base::Text { name: format!("the configuration in {}", log.split().first().display()), text };
    let overlays = arguments.overlays.iter().map(|overlay| of_robot(program, overlay)).collect();
    let ConfigurationArguments { foreign, assignments, .. } = arguments.clone();
    let options = LoadOptions { base, overlays, foreign, assignments };
    match (hemiola_config::load(&options, &Catalog::linked()), present) {
        (Ok(mut loaded), Ok(present)) => {
            let remarks = changes(&loaded.origins, &present.origins);
            let (was, is) = (&mut loaded.configuration, present.configuration);
            (was.output, was.log, was.replay, was.page) = (is.output, is.log, is.replay, is.page);
            let mut providers = is.providers;
            providers.retain(|representation, _| !was.providers.contains_key(representation));
            Ok(Configured { loaded, providers, remarks })
        }
        (Ok(loaded), Err(_)) => Ok(Configured { loaded, providers: BTreeMap::new(), remarks: Vec::new() }),
        (Err(error), present) => {
            Ok(Configured { loaded: present?, providers: BTreeMap::new(), remarks: vec![misfit(&error)] })
        }
    }
}

/// Returns the warning that the recorded configuration cannot be used any more.
pub fn misfit(error: &dyn std::fmt::Display) -> String {
    let error = error.to_string();
    let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
    format!(
        "warning: the configuration in the log does not fit this robot ({first}); its current configuration is used"
    )
}

fn text(recorded: &BTreeMap<String, String>) -> String {
    // Keys in Hemiola's logs have no line breaks.
    let is_meant = |key: &str| is_of_run(key) || key.starts_with("link.");
    let values = recorded.iter().filter(|(key, _)| is_meant(key) && !key.contains(['\n', '\r']));
    let values: Vec<(&str, Value)> = values
        // A value that cannot be read is reported where the robot needs it.
        .filter_map(|(key, json)| Some((key.as_str(), serde_json::from_str(json).ok()?)))
        .collect();
    text_of(values.iter().map(|(key, value)| (*key, value)))
}

/// Finds an overlay by its name beside the robot's own configuration, as the recorded one over
/// which it is applied has no folder.
fn of_robot(program: &Program, overlay: &str) -> String {
    let Base::File(base) = &program.base else { return overlay.to_owned() };
    if overlay.contains(['/', '\\']) || overlay.ends_with(".toml") {
        return overlay.to_owned();
    }
    let path = base.parent().unwrap_or(Path::new("")).join(format!("overlays/{overlay}.toml"));
    if path.is_file() { path.display().to_string() } else { overlay.to_owned() }
}

/// Returns the differences to the current configuration, a line each, after a heading.
fn changes(then: &Origins, now: &Origins) -> Vec<String> {
    let said = |origins: &Origins, key: &str| {
        origins.of(key).map_or_else(|| "not set".to_owned(), |origin| as_json(&origin.value))
    };
    let mut keys: Vec<&str> = then.iter().chain(now.iter()).map(|(key, _)| key).filter(|key| is_of_run(key)).collect();
    keys.sort_unstable();
    keys.dedup();
    let different =
        keys.into_iter().map(|key| (key, said(then, key), said(now, key))).filter(|(_, then, now)| then != now);
    let mut lines: Vec<String> = different.map(|(key, then, now)| format!("  {key}: {then} then, {now} now")).collect();
    if lines.is_empty() {
        return lines;
    }
    let more = lines.len().saturating_sub(MOST_CHANGES);
    lines.truncate(MOST_CHANGES);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines
        .insert(0, "note: this robot has the configuration of the log; `--config FILE` selects another one".to_owned());
    lines
}

/// The number of changes that are reported.
const MOST_CHANGES: usize = 20;
