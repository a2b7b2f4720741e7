//! The figures with names, as tables and JSON show them.

use super::{CallbackStatistics, ChainStatistics, CycleStatistics, Statistics, TaskStatistics};
use crate::{catalog::CatalogGuard, distribution::Summary, error::Error, ids::CycleId};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};

/// The figures of [`Statistics`] at one moment. Durations are in nanoseconds.
///
/// ```
/// use hemiola_trace::{Catalog, Report, Statistics, TickScale};
///
/// let mut statistics = Statistics::new(Catalog::new("robot"), TickScale::nanoseconds_per_tick_one());
/// statistics.lost(3);
/// let json = statistics.report().to_json();
/// let read: Report = serde_json::from_str(&json)?;
/// assert_eq!(read.lost_events, 3); // the figures lack them
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The cycles, the highest priority first.
    pub cycles: Vec<CycleReport>,
    /// The chains by source and output.
    pub chains: Vec<ChainReport>,
    /// The callbacks by executor and name.
    #[serde(default)]
    pub callbacks: Vec<CallbackReport>,
    /// The sources by name.
    #[serde(default)]
    pub sources: Vec<SourceReport>,
    /// The number of events that were overwritten before they were read; the figures lack them.
    pub lost_events: u64,
}

impl Report {
    pub(super) fn of(statistics: &Statistics) -> Self {
        let names = statistics.catalog.read();
        let mut tasks: BTreeMap<CycleId, Vec<TaskReport>> = BTreeMap::new();
        for (&id, task) in &statistics.tasks {
            if let Some(entry) = names.task(id) {
                tasks.entry(entry.cycle).or_default().push(TaskReport::of(task, names.task_name(id), &names));
            }
        }
        let mut cycles: Vec<_> = statistics.cycles.iter().collect();
        cycles.sort_by_key(|&(&id, _)| (std::cmp::Reverse(names.cycle(id).map(|cycle| cycle.priority)), id));
        let cycles = cycles
            .into_iter()
            .map(|(&id, cycle)| CycleReport::of(id, cycle, tasks.remove(&id).unwrap_or_default(), &names))
            .collect();
        let chains = statistics
            .chains
            .iter()
            .map(|(&(source, output), chain)| ChainReport {
                source: names.source_name(source),
                cycle: names.cycle_of(output),
                output: names.task_name(output),
                ..ChainReport::of(chain)
            })
            .collect();
        let mut callbacks: Vec<_> = statistics
            .callbacks
            .iter()
            .filter_map(|(&id, callback)| {
                let entry = names.callback(id)?;
                Some(CallbackReport {
                    executor: names.worker_name(entry.executor),
                    name: entry.name.clone(),
                    ..CallbackReport::of(callback)
                })
            })
            .collect();
        callbacks.sort_by(|a, b| (&a.executor, &a.name).cmp(&(&b.executor, &b.name)));
        let sources = statistics.samples.iter();
        let mut sources: Vec<_> = sources
            .map(|(&id, samples)| SourceReport { name: names.source_name(id), execution: samples.all.summary() })
            .collect();
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        Self { cycles, chains, callbacks, sources, lost_events: statistics.lost_events }
    }

    /// Returns the report as JSON with line breaks.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers, strings and string keys always serialise")
    }

    /// Writes the report as JSON.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        std::fs::write(path, self.to_json()).map_err(|source| Error::Write {
            what: "report",
            path: path.to_owned(),
            source,
        })
    }
}

/// The figures of a cycle.
///
/// ```
/// use hemiola_trace::Report;
/// # use hemiola_trace::CycleReport;
///
/// // What `run --statistics FILE` has written: which cycles missed deadlines?
/// # let cycle = |name: &str, missed_deadlines| CycleReport { name: name.into(), missed_deadlines, ..CycleReport::default() };
/// # let file = Report { cycles: vec![cycle("motion", 0), cycle("cognition", 2)], ..Report::default() }.to_json();
/// let report: Report = serde_json::from_str(&file)?;
/// let late: Vec<_> = report.cycles.iter().filter(|cycle| cycle.missed_deadlines > 0).collect();
/// assert_eq!((late.len(), late[0].name.as_str()), (1, "cognition"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CycleReport {
    /// The name of the cycle.
    pub name: String,
    /// The time after its trigger within which a run must end.
    pub deadline: Option<u64>,
    /// The time between its triggers.
    pub period: Option<u64>,
    /// The cycle time: from begin to end of a run.
    pub execution: Summary,
    /// The response time: from trigger to end of a run.
    pub response: Summary,
    /// The release jitter: from trigger to begin of a run.
    pub jitter: Summary,
    /// The time from the begin of a run to the begin of the next.
    pub interval: Summary,
    /// The time from a wake-up request to the running worker.
    pub wake_up: Summary,
    /// The number of runs that missed their deadline.
    pub missed_deadlines: u64,
    /// The number of samples that no run read, by source.
    pub dropped_inputs: BTreeMap<String, u64>,
    /// The number of triggers of its timer that started no run.
    #[serde(default)]
    pub skipped_triggers: u64,
    /// The tasks, the one with the largest share of the time first.
    pub tasks: Vec<TaskReport>,
}

impl CycleReport {
    fn of(id: CycleId, cycle: &CycleStatistics, mut tasks: Vec<TaskReport>, names: &CatalogGuard<'_>) -> Self {
        tasks.sort_by(|a, b| b.total().cmp(&a.total()).then_with(|| a.name.cmp(&b.name)));
        let entry = names.cycle(id);
        Self {
            name: names.cycle_name(id),
            deadline: entry.and_then(|cycle| cycle.deadline).map(|deadline| deadline.as_nanos() as u64),
            period: entry.and_then(|cycle| cycle.period).map(|period| period.as_nanos() as u64),
            execution: cycle.execution.summary(),
            response: cycle.response.summary(),
            jitter: cycle.jitter.summary(),
            interval: cycle.interval.summary(),
            wake_up: cycle.wake_up.summary(),
            missed_deadlines: cycle.missed_deadlines,
            dropped_inputs: cycle.dropped_inputs.iter().map(|(&id, &count)| (names.source_name(id), count)).collect(),
            skipped_triggers: cycle.skipped_triggers,
            tasks,
        }
    }
}

/// The figures of a task.
///
/// ```
/// use hemiola_trace::TaskReport;
/// # use hemiola_trace::Summary;
/// # let task = |name: &str, mean, count| {
/// #     let execution = Summary { mean, count, ..Summary::default() };
/// #     TaskReport { name: name.into(), execution, ..TaskReport::default() }
/// # };
/// # let mut tasks = vec![task("Walk.joints", 60_000, 100), task("BallFinder.balls", 900_000, 36)];
///
/// // The tasks of a cycle: which one would be worth the effort to speed up?
/// tasks.sort_by_key(|task: &TaskReport| std::cmp::Reverse(task.total()));
/// assert_eq!(tasks[0].name, "BallFinder.balls");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct TaskReport {
    /// The name of the task.
    pub name: String,
    /// The execution time: from entry to return.
    pub execution: Summary,
    /// The queueing delay: from the time at which the last dependency was met to entry.
    pub queueing: Summary,
    /// The number of runs on each worker (`motion 0`).
    pub workers: BTreeMap<String, u64>,
    /// The number of failures.
    pub failures: u64,
    /// The number of times that its representations were stale.
    pub stale: u64,
}

impl TaskReport {
    fn of(task: &TaskStatistics, name: String, names: &CatalogGuard<'_>) -> Self {
        Self {
            name,
            execution: task.execution.summary(),
            queueing: task.queueing.summary(),
            workers: task.workers.iter().map(|(&id, &runs)| (names.worker_name(id), runs)).collect(),
            failures: task.failures,
            stale: task.stale,
        }
    }

    /// Returns the total time of all its executions.
    pub fn total(&self) -> u64 {
        self.execution.mean.saturating_mul(self.execution.count)
    }
}

/// The figures of a chain from a sensor to an output: see [`ChainStatistics`].
///
/// ```
/// use hemiola_trace::{ChainReport, Report};
/// # use hemiola_trace::Summary;
/// # let reaction = Summary { maximum: 12_600_000, ..Summary::default() };
/// # let imu = ChainReport { source: "Imu".into(), output: "Motors.send".into(), reaction, ..ChainReport::default() };
/// # let report = Report { chains: vec![imu], ..Report::default() };
///
/// let from_imu = |chain: &&ChainReport| chain.source == "Imu" && chain.output == "Motors.send";
/// let chain = report.chains.iter().find(from_imu).unwrap();
/// assert!(chain.reaction.maximum < 36_000_000, "{}", chain.reaction.maximum);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct ChainReport {
    /// The source of the samples.
    pub source: String,
    /// The cycle of the output task.
    #[serde(default)]
    pub cycle: String,
    /// The output task.
    pub output: String,
    /// The time from a change just after a sample to the first output that reflects it.
    pub reaction: Summary,
    /// The time from the oldest sample to the output that rests on it.
    pub data_age: Summary,
    /// The time from the newest sample to the output that rests on it.
    #[serde(default)]
    pub newest_age: Summary,
}

impl ChainReport {
    fn of(chain: &ChainStatistics) -> Self {
        let ChainStatistics { reaction, data_age, newest_age, .. } = chain;
        Self {
            reaction: reaction.summary(),
            data_age: data_age.summary(),
            newest_age: newest_age.summary(),
            ..Self::default()
        }
    }
}

/// The figures of a callback: see [`CallbackStatistics`].
///
/// ```
/// use hemiola_trace::CallbackReport;
/// # use hemiola_trace::{Report, Summary};
/// # let latency = Summary { count: 90, p99: 400_000, ..Summary::default() };
/// # let pose = CallbackReport { executor: "logbook".into(), name: "pose".into(), latency, ..CallbackReport::default() };
/// # let report = Report { callbacks: vec![pose], ..Report::default() };
///
/// let line = |it: &CallbackReport| format!("{}: {}, {} µs until it is entered", it.executor, it.name, it.latency.p99 / 1_000);
/// let lines: Vec<_> = report.callbacks.iter().map(line).collect();
/// assert_eq!(lines, ["logbook: pose, 400 µs until it is entered"]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CallbackReport {
    /// The executor that runs it.
    pub executor: String,
    /// The name of the callback: the topic, or the timer.
    pub name: String,
    /// The execution time: from entry to return.
    pub execution: Summary,
    /// The latency: from publication, or from the due time, to entry.
    pub latency: Summary,
    /// The number of panics.
    pub panics: u64,
}

impl CallbackReport {
    fn of(callback: &CallbackStatistics) -> Self {
        Self {
            execution: callback.execution.summary(),
            latency: callback.latency.summary(),
            panics: callback.panics,
            ..Self::default()
        }
    }
}

/// The figures of a source.
///
/// ```
/// use hemiola_trace::{Catalog, Core, Event, Statistics, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let camera = catalog.source("Camera")?;
/// let thread = catalog.source_thread(camera)?;
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// let (begin, end) = (Ticks(0), Ticks(4_000_000));
/// statistics.absorb(thread, &[Event::Sample { source: camera, core: Core(1), sample: 0, begin, end }]);
/// let source = &statistics.report().sources[0];
/// assert_eq!((source.name.as_str(), source.execution.maximum), ("Camera", 4_000_000));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SourceReport {
    /// The name of the source.
    pub name: String,
    /// The time from the request for a sample to its arrival; the count is that of its samples.
    pub execution: Summary,
}
