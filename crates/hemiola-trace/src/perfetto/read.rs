//! Converts packets back to the events that they were written from: cycles and their workers here,
//! other threads in `read_threads`.

use super::{
    packets::{FlowEnd, Kind, Names, Packet},
    trace::Trace,
};
use crate::{
    catalog::{Catalog, Cycle, source_of_messages},
    clock::{Core, TickScale, Ticks},
    collector::Capture,
    error::Error,
    event::{Age, Event, FailureKind, Stamp},
    ids::{CycleId, ExchangeId, SourceId, TaskId, WorkerId},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

/// The upper half of a track's number is the kind of the track.
const PROCESS: u64 = 1;
pub(super) const CYCLE: u64 = 3;
const COUNTER: u64 = 10;
const WORKER: u64 = 2;
const RUNNING: u64 = 12;
const WAITING: u64 = 13;
const STOLEN: u64 = 14;

pub(super) struct Reader<'n> {
    pub(super) names: &'n Names,
    pub(super) catalog: Catalog,
    pub(super) events: BTreeMap<WorkerId, Vec<Event>>,
    cycles: HashMap<u64, CycleId>,
    threads: HashMap<u64, Thread>,
    /// The tasks, by thread and number of the name.
    tasks: HashMap<(u64, u64), TaskId>,
    /// The slices that have begun, by track; those of tasks may nest.
    pub(super) open: HashMap<u64, Vec<Event>>,
    /// The plan that a run followed, by its number when the trace was written.
    plans: HashMap<(CycleId, u32), u64>,
    edges: BTreeMap<(CycleId, u64), BTreeSet<(TaskId, TaskId)>>,
    /// The flows between tasks of which one end has been read.
    flows: HashMap<u64, TaskId>,
    deadlines: BTreeMap<CycleId, Duration>,
    triggers: HashMap<(CycleId, u32), u64>,
}

#[derive(Clone, Copy)]
enum Thread {
    Worker(WorkerId, CycleId),
    Executor(WorkerId),
    Source(WorkerId, SourceId),
}

impl Thread {
    fn worker(self) -> WorkerId {
        match self {
            Self::Worker(worker, _) | Self::Executor(worker) | Self::Source(worker, _) => worker,
        }
    }
}

impl<'n> Reader<'n> {
    pub(super) fn new(names: &'n Names) -> Result<Self, Error> {
        let process = names.tracks.iter().find(|(uuid, _)| *uuid >> 32 == PROCESS);
        let catalog = Catalog::new(process.map_or("robot", |(_, track)| track.name.as_str()));
        let mut tracks: Vec<_> = names.tracks.iter().collect();
        // The tracks are sorted in the order in which they were registered.
        tracks.sort_by_key(|(uuid, _)| **uuid);
        let mut cycles = HashMap::new();
        for &(&uuid, track) in tracks.iter().filter(|(uuid, track)| **uuid >> 32 == CYCLE && !track.is_counter) {
            let priority = i64::from(i32::MAX).saturating_sub_unsigned(track.rank);
            let cycle = Cycle::named(&track.name).priority(i32::try_from(priority).unwrap_or_default());
            cycles.insert(uuid, catalog.cycle(cycle)?);
        }
        let mut threads = HashMap::new();
        for &(&uuid, track) in tracks.iter().filter(|(_, track)| track.is_thread) {
            let of_cycle = track.name.rsplit_once(' ').and_then(|(cycle, index)| {
                let known = names.tracks.iter().find(|(uuid, known)| **uuid >> 32 == CYCLE && known.name == cycle)?;
                Some((*cycles.get(known.0)?, index.parse().ok()?))
            });
            threads.insert(
                uuid,
                match (of_cycle, track.name.strip_prefix("source ")) {
                    (Some((cycle, index)), _) => Thread::Worker(catalog.worker(cycle, index, track.thread)?, cycle),
                    (None, Some(source)) => {
                        let source = catalog.source(source)?;
                        Thread::Source(catalog.source_thread(source)?, source)
                    }
                    (None, None) => Thread::Executor(catalog.executor(&track.name)?),
                },
            );
        }
        let (events, tasks, open, plans, edges, flows, deadlines, triggers) = <_>::default();
        Ok(Self { names, catalog, events, cycles, threads, tasks, open, plans, edges, flows, deadlines, triggers })
    }

    pub(super) fn packet(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        if let Some(&cycle) = self.cycles.get(&packet.track) {
            return self.of_cycle(cycle, packet);
        }
        match self.threads.get(&packet.track).copied() {
            Some(Thread::Worker(worker, cycle)) => self.of_worker(worker, cycle, packet),
            Some(Thread::Source(worker, source)) => self.of_source(worker, source, packet),
            Some(Thread::Executor(worker)) => self.of_executor(worker, packet),
            None => self.of_other(packet),
        }
    }

    /// Reads counters that do not belong to a cycle.
    fn of_other(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        let (kind, number) = (packet.track >> 32, packet.track & u64::from(u32::MAX));
        let worker = self.threads.get(&(WORKER << 32 | number)).map(|thread| thread.worker());
        match (kind, worker, packet.count()) {
            (COUNTER, ..) => self.of_counter(packet)?,
            (RUNNING, Some(worker), Some(running)) => self.of_running(worker, running, packet.time),
            (WAITING, Some(worker), Some(waiting)) => self.of_waiting(worker, waiting, packet.time),
            (STOLEN, _, Some(nanoseconds)) => self.of_stolen(core_of(Some(number)), nanoseconds, packet.time)?,
            _ => {}
        }
        Ok(())
    }

    fn of_cycle(&mut self, cycle: CycleId, packet: &Packet<'_>) -> Result<(), Error> {
        let leader = self.catalog.worker(cycle, 0, 0)?;
        let (names, at) = (self.names, Ticks(packet.time));
        let number = |name| names.number(packet, name);
        let run = number("run").unwrap_or_default() as u32;
        let event = match (packet.kind, names.event(packet)) {
            (Kind::SliceBegin, _) => {
                let trigger = packet.time.saturating_sub(number("jitter_ns").unwrap_or_default());
                self.plans.insert((cycle, run), number("plan").unwrap_or_default());
                self.triggers.insert((cycle, run), trigger);
                self.open.entry(packet.track).or_default().push(Event::CycleEnd { cycle, run, at });
                // The plan is known only once all flows are read.
                let plan = crate::PlanId(0);
                Event::CycleBegin { cycle, plan, run, trigger: Ticks(trigger), begin: at }
            }
            (Kind::SliceEnd, _) => match self.open.get_mut(&packet.track).and_then(Vec::pop) {
                Some(Event::CycleEnd { cycle, run, .. }) => Event::CycleEnd { cycle, run, at },
                _ => return Ok(()),
            },
            (Kind::Instant, "overrun") => Event::Overrun { cycle, run, at },
            (Kind::Instant, "deadline") => {
                let trigger = self.triggers.get(&(cycle, run)).copied().unwrap_or(packet.time);
                self.deadlines.insert(cycle, Duration::from_nanos(packet.time.saturating_sub(trigger)));
                return Ok(());
            }
            (Kind::Instant, "input dropped") => {
                let source = self.catalog.source(names.text(packet, "source").unwrap_or_default())?;
                Event::InputDropped { cycle, source, count: number("count").unwrap_or_default() as u32, at }
            }
            (Kind::Instant, "triggers skipped") => {
                Event::TriggersSkipped { cycle, count: number("count").unwrap_or_default() as u32, at }
            }
            (Kind::Instant, name) => match name.split_once(' ') {
                Some(("publish", exchange)) => Event::Publish { exchange: self.exchange(cycle, exchange)?, run, at },
                Some(("take", exchange)) => {
                    let published = number("published").unwrap_or_default() as u32;
                    Event::Take { exchange: self.exchange(cycle, exchange)?, cycle, run, published, at }
                }
                _ => return Ok(()),
            },
            (Kind::Counter, _) => return Ok(()),
        };
        self.events.entry(leader).or_default().push(event);
        Ok(())
    }

    fn of_worker(&mut self, worker: WorkerId, cycle: CycleId, packet: &Packet<'_>) -> Result<(), Error> {
        let (names, at) = (self.names, Ticks(packet.time));
        let number = |name| names.number(packet, name);
        let run = number("run").unwrap_or_default() as u32;
        let before = |name| Ticks(packet.time.saturating_sub(number(name).unwrap_or_default()));
        let event = match (packet.kind, names.event(packet)) {
            (Kind::SliceBegin, _) => {
                let task = self.task(cycle, packet)?;
                self.connect((cycle, run, task), packet);
                let core = core_of(number("core"));
                let ran = Event::TaskRun { task, core, run, ready: before("queueing_ns"), begin: at, end: at };
                self.open.entry(packet.track).or_default().push(ran);
                return Ok(());
            }
            (Kind::SliceEnd, _) => match self.open.get_mut(&packet.track).and_then(Vec::pop) {
                Some(Event::TaskRun { task, core, run, ready, begin, .. }) => {
                    Event::TaskRun { task, core, run, ready, begin, end: at }
                }
                _ => return Ok(()),
            },
            (Kind::Instant, "woken") => Event::Woken { cycle, run, asked: before("latency_ns"), at },
            (Kind::Instant, "failure" | "stale") => {
                let task = self.catalog.task(cycle, names.text(packet, "task").unwrap_or_default())?;
                match names.text(packet, "kind") {
                    Some("panic") => Event::Failure { task, kind: FailureKind::Panic, run, at },
                    Some(_) => Event::Failure { task, kind: FailureKind::Error, run, at },
                    None => Event::Stale { task, run, at },
                }
            }
            (Kind::Instant, "output") => {
                let output = self.catalog.task(cycle, names.text(packet, "output").unwrap_or_default())?;
                let begin = names.text(packet, "source").unwrap_or_default();
                // A topic that comes from another process has no samples in a trace.
                source_of_messages(begin).map(|source| self.catalog.source(source)).transpose()?;
                let source = self.catalog.source(begin)?;
                let age = |name| Age((number(name).unwrap_or_default() / 1_000).min(u32::MAX.into()) as u32);
                let (newest_age, oldest_age) = (age("newest_age_ns"), age("oldest_age_ns"));
                let newest = Stamp(number("newest_ns").unwrap_or(before("newest_age_ns").0));
                Event::Arrival { output, source, at, newest, newest_age, oldest_age }
            }
            _ => return Ok(()),
        };
        self.events.entry(worker).or_default().push(event);
        Ok(())
    }

    /// Joins the two ends of each edge of a plan.
    fn connect(&mut self, (cycle, run, task): (CycleId, u32, TaskId), packet: &Packet<'_>) {
        let Some(&plan) = self.plans.get(&(cycle, run)) else { return };
        for (end, flow) in [FlowEnd::Leaves, FlowEnd::Enters]
            .into_iter()
            .flat_map(|end| packet.flows(end).map(move |flow| (end, flow)))
        {
            let Some(other) = self.flows.remove(&flow) else {
                self.flows.insert(flow, task);
                continue;
            };
            let edge = match end {
                FlowEnd::Leaves => (task, other),
                FlowEnd::Enters => (other, task),
            };
            self.edges.entry((cycle, plan)).or_default().insert(edge);
        }
    }

    fn task(&mut self, cycle: CycleId, packet: &Packet<'_>) -> Result<TaskId, Error> {
        if let Some(&task) = self.tasks.get(&(packet.track, packet.name)) {
            return Ok(task);
        }
        let task = self.catalog.task(cycle, self.names.event(packet))?;
        self.tasks.insert((packet.track, packet.name), task);
        Ok(task)
    }

    /// Registers an exchange. `cognition to motion` is written by cognition; an exchange that no
    /// cycle writes comes from a source, and is registered with its reader.
    fn exchange(&self, track: CycleId, name: &str) -> Result<ExchangeId, Error> {
        let publisher = name.split_once(" to ").and_then(|(publisher, _)| {
            self.catalog.read().cycles().find(|(_, cycle)| cycle.name == publisher).map(|(id, _)| id)
        });
        self.catalog.exchange(publisher.unwrap_or(track), name)
    }

    pub(super) fn finish(mut self) -> Result<Trace, Error> {
        for (cycle, deadline) in std::mem::take(&mut self.deadlines) {
            let known = self.catalog.read().cycle(cycle).cloned();
            if let Some(known) = known {
                self.catalog.cycle(known.deadline(deadline))?;
            }
        }
        // A plan whose runs showed no edges has no entry in `edges`.
        let numbers: BTreeSet<_> = self.plans.iter().map(|(&(cycle, _), &number)| (cycle, number)).collect();
        let mut plans = HashMap::new();
        for (cycle, number) in numbers {
            let edges: Vec<_> = self.edges.get(&(cycle, number)).into_iter().flatten().copied().collect();
            plans.insert((cycle, number), self.catalog.plan(cycle, &edges)?);
        }
        let mut capture = Capture::default();
        for (worker, mut events) in self.events {
            for event in &mut events {
                if let Event::CycleBegin { cycle, run, plan, .. } = event {
                    let number = self.plans.get(&(*cycle, *run)).copied().unwrap_or_default();
                    *plan = plans.get(&(*cycle, number)).copied().unwrap_or(*plan);
                }
            }
            events.sort_by_key(Event::at);
            capture.insert(worker, events);
        }
        Ok(Trace { capture, catalog: self.catalog, scale: TickScale::nanoseconds_per_tick_one() })
    }
}

pub(super) fn core_of(number: Option<u64>) -> Core {
    number.and_then(|core| u8::try_from(core).ok()).map_or(Core::UNKNOWN, Core)
}
