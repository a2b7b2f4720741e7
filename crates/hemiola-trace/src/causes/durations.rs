//! The usual durations of tasks.

use crate::{
    catalog::Catalog,
    clock::TickScale,
    collector::Capture,
    distribution::Distribution,
    event::Event,
    ids::{CycleId, TaskId},
    profile::Profile,
    statistics::Statistics,
};
use std::collections::BTreeMap;

/// The execution times of tasks, with which a run is compared.
///
/// ```
/// use hemiola_trace::{Catalog, Cycle, Distribution, Profile, causes::Durations};
///
/// let catalog = Catalog::new("robot");
/// let walk = catalog.task(catalog.cycle(Cycle::named("motion"))?, "Walk.joints")?;
/// let mut profile = Profile::default();
/// let measured = [51_000, 52_000, 90_000].map(|nanoseconds| hemiola_trace::Bucket { nanoseconds, count: 1 });
/// profile.insert("motion", "Walk.joints", &Distribution::from_iter(measured));
/// let usual = Durations::of_profile(&profile, &catalog).usual(walk).unwrap();
/// assert_eq!((usual.median / 1000, usual.maximum, usual.count), (52, 90_000, 3));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Durations(BTreeMap<TaskId, Distribution>);

/// The usual duration of a task, in nanoseconds, preemption included.
///
/// ```
/// # use hemiola_trace::causes::Usual;
/// let usual = Usual { count: 100, median: 50_000, p99: 70_000, maximum: 90_000 };
/// assert!(usual.is_exceeded_by(71_000) && !usual.is_exceeded_by(70_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usual {
    /// The number of runs that it is derived from.
    pub count: u64,
    /// The duration that half of the runs did not exceed.
    pub median: u64,
    /// The duration that 99 of 100 runs did not exceed.
    pub p99: u64,
    /// The longest duration.
    pub maximum: u64,
}

impl Usual {
    /// Returns whether an execution of this length is not among the shortest 99 of 100.
    pub const fn is_exceeded_by(&self, nanoseconds: u64) -> bool {
        nanoseconds > self.p99
    }
}

impl Durations {
    /// Returns the durations in a capture, without those of the run that is to be compared.
    pub fn of(capture: &Capture, catalog: &Catalog, scale: &TickScale, without: (CycleId, u32)) -> Self {
        let names = catalog.read();
        let mut durations: BTreeMap<TaskId, Distribution> = BTreeMap::new();
        for event in capture.workers().flat_map(|(_, events)| events) {
            let Event::TaskRun { task, run, begin, end, .. } = *event else { continue };
            let cycle = names.task(task).map(|task| task.cycle);
            if run != without.1 || cycle != Some(without.0) {
                durations.entry(task).or_default().record(scale.nanoseconds_between(begin, end));
            }
        }
        Self(durations)
    }

    /// Returns the durations of earlier runs.
    pub fn of_profile(profile: &Profile, catalog: &Catalog) -> Self {
        let names = catalog.read();
        let tasks = names.tasks().filter_map(|(id, task)| {
            let measured = profile.task(&names.cycle_name(task.cycle), &task.name)?;
            Some((id, measured.buckets().iter().copied().collect()))
        });
        Self(tasks.collect())
    }

    /// Returns the durations that were measured so far.
    pub fn of_statistics(statistics: &Statistics) -> Self {
        Self(statistics.executions().map(|(task, execution)| (task, execution.clone())).collect())
    }

    /// Uses the durations of `other` for tasks of which too few runs are known here to derive the
    /// usual duration.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        for (task, distribution) in other.0 {
            let known = self.0.entry(task).or_default();
            if known.count() < FEWEST {
                known.merge(&distribution);
            }
        }
        self
    }

    /// Returns the usual duration of a task; `None` if too few runs are known.
    pub fn usual(&self, task: TaskId) -> Option<Usual> {
        let known = self.0.get(&task).filter(|known| known.count() >= FEWEST)?;
        let (median, p99, maximum) = (known.quantile(0.5), known.quantile(0.99), known.maximum());
        Some(Usual { count: known.count(), median, p99, maximum })
    }
}

/// The minimum number of runs from which the usual duration is derived.
const FEWEST: u64 = 3;
