//! The beginning of a log: the robot that wrote it, and its configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hemiola_config::{ConfigurationText, Origins};
use hemiola_log::{Entry, LogError, LogReader, LogWriter};
use hemiola_model::configuration::SubjectKind;
use hemiola_model::module::registry;
use hemiola_model::{ParameterDescription, Time, Value};
use hemiola_realtime::monotonic_now;
use hemiola_runtime::{Change, Robot, RobotHandle};
use hemiola_trace::Conditions;

use crate::names::{ABOUT, CONFIGURATION, PARAMETERS, PARTIAL, PROCESS, RECEIVED, topic};

/// The metadata with which a log begins.
pub struct Head {
    /// The robot, its program, its machine, its clock, and the providers.
    about: BTreeMap<String, String>,
    /// The values of `robot.toml` and its overrides, by key.
    configuration: BTreeMap<String, String>,
    /// The parameters of all modules and sources, including those with defaults, by key.
    parameters: BTreeMap<String, String>,
    texts: Vec<ConfigurationText>,
    /// The conditions under which durations are measured; unless they are known, durations are
    /// estimates.
    pub(super) conditions: Conditions,
}

impl Head {
    /// Describes a robot that is called `name`, and its configuration: the values, and the files
    /// from which they were read.
    pub fn of(robot: &Robot, name: &str, origins: &Origins, texts: &[ConfigurationText]) -> Self {
        let written = origins.iter().map(|(key, origin)| (key.to_owned(), as_json(&origin.value)));
        Self {
            about: about(robot, name),
            configuration: written.collect(),
            parameters: parameters(robot),
            texts: texts.to_vec(),
            conditions: Conditions::default(),
        }
    }

    /// Sets the conditions under which the robot's durations are measured.
    #[must_use]
    pub fn measured_under(mut self, conditions: Conditions) -> Self {
        self.conditions = conditions;
        self
    }

    /// Adds the origin of the robot's clock, which is the time at which it shows zero, if the robot
    /// has begun.
    pub fn note_origin(&mut self, handle: &RobotHandle) {
        self.about.insert("clock_origin_unix_ns".to_owned(), unix_origin(handle).as_nanos().to_string());
    }

    /// Records that the log contains only some of the values of these topics.
    pub fn with_parts_of<'t>(mut self, topics: impl Iterator<Item = &'t str>) -> Self {
        self.about.extend(topics.map(|topic| (format!("{PARTIAL}{topic}"), "true".to_owned())));
        self
    }

    /// Records a change, with which files begin from now on.
    pub fn note_change(&mut self, change: &Change) {
        match change {
            Change::Parameter { module, parameter, value } => {
                self.parameters.insert(format!("module.{module}.{parameter}"), as_json(value));
            }
            Change::Provider { representation, module } => {
                let ending = format!("/{representation}");
                let providers =
                    self.about.iter_mut().filter(|(key, _)| key.starts_with("provider/") && key.ends_with(&ending));
                providers.for_each(|(_, provider)| provider.clone_from(module));
            }
            _ => {}
        }
    }

    /// Writes the metadata at the beginning of a file.
    pub fn write(&self, log: &mut LogWriter) -> Result<(), LogError> {
        log.metadata(ABOUT, self.about.clone())?;
        log.metadata(CONFIGURATION, self.configuration.clone())?;
        log.metadata(PARAMETERS, self.parameters.clone())?;
        for (index, text) in self.texts.iter().enumerate() {
            let file = Path::new(&text.name)
                .file_name()
                .map_or_else(|| text.name.clone().into(), |name| name.to_string_lossy());
            // The numbers in the names show which file overrides which.
            let name = format!("configuration/{}-{}", index + 1, file.trim_start_matches('-'));
            log.attach(&name, "application/toml", Time::ZERO, text.content.as_bytes())?;
        }
        Ok(())
    }
}

impl Head {
    /// Returns the differences from the configuration with which this log was recorded, a line
    /// each; nothing if the log does not contain it.
    pub fn differences(&self, log: &Path) -> Result<Vec<String>, LogError> {
        let mut log = LogReader::open(log)?;
        let (mut configuration, mut parameters) = (None, None);
        // The metadata comes before all messages.
        while let Some(entry) = log.next_entry() {
            match entry {
                Ok(Entry::Metadata(metadata)) if metadata.name == CONFIGURATION => {
                    configuration = Some(metadata.entries)
                }
                Ok(Entry::Metadata(metadata)) if metadata.name == PARAMETERS => parameters = Some(metadata.entries),
                // Damage is reported when the log is replayed.
                Ok(Entry::Message(_)) | Err(_) => break,
                Ok(_) => {}
            }
        }
        let (Some(configuration), Some(parameters)) = (configuration, parameters) else { return Ok(Vec::new()) };
        let mut differences = different(&parameters, &self.parameters);
        let is_told = |key: &str| is_of_run(key) && !self.parameters.contains_key(key);
        differences.extend(different(&configuration, &self.configuration).into_iter().filter(|(key, _)| is_told(key)));
        Ok(differences.into_iter().map(|(key, values)| format!("{key}: {values}")).collect())
    }
}

/// Returns whether a key of `robot.toml` affects what is computed. Keys about where files are
/// written, how logs are read, who supervises the robot's process, and where people and other
/// programs reach it do not; what links receive does.
///
/// ```
/// use hemiola_recording::recorder::is_of_run;
///
/// assert!(is_of_run("module.BallFinder.threshold") && !is_of_run("log.folder"));
/// assert!(is_of_run("link.head.receive") && !is_of_run("link.head.connect"));
/// ```
pub fn is_of_run(key: &str) -> bool {
    let is_received = key.starts_with("link.") && key.ends_with(".receive");
    is_received
        || !["log.", "output.", "replay.", "guard.", "page.", "link."].iter().any(|section| key.starts_with(section))
}

/// Returns the keys for which two configurations have different values, and these values.
fn different<'k>(
    recorded: &'k BTreeMap<String, String>,
    present: &'k BTreeMap<String, String>,
) -> Vec<(&'k str, String)> {
    let keys: BTreeSet<_> = recorded.keys().chain(present.keys()).collect();
    let said =
        |values: &BTreeMap<String, String>, key| values.get(key).cloned().unwrap_or_else(|| "not set".to_owned());
    keys.into_iter()
        .filter(|key| recorded.get(*key) != present.get(*key))
        .map(|key| (key.as_str(), format!("{} then, {} now", said(recorded, key), said(present, key))))
        .collect()
}

/// Returns the times of other clocks when the robot's clock shows zero; nothing if that is stepped,
/// or has not begun. The monotonic clock of a host is the same for all of its processes until it is
/// started again.
pub fn clock(handle: &RobotHandle) -> BTreeMap<String, String> {
    let Some(origin) = handle.clock_origin().filter(|_| handle.has_begun()) else { return BTreeMap::new() };
    let mut clock = BTreeMap::from([
        ("origin_monotonic_ns".to_owned(), origin.as_nanoseconds().to_string()),
        ("origin_unix_ns".to_owned(), unix_origin(handle).as_nanos().to_string()),
    ]);
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    clock.extend(boot.map(|boot| ("boot".to_owned(), boot.trim().to_owned())));
    clock
}

/// Returns the time of the world at which the robot's clock shows zero, if it has begun.
fn unix_origin(handle: &RobotHandle) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let since_origin = Duration::from_nanos(handle.now().nanoseconds().try_into().unwrap_or(0));
    // A robot has a moment to wake up before its clock runs.
    let zero = handle.clock_origin().filter(|_| handle.has_begun());
    let until_origin = zero.map_or(Duration::ZERO, |zero| zero.since(monotonic_now()));
    now.saturating_sub(since_origin).saturating_add(until_origin)
}

fn about(robot: &Robot, name: &str) -> BTreeMap<String, String> {
    let mut about = BTreeMap::from([
        ("robot".to_owned(), name.to_owned()),
        ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("machine".to_owned(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
    ]);
    let configuration = robot.configuration();
    about.extend(configuration.process.clone().map(|process| (PROCESS.to_owned(), process)));
    for link in configuration.links.iter().filter(|link| configuration.is_between_parts(&link.name)) {
        let received = link.receive.iter().map(|received| match received.subject.kind {
            SubjectKind::Topic => topic("topic", &received.subject.name),
            SubjectKind::Representation => topic(&received.source(&link.name), &received.subject.name),
        });
        about.extend(received.map(|topic| (format!("{RECEIVED}{topic}"), link.name.clone())));
    }
    for cycle in &robot.resolved().cycles {
        for (representation, &update) in &cycle.providers {
            let described = robot.description().cycles.iter().find(|described| described.name == cycle.name);
            if let Some(module) = described.and_then(|described| described.modules.get(update.module)) {
                about.insert(format!("provider/{}/{representation}", cycle.name), module.name.clone());
            }
        }
    }
    about
}

/// Returns all parameters, with their values at the start, by the keys of `robot.toml`.
fn parameters(robot: &Robot) -> BTreeMap<String, String> {
    let configuration = robot.configuration();
    let mut parameters = BTreeMap::new();
    let mut add = |section: String, described: Vec<ParameterDescription>, values: Option<&BTreeMap<String, Value>>| {
        for ParameterDescription { name, default, .. } in described {
            let value = values.and_then(|values| values.get(&name)).unwrap_or(&default);
            parameters.insert(format!("{section}.{name}"), as_json(value));
        }
    };
    for module in registry::modules() {
        let values = configuration.modules.get(module.name()).map(|module| &module.parameters);
        add(format!("module.{}", module.name()), module.parameters().to_vec(), values);
    }
    for source in registry::sources() {
        let values = configuration.sources.get(source.name()).map(|source| &source.parameters);
        add(format!("source.{}.parameters", source.name()), source.parameters().to_vec(), values);
    }
    parameters
}

/// Returns a value in a form that any program can read.
pub fn as_json(value: &Value) -> String {
    // JSON can represent every value.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_configured_in_another_way_is_told_with_both_values() {
        let values =
            |values: &[(&str, &str)]| values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let recorded =
            values(&[("cycle.main.rate", "30.0"), ("cycle.main.workers", "2"), ("module.Walk.speed", "0.1")]);
        let present = values(&[("cycle.main.rate", "30.0"), ("cycle.main.cores", "[1]"), ("module.Walk.speed", "0.2")]);
        let expected = [
            ("cycle.main.cores", "not set then, [1] now"),
            ("cycle.main.workers", "2 then, not set now"),
            ("module.Walk.speed", "0.1 then, 0.2 now"),
        ];
        assert_eq!(different(&recorded, &present), expected.map(|(key, values)| (key, values.to_owned())));
    }
}
