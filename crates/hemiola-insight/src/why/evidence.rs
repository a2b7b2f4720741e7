//! The trace on which an answer rests, and the usual durations.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola_log::{Entry, LogReader};
use hemiola_model::configuration::{ChainConfiguration, Configuration, OutputConfiguration};
use hemiola_trace::causes::{Durations, History, RunSpan};
use hemiola_trace::perfetto::{Trace, Writer};
use hemiola_trace::{CycleId, Event, Profile, ProfileHistory, Ticks};
use hemiola_words::duration;

use super::Question;
use crate::error::InsightError;
use crate::traces::Traces;

/// A trace of a robot, and its usual durations.
pub struct Evidence {
    pub(super) trace: Trace,
    pub(super) history: History,
    /// The time of its first event.
    pub(super) begin: Ticks,
    /// The time at which the robot's clock showed zero, if an output shows it.
    pub(super) clock_zero: Option<u64>,
    /// The chains in the configuration.
    pub(super) chains: Vec<ChainConfiguration>,
    /// The difference by which the robot's clock and the machine's drifted apart, in nanoseconds.
    drift: u64,
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
        let (trace, from) = match (&question.log, &question.trace) {
            (Some(log), _) => of_log(log, question.subject.as_deref())?,
            (None, Some(path)) => (Trace::read(path)?, path.display().to_string()),
            (None, None) => {
                let path = newest(output, traces).ok_or_else(|| InsightError::NoTrace {
                    robot: traces.robot().to_owned(),
                    folder: traces.folder().to_owned(),
                })?;
                (Trace::read(&path)?, path.display().to_string())
            }
        };
        let profile = match output.profile.as_ref().filter(|path| path.exists()) {
            Some(path) => {
                let history = ProfileHistory::load(path)?;
                history.last_conditions().map(|last| history.known(last).profile).unwrap_or_default()
            }
            None => Profile::default(),
        };
        Ok(Self::of(trace, from, chains.clone(), profile))
    }

    fn of(trace: Trace, from: String, chains: Vec<ChainConfiguration>, profile: Profile) -> Self {
        let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
        let events = || trace.capture.workers().flat_map(|(_, events)| events);
        let begin = events().map(Event::at).min().unwrap_or_default();
        let zeros = events().filter_map(|event| match *event {
            Event::Arrival { at, newest, newest_age, .. } => {
                at.0.checked_sub(newest.0.saturating_add(newest_age.nanoseconds()))
            }
            _ => None,
        });
        let (first, last) = zeros.fold((u64::MAX, 0), |(first, last), zero| (first.min(zero), last.max(zero)));
        let clock_zero = (first <= last).then_some(first);
        let drift = last.saturating_sub(first);
        Self { trace, history, begin, clock_zero, chains, drift, from, profile }
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
        Ok(Self::of(trace, FROM.to_owned(), configuration.chains, profile))
    }

    /// Returns whether the robot's clock was as fast as that of the machine.
    pub(super) fn is_in_real_time(&self) -> bool {
        Duration::from_nanos(self.drift) < MOST_DRIFT
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

    /// Returns the time by which a run missed its deadline, if it did.
    pub(super) fn lateness(&self, cycle: CycleId, run: &RunSpan) -> Option<Duration> {
        let deadline = self.trace.catalog.read().cycle(cycle)?.deadline?;
        Duration::from_nanos(run.response_ticks()).checked_sub(deadline).filter(|late| !late.is_zero())
    }

    /// Formats a duration. Ticks of a trace are nanoseconds.
    pub(super) fn duration(&self, ticks: u64) -> String {
        duration(Duration::from_nanos(ticks))
    }

    /// Returns the ticks at which the robot's clock, or the trace, showed that time.
    pub(super) fn at(&self, time: Duration) -> Ticks {
        let zero = self.clock_zero.unwrap_or(self.begin.0);
        Ticks(zero.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
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

/// The largest drift in real time: between an output and reading the clock the thread may have been
/// preempted.
const MOST_DRIFT: Duration = Duration::from_millis(100);
const AROUND: Duration = Duration::from_millis(5);

/// Returns the configured trace, or the one with the highest number.
fn newest(output: &OutputConfiguration, traces: &Traces) -> Option<PathBuf> {
    match &output.trace {
        Some(path) => path.exists().then(|| path.clone()),
        None => traces.newest(),
    }
}

/// Returns the trace of a cycle's worst run in a log; if the subject is not a cycle, the trace with
/// the longest run of all.
fn of_log(path: &Path, subject: Option<&str>) -> Result<(Trace, String), InsightError> {
    let mut log = LogReader::open(path)?.for_attachments();
    let mut attachments = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Attachment(attachment) = entry? {
            attachments.push(attachment);
        }
    }
    let cycle_of =
        |name: &str| name.strip_prefix("worst/").and_then(|name| name.strip_suffix(".pftrace")).map(str::to_owned);
    let mut traces = Vec::new();
    for attachment in &attachments {
        let Some(cycle) = cycle_of(&attachment.name) else { continue };
        let mut bytes = Vec::new();
        log.read_attachment(attachment, &mut bytes)?;
        let from = format!("{} in {}", attachment.name, path.display());
        traces.push((cycle, Trace::decode(&bytes, &from)?, from));
    }
    if let Some(index) = traces.iter().position(|(cycle, ..)| Some(cycle.as_str()) == subject) {
        let (_, trace, from) = traces.swap_remove(index);
        return Ok((trace, from));
    }
    let length = |trace: &Trace| {
        let longest = trace.capture.longest_runs();
        longest.values().map(hemiola_trace::LongRun::ticks).max().unwrap_or(0)
    };
    let longest = traces.into_iter().max_by_key(|(_, trace, _)| length(trace)).map(|(_, trace, from)| (trace, from));
    longest.ok_or_else(|| InsightError::WithoutWorstRuns { log: path.to_owned() })
}
