//! The settings by which a run is recorded: `[log]`, overridden by the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola_log::LogCompression;
use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{Condition, LogConfiguration, LogExtent};
use hemiola_runtime::{Observation, Robot, ValueRequest};

use crate::error::RecordingError;
use crate::shown::IMAGE_TYPE;

/// The settings of a run's recording.
pub struct Recording {
    /// The path of the file.
    pub path: PathBuf,
    /// The compression of the log.
    pub compression: LogCompression,
    /// The time between two flushes: a killed process may lose that much, and a machine that loses
    /// its power twice that much.
    pub flush: Duration,
    /// The length of a file, after which the next one begins.
    pub split: Option<LogExtent>,
    /// The extent that is kept before the oldest files are removed.
    pub keep: Option<LogExtent>,
    /// The bytes that stay free on the disk.
    pub reserve: u64,
    /// The period of checkpoints.
    pub checkpoint: Option<Duration>,
    /// The values to observe.
    pub requests: Vec<ValueRequest>,
    /// Representations that are only observed because conditions refer to them, and not recorded.
    pub only_watched: BTreeSet<String>,
    /// The conditions under which values and messages are recorded, by name.
    pub conditions: BTreeMap<String, Condition>,
    /// The topics to record.
    pub topics: TopicChoice,
    /// The names of plots, drawings and texts of updates to record.
    pub debug: Vec<String>,
    /// The representations that are images: drawings in spaces of these names lie over them.
    pub images: BTreeSet<String>,
    /// Names that are configured, but that nobody provides.
    pub idle: Vec<String>,
}

/// Options for the recording of one run, which override `[log]`.
#[derive(Clone, Debug, Default)]
pub struct RecordingOptions {
    /// The path of the file, which overrides the configuration.
    pub path: Option<PathBuf>,
    /// Set if the configured folder is ignored: recording is off, or a log is replayed that exists
    /// already.
    pub ignores_folder: bool,
    /// The only representations and topics to record; all configured ones if empty.
    pub only: Vec<ValueRequest>,
    /// The compression of the log, if it overrides the configuration.
    pub compression: Option<LogCompression>,
}

impl Recording {
    /// Decides how a run of the robot called `name` is recorded; `None` if it is not.
    ///
    /// # Errors
    /// Returns an error if options are given for a log that is not written.
    pub fn of(options: &RecordingOptions, robot: &Robot, name: &str) -> Result<Option<Self>, RecordingError> {
        let configuration = &robot.configuration().log;
        let Some(path) = path(options, configuration, name) else {
            return match options.only.is_empty() && options.compression.is_none() {
                true => Ok(None),
                false => Err(RecordingError::NotRecorded),
            };
        };
        let recordable = robot.recordable();
        let topics = TopicChoice { configuration: configuration.clone(), chosen: options.only.clone() };
        let (mut requests, mut idle) = requests(&options.only, configuration, &recordable);
        let names = robot.topics();
        // Modules refer to a topic by the name of its messages.
        idle.retain(|name| !names.contains(&name.as_str()));
        requests.retain(|request| {
            let name = &request.representation;
            recordable.contains(name) || !names.contains(&name.as_str())
        });
        let recorded = requests.iter().map(|request| request.representation.as_str());
        let conditions =
            conditions(configuration, recorded.chain(names.iter().copied().filter(|name| topics.is_recorded(name))));
        let only_watched = watch(&conditions, &mut requests, &recordable, &mut idle);
        Ok(Some(Self {
            path,
            compression: options.compression.unwrap_or(configuration.compression),
            flush: configuration.flush,
            split: configuration.split,
            keep: configuration.keep,
            reserve: configuration.reserve,
            checkpoint: configuration.snapshot,
            requests,
            only_watched,
            conditions,
            topics,
            debug: configuration.debug.clone(),
            images: images(robot, &recordable),
            idle,
        }))
    }
}

impl Recording {
    /// Returns the values of the robot that are to be observed.
    pub fn observation(&self) -> Observation {
        let topics = self.topics.clone();
        let observation = Observation::of(self.requests.clone())
            .with_topics_named(move |topic| topics.is_recorded(topic))
            .with_runs()
            .with_journal()
            .complete();
        let observation = match self.debug.is_empty() {
            true => observation,
            false => observation.with_debug(&self.debug),
        };
        match self.checkpoint {
            Some(period) => observation.with_checkpoints(period),
            None => observation,
        }
    }
}

/// Returns the representations that viewers draw as images.
fn images(robot: &Robot, recordable: &[String]) -> BTreeSet<String> {
    let is_image = |name: &&String| {
        robot.data_type(name).is_some_and(|data_type| MessageSchema::of(name, &data_type).name == IMAGE_TYPE)
    };
    recordable.iter().filter(is_image).cloned().collect()
}

/// The choice of topics to record: all, unless configured otherwise. Topics come and go while the
/// robot runs.
#[derive(Clone)]
pub struct TopicChoice {
    configuration: LogConfiguration,
    /// The choice on the command line.
    chosen: Vec<ValueRequest>,
}

impl TopicChoice {
    /// Returns whether messages of a topic are recorded.
    pub fn is_recorded(&self, topic: &str) -> bool {
        if !self.chosen.is_empty() {
            return self.chosen.iter().any(|chosen| chosen.representation == topic);
        }
        is_recorded(&self.configuration, topic)
    }

    /// Returns the maximum number of messages of a topic that are recorded per second, if that is
    /// limited.
    pub fn rate(&self, topic: &str) -> Option<f64> {
        let said = self.chosen.iter().find(|chosen| chosen.representation == topic).and_then(|chosen| chosen.rate);
        said.or_else(|| self.configuration.channels.get(topic)?.rate)
    }
}

fn is_recorded(configuration: &LogConfiguration, name: &str) -> bool {
    let LogConfiguration { only, channels, .. } = configuration;
    let is_chosen = only.is_empty() || only.iter().any(|chosen| chosen == name);
    is_chosen && channels.get(name).and_then(|channel| channel.enabled) != Some(false)
}

/// Returns the requested path, or the next free number in the folder. A replay, whose log exists
/// already, is recorded only on request.
fn path(options: &RecordingOptions, configuration: &LogConfiguration, name: &str) -> Option<PathBuf> {
    let folder = configuration.folder.as_ref().filter(|_| !options.ignores_folder);
    let numbered = |folder: &PathBuf| folder.join(format!("{name}-{}.mcap", next_number(folder, name)));
    options.path.clone().or_else(|| folder.map(numbered))
}

/// Returns one more than the highest number of a log of that name in the folder.
fn next_number(folder: &Path, name: &str) -> u64 {
    let files = folder.read_dir().into_iter().flatten().flatten();
    let numbers = files.filter_map(|file| {
        let file = file.file_name();
        let rest = file.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
    });
    numbers.max().unwrap_or(0) + 1
}

/// Returns the values of `recordable` that are observed, and the configured names that are not
/// among them.
fn requests(
    chosen: &[ValueRequest],
    configuration: &LogConfiguration,
    recordable: &[String],
) -> (Vec<ValueRequest>, Vec<String>) {
    let LogConfiguration { only, channels, .. } = configuration;
    let configured = |name: &String| ValueRequest {
        rate: channels.get(name).and_then(|channel| channel.rate),
        ..ValueRequest::all(name)
    };
    if !chosen.is_empty() {
        // Names on the command line are recorded, whatever is configured.
        let requests = chosen.iter().map(|request| ValueRequest {
            rate: request.rate.or(configured(&request.representation).rate),
            ..request.clone()
        });
        return (requests.collect(), Vec::new());
    }
    let requests = recordable.iter().filter(|name| is_recorded(configuration, name)).map(configured).collect();
    let mut idle: Vec<String> =
        only.iter().chain(channels.keys()).filter(|name| !recordable.contains(name)).cloned().collect();
    idle.sort();
    idle.dedup();
    (requests, idle)
}

/// Returns the conditions of what is recorded.
fn conditions<'n>(
    configuration: &LogConfiguration,
    recorded: impl Iterator<Item = &'n str>,
) -> BTreeMap<String, Condition> {
    let conditions = recorded.filter_map(|name| {
        let channel = configuration.channels.get(name)?;
        Some((name.to_owned(), channel.only_while.clone()?))
    });
    conditions.collect()
}

/// Moves the values to which conditions refer to the front, so that they are observed first in each
/// run. Returns those of them that were not requested.
fn watch(
    conditions: &BTreeMap<String, Condition>,
    requests: &mut Vec<ValueRequest>,
    recordable: &[String],
    idle: &mut Vec<String>,
) -> BTreeSet<String> {
    let comparisons = conditions.values().flat_map(|condition| condition.any.iter().flatten());
    let spoken_of: BTreeSet<_> = comparisons.map(|comparison| comparison.representation.clone()).collect();
    let (watched, gone): (BTreeSet<_>, BTreeSet<_>) = spoken_of.into_iter().partition(|name| recordable.contains(name));
    idle.extend(gone);
    let is_requested = |name: &String| requests.iter().any(|request| request.representation == *name);
    let only_watched: BTreeSet<_> = watched.iter().filter(|name| !is_requested(name)).cloned().collect();
    requests.extend(only_watched.iter().map(ValueRequest::all));
    requests.sort_by_key(|request| !watched.contains(&request.representation));
    only_watched
}

#[cfg(test)]
mod tests {
    use hemiola_model::Value;
    use hemiola_model::configuration::{Comparison, LogChannelConfiguration, Operator};

    use super::*;

    fn configuration(only: &[&str], channels: &[(&str, Option<bool>, Option<f64>)]) -> LogConfiguration {
        let channels = channels.iter().map(|&(name, enabled, rate)| {
            (name.to_owned(), LogChannelConfiguration { enabled, rate, only_while: None })
        });
        LogConfiguration {
            only: only.iter().map(|name| (*name).to_owned()).collect(),
            channels: channels.collect::<BTreeMap<_, _>>(),
            ..LogConfiguration::default()
        }
    }

    fn recorded(chosen: &[ValueRequest], configuration: &LogConfiguration) -> (Vec<ValueRequest>, Vec<String>) {
        requests(chosen, configuration, &["Ball", "Image", "Pose"].map(str::to_owned))
    }

    fn at(name: &str, rate: f64) -> ValueRequest {
        ValueRequest { rate: Some(rate), ..ValueRequest::all(name) }
    }

    #[test]
    fn everything_is_recorded_unless_something_else_is_said() {
        let everything = ["Ball", "Image", "Pose"].map(ValueRequest::all);
        assert_eq!(recorded(&[], &configuration(&[], &[])), (everything.to_vec(), vec![]));
        let thinned =
            configuration(&[], &[("Image", None, Some(2.0)), ("Pose", Some(false), None), ("Gone", None, None)]);
        assert_eq!(
            recorded(&[], &thinned),
            (vec![ValueRequest::all("Ball"), at("Image", 2.0)], vec!["Gone".to_owned()])
        );
        let few = configuration(&["Image", "Pose"], &[("Image", None, Some(2.0))]);
        assert_eq!(recorded(&[], &few).0, [at("Image", 2.0), ValueRequest::all("Pose")]);
    }

    #[test]
    fn the_command_line_has_the_last_word() {
        let configuration = configuration(&["Ball"], &[("Image", Some(false), Some(2.0))]);
        assert_eq!(recorded(&[ValueRequest::all("Image")], &configuration).0, [at("Image", 2.0)]);
        assert_eq!(recorded(&[at("Image", 9.0)], &configuration).0, [at("Image", 9.0)]);
    }

    #[test]
    fn what_a_condition_speaks_of_is_watched_and_comes_first() {
        let seen = Comparison {
            representation: "Pose".into(),
            field: vec!["x".into()],
            operator: Operator::Less,
            value: Value::Float(1.0),
        };
        let gone = Comparison { representation: "Gone".into(), ..seen.clone() };
        let conditions = BTreeMap::from([("Image".to_owned(), Condition { any: vec![vec![seen, gone]] })]);
        let watch = |requests: &[&str]| {
            let mut requests: Vec<_> = requests.iter().map(|name| ValueRequest::all(*name)).collect();
            let mut idle = Vec::new();
            let only_watched =
                watch(&conditions, &mut requests, &["Ball", "Image", "Pose"].map(str::to_owned), &mut idle);
            let names = requests.into_iter().map(|request| request.representation).collect::<Vec<_>>();
            (names.join(" "), only_watched.into_iter().collect::<Vec<_>>().join(" "), idle.join(" "))
        };
        let expected = |names: &str, only_watched: &str| (names.to_owned(), only_watched.to_owned(), "Gone".to_owned());
        assert_eq!(watch(&["Ball", "Image"]), expected("Pose Ball Image", "Pose"));
        assert_eq!(watch(&["Ball", "Image", "Pose"]), expected("Pose Ball Image", ""));
    }

    #[test]
    fn each_run_in_a_folder_gets_a_number_of_its_own() {
        let folder = std::env::temp_dir().join(format!("hemiola-recording-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        assert_eq!(next_number(&folder, "nao"), 1);
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["nao-9.mcap", "nao-10-004.mcap", "naomi-30.mcap", "nao-old.mcap"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(next_number(&folder, "nao"), 11);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
