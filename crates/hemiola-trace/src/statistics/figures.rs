//! The figures of each cycle, task, callback and chain.

use super::spans::LeastSpans;
use crate::{
    catalog::{Callback, CatalogGuard},
    clock::{TickScale, Ticks},
    distribution::Distribution,
    event::Stamp,
    ids::{CycleId, SourceId, WorkerId},
    profile::{CallbackProfile, Measured},
};
use std::collections::BTreeMap;

/// The figures of a cycle.
///
/// ```
/// use hemiola_trace::{Catalog, Cycle, Event, PlanId, Statistics, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let worker = catalog.worker(motion, 0, 4711)?;
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// let (trigger, begin, end) = (Ticks(0), Ticks(10_000), Ticks(130_000));
/// statistics.absorb(worker, &[
///     Event::CycleBegin { cycle: motion, plan: PlanId(0), run: 0, trigger, begin },
///     Event::CycleEnd { cycle: motion, run: 0, at: end },
/// ]);
/// let figures = statistics.cycle(motion).unwrap();
/// assert_eq!((figures.jitter.mean(), figures.execution.mean(), figures.response.mean()), (10_000, 120_000, 130_000));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CycleStatistics {
    /// The cycle time: from begin to end of a run.
    pub execution: Distribution,
    /// The response time, which the deadline bounds: from trigger to end of a run.
    pub response: Distribution,
    /// The release jitter: from trigger to begin of a run.
    pub jitter: Distribution,
    /// The time from the begin of a run to the begin of the next.
    pub interval: Distribution,
    /// The time from a wake-up request to the running worker.
    pub wake_up: Distribution,
    /// The number of runs that ended after their deadline, or that the watchdog saw exceed it.
    pub missed_deadlines: u64,
    /// The number of samples that were overwritten before a run read them, by source.
    pub dropped_inputs: BTreeMap<SourceId, u64>,
    /// The number of triggers of its timer that started no run.
    pub skipped_triggers: u64,
    open: Option<Open>,
    last_begin: Option<(u32, Ticks)>,
    last_missed: Option<u32>,
}

impl CycleStatistics {
    pub(super) fn begin(&mut self, scale: &TickScale, open: Open) {
        if let Some((run, begin)) = self.last_begin
            && run.wrapping_add(1) == open.run
        {
            self.interval.record(scale.nanoseconds_between(begin, open.begin));
        }
        self.jitter.record(scale.nanoseconds_between(open.trigger, open.begin));
        self.last_begin = Some((open.run, open.begin));
        self.open = Some(open);
    }

    pub(super) fn end(&mut self, scale: &TickScale, names: &CatalogGuard<'_>, cycle: CycleId, run: u32, at: Ticks) {
        let Some(open) = self.open.take_if(|open| open.run == run) else { return };
        let response = scale.nanoseconds_between(open.trigger, at);
        self.execution.record(scale.nanoseconds_between(open.begin, at));
        self.response.record(response);
        let deadline = names.cycle(cycle).and_then(|cycle| cycle.deadline);
        if deadline.is_some_and(|deadline| u128::from(response) > deadline.as_nanos()) {
            self.missed(run);
        }
    }

    /// Counts a run that misses its deadline once, whether the watchdog or its end detects it
    /// first.
    pub(super) fn missed(&mut self, run: u32) {
        if self.last_missed != Some(run) {
            self.missed_deadlines += 1;
            self.last_missed = Some(run);
        }
    }
}

/// The figures of a task.
///
/// ```
/// use hemiola_trace::{Catalog, Core, Cycle, Event, FailureKind, Statistics, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let (task, worker) = (catalog.task(motion, "Walk.joints")?, catalog.worker(motion, 0, 4711)?);
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// let (ready, begin, end) = (Ticks(1_000), Ticks(3_000), Ticks(60_000));
/// statistics.absorb(worker, &[
///     Event::TaskRun { task, core: Core(0), run: 0, ready, begin, end },
///     Event::Failure { task, kind: FailureKind::Panic, run: 0, at: end },
/// ]);
/// let figures = statistics.task(task).unwrap();
/// assert_eq!((figures.queueing.mean(), figures.execution.mean(), figures.failures), (2_000, 57_000, 1));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TaskStatistics {
    /// The execution time: from entry to return, preemption included.
    pub execution: Distribution,
    /// The execution time of undisturbed executions, during which no more important cycle or
    /// executor was active.
    pub undisturbed: Distribution,
    /// The queueing delay: from the time at which the last dependency was met to entry.
    pub queueing: Distribution,
    /// The number of runs on each worker.
    pub workers: BTreeMap<WorkerId, u64>,
    /// The number of failures.
    pub failures: u64,
    /// The number of times that its representations were stale.
    pub stale: u64,
}

impl TaskStatistics {
    pub(super) fn ran(&mut self, worker: WorkerId, scale: &TickScale, [ready, begin, end]: [Ticks; 3]) {
        self.execution.record(scale.nanoseconds_between(begin, end));
        self.queueing.record(scale.nanoseconds_between(ready, begin));
        *self.workers.entry(worker).or_default() += 1;
    }
}

/// The figures of a callback.
///
/// ```
/// use hemiola_trace::{Callback, Catalog, Core, Event, Statistics, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let executor = catalog.executor("control")?;
/// let callback = catalog.callback(Callback::of(executor, "pose").topic(catalog.topic("pose")?))?;
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// let (published, begin, end) = (Ticks(100), Ticks(150), Ticks(240));
/// statistics.absorb(executor, &[Event::Callback { callback, core: Core(0), sequence: 0, published, begin, end }]);
/// let figures = statistics.callback(callback).unwrap();
/// assert_eq!((figures.latency.mean(), figures.execution.mean()), (50, 90));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CallbackStatistics {
    /// The execution time: from entry to return, preemption included.
    pub execution: Distribution,
    /// The execution time of undisturbed executions, during which no more important cycle or
    /// executor was active.
    pub undisturbed: Distribution,
    /// The latency: from the publication of the message, or from the due time of the tick, to
    /// entry, where that is known.
    pub latency: Distribution,
    /// The response time: from the publication or the due time to return.
    pub response: Distribution,
    /// The number of panics.
    pub panics: u64,
    spans: LeastSpans,
}

impl CallbackStatistics {
    pub(super) fn called(&mut self, scale: &TickScale, [published, begin, end]: [Ticks; 3]) {
        self.execution.record(scale.nanoseconds_between(begin, end));
        if published == Ticks(0) {
            self.spans.came(scale, begin);
        } else {
            self.latency.record(scale.nanoseconds_between(published, begin));
            self.response.record(scale.nanoseconds_between(published, end));
            self.spans.came(scale, published);
        }
    }

    pub(super) fn profile(&self, topic: Option<String>, of: &Callback, execution: Measured) -> CallbackProfile {
        let period = of.period.map(|period| u64::try_from(period.as_nanos()).unwrap_or(u64::MAX));
        CallbackProfile {
            topic,
            priority: of.priority,
            period,
            execution,
            response: Measured::from(&self.response),
            spans: if period.is_none() { self.spans.nanoseconds().to_vec() } else { Vec::new() },
        }
    }
}

/// The figures of a chain from a sensor's source to an output.
///
/// The terms are those of cause-effect chains: *reaction time* goes from a change in the world just
/// after a sample was acquired to the first output that reflects it, so it spans the distance of
/// two samples; *data age* goes from a sample to the last output that still rests on it. Where
/// several paths lead from the source to the output, an output rests on samples of several ages.
///
/// ```
/// use hemiola_trace::{Catalog, Cycle, Event, Stamp, Statistics, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let (output, worker) = (catalog.task(motion, "Motors.send")?, catalog.worker(motion, 0, 4711)?);
/// let gyroscope = catalog.source("Gyroscope")?;
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// // A sample every 10 ms, on which the motors act 2 ms later.
/// for sample in [0, 10_000_000] {
///     let (stamp, now) = (Stamp(sample), Stamp(sample + 2_000_000));
///     statistics.absorb(worker, &[Event::arrival(output, gyroscope, Ticks(0), now, stamp, stamp)]);
/// }
/// let chain = statistics.chain(gyroscope, output).unwrap();
/// assert_eq!((chain.data_age.mean(), chain.reaction.mean()), (2_000_000, 12_000_000));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChainStatistics {
    /// The reaction time: from the previous sample to the first output with a newer one.
    pub reaction: Distribution,
    /// The data age: from the oldest sample that an output rests on to that output.
    pub data_age: Distribution,
    /// The age of the newest sample on which an output rests: where there is one path, the same as
    /// the data age.
    pub newest_age: Distribution,
    newest: Option<Stamp>,
}

impl ChainStatistics {
    pub(super) fn arrived(&mut self, newest: Stamp, newest_age: u64, oldest_age: u64) {
        self.data_age.record(oldest_age);
        self.newest_age.record(newest_age);
        // A stamp that steps back is of a source that was restarted: there is nothing to compare
        // with.
        if let Some(previous) = self.newest
            && newest > previous
        {
            self.reaction.record((newest.0 - previous.0).saturating_add(newest_age));
        }
        self.newest = Some(newest);
    }
}

/// The execution times of one kind of execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Executions {
    pub(super) all: Distribution,
    pub(super) undisturbed: Distribution,
}

/// A run that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) run: u32,
    pub(super) trigger: Ticks,
    pub(super) begin: Ticks,
}
