//! The replay of a log in place of the sources from which it was recorded, as `run --replay` does
//! it, for programs that do so themselves.
//!
//! ```no_run
//! # fn show(robot: hemiola_runtime::Robot) -> Result<(), hemiola_recording::RecordingError> {
//! use hemiola_recording::replay::{Beginning, Replay, ReplayLog};
//! use hemiola_runtime::Tempo;
//!
//! let log = ReplayLog::read("game.mcap".as_ref())?;
//! let replay = Replay::of(robot, &log, Beginning::OfLog, &["BallPercept".to_owned()])?; // the rest is computed anew
//! let player = replay.robot.into_player(Tempo::Factor(0.5))?;
//! player.transport().resume();
//! player.wait();
//! # Ok(())
//! # }
//! ```
//!
//! | file | what |
//! |---|---|
//! | `log` | the contents of a log, and how its robot ran |
//! | `part` | a representation of a source or cycle, and how its values are read from the log |
//! | `feed` | the samples of a source, from a log |
//! | `messages` | messages that no cycle has published |
//! | `take` | values of a representation that are not computed |
//! | `remarks` | findings on the way |

mod feed;
mod log;
mod messages;
mod part;
mod remarks;
mod take;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hemiola_log::LogTime;
use hemiola_model::Time;
use hemiola_model::configuration::ReplayMapping;
use hemiola_runtime::{Carried, Course, Provider, RecordedMessages, Robot};

use crate::checkpoints::Resumed;
use crate::error::RecordingError;
use crate::names::topic;
use crate::senders::senders_of;
use feed::LogFeed;
use messages::LogMessages;
use part::Part;
use take::{LogValues, Matching};

pub use log::ReplayLog;
pub use remarks::Remarks;

/// A robot whose sources are replaced by a recording, and whose runs are those of the recording, if
/// possible. See [the module](self).
pub struct Replay {
    /// The robot, which can be stepped or [played](Robot::into_player).
    pub robot: Robot,
    /// The degree to which the replay follows its recording: what decides about the order of the
    /// runs.
    pub fidelity: Fidelity,
    /// The checkpoint from which the replay continues; `None` if it begins at the beginning.
    pub resumed: Option<Resumed>,
    /// The differences from the recorded robot.
    pub warnings: Vec<String>,
    /// The findings on the way.
    pub remarks: Remarks,
}

/// The point at which a replay begins.
///
/// See [`Replay::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The beginning of the log or, if the log does not begin with the robot's first run, its first
    /// checkpoint.
    OfLog,
    /// The last checkpoint that is not later than this time; the robot must be stepped from there
    /// on.
    Before(Time),
}

/// The degree to which a replay follows its recording: what decides about the order of the runs.
///
/// ```
/// use hemiola_recording::replay::{Fidelity, Replay};
///
/// fn describe(replay: &Replay) -> String {
///     match &replay.fidelity {
///         Fidelity::AsRecorded => "the same runs as then".to_owned(),
///         Fidelity::DueTimes(reason) => format!("other runs than then: {reason}"),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub enum Fidelity {
    /// The recording decides: each run begins with the inputs that it had there.
    AsRecorded,
    /// The times decide at which cycles are due, for this reason.
    DueTimes(Arc<RecordingError>),
}

impl Replay {
    /// Feeds every source whose representations the log contains, as far as modules read them, and
    /// takes the given representations of cycles from the log as well. The runs are those of the
    /// log, if possible.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, has no source of this robot, or has only some of
    /// the representations of a source that modules read; if a mapping does not fit; or if a
    /// representation cannot be taken from it.
    pub fn of(
        robot: Robot,
        recording: &ReplayLog,
        beginning: Beginning,
        take: &[String],
    ) -> Result<Self, RecordingError> {
        let remarks = Remarks::default();
        let (resumed, refusal) = match resume(&robot, recording, beginning) {
            Ok(resumed) => (resumed, None),
            Err(refusal) => (None, Some(refusal)),
        };
        let script = recording.script().map(|script| match &resumed {
            Some(resumed) => script.since(&resumed.parts),
            None => script.clone(),
        });
        let since = resumed.as_ref().zip(script.as_ref().ok());
        let since = since.map(|(resumed, script)| (resumed.time, script.first_samples()));
        let Fed { course: fed, mut warnings, foreign, is_endless } = Fed::since(&robot, recording, &remarks, since)?;
        warnings.extend(refusal.map(|refusal| format!("the replay begins where the log does: {refusal}")));
        let partial = robot.samples().into_iter().find(|(source, representations)| {
            representations.iter().any(|representation| recording.is_partial(&topic(source, representation.name())))
        });
        let fits = match (foreign, partial) {
            (Some(foreign), _) => Err(Arc::new(foreign)),
            (None, Some((source, _))) => {
                Err(Arc::new(RecordingError::PartialSource { source_name: source.to_owned() }))
            }
            (None, None) => script,
        };
        let mut course = fed;
        let fits = fits.and_then(|script| {
            let carried = script.carried();
            course = std::mem::take(&mut course).repeating(script);
            robot.can_follow(&course).map_err(RecordingError::from)?;
            let since = resumed.as_ref().map(|resumed| earlier(resumed.time));
            let carried = carried_messages(&robot, recording, carried, since, &remarks)?;
            let all = std::mem::take(&mut course);
            course = carried.into_iter().fold(all, |course, (topic, messages)| course.carrying(&*topic, messages));
            Ok(())
        });
        let (mut course, fidelity, matching, resumed) = match fits {
            Ok(()) => (course, Fidelity::AsRecorded, Matching::OfSameRun, resumed),
            Err(reason) => {
                let course = match resumed {
                    // In this case all samples from the beginning are needed.
                    Some(_) => Fed::since(&robot, recording, &remarks, None)?.course,
                    None => course.as_due(),
                };
                // A robot that only has timers would not end by itself.
                let course = if is_endless { course.until(recording.end()) } else { course };
                (course, Fidelity::DueTimes(reason), Matching::Newest, None)
            }
        };
        warnings.extend(resumed.iter().flat_map(|resumed| resumed.changes.clone()));
        for name in take {
            let (part, remark) = taken_part(&robot, name, recording, take, &remarks)?;
            warnings.extend(remark);
            let values = LogValues::open(recording.split(), recording.origin(), part, matching, remarks.clone())?;
            course = course.taking(name, Box::new(values));
        }
        Ok(Self { robot: robot.following(course)?, fidelity, resumed, warnings, remarks })
    }
}

/// Returns the checkpoint from which a replay continues, if it does not begin at the beginning.
///
/// # Errors
/// Returns the reason if it cannot begin at the requested point.
fn resume(robot: &Robot, recording: &ReplayLog, beginning: Beginning) -> Result<Option<Resumed>, RecordingError> {
    let Ok(script) = recording.script() else { return Ok(None) };
    let has_beginning = !script.runs().is_empty();
    let time = match beginning {
        Beginning::OfLog if has_beginning => return Ok(None),
        Beginning::OfLog => None,
        Beginning::Before(time) => Some(time),
    };
    let checkpoints = recording.checkpoints();
    let found = checkpoints.parts(recording.split(), robot, time)?;
    if found.is_some() {
        return Ok(found);
    }
    if !has_beginning {
        // This is later than requested, but the earliest possible.
        return checkpoints.parts(recording.split(), robot, None);
    }
    match checkpoints.refusal(time) {
        Some(refusal) => Err(RecordingError::NoUsableCheckpoint(refusal)),
        None if checkpoints.is_empty() => Err(RecordingError::NoCheckpoint),
        // The requested time is before the first checkpoint.
        None => Ok(None),
    }
}

/// The messages of a topic that no cycle published.
type OfTopic = (Arc<str>, Box<dyn RecordedMessages>);

/// Returns the messages that no cycle published and runs received, by topic, as far as the log has
/// them.
fn carried_messages(
    robot: &Robot,
    recording: &ReplayLog,
    carried: Carried,
    since: Option<LogTime>,
    remarks: &Remarks,
) -> Result<Vec<OfTopic>, RecordingError> {
    let mut all: Vec<OfTopic> = Vec::new();
    for (name, wanted) in carried {
        let place = topic("topic", &name);
        let Some(message) = robot.message(&name).filter(|_| recording.has(&senders_of(&place))) else { continue };
        let mut part = Part::new("topic", message, place, None, remarks.clone())?;
        for channel in recording.channels(part.topic()) {
            part.examine(channel).map_err(|problem| unfit(recording.split().first(), problem))?;
        }
        let messages = LogMessages::open(recording.split(), part, wanted, since)?;
        all.push((name, Box::new(messages)));
    }
    Ok(all)
}

/// Creates the part for a representation of a cycle that is taken from the log. Returns remarks
/// about it, too.
fn taken_part(
    robot: &Robot,
    name: &str,
    recording: &ReplayLog,
    take: &[String],
    remarks: &Remarks,
) -> Result<(Part, Vec<String>), RecordingError> {
    let path = recording.split().first();
    if let Some((source, _)) =
        robot.samples().into_iter().find(|(_, provided)| provided.iter().any(|provided| provided.name() == name))
    {
        return Err(RecordingError::TakenFromSource {
            representation: name.to_owned(),
            source_name: source.to_owned(),
        });
    }
    let Some(Provider { cycle, update, others, descriptor }) = robot.provider(name) else {
        let known = robot.resolved().cycles.iter().flat_map(|cycle| cycle.providers.keys().map(String::as_str));
        let known = known.map(str::to_owned).collect();
        return Err(RecordingError::UnknownRepresentation { name: name.to_owned(), known });
    };
    let wanted = topic(&cycle, name);
    if !recording.has(&wanted) {
        let of_cycle = topic(&cycle, "");
        let there = recording.topics().filter_map(|topic| topic.strip_prefix(&of_cycle)).map(str::to_owned);
        return Err(RecordingError::NotInLog {
            representation: name.to_owned(),
            topic: wanted,
            log: path.to_owned(),
            there: there.collect(),
            cycle,
        });
    }
    let mut part = Part::new(&cycle, descriptor, wanted, None, remarks.clone())?;
    let mut told = Vec::new();
    for channel in recording.channels(part.topic()) {
        told.extend(part.examine(channel).map_err(|problem| unfit(path, problem))?);
    }
    let computed: Vec<_> = others.iter().filter(|other| !take.contains(other)).map(String::as_str).collect();
    if !computed.is_empty() {
        let computed = computed.join(", ");
        told.push(format!("{update} provides {computed}, too, so it is called; its {name} is not used"));
    }
    Ok((part, told))
}

/// The feeds that replace the sources of a robot; runs come when they are due.
struct Fed {
    course: Course,
    /// The differences from the recorded robot.
    warnings: Vec<String>,
    /// The reason why the runs cannot be those of the log, if there is one.
    foreign: Option<RecordingError>,
    /// Set if there is no source whose end would be that of the robot.
    is_endless: bool,
}

impl Fed {
    /// Feeds every source whose representations the log contains, as far as modules read them.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, has no source of this robot, or has only some of
    /// the representations of a source that modules read; or if a mapping does not fit.
    ///
    /// A robot that continues from a checkpoint needs the samples of each source from a number on.
    fn since(
        robot: &Robot,
        recording: &ReplayLog,
        remarks: &Remarks,
        since: Option<(Time, BTreeMap<Arc<str>, u32>)>,
    ) -> Result<Self, RecordingError> {
        let path = recording.split().first();
        let mappings = robot.configuration().replay.mappings.clone();
        let (mut warnings, mut foreign, mut fed, mut course) = (Vec::new(), None, 0, Course::default());
        for (source, representations) in robot.samples() {
            let wanted = representations.iter().map(|&descriptor| {
                let mapping = mappings.get(descriptor.name());
                (descriptor, mapping, mapped_topic(mapping, source, descriptor.name()))
            });
            let (there, missing): (Vec<_>, Vec<_>) = wanted.partition(|(.., topic)| recording.has(topic));
            let (missing, unread): (Vec<_>, Vec<_>) =
                missing.into_iter().partition(|(descriptor, ..)| robot.reads(descriptor.name()));
            if let (false, [], [_, ..]) = (there.is_empty(), missing.as_slice(), unread.as_slice()) {
                let names: Vec<_> = unread.iter().map(|(descriptor, ..)| descriptor.name()).collect();
                let names = names.join(", ");
                warnings.push(format!("the log lacks {names} of {source}, which no module reads: the default is used"));
            }
            match (there.as_slice(), missing.as_slice()) {
                ([], _) => {}
                (_, []) => {
                    let mut parts = Vec::new();
                    for (descriptor, mapping, topic) in there {
                        let mut part = Part::new(source, descriptor, topic, mapping.cloned(), remarks.clone())?;
                        for channel in recording.channels(part.topic()) {
                            warnings.extend(part.examine(channel).map_err(|problem| unfit(path, problem))?);
                        }
                        if part.is_mapped() {
                            let representation = part.descriptor().name().to_owned();
                            foreign = Some(RecordingError::Foreign { representation });
                        }
                        parts.push(part);
                    }
                    let first = since.as_ref().and_then(|(time, first)| Some((*first.get(source)?, earlier(*time))));
                    let feed = match first {
                        Some(since) => LogFeed::open_since(recording.split(), recording.origin(), parts, since)?,
                        None => LogFeed::open(recording.split(), recording.origin(), parts)?,
                    };
                    let is_fed = robot.fed_sources().contains(&source);
                    let feed = if is_fed { feed.of_fed_source() } else { feed };
                    course = course.feeding(source, Box::new(feed));
                    fed += 1;
                }
                (_, missing) => {
                    return Err(RecordingError::IncompleteSource {
                        log: path.to_owned(),
                        source_name: source.to_owned(),
                        missing: missing.iter().map(|(.., topic)| topic.clone()).collect(),
                    });
                }
            }
        }
        // The runs of a robot without sources can be replayed from the transcript alone, and a link
        // over which nothing came has left nothing in the log.
        let is_endless = fed == 0;
        if is_endless && robot.samples().len() > robot.fed_sources().len() {
            return Err(nothing(path, recording, &mappings));
        }
        Ok(Self { course, warnings, foreign, is_endless })
    }
}

/// The age that samples rarely exceed when a run receives them.
const OLD: Duration = Duration::from_secs(2);

fn earlier(time: Time) -> LogTime {
    LogTime::from_nanoseconds(u64::try_from((time - OLD).nanoseconds()).unwrap_or(0))
}

fn mapped_topic(mapping: Option<&ReplayMapping>, source: &str, representation: &str) -> String {
    mapping.map_or_else(|| topic(source, representation), |mapping| mapping.topic.clone())
}

fn unfit(path: &Path, problem: RecordingError) -> RecordingError {
    RecordingError::Unfit { log: path.to_owned(), problem: Box::new(problem) }
}

fn nothing(path: &Path, recording: &ReplayLog, mappings: &BTreeMap<String, ReplayMapping>) -> RecordingError {
    RecordingError::NothingToReplay {
        log: path.to_owned(),
        topics: recording.topics().map(str::to_owned).collect(),
        has_mappings: !mappings.is_empty(),
    }
}
