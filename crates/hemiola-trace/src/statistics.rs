//! Timing figures of cycles, tasks and chains, gathered from events on a thread that is not
//! real-time.

mod figures;
mod held_up;
mod report;
mod spans;
pub(crate) mod style;
mod table;
#[cfg(test)]
mod tests;
mod undisturbed;

pub use figures::{CallbackStatistics, ChainStatistics, CycleStatistics, TaskStatistics};
pub use hemiola_words::duration as human_duration;
pub use report::{CallbackReport, ChainReport, CycleReport, Report, SourceReport, TaskReport};
pub use style::{Colour, Style};

use crate::{
    catalog::Catalog,
    clock::{TickScale, Ticks},
    distribution::Distribution,
    event::Event,
    ids::{CallbackId, CycleId, SourceId, TaskId, WorkerId},
    profile::{ChainProfile, Measured, Profile},
};
use figures::{Executions, Open};
use held_up::{Among, Longest, LongestExecutions};
use std::collections::BTreeMap;
use undisturbed::{Execution, Runner, Undisturbed, What};

/// The figures of all cycles, tasks and chains in the events. Memory grows with the number of
/// tasks, not with time.
///
/// ```
/// use hemiola_trace::{Catalog, Core, Cycle, Event, PlanId, Statistics, Style, TickScale, Ticks};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion").deadline(std::time::Duration::from_millis(12)))?;
/// let (task, worker) = (catalog.task(motion, "Walk.joints")?, catalog.worker(motion, 0, 4711)?);
///
/// let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
/// let (trigger, begin, end) = (Ticks(0), Ticks(10_000), Ticks(13_000_000));
/// statistics.absorb(worker, &[
///     Event::CycleBegin { cycle: motion, plan: PlanId(0), run: 0, trigger, begin },
///     Event::TaskRun { task, core: Core::UNKNOWN, run: 0, ready: begin, begin, end },
///     Event::CycleEnd { cycle: motion, run: 0, at: end },
/// ]);
/// assert_eq!(statistics.cycle(motion).unwrap().missed_deadlines, 1);
/// println!("{}", statistics.report().table(&Style::plain()));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    catalog: Catalog,
    scale: TickScale,
    cycles: BTreeMap<CycleId, CycleStatistics>,
    tasks: BTreeMap<TaskId, TaskStatistics>,
    chains: BTreeMap<(SourceId, TaskId), ChainStatistics>,
    callbacks: BTreeMap<CallbackId, CallbackStatistics>,
    /// The times that sources took to acquire a sample.
    samples: BTreeMap<SourceId, Executions>,
    undisturbed: Undisturbed,
    longest: LongestExecutions,
    lost_events: u64,
}

impl Statistics {
    /// Creates statistics without any events. `scale` converts the events' times; pass a new one to
    /// [`rescale`](Self::rescale).
    pub fn new(catalog: Catalog, scale: TickScale) -> Self {
        let (cycles, tasks, chains, callbacks, samples) = <_>::default();
        let (undisturbed, longest) = <_>::default();
        Self { catalog, scale, cycles, tasks, chains, callbacks, samples, undisturbed, longest, lost_events: 0 }
    }

    /// Continues with a refreshed scale.
    pub fn rescale(&mut self, scale: TickScale) {
        self.scale = scale;
    }

    /// Adds events of a worker, in the order of its ring, and arrivals in the order of all workers,
    /// as a [`Collector`](crate::Collector) hands them out.
    pub fn absorb(&mut self, worker: WorkerId, events: &[Event]) {
        let Self { catalog, scale, cycles, tasks, chains, callbacks, samples, undisturbed, longest, .. } = self;
        let names = catalog.read();
        for event in events {
            longest.absorb(worker, event);
            if let Some(execution) = Execution::told_by(worker, event) {
                longest.executed(execution, Among::All, scale.nanoseconds_between(execution.begin, execution.end));
                undisturbed.executed(execution);
            }
            match *event {
                Event::TaskRun { task, ready, begin, end, .. } => {
                    tasks.entry(task).or_default().ran(worker, scale, [ready, begin, end]);
                }
                Event::CycleBegin { cycle, run, trigger, begin, .. } => {
                    cycles.entry(cycle).or_default().begin(scale, Open { run, trigger, begin });
                    undisturbed.begun(Runner::Cycle(cycle), trigger, begin);
                }
                Event::CycleEnd { cycle, run, at } => {
                    cycles.entry(cycle).or_default().end(scale, &names, cycle, run, at);
                    undisturbed.ended(Runner::Cycle(cycle), at);
                }
                Event::Overrun { cycle, run, .. } => cycles.entry(cycle).or_default().missed(run),
                Event::InputDropped { cycle, source, count, .. } => {
                    *cycles.entry(cycle).or_default().dropped_inputs.entry(source).or_default() += u64::from(count);
                }
                Event::TriggersSkipped { cycle, count, .. } => {
                    cycles.entry(cycle).or_default().skipped_triggers += u64::from(count);
                }
                Event::Woken { cycle, asked, at, .. } => {
                    cycles.entry(cycle).or_default().wake_up.record(scale.nanoseconds_between(asked, at));
                }
                Event::Failure { task, .. } => tasks.entry(task).or_default().failures += 1,
                Event::Stale { task, .. } => tasks.entry(task).or_default().stale += 1,
                Event::Arrival { output, source, newest, newest_age, oldest_age, .. } => {
                    chains.entry((source, output)).or_default().arrived(
                        newest,
                        newest_age.nanoseconds(),
                        oldest_age.nanoseconds(),
                    );
                }
                Event::Callback { callback, published, begin, end, .. } => {
                    let released = if published == Ticks(0) { begin } else { published };
                    callbacks.entry(callback).or_default().called(scale, [published, begin, end]);
                    undisturbed.begun(Runner::Executor(worker), released, begin);
                    undisturbed.ended(Runner::Executor(worker), end);
                }
                Event::CallbackPanic { callback, .. } => callbacks.entry(callback).or_default().panics += 1,
                Event::Sample { source, begin, end, .. } => {
                    samples.entry(source).or_default().all.record(scale.nanoseconds_between(begin, end));
                }
                Event::Publish { .. }
                | Event::Take { .. }
                | Event::Counter { .. }
                | Event::ThreadTime { .. }
                | Event::StolenTime { .. } => {}
            }
        }
    }

    /// Notes that everything that happened before `until` was absorbed, on whatever worker. Now it
    /// can be judged which executions were undisturbed, and which were held up.
    pub fn settle(&mut self, until: Ticks) {
        let Self { catalog, scale, tasks, callbacks, samples, undisturbed, longest, .. } = self;
        let names = catalog.read();
        let runner = |of| match of {
            What::Task(task) => names.task(task).map(|task| Runner::Cycle(task.cycle)),
            What::Callback(callback) => names.callback(callback).map(|callback| Runner::Executor(callback.executor)),
            What::Sample(_) => None,
        };
        let priority = |runner| match runner {
            Runner::Cycle(cycle) => names.cycle(cycle).map(|cycle| cycle.priority),
            Runner::Executor(executor) => names.worker(executor)?.executor.as_ref()?.priority.map(i32::from),
        };
        for execution in undisturbed.settle(until, scale, runner, priority) {
            let alone = match execution.of {
                What::Task(task) => &mut tasks.entry(task).or_default().undisturbed,
                What::Callback(callback) => &mut callbacks.entry(callback).or_default().undisturbed,
                What::Sample(source) => &mut samples.entry(source).or_default().undisturbed,
            };
            let nanoseconds = scale.nanoseconds_between(execution.begin, execution.end);
            alone.record(nanoseconds);
            longest.executed(execution, Among::Undisturbed, nanoseconds);
        }
        drop(names);
        longest.settle(until, scale, catalog);
    }

    /// Counts events that were overwritten before they were read; the figures lack them.
    pub fn lost(&mut self, events: u64) {
        self.lost_events += events;
    }

    /// Returns the number of lost events.
    pub fn lost_events(&self) -> u64 {
        self.lost_events
    }

    /// Returns the figures of a cycle, if it ran.
    pub fn cycle(&self, id: CycleId) -> Option<&CycleStatistics> {
        self.cycles.get(&id)
    }

    /// Returns the figures of a task, if it ran.
    pub fn task(&self, id: TaskId) -> Option<&TaskStatistics> {
        self.tasks.get(&id)
    }

    /// Returns the execution times of all tasks that ran.
    pub fn executions(&self) -> impl Iterator<Item = (TaskId, &Distribution)> {
        self.tasks.iter().map(|(&id, task)| (id, &task.execution))
    }

    /// Returns the figures of the chain from `source` to `output`, if it had an output.
    pub fn chain(&self, source: SourceId, output: TaskId) -> Option<&ChainStatistics> {
        self.chains.get(&(source, output))
    }

    /// Returns the figures of a callback, if it ran.
    pub fn callback(&self, id: CallbackId) -> Option<&CallbackStatistics> {
        self.callbacks.get(&id)
    }

    /// Returns all figures with names, to be displayed or written.
    pub fn report(&self) -> Report {
        Report::of(self)
    }

    /// Returns the measurements with names, to be kept for the next run's plan and for bounds.
    /// Execution times are those of undisturbed executions; where less than one in ten was
    /// undisturbed, or that was not [settled](Self::settle), those of all. Executions that were
    /// [held up](crate::HeldUp) count as no longer than the others.
    pub fn profile(&self) -> Profile {
        let names = self.catalog.read();
        let mut profile = Profile::default();
        for (&id, statistics) in &self.tasks {
            if let Some(task) = names.task(id) {
                let execution = self.execution(What::Task(id), &statistics.undisturbed, &statistics.execution);
                profile.cycle_mut(&names.cycle_name(task.cycle)).tasks.insert(task.name.clone(), execution);
            }
        }
        for (&id, statistics) in &self.cycles {
            profile.cycle_mut(&names.cycle_name(id)).response = Measured::from(&statistics.response);
        }
        for (&(source, output), statistics) in &self.chains {
            profile.chains.push(ChainProfile {
                source: names.source_name(source),
                cycle: names.cycle_of(output),
                output: names.task_name(output),
                reaction: Measured::from(&statistics.reaction),
                data_age: Measured::from(&statistics.data_age),
                newest_age: Measured::from(&statistics.newest_age),
            });
        }
        for (&id, statistics) in &self.callbacks {
            let Some(callback) = names.callback(id) else { continue };
            let executor = profile.executors.entry(names.worker_name(callback.executor)).or_default();
            executor.thread = names.worker(callback.executor).and_then(|worker| worker.executor.clone());
            let topic = callback.topic.and_then(|topic| names.topic(topic)).map(str::to_owned);
            // Another callback of this name may have been removed before, with another priority.
            let names =
                (1..).map(
                    |number| if number == 1 { callback.name.clone() } else { format!("{} ({number})", callback.name) },
                );
            let free = names.into_iter().find(|name| !executor.callbacks.contains_key(name)).unwrap_or_default();
            let execution = self.execution(What::Callback(id), &statistics.undisturbed, &statistics.execution);
            executor.callbacks.insert(free, statistics.profile(topic, callback, execution));
        }
        for (&id, Executions { all, undisturbed }) in &self.samples {
            profile.sources.insert(names.source_name(id), self.execution(What::Sample(id), undisturbed, all));
        }
        profile
    }

    /// Returns the durations on which bounds may rest. If few of many executions are undisturbed,
    /// the longest ones may not be among them.
    fn execution(&self, of: What, undisturbed: &Distribution, all: &Distribution) -> Measured {
        let (among, distribution) = match undisturbed.count() >= all.count().div_ceil(10) {
            true => (Among::Undisturbed, undisturbed),
            false => (Among::All, all),
        };
        let measured = Measured::from(distribution);
        let Longest { counts, held_up } = self.longest.longest(of, among);
        if held_up.is_none() { measured } else { measured.with_held_up(held_up, counts) }
    }

    /// Removes all figures, for a new measurement.
    pub fn clear(&mut self) {
        *self = Self::new(self.catalog.clone(), self.scale.clone());
    }
}
