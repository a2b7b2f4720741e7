//! The events of a capture, sorted for the questions that are asked about them.

use super::{call::CallEvents, looks::Looks};
use crate::{
    catalog::{Catalog, Runs, topic_of},
    clock::{Core, TickScale, Ticks},
    collector::Capture,
    event::{Age, Event, Stamp},
    ids::{CycleId, ExchangeId, PlanId, SourceId, TaskId, WorkerId},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The events of a capture, sorted by runs, cores and exchanges, to find causes. Creating it takes
/// time `n log n` in their number.
///
/// ```
/// use hemiola_trace::{Capture, Catalog, CycleId, TickScale, causes::History};
///
/// let history = History::of(&Capture::default(), &Catalog::new("robot"), &TickScale::nanoseconds_per_tick_one());
/// assert!(history.runs(CycleId(0)).next().is_none());
/// assert!(history.blocking_chain(CycleId(0), 7).is_none());
/// ```
#[derive(Debug)]
pub struct History {
    pub(super) catalog: Catalog,
    pub(super) scale: TickScale,
    pub(super) runs: BTreeMap<(CycleId, u32), RunEvents>,
    pub(super) wakes: BTreeMap<WorkerId, Vec<(Ticks, Ticks)>>,
    /// Runs of callbacks by executor, in the order of its ring.
    pub(super) calls: BTreeMap<WorkerId, Vec<CallEvents>>,
    cores: BTreeMap<Core, Lane>,
    priorities: BTreeMap<WorkerId, i32>,
    /// Times by exchange and run of its publisher.
    pub(super) publications: BTreeMap<(ExchangeId, u32), Ticks>,
    /// The run of the publisher and the time, by reading cycle, exchange and run of the reader.
    pub(super) takes: BTreeMap<(CycleId, ExchangeId), BTreeMap<u32, (u32, Ticks)>>,
    /// The outputs by source and output task, in the order of time.
    pub(super) arrivals: BTreeMap<(SourceId, TaskId), Vec<Arrived>>,
    /// The times in which each source acquired samples, in the order of time.
    pub(super) samples: BTreeMap<SourceId, Vec<(Ticks, Ticks)>>,
    pub(super) threads_of_sources: BTreeMap<SourceId, WorkerId>,
    pub(super) looks: Looks,
}

/// A run that has ended: [`History::runs`].
///
/// ```
/// use hemiola_trace::{Ticks, causes::RunSpan};
///
/// let run = RunSpan { run: 7, trigger: Ticks(100), begin: Ticks(101), end: Ticks(350) };
/// assert_eq!(run.response_ticks(), 250);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunSpan {
    /// The number of the run.
    pub run: u32,
    /// The time at which it was due.
    pub trigger: Ticks,
    /// The time at which it began.
    pub begin: Ticks,
    /// The time at which it ended.
    pub end: Ticks,
}

impl RunSpan {
    /// Returns the ticks from its trigger to its end.
    pub const fn response_ticks(&self) -> u64 {
        self.end.since(self.trigger)
    }
}

/// The events of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunEvents {
    /// The worker 0, the plan, the trigger and the begin.
    pub(super) begin: Option<(WorkerId, PlanId, Ticks, Ticks)>,
    pub(super) end: Option<Ticks>,
    /// The executions of tasks, in the order of their ends.
    pub(super) tasks: Vec<Slice>,
}

/// A task's execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) worker: WorkerId,
    pub(super) task: TaskId,
    pub(super) core: Core,
    pub(super) ready: Ticks,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

/// An output that rests on sensor samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) at: Ticks,
    pub(super) newest: Stamp,
    pub(super) newest_age: Age,
    pub(super) oldest_age: Age,
}

/// A time in which a thread had a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occupation {
    pub(super) worker: WorkerId,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

/// The state of a thread before it ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadState {
    Awake,
    PerhapsAsleep,
}

/// The writer of an exchange.
pub(super) enum Publisher {
    Cycle(CycleId),
    Source(SourceId),
}

/// All occupations of a core, ordered by their begin.
#[derive(Debug, Default)]
struct Lane {
    occupations: Vec<Occupation>,
    longest: u64,
}

/// The time for which a worker without work spins before it sleeps, and occupies the core
/// meanwhile.
const SPIN: Duration = Duration::from_micros(50);

impl History {
    /// Sorts a capture.
    pub fn of(capture: &Capture, catalog: &Catalog, scale: &TickScale) -> Self {
        let mut history = Self {
            catalog: catalog.clone(),
            scale: scale.clone(),
            runs: BTreeMap::new(),
            wakes: BTreeMap::new(),
            calls: BTreeMap::new(),
            cores: BTreeMap::new(),
            priorities: BTreeMap::new(),
            publications: BTreeMap::new(),
            takes: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            samples: BTreeMap::new(),
            threads_of_sources: BTreeMap::new(),
            looks: Looks::default(),
        };
        let names = catalog.read();
        for (worker, events) in capture.workers() {
            let priority = names.worker(worker).and_then(|worker| match &worker.runs {
                Runs::Tasks { cycle, .. } => names.cycle(*cycle).map(|cycle| cycle.priority),
                Runs::Callbacks { .. } => worker.executor.as_ref()?.priority.map(i32::from),
                Runs::Samples { .. } | Runs::Service => None,
            });
            history.priorities.insert(worker, priority.unwrap_or(0));
            for event in events {
                history.add(worker, event, |task| names.task(task).map(|task| task.cycle));
            }
        }
        drop(names);
        history.sort();
        history
    }

    fn add(&mut self, worker: WorkerId, event: &Event, cycle_of: impl Fn(TaskId) -> Option<CycleId>) {
        match *event {
            Event::TaskRun { task, core, run, ready, begin, end } => {
                let Some(cycle) = cycle_of(task) else { return };
                // Times in a damaged file may be out of order.
                let begin = begin.min(end);
                let slice = Slice { worker, task, core, ready: ready.min(begin), begin, end };
                self.runs.entry((cycle, run)).or_default().tasks.push(slice);
                self.occupy(core, Occupation { worker, begin, end });
            }
            Event::Callback { callback, core, published, begin, end, .. } => {
                let begin = begin.min(end);
                self.calls.entry(worker).or_default().push(CallEvents { callback, core, published, begin, end });
                self.occupy(core, Occupation { worker, begin, end });
            }
            Event::CycleBegin { cycle, plan, run, trigger, begin } => {
                self.runs.entry((cycle, run)).or_default().begin = Some((worker, plan, trigger.min(begin), begin));
            }
            Event::CycleEnd { cycle, run, at } => self.runs.entry((cycle, run)).or_default().end = Some(at),
            Event::Woken { asked, at, .. } => self.wakes.entry(worker).or_default().push((asked, at)),
            Event::Publish { exchange, run, at } => _ = self.publications.insert((exchange, run), at),
            Event::Take { exchange, cycle, run, published, at } => {
                self.takes.entry((cycle, exchange)).or_default().insert(run, (published, at));
            }
            Event::Arrival { output, source, at, newest, newest_age, oldest_age } => {
                let arrived = Arrived { at, newest, newest_age, oldest_age };
                self.arrivals.entry((source, output)).or_default().push(arrived);
            }
            // A sample is not an occupation of its core, because a thread that waits for hardware
            // may sleep until the sample comes.
            Event::Sample { source, begin, end, .. } => {
                self.samples.entry(source).or_default().push((begin.min(end), end));
                self.threads_of_sources.insert(source, worker);
            }
            Event::ThreadTime { .. } | Event::StolenTime { .. } => self.looks.add(event),
            Event::Overrun { .. }
            | Event::InputDropped { .. }
            | Event::TriggersSkipped { .. }
            | Event::Failure { .. }
            | Event::Stale { .. }
            | Event::CallbackPanic { .. }
            | Event::Counter { .. } => {}
        }
    }

    fn occupy(&mut self, core: Core, occupation: Occupation) {
        if core != Core::UNKNOWN {
            self.cores.entry(core).or_default().occupations.push(occupation);
        }
    }

    fn sort(&mut self) {
        self.runs.values_mut().for_each(|run| run.tasks.sort_by_key(|slice| (slice.end, slice.begin)));
        self.wakes.values_mut().for_each(|wakes| wakes.sort_unstable());
        self.samples.values_mut().for_each(|samples| samples.sort_unstable());
        self.arrivals.values_mut().for_each(|arrivals| arrivals.sort_by_key(|arrived| arrived.at));
        self.looks.sort();
        let spin = self.scale.ticks_in(SPIN);
        self.cores.values_mut().for_each(|lane| lane.join(spin));
    }

    /// Returns the complete runs of a cycle, by number.
    pub fn runs(&self, cycle: CycleId) -> impl Iterator<Item = RunSpan> + '_ {
        self.runs.range((cycle, 0)..=(cycle, u32::MAX)).filter_map(|(&(_, run), events)| events.span(run))
    }

    /// Returns the chains from sensors to outputs for which there are outputs.
    pub fn chains(&self) -> impl Iterator<Item = (SourceId, TaskId)> + '_ {
        self.arrivals.keys().copied()
    }

    /// Returns the sources whose samples a run has read.
    pub(super) fn sources_of(&self, cycle: CycleId, run: u32) -> Vec<SourceId> {
        let taken = self.takes.range((cycle, ExchangeId(0))..=(cycle, ExchangeId(u16::MAX)));
        let taken = taken.filter(|(_, takes)| takes.contains_key(&run)).map(|(&(_, exchange), _)| exchange);
        let sources = taken.filter_map(|exchange| match self.publisher(exchange, cycle) {
            Publisher::Source(source) => Some(source),
            Publisher::Cycle(_) => None,
        });
        sources.collect()
    }

    /// Returns the writer of an exchange. An exchange of a source is listed with its reader, under
    /// the names of both.
    pub(super) fn publisher(&self, exchange: ExchangeId, reader: CycleId) -> Publisher {
        let names = self.catalog.read();
        let Some(entry) = names.exchange(exchange) else { return Publisher::Cycle(reader) };
        let source = entry.name.split(" to ").next().and_then(|name| names.sources().find(|(_, known)| *known == name));
        match source {
            Some((source, _)) if entry.publisher == reader || topic_of(&entry.name).is_some() => {
                Publisher::Source(source)
            }
            _ => Publisher::Cycle(entry.publisher),
        }
    }

    /// Returns the threads that had a core in this time and so delayed a thread that was awake, or
    /// perhaps asleep. A thread that is awake is delayed by every thread that comes and goes
    /// meanwhile, one that is perhaps asleep only by more important ones.
    pub(super) fn others_on(
        &self,
        core: Core,
        (own, state): (WorkerId, ThreadState),
        (begin, end): (Ticks, Ticks),
    ) -> Vec<Occupation> {
        let priority = |worker: WorkerId| self.priorities.get(&worker).copied().unwrap_or(0);
        let counts = |other: &Occupation| {
            let is_within = state == ThreadState::Awake && begin <= other.begin && other.end <= end;
            other.worker != own && (is_within || priority(other.worker) > priority(own))
        };
        self.occupations_on(core, (begin, end)).filter(counts).collect()
    }

    /// Returns the threads of the robot that had a core in this time.
    pub(super) fn occupations_on(&self, core: Core, (begin, end): (Ticks, Ticks)) -> impl Iterator<Item = Occupation> {
        let (occupations, longest) =
            self.cores.get(&core).map_or((&[][..], 0), |lane| (&lane.occupations[..], lane.longest));
        let first = occupations.partition_point(|other| other.begin.0.saturating_add(longest) <= begin.0);
        let candidates = occupations[first..].iter().take_while(move |other| other.begin < end);
        candidates.filter(move |other| other.end > begin).copied()
    }

    /// Returns the tasks of the run's plan for which there is no event.
    pub(super) fn missing(&self, run: &RunEvents) -> Vec<TaskId> {
        let Some((_, plan, ..)) = run.begin else { return Vec::new() };
        let names = self.catalog.read();
        let Some(plan) = names.plan(plan) else { return Vec::new() };
        let ran: BTreeSet<TaskId> = run.tasks.iter().map(|slice| slice.task).collect();
        let planned: BTreeSet<TaskId> = plan.edges.iter().flat_map(|&(from, to)| [from, to]).collect();
        planned.difference(&ran).copied().collect()
    }
}

impl RunEvents {
    pub(super) fn span(&self, run: u32) -> Option<RunSpan> {
        let ((_, _, trigger, begin), end) = (self.begin?, self.end?);
        (begin <= end).then_some(RunSpan { run, trigger, begin, end })
    }
}

impl Lane {
    /// Joins tasks that follow each other into one occupation.
    fn join(&mut self, spin: u64) {
        self.occupations.sort_by_key(|occupation| (occupation.worker, occupation.begin));
        self.occupations.dedup_by(|next, last| {
            let joined = next.worker == last.worker && next.begin.since(last.end) <= spin;
            last.end = if joined { last.end.max(next.end) } else { last.end };
            joined
        });
        self.occupations.sort_by_key(|occupation| occupation.begin);
        self.longest = self.occupations.iter().map(|other| other.end.since(other.begin)).max().unwrap_or(0);
    }
}
