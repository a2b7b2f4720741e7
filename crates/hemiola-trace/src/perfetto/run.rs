//! One run of a cycle, gathered from the rings of its workers.

use super::{
    Writer,
    encoder::{Details, Track, Unit, Value},
};
use crate::{
    catalog::CatalogGuard,
    clock::{Core, Ticks},
    ids::{CycleId, PlanId, TaskId, WorkerId},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    io::Write,
};

/// The events of a run that has not been written yet.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The plan, the trigger and the begin.
    pub(super) begin: Option<(PlanId, Ticks, Ticks)>,
    /// The end, and the round in which it came.
    pub(super) end: Option<(Ticks, u64)>,
    pub(super) tasks: Vec<TaskSlice>,
    /// The last round in which an event of the run came.
    pub(super) touched: u64,
}

impl Run {
    pub(super) fn ended_before(&self, round: u64) -> bool {
        self.end.is_some_and(|(_, heard)| heard < round)
    }

    /// Returns whether the end of the run was lost: no event came for long.
    pub(super) fn silent_since(&self, round: u64) -> bool {
        const PATIENCE: u64 = 64;
        self.touched + PATIENCE < round
    }
}

/// A task's execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskSlice {
    pub(super) worker: WorkerId,
    pub(super) task: TaskId,
    pub(super) core: Core,
    pub(super) ready: Ticks,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

impl<W: Write> Writer<W> {
    /// Writes a run.
    pub(super) fn close(&mut self, (cycle, number): (CycleId, u32), run: Run) {
        let catalog = self.catalog.clone();
        let names = catalog.read();
        self.cycle_slice(&names, cycle, number, &run);
        self.task_slices(&names, cycle, number, &run);
    }

    fn cycle_slice(&mut self, names: &CatalogGuard<'_>, cycle: CycleId, number: u32, run: &Run) {
        let Some((plan, trigger, begin)) = run.begin else { return };
        // A run whose end is missing (lost, or not there yet) is drawn as long as its tasks.
        let last = run.tasks.iter().map(|task| task.end).max();
        let end = run.end.map(|(at, _)| at).or(last).unwrap_or(begin).max(begin);
        let [trigger_time, begin_time, end_time] = [trigger, begin, end].map(|ticks| self.scale.nanoseconds(ticks));
        let jitter = self.scale.nanoseconds_between(trigger, begin);
        let track = self.cycle_track(names, cycle);
        let of_run = || Details::annotated([("run", Value::Number(number.into()))]);
        self.encoder.instant(track, trigger_time, "trigger", &of_run());
        let details = Details::annotated([
            ("run", Value::Number(number.into())),
            ("plan", Value::Number(plan.0.into())),
            ("jitter_ns", Value::Number(jitter)),
            ("response_ns", Value::Number(self.scale.nanoseconds_between(trigger, end))),
        ]);
        self.encoder.slice_begin(track, begin_time, &names.cycle_name(cycle), &details);
        self.encoder.slice_end(track, end_time);
        if let Some(deadline) = names.cycle(cycle).and_then(|cycle| cycle.deadline) {
            self.encoder.instant(track, trigger_time + deadline.as_nanos() as u64, "deadline", &of_run());
        }
        let track = self.counter_track(names, Track::CycleTime(cycle.0), cycle, "cycle time", Unit::Nanoseconds);
        self.encoder.counter(track, end_time, Value::Number(end_time - begin_time));
        let track = self.counter_track(names, Track::Jitter(cycle.0), cycle, "jitter", Unit::Nanoseconds);
        self.encoder.counter(track, begin_time, Value::Number(jitter));
        let queueing = run.tasks.iter().map(|task| self.scale.nanoseconds_between(task.ready, task.begin)).max();
        if let Some(queueing) = queueing {
            let track = Track::QueueDelay(cycle.0);
            let track = self.counter_track(names, track, cycle, "longest queueing", Unit::Nanoseconds);
            self.encoder.counter(track, end_time, Value::Number(queueing));
        }
    }

    fn task_slices(&mut self, names: &CatalogGuard<'_>, cycle: CycleId, number: u32, run: &Run) {
        let (mut outgoing, mut incoming) = self.dependency_flows(names, run);
        let mut by_worker: BTreeMap<WorkerId, Vec<TaskSlice>> = BTreeMap::new();
        for &task in &run.tasks {
            by_worker.entry(task.worker).or_default().push(task);
        }
        let parent = self.cycle_track(names, cycle);
        for (worker, mut tasks) in by_worker {
            tasks.sort_by_key(|task| (task.begin, Reverse(task.end)));
            let track = self.worker_track(names, worker);
            // The ends of the open slices: a task that runs others while it waits contains them.
            let mut open: Vec<Ticks> = Vec::new();
            for task in tasks {
                while let Some(end) = open.pop_if(|end| *end <= task.begin) {
                    self.encoder.slice_end(track, self.scale.nanoseconds(end));
                }
                let end = task.end.max(task.begin).min(open.last().copied().unwrap_or(Ticks(u64::MAX)));
                let name = names.task(task.task).map_or("", |entry| &entry.name);
                let [ready_time, begin_time] = [task.ready, task.begin].map(|ticks| self.scale.nanoseconds(ticks));
                let mut annotations = vec![
                    ("run", Value::Number(number.into())),
                    ("queueing_ns", Value::Number(self.scale.nanoseconds_between(task.ready, task.begin))),
                ];
                if task.core != Core::UNKNOWN {
                    annotations.push(("core", Value::Number(u64::from(task.core.0))));
                }
                let details = Details {
                    annotations,
                    flows: outgoing.remove(&task.task).unwrap_or_default(),
                    terminating_flows: incoming.remove(&task.task).unwrap_or_default(),
                };
                self.encoder.slice_begin(track, begin_time, name, &details);
                open.push(end);
                let ready = Track::Ready(cycle.0);
                self.encoder.describe(ready, |descriptor| {
                    descriptor.child(parent, &format!("{} ready", names.cycle_name(cycle)), 0);
                });
                self.encoder.instant(ready, ready_time, name, &Details::default());
            }
            while let Some(end) = open.pop() {
                self.encoder.slice_end(track, self.scale.nanoseconds(end));
            }
        }
    }

    /// Creates a flow for each edge of the run's plan whose two tasks ran. Returns the flows that
    /// leave each task, and those that enter it.
    fn dependency_flows(&mut self, names: &CatalogGuard<'_>, run: &Run) -> (Flows, Flows) {
        let (mut outgoing, mut incoming) = (Flows::new(), Flows::new());
        let Some(plan) = run.begin.and_then(|(plan, _, _)| names.plan(plan)) else { return (outgoing, incoming) };
        let ran: HashSet<TaskId> = run.tasks.iter().map(|slice| slice.task).collect();
        for &(from, to) in &plan.edges {
            if ran.contains(&from) && ran.contains(&to) {
                let flow = self.next_flow();
                outgoing.entry(from).or_default().push(flow);
                incoming.entry(to).or_default().push(flow);
            }
        }
        (outgoing, incoming)
    }
}

type Flows = HashMap<TaskId, Vec<u64>>;
