//! The trace on which an answer rests, and the usual durations.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola_log::{Entry, LogReader};
use hemiola_model::configuration::{ChainConfiguration, Configuration, OutputConfiguration};
use hemiola_recording::names::PROFILE;
use hemiola_trace::causes::{Durations, History, RunSpan};
use hemiola_trace::perfetto::{Trace, Writer};
use hemiola_trace::{CycleId, Event, Pace, Profile, ProfileHistory, Ticks};
use hemiola_words::duration;

use super::Question;
use super::clock::RobotClock;
use crate::error::InsightError;
use crate::traces::Traces;

/// A trace of a robot, and its usual durations.
pub struct Evidence {
    pub(super) trace: Trace,
    pub(super) history: History,
    /// The time of its first event.
    pub(super) begin: Ticks,
    /// The robot's clock.
    pub(super) clock: RobotClock,
    /// The chains in the configuration.
    pub(super) chains: Vec<ChainConfiguration>,
    /// A description of where it was read.
    from: String,
    profile: Profile,
}

impl Evidence {
    /// Reads the trace or log that the question names, or the newest one that the robot has left.
    ///
    /// # Errors
    /// Returns an error if there is none, or if it cannot be read.
    pub fn find(question: &Question, configuration: Configuration, traces: &Traces) -> Result<Self, InsightError> {
        let Configuration { output, chains, .. } = &configuration;
        let (trace, from, is_simulated) = match (&question.log, &question.trace) {
            (Some(log), _) => of_log(log, question.subject.as_deref())?,
            (None, Some(path)) => (Trace::read(path)?, path.display().to_string(), false),
            (None, None) => {
                let path = newest(output, traces).ok_or_else(|| InsightError::NoTrace {
                    robot: traces.robot().to_owned(),
                    folder: traces.folder().to_owned(),
                })?;
                (Trace::read(&path)?, path.display().to_string(), false)
            }
        };
        let profile = match output.profile.as_ref().filter(|path| path.exists()) {
            Some(path) => {
                let history = ProfileHistory::load(path)?;
                history.last_conditions().map(|last| history.known(last).profile).unwrap_or_default()
            }
            None => Profile::default(),
        };
        let clock = RobotClock::of(&trace.capture, is_simulated);
        Ok(Self::of((trace, clock), from, chains.clone(), profile))
    }

    fn of(
        (trace, clock): (Trace, RobotClock),
        from: String,
        chains: Vec<ChainConfiguration>,
        profile: Profile,
    ) -> Self {
        let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
        let events = trace.capture.workers().flat_map(|(_, events)| events);
        let begin = events.map(Event::at).min().unwrap_or_default();
        Self { trace, history, begin, clock, chains, from, profile }
    }

    /// Collects the events that a running robot still holds of the last seconds.
    ///
    /// # Errors
    /// Returns an error if they cannot be converted to a trace, which is a bug in Hemiola.
    pub fn of_running(
        Trace { capture, catalog, scale }: Trace,
        configuration: Configuration,
        profile: Profile,
    ) -> Result<Self, InsightError> {
        // Ticks of a trace are nanoseconds; those of a running robot are counts of its processor.
        const FROM: &str = "the running robot";
        let mut writer = Writer::new(Vec::new(), FROM, catalog, scale)?;
        for (worker, events) in capture.workers() {
            writer.append(worker, events)?;
        }
        let trace = Trace::decode(&writer.finish()?, FROM)?;
        let clock = RobotClock::of(&trace.capture, false);
        Ok(Self::of((trace, clock), FROM.to_owned(), configuration.chains, profile))
    }

    /// Returns whether the robot's clock was as fast as that of the machine.
    pub(super) fn is_in_real_time(&self) -> bool {
        self.clock.is_real()
    }

    /// Returns a description of where the evidence was read.
    pub(super) fn from(&self) -> &str {
        &self.from
    }

    /// Returns the heading of an answer: where the evidence comes from.
    pub(super) fn heading(&self) -> String {
        format!("{}\n", self.from)
    }

    pub(super) fn cycle(&self, name: &str) -> Option<CycleId> {
        let names = self.trace.catalog.read();
        names.cycles().find(|(_, cycle)| cycle.name == name).map(|(id, _)| id)
    }

    /// Returns the usual durations, from all other runs in the trace, or from earlier ones.
    pub(super) fn durations(&self, without: (CycleId, u32)) -> Durations {
        let Trace { capture, catalog, scale } = &self.trace;
        Durations::of(capture, catalog, scale, without).or(Durations::of_profile(&self.profile, catalog))
    }

    /// Returns the deadline of a cycle, if it has one and ran in real time.
    pub(super) fn deadline(&self, cycle: CycleId) -> Option<Duration> {
        self.trace.catalog.read().cycle(cycle)?.deadline.filter(|_| self.is_in_real_time())
    }

    /// Returns the time by which a run missed its deadline, if it did. Deadlines are in real time.
    pub(super) fn lateness(&self, cycle: CycleId, run: &RunSpan) -> Option<Duration> {
        let deadline = self.deadline(cycle)?;
        Duration::from_nanos(run.response_ticks()).checked_sub(deadline).filter(|late| !late.is_zero())
    }

    /// Formats a duration. Ticks of a trace are nanoseconds.
    pub(super) fn duration(&self, ticks: u64) -> String {
        duration(Duration::from_nanos(ticks))
    }

    /// Returns the ticks at which the robot's clock, or the trace, showed that time.
    pub(super) fn at(&self, time: Duration) -> Ticks {
        self.clock.at(time, self.begin)
    }

    /// Writes a trace of that span of time, with a little before and after it, for Perfetto.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write_slice(&self, path: &Path, (begin, end): (Ticks, Ticks)) -> Result<(), InsightError> {
        let Trace { capture, catalog, scale } = &self.trace;
        let part = capture.around(begin, end, scale.ticks_in(AROUND));
        Ok(part.write_perfetto(path, catalog, scale)?)
    }
}

const AROUND: Duration = Duration::from_millis(5);

/// Returns the configured trace, or the one with the highest number.
fn newest(output: &OutputConfiguration, traces: &Traces) -> Option<PathBuf> {
    match &output.trace {
        Some(path) => path.exists().then(|| path.clone()),
        None => traces.newest(),
    }
}

/// Returns the trace of a cycle's worst run in a log; if the subject is not a cycle, the trace with
/// the longest run of all. Also returns whether the log is known not to be in real time.
fn of_log(path: &Path, subject: Option<&str>) -> Result<(Trace, String, bool), InsightError> {
    let mut log = LogReader::open(path)?.for_attachments();
    let mut attachments = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Attachment(attachment) = entry? {
            attachments.push(attachment);
        }
    }
    let cycle_of =
        |name: &str| name.strip_prefix("worst/").and_then(|name| name.strip_suffix(".pftrace")).map(str::to_owned);
    let (mut traces, mut is_simulated) = (Vec::new(), false);
    for attachment in &attachments {
        if attachment.name == PROFILE {
            let mut text = Vec::new();
            log.read_attachment(attachment, &mut text)?;
            is_simulated = is_of_simulation(&text);
        }
        let Some(cycle) = cycle_of(&attachment.name) else { continue };
        let mut bytes = Vec::new();
        log.read_attachment(attachment, &mut bytes)?;
        let from = format!("{} in {}", attachment.name, path.display());
        traces.push((cycle, Trace::decode(&bytes, &from)?, from));
    }
    if let Some(index) = traces.iter().position(|(cycle, ..)| Some(cycle.as_str()) == subject) {
        let (_, trace, from) = traces.swap_remove(index);
        return Ok((trace, from, is_simulated));
    }
    let length = |trace: &Trace| {
        let longest = trace.capture.longest_runs();
        longest.values().map(hemiola_trace::LongRun::ticks).max().unwrap_or(0)
    };
    let longest = traces.into_iter().max_by_key(|(_, trace, _)| length(trace));
    let (_, trace, from) = longest.ok_or_else(|| InsightError::WithoutWorstRuns { log: path.to_owned() })?;
    Ok((trace, from, is_simulated))
}

/// Returns whether the profile in a log was measured at another pace than real time. The conditions
/// of a log that was begun while the robot ran are not known.
fn is_of_simulation(profile: &[u8]) -> bool {
    let history = ProfileHistory::from_json(profile).ok();
    let conditions = history.as_ref().and_then(ProfileHistory::last_conditions);
    conditions.is_some_and(|known| known.pace != Pace::RealTime && !known.build.is_empty())
}
