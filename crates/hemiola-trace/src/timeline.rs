//! A drawing of the schedule: which task ran where and when, over a few cycles.

mod svg;

use crate::{
    catalog::{Catalog, CatalogGuard, Runs},
    clock::{Core, TickScale, Ticks},
    collector::Capture,
    error::Error,
    event::Event,
    ids::{CycleId, ExchangeId, WorkerId},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    path::Path,
    time::Duration,
};

/// A timeline of a [`Capture`]: a lane per cycle, a row per worker, a strip per core.
///
/// Slices are tasks; hatched parts are those in which a cycle of higher priority had the core.
/// Above the rows a bar shows each run from its trigger to its end, red if it ended after the
/// deadline. Arcs lead from a publication to the run that read it.
///
/// Preemption is inferred: a slice counts as preempted where a slice of a higher priority ran on
/// the core on which it ended. That is exact for pinned workers; for a task that moved between
/// cores it may show too much or too little.
///
/// ```
/// use hemiola_trace::{Capture, Catalog, TickScale, Timeline};
/// use std::time::Duration;
///
/// let scale = TickScale::nanoseconds_per_tick_one();
/// let timeline = Timeline::of(&Capture::default(), &Catalog::new("robot"), &scale);
/// let svg = timeline.window(Duration::ZERO, Duration::from_millis(40)).to_svg(1200);
/// assert!(svg.starts_with("<svg"));
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    process: String,
    /// The remark in the heading.
    remark: String,
    /// The begin of the capture, in nanoseconds.
    origin: u64,
    begin: u64,
    end: u64,
    lanes: Vec<Lane>,
    cores: BTreeMap<Core, Vec<Occupation>>,
    exchanges: Vec<Handover>,
}

impl Timeline {
    /// Draws a whole capture. [`window`](Self::window) selects a part that is small enough to read.
    pub fn of(capture: &Capture, catalog: &Catalog, scale: &TickScale) -> Self {
        let names = catalog.read();
        let mut gathered = Gathered::default();
        for (worker, events) in capture.workers() {
            for event in events {
                gathered.add(&names, scale, worker, event);
            }
        }
        gathered.into_timeline(&names)
    }

    /// Selects the part of `length` that begins `skip` after the first event.
    pub fn window(self, skip: Duration, length: Duration) -> Self {
        let begin = self.origin.saturating_add(skip.as_nanos() as u64);
        Self { begin, end: begin.saturating_add(length.as_nanos() as u64), ..self }
    }

    /// Selects the last `length` of the capture.
    pub fn last(self, length: Duration) -> Self {
        let begin = self.end.saturating_sub(length.as_nanos() as u64).max(self.origin);
        Self { begin, ..self }
    }

    /// Adds a remark to the heading, such as the clock of the times.
    pub fn remark(self, remark: impl Into<String>) -> Self {
        Self { remark: remark.into(), ..self }
    }

    /// Returns the length of the time that the picture shows.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.end - self.begin)
    }

    /// Returns the picture as a self-contained SVG document `width` pixels wide (at least 600).
    pub fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width.max(600))
    }

    /// Writes the picture, 1200 pixels wide.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        std::fs::write(path, self.to_svg(1200)).map_err(|source| Error::Write {
            what: "timeline",
            path: path.to_owned(),
            source,
        })
    }
}

/// A cycle in the picture.
#[derive(Clone, Debug)]
struct Lane {
    name: String,
    period: Option<Duration>,
    deadline: Option<Duration>,
    rows: Vec<Row>,
    runs: Vec<RunSpan>,
}

/// A worker of a cycle in the picture.
#[derive(Clone, Debug)]
struct Row {
    label: String,
    slices: Vec<Slice>,
}

/// A task's execution.
#[derive(Clone, Debug)]
struct Slice {
    name: String,
    run: u32,
    core: Core,
    ready: u64,
    begin: u64,
    end: u64,
    /// The number of slices within which it lies.
    depth: usize,
    /// The times in which others had its core.
    preempted: Vec<(u64, u64)>,
}

/// A run from its trigger to its end; times in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct RunSpan {
    number: u32,
    trigger: u64,
    end: Option<u64>,
    deadline: Option<u64>,
}

impl RunSpan {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| self.end.is_some_and(|end| end > deadline))
    }
}

/// A time span in which a cycle (by its lane) had a core.
#[derive(Clone, Copy, Debug)]
struct Occupation {
    lane: usize,
    begin: u64,
    end: u64,
}

/// The path of a snapshot from one lane to another.
#[derive(Clone, Copy, Debug)]
struct Handover {
    from: (usize, u64),
    to: (usize, u64),
}

/// The events of a capture, sorted by kind.
#[derive(Default)]
struct Gathered {
    span: Option<(u64, u64)>,
    slices: BTreeMap<(CycleId, WorkerId), Vec<Slice>>,
    runs: BTreeMap<(CycleId, u32), (Option<u64>, Option<u64>)>,
    publications: HashMap<(ExchangeId, u32), u64>,
    takes: Vec<(ExchangeId, u32, CycleId, u64)>,
}

impl Gathered {
    fn add(&mut self, names: &CatalogGuard<'_>, scale: &TickScale, worker: WorkerId, event: &Event) {
        let nanoseconds = |ticks: Ticks| scale.nanoseconds(ticks);
        match *event {
            Event::TaskRun { task, core, run, ready, begin, end } => {
                let Some(entry) = names.task(task) else { return };
                let name = entry.name.clone();
                let [ready, begin, end] = [ready, begin, end.max(begin)].map(nanoseconds);
                let slice = Slice { name, run, core, ready, begin, end, depth: 0, preempted: Vec::new() };
                self.slices.entry((entry.cycle, worker)).or_default().push(slice);
                self.stretch(begin);
                self.stretch(end);
            }
            Event::CycleBegin { cycle, run, trigger, begin, .. } => {
                self.runs.entry((cycle, run)).or_default().0 = Some(nanoseconds(trigger));
                self.stretch(nanoseconds(begin));
            }
            Event::CycleEnd { cycle, run, at } => {
                self.runs.entry((cycle, run)).or_default().1 = Some(nanoseconds(at));
                self.stretch(nanoseconds(at));
            }
            Event::Publish { exchange, run, at } => {
                self.publications.insert((exchange, run), nanoseconds(at));
            }
            Event::Take { exchange, cycle, published, at, .. } => {
                self.takes.push((exchange, published, cycle, nanoseconds(at)));
            }
            _ => {}
        }
    }

    fn stretch(&mut self, time: u64) {
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
    }

    fn into_timeline(self, names: &CatalogGuard<'_>) -> Timeline {
        let mut cycles: Vec<CycleId> =
            self.slices.keys().map(|(cycle, _)| *cycle).chain(self.runs.keys().map(|(cycle, _)| *cycle)).collect();
        cycles.sort_unstable();
        cycles.dedup();
        cycles.sort_by_key(|&cycle| Reverse(names.cycle(cycle).map(|cycle| cycle.priority)));
        let lane_of = |cycle: CycleId| cycles.iter().position(|&known| known == cycle);

        let mut lanes: Vec<Lane> = cycles.iter().map(|&cycle| self.lane(names, cycle)).collect();
        let exchanges = self
            .takes
            .iter()
            .filter_map(|&(exchange, published, reader, at)| {
                let publisher = names.exchange(exchange)?.publisher;
                let published = *self.publications.get(&(exchange, published))?;
                Some(Handover { from: (lane_of(publisher)?, published), to: (lane_of(reader)?, at) })
            })
            .collect();
        let cores = preempt(&mut lanes);
        let (begin, end) = self.span.unwrap_or((0, 0));
        Timeline {
            process: names.process().to_owned(),
            remark: String::new(),
            origin: begin,
            begin,
            end,
            lanes,
            cores,
            exchanges,
        }
    }

    fn lane(&self, names: &CatalogGuard<'_>, cycle: CycleId) -> Lane {
        let entry = names.cycle(cycle);
        let deadline = entry.and_then(|entry| entry.deadline);
        let runs = self
            .runs
            .iter()
            .filter(|((of, _), _)| *of == cycle)
            .filter_map(|(&(_, number), &(trigger, end))| {
                let trigger = trigger?;
                let deadline = deadline.map(|deadline| trigger + deadline.as_nanos() as u64);
                Some(RunSpan { number, trigger, end, deadline })
            })
            .collect();
        let of_cycle = self.slices.iter().filter(|((of, _), _)| *of == cycle);
        let mut workers: Vec<_> = of_cycle
            .map(|(&(_, worker), slices)| {
                let index = match names.worker(worker).map(|entry| &entry.runs) {
                    Some(&Runs::Tasks { index, .. }) => index,
                    _ => usize::from(worker.0),
                };
                (index, slices)
            })
            .collect();
        workers.sort_unstable_by_key(|&(index, _)| index);
        let rows = workers
            .into_iter()
            .map(|(index, slices)| Row { label: format!("worker {index}"), slices: nested(slices.clone()) });
        let rows = rows.collect();
        Lane { name: names.cycle_name(cycle), period: entry.and_then(|entry| entry.period), deadline, rows, runs }
    }
}

/// Sorts the slices of a worker and determines how deep each is nested in others.
fn nested(mut slices: Vec<Slice>) -> Vec<Slice> {
    slices.sort_by_key(|slice| (slice.begin, Reverse(slice.end)));
    let mut open: Vec<u64> = Vec::new();
    for slice in &mut slices {
        while open.pop_if(|end| *end <= slice.begin).is_some() {}
        slice.depth = open.len();
        open.push(slice.end);
    }
    slices
}

/// Marks where slices were preempted by those of lanes above, and returns the occupations of each
/// core.
fn preempt(lanes: &mut [Lane]) -> BTreeMap<Core, Vec<Occupation>> {
    let mut cores: BTreeMap<Core, Vec<Occupation>> = BTreeMap::new();
    for (index, lane) in lanes.iter_mut().enumerate() {
        let above = cores.clone();
        for slice in lane.rows.iter_mut().flat_map(|row| &mut row.slices).filter(|slice| slice.core != Core::UNKNOWN) {
            let taken = above.get(&slice.core).map_or(&[][..], Vec::as_slice);
            slice.preempted = taken
                .iter()
                .filter(|other| other.begin < slice.end && other.end > slice.begin)
                .map(|other| (other.begin.max(slice.begin), other.end.min(slice.end)))
                .collect();
            let mut at = slice.begin;
            let had = cores.entry(slice.core).or_default();
            for (begin, end) in slice.preempted.iter().copied().chain([(slice.end, slice.end)]) {
                if begin > at && slice.depth == 0 {
                    had.push(Occupation { lane: index, begin: at, end: begin });
                }
                at = at.max(end);
            }
        }
        for occupations in cores.values_mut() {
            occupations.sort_by_key(|occupation| occupation.begin);
            // Tasks that follow each other are one occupation.
            occupations.dedup_by(|next, last| {
                let joined = next.lane == last.lane && next.begin <= last.end;
                last.end = if joined { last.end.max(next.end) } else { last.end };
                joined
            });
        }
    }
    cores
}
