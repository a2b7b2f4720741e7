//! A log in the place of the sources that it was recorded from: `run --replay`.
//!
//! | file | what |
//! |---|---|
//! | `log` | what a log is about, and how its robot ran |
//! | `part` | a representation of a source, and how it is made from what the log has |
//! | `feed` | the samples of a source, from a log |

mod feed;
mod log;
mod part;

use std::collections::BTreeMap;
use std::path::Path;

use hemiola_model::configuration::ReplayMapping;
use hemiola_runtime::Robot;

use crate::error::CommandError;
use crate::recorder::topic;
use feed::LogFeed;
use part::Part;

pub use log::ReplayLog;

/// A robot whose sources a recording stands in for, and whose runs are those of the recording, if that is possible.
pub struct Replay {
    pub robot: Robot,
    pub course: Course,
    /// What is not as it was recorded.
    pub warnings: Vec<String>,
}

/// What decides which run comes when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// The recording: each run begins with what it began with there.
    AsRecorded,
    /// The times at which cycles are due; here is why.
    DueTimes(String),
}

impl Replay {
    /// Feeds every source from the log that the log has all of; the runs are those of the log, if that is possible.
    ///
    /// # Errors
    /// The log cannot be read, has no source of this robot, or has only a part of one; a mapping does not fit.
    pub fn of(robot: Robot, path: &Path, recording: &ReplayLog) -> Result<Self, CommandError> {
        let Fed { robot, warnings, foreign } = Fed::of(robot, path, recording)?;
        let fits = recording.transcript().and_then(|transcript| {
            let partial = robot.samples().into_iter().find(|(source, representations)| {
                representations.iter().any(|representation| recording.is_partial(&topic(source, representation.name())))
            });
            match (foreign, partial, robot.fits(transcript)) {
                (Some(foreign), ..) => Err(foreign),
                (None, Some((source, _)), _) => Err(format!("not all samples of source `{source}` were recorded")),
                (None, None, Err(error)) => Err(error.to_string()),
                (None, None, Ok(())) => Ok(transcript.clone()),
            }
        });
        Ok(match fits {
            Ok(transcript) => Self { robot: robot.following(transcript)?, course: Course::AsRecorded, warnings },
            Err(reason) => Self { robot, course: Course::DueTimes(reason), warnings },
        })
    }
}

/// A robot whose sources a recording stands in for; runs come when they are due.
struct Fed {
    robot: Robot,
    /// What is not as it was recorded.
    warnings: Vec<String>,
    /// Why its runs are not those of the log, if they cannot be.
    foreign: Option<String>,
}

impl Fed {
    /// Feeds every source from the log that the log has all of.
    ///
    /// # Errors
    /// The log cannot be read, has no source of this robot, or has only a part of one; a mapping does not fit.
    fn of(mut robot: Robot, path: &Path, recording: &ReplayLog) -> Result<Self, CommandError> {
        let mappings = robot.configuration().replay.clone();
        let (mut warnings, mut foreign, mut fed) = (Vec::new(), None, 0);
        for (source, representations) in robot.samples() {
            let wanted = representations.iter().map(|&descriptor| {
                let mapping = mappings.get(descriptor.name());
                (descriptor, mapping, mapped_topic(mapping, source, descriptor.name()))
            });
            let (there, missing): (Vec<_>, Vec<_>) = wanted.partition(|(.., topic)| recording.has(topic));
            match (there.as_slice(), missing.as_slice()) {
                ([], _) => {}
                (_, []) => {
                    let mut parts = Vec::new();
                    for (descriptor, mapping, topic) in there {
                        let mut part = Part::new(source, descriptor, topic, mapping.cloned())?;
                        for channel in recording.channels(part.topic()) {
                            warnings.extend(part.examine(channel).map_err(|problem| unfit(path, &problem))?);
                        }
                        if part.is_mapped() {
                            foreign = Some(format!("{} comes from another robot's log", part.descriptor().name()));
                        }
                        parts.push(part);
                    }
                    robot = robot.fed(source, Box::new(LogFeed::open(path, recording.origin(), parts)?))?;
                    fed += 1;
                }
                (_, missing) => {
                    let missing: Vec<_> = missing.iter().map(|(.., topic)| topic.as_str()).collect();
                    return Err(CommandError::Usage(format!(
                        "{} has a part of what source `{source}` provides, and lacks {}: record them as well, say in `[replay.*]` of the \
                         configuration where they are, or disable the source",
                        path.display(),
                        missing.join(", ")
                    )));
                }
            }
        }
        match fed {
            0 => Err(nothing(path, recording, &mappings)),
            _ => Ok(Self { robot, warnings, foreign }),
        }
    }
}

fn mapped_topic(mapping: Option<&ReplayMapping>, source: &str, representation: &str) -> String {
    mapping.map_or_else(|| topic(source, representation), |mapping| mapping.topic.clone())
}

fn unfit(path: &Path, problem: &str) -> CommandError {
    CommandError::Usage(format!("{}: {problem}", path.display()))
}

fn nothing(path: &Path, recording: &ReplayLog, mappings: &BTreeMap<String, ReplayMapping>) -> CommandError {
    let known: Vec<_> = recording.topics().collect();
    let advice = match mappings.is_empty() {
        true => "; if it was recorded by another robot, `[replay.*]` of the configuration says what is where",
        false => "",
    };
    CommandError::Usage(format!(
        "{} has nothing that a source of this robot provides{advice}; it has: {}",
        path.display(),
        known.join(", ")
    ))
}
