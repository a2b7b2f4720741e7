//! Traces for Perfetto: `ui.perfetto.dev`, or any tool that reads its protocol buffers.
//!
//! # What a trace holds
//!
//! | track | events |
//! |---|---|
//! | a thread per worker | a slice per task with its queueing delay; instants for wake-ups, failures, outputs |
//! | per cycle | a slice per run; instants for trigger, deadline, overrun, publishing and reading |
//! | below a cycle | the moments at which tasks became ready; counters: cycle time, jitter, longest queueing, drops |
//! | a thread per callback executor | a slice per call with its latency; instants for panics |
//! | a thread per source | a slice per sample, from the request to its arrival |
//! | per topic | instants for the messages for which callbacks ran |
//! | counters of the process | the data age per chain, the time that the host took of cores, and the runtime's counters |
//! | debug output of updates | a counter of the process per plot; a track with all annotations |
//! | counters of a thread | the time on a core, and the time waiting for one |
//!
//! Flows lead from a task to those that waited for it (the edges of the plan that the run
//! followed), from a publication to the cycles that read it, and from a message to the callbacks
//! that ran for it.
//!
//! # Rounds
//!
//! Events come worker by worker, so a run is complete only when the batches of all workers have
//! come. The writer holds a run back until a whole round of batches has passed since its end, and
//! then writes it with its flows, both ends or none. A file is a plain sequence of packets: if it
//! is cut anywhere, it is readable up to there.

mod callback;
mod encoder;
mod exchange;
mod fields;
mod marks;
mod packets;
mod protobuf;
mod read;
mod read_threads;
mod run;
mod trace;

pub use trace::Trace;

use crate::{
    catalog::{Catalog, CatalogGuard},
    clock::{Core, KernelClocks, TickScale},
    collector::Capture,
    error::Error,
    event::Event,
    ids::{CycleId, WorkerId},
};
use callback::{Called, Messages};
use encoder::{Details, Encoder, Track, Unit, Value};
use exchange::{Publication, Take};
use run::{Run, TaskSlice};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufWriter, Write},
    os::unix::fs::FileTypeExt,
    path::{Path, PathBuf},
};

/// A writer of traces, during the recording or from a whole [`Capture`].
///
/// ```
/// use hemiola_trace::{Catalog, Core, Cycle, Event, PlanId, TickScale, Ticks, perfetto};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let (task, worker) = (catalog.task(motion, "Walk.joints")?, catalog.worker(motion, 0, 4711)?);
/// let plan = catalog.plan(motion, &[])?;
///
/// let scale = TickScale::nanoseconds_per_tick_one();
/// let mut writer = perfetto::Writer::new(Vec::new(), "memory", catalog, scale)?;
/// writer.append(worker, &[
///     Event::CycleBegin { cycle: motion, plan, run: 0, trigger: Ticks(0), begin: Ticks(10) },
///     Event::TaskRun { task, core: Core(0), run: 0, ready: Ticks(10), begin: Ticks(20), end: Ticks(90) },
///     Event::CycleEnd { cycle: motion, run: 0, at: Ticks(95) },
/// ])?;
/// let bytes = writer.finish()?;
/// assert!(!bytes.is_empty());
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the last runs are only written by `finish`"]
pub struct Writer<W: Write> {
    sink: W,
    path: PathBuf,
    catalog: Catalog,
    scale: TickScale,
    encoder: Encoder,
    round: u64,
    heard: BTreeSet<WorkerId>,
    runs: BTreeMap<(CycleId, u32), Run>,
    takes: Vec<Take>,
    publications: Vec<Publication>,
    messages: Messages,
    drops: BTreeMap<CycleId, u64>,
    lost: BTreeMap<WorkerId, u64>,
    /// The numbers of the plotted curves, by name.
    curves: BTreeMap<String, u16>,
    last_flow: u64,
}

impl Writer<BufWriter<File>> {
    /// Starts a trace in a new file; an existing one is replaced.
    ///
    /// # Errors
    /// Returns an error if [`create_file`] fails, or the file cannot be written.
    pub fn create(path: impl AsRef<Path>, catalog: Catalog, scale: TickScale) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::new(BufWriter::new(create_file(path)?), path, catalog, scale)
    }
}

/// Creates the file of a trace; an existing one is replaced. [`Writer::create`] does so itself:
/// this is for programs in which a separate thread writes to the file.
///
/// ```
/// use hemiola_trace::perfetto;
///
/// let error = perfetto::create_file("/nowhere/a.pftrace").unwrap_err();
/// assert!(error.to_string().starts_with("cannot write the trace /nowhere/a.pftrace"));
/// ```
///
/// # Errors
/// Returns an error if the file cannot be created, or is a pipe, whose writer would wait for the
/// reader.
pub fn create_file(path: impl AsRef<Path>) -> Result<File, Error> {
    let path = path.as_ref();
    let is_pipe = fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo());
    let file = match is_pipe {
        true => Err(io::Error::other("it is a pipe, and a trace does not wait for readers")),
        false => File::create(path),
    };
    file.map_err(|source| Error::WriteTrace { path: path.to_owned(), source })
}

impl<W: Write> Writer<W> {
    /// Starts a trace in `sink`; `path` is its name in errors.
    ///
    /// # Errors
    /// Returns an error if writing to the sink fails.
    pub fn new(sink: W, path: impl Into<PathBuf>, catalog: Catalog, scale: TickScale) -> Result<Self, Error> {
        let (encoder, heard, runs, takes, publications, messages, drops, lost, curves) = <_>::default();
        let (path, round, last_flow) = (path.into(), 0, 0);
        let mut writer = Self {
            sink,
            path,
            catalog,
            scale,
            encoder,
            round,
            heard,
            runs,
            takes,
            publications,
            messages,
            drops,
            lost,
            curves,
            last_flow,
        };
        writer.encoder.open(&KernelClocks::now());
        let process = writer.catalog.read().process().to_owned();
        writer.encoder.describe(Track::Process, |track| track.process(std::process::id(), &process));
        writer.write()?;
        Ok(writer)
    }

    /// Adds events of a worker, in the order of its ring. A second batch of the same worker starts
    /// a new round.
    ///
    /// # Errors
    /// Returns an error if writing to the sink fails.
    pub fn append(&mut self, worker: WorkerId, events: &[Event]) -> Result<(), Error> {
        if !self.heard.insert(worker) {
            self.next_round();
            self.heard.insert(worker);
        }
        let catalog = self.catalog.clone();
        let names = catalog.read();
        if let (Some(lost), Some(event)) = (self.lost.remove(&worker), events.first()) {
            let details = Details::annotated([("lost", Value::Number(lost))]);
            let track = self.worker_track(&names, worker);
            self.encoder.instant(track, self.scale.nanoseconds(event.at()), "events lost", &details);
        }
        for event in events {
            self.event(&names, worker, event);
        }
        self.write()
    }

    /// Notes that events of a worker were lost; the trace shows this at its next event.
    pub fn lost(&mut self, worker: WorkerId, events: u64) {
        if events > 0 {
            *self.lost.entry(worker).or_default() += events;
        }
    }

    /// Continues with a refreshed scale.
    pub fn rescale(&mut self, scale: TickScale) {
        self.scale = scale;
    }

    /// Writes everything that was held back, flushes, and returns the sink.
    ///
    /// # Errors
    /// Returns an error if writing to the sink fails.
    pub fn finish(mut self) -> Result<W, Error> {
        for (id, run) in std::mem::take(&mut self.runs) {
            self.close(id, run);
        }
        for take in std::mem::take(&mut self.takes) {
            self.take(take);
        }
        for publication in std::mem::take(&mut self.publications) {
            self.publish(publication);
        }
        self.publish_messages_before(u64::MAX);
        self.write()?;
        self.sink.flush().map_err(|source| Error::WriteTrace { path: self.path.clone(), source })?;
        Ok(self.sink)
    }

    fn write(&mut self) -> Result<(), Error> {
        let bytes = self.encoder.take();
        self.sink.write_all(&bytes).map_err(|source| Error::WriteTrace { path: self.path.clone(), source })
    }

    /// Writes the runs and publications whose other parts have had their round.
    fn next_round(&mut self) {
        self.round += 1;
        self.heard.clear();
        let round = self.round;
        let done = |run: &Run| run.ended_before(round.saturating_sub(WHOLE_ROUND)) || run.silent_since(round);
        let done: Vec<_> = self.runs.iter().filter(|(_, run)| done(run)).map(|(&id, _)| id).collect();
        for id in done {
            if let Some(run) = self.runs.remove(&id) {
                self.close(id, run);
            }
        }
        let heard: Vec<_> = self.takes.extract_if(.., |take| take.round + WHOLE_ROUND < round).collect();
        for take in heard {
            self.take(take);
        }
        let old: Vec<_> =
            self.publications.extract_if(.., |publication| publication.cannot_be_taken_in(round)).collect();
        for publication in old {
            self.publish(publication);
        }
        self.publish_messages_before(round.saturating_sub(WHOLE_ROUND));
    }

    fn event(&mut self, names: &CatalogGuard<'_>, worker: WorkerId, event: &Event) {
        let time = self.scale.nanoseconds(event.at());
        match *event {
            Event::TaskRun { task, core, run, ready, begin, end } => {
                let Some(cycle) = names.task(task).map(|task| task.cycle) else { return };
                self.run(cycle, run).tasks.push(TaskSlice { worker, task, core, ready, begin, end });
            }
            Event::CycleBegin { cycle, plan, run, trigger, begin } => {
                self.run(cycle, run).begin = Some((plan, trigger, begin));
            }
            Event::CycleEnd { cycle, run, at } => {
                let round = self.round;
                self.run(cycle, run).end = Some((at, round));
            }
            Event::Take { exchange, cycle, run, published, at } => {
                let round = self.round;
                self.takes.push(Take { exchange, cycle, run, published, at, round });
            }
            Event::Publish { exchange, run, at } => {
                let round = self.round;
                let older = self.publications.iter_mut().filter(|older| older.exchange == exchange);
                older.for_each(|older| older.superseded = older.superseded.or(Some(round)));
                self.publications.push(Publication { exchange, run, at, flows: Vec::new(), superseded: None });
            }
            Event::Overrun { cycle, run, .. } => {
                let track = self.cycle_track(names, cycle);
                let details = Details::annotated([("run", Value::Number(run.into()))]);
                self.encoder.instant(track, time, "overrun", &details);
            }
            Event::InputDropped { cycle, source, count, .. } => {
                let total = self.drops.entry(cycle).or_default();
                *total += u64::from(count);
                let total = *total;
                let track = self.counter_track(names, Track::Drops(cycle.0), cycle, "dropped inputs", Unit::Count);
                self.encoder.counter(track, time, Value::Number(total));
                let track = self.cycle_track(names, cycle);
                let details = Details::annotated([
                    ("source", Value::Text(names.source_name(source).into())),
                    ("count", Value::Number(count.into())),
                ]);
                self.encoder.instant(track, time, "input dropped", &details);
            }
            Event::TriggersSkipped { cycle, count, .. } => {
                let track = self.cycle_track(names, cycle);
                let details = Details::annotated([("count", Value::Number(count.into()))]);
                self.encoder.instant(track, time, "triggers skipped", &details);
            }
            Event::Woken { run, asked, at, .. } => {
                let latency = self.scale.nanoseconds_between(asked, at);
                let details =
                    Details::annotated([("run", Value::Number(run.into())), ("latency_ns", Value::Number(latency))]);
                let track = self.worker_track(names, worker);
                self.encoder.instant(track, time, "woken", &details);
            }
            Event::Failure { task, kind, run, .. } => {
                let details = Details::annotated([
                    ("task", Value::Text(names.task_name(task).into())),
                    ("kind", Value::Text(kind.to_string().into())),
                    ("run", Value::Number(run.into())),
                ]);
                let track = self.worker_track(names, worker);
                self.encoder.instant(track, time, "failure", &details);
            }
            Event::Stale { task, run, .. } => {
                let details = Details::annotated([
                    ("task", Value::Text(names.task_name(task).into())),
                    ("run", Value::Number(run.into())),
                ]);
                let track = self.worker_track(names, worker);
                self.encoder.instant(track, time, "stale", &details);
            }
            Event::Arrival { output, source, newest, newest_age, oldest_age, .. } => {
                let (source_name, output_name) = (names.source_name(source), names.task_name(output));
                let counter = Track::DataAge(source.0, output.0);
                self.encoder.describe(counter, |track| {
                    let name = format!("data age {source_name} → {output_name}");
                    track.counter(Track::Process, &name, Unit::Nanoseconds);
                });
                self.encoder.counter(counter, time, Value::Number(oldest_age.nanoseconds()));
                let details = Details::annotated([
                    ("output", Value::Text(output_name.into())),
                    ("source", Value::Text(source_name.into())),
                    ("newest_age_ns", Value::Number(newest_age.nanoseconds())),
                    ("oldest_age_ns", Value::Number(oldest_age.nanoseconds())),
                    ("newest_ns", Value::Number(newest.0)),
                ]);
                let track = self.worker_track(names, worker);
                self.encoder.instant(track, time, "output", &details);
            }
            Event::Callback { callback, core, sequence, published, begin, end } => {
                self.callback(names, worker, callback, Called { core, sequence, published, begin, end });
            }
            Event::Sample { core, sample, begin, end, .. } => {
                let mut details = Details::annotated([("sample", Value::Number(sample.into()))]);
                if core != Core::UNKNOWN {
                    details.annotations.push(("core", Value::Number(u64::from(core.0))));
                }
                let track = self.worker_track(names, worker);
                self.encoder.slice_begin(track, self.scale.nanoseconds(begin), "sample", &details);
                self.encoder.slice_end(track, self.scale.nanoseconds(end.max(begin)));
            }
            Event::CallbackPanic { callback, sequence, .. } => {
                let name = names.callback(callback).map_or("", |callback| &callback.name);
                let details = Details::annotated([
                    ("callback", Value::Text(name.into())),
                    ("sequence", Value::Number(sequence.into())),
                ]);
                let track = self.worker_track(names, worker);
                self.encoder.instant(track, time, "panic", &details);
            }
            Event::Counter { counter, value, .. } => {
                let Some(entry) = names.counter(counter) else { return };
                let track = Track::Counter(counter.0);
                self.encoder.describe(track, |track| {
                    track.counter(Track::Process, &entry.name, Unit::Named(&entry.unit));
                });
                self.encoder.counter(track, time, Value::Real(value));
            }
            Event::ThreadTime { worker, running, waiting, .. } => {
                let (thread, name) = (self.worker_track(names, worker), names.worker_name(worker));
                let tracks = [Track::Running(worker.0), Track::Waiting(worker.0)];
                let what = ["on a core", "waiting for a core"];
                for ((track, what), nanoseconds) in tracks.into_iter().zip(what).zip([running, waiting]) {
                    self.encoder.describe(track, |track| {
                        track.counter(thread, &format!("{name} {what}"), Unit::Nanoseconds);
                    });
                    self.encoder.counter(track, time, Value::Number(nanoseconds));
                }
            }
            Event::StolenTime { core, nanoseconds, .. } => {
                let track = Track::Stolen(core.0);
                self.encoder.describe(track, |track| {
                    let name = format!("core {} taken by the host", core.0);
                    track.counter(Track::Process, &name, Unit::Nanoseconds);
                });
                self.encoder.counter(track, time, Value::Number(nanoseconds));
            }
        }
    }

    fn run(&mut self, cycle: CycleId, run: u32) -> &mut Run {
        let entry = self.runs.entry((cycle, run)).or_default();
        entry.touched = self.round;
        entry
    }

    fn next_flow(&mut self) -> u64 {
        self.last_flow += 1;
        self.last_flow
    }

    fn worker_track(&mut self, names: &CatalogGuard<'_>, worker: WorkerId) -> Track {
        let track = Track::Worker(worker.0);
        self.encoder.describe(track, |descriptor| {
            // Threads that are not in the catalog get an ID that no thread has.
            let stand_in = i32::MAX as u32 - u32::from(worker.0);
            let thread = names.worker(worker).and_then(|worker| worker.thread).unwrap_or(stand_in);
            descriptor.thread(std::process::id(), thread, &names.worker_name(worker));
        });
        track
    }

    fn cycle_track(&mut self, names: &CatalogGuard<'_>, cycle: CycleId) -> Track {
        let track = Track::Cycle(cycle.0);
        self.encoder.describe(track, |descriptor| {
            // The cycle with the highest priority comes first.
            let priority = names.cycle(cycle).map_or(0, |cycle| cycle.priority);
            let rank = (i64::from(i32::MAX) - i64::from(priority)) as u64;
            descriptor.child(Track::Process, &names.cycle_name(cycle), rank);
        });
        track
    }

    fn counter_track(
        &mut self,
        names: &CatalogGuard<'_>,
        track: Track,
        cycle: CycleId,
        what: &str,
        unit: Unit<'_>,
    ) -> Track {
        let parent = self.cycle_track(names, cycle);
        self.encoder.describe(track, |descriptor| {
            descriptor.counter(parent, &format!("{} {what}", names.cycle_name(cycle)), unit);
        });
        track
    }
}

impl Capture {
    /// Writes the capture as a Perfetto trace.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created or written.
    ///
    /// ```
    /// use hemiola_trace::{Capture, Catalog, TickScale};
    ///
    /// let scale = TickScale::nanoseconds_per_tick_one();
    /// let error = Capture::default().write_perfetto("/nowhere/a.pftrace", &Catalog::new("robot"), &scale).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot write the trace /nowhere/a.pftrace"));
    /// ```
    pub fn write_perfetto(&self, path: impl AsRef<Path>, catalog: &Catalog, scale: &TickScale) -> Result<(), Error> {
        let mut writer = Writer::create(path, catalog.clone(), scale.clone())?;
        for (worker, events) in self.workers() {
            writer.append(worker, events)?;
        }
        writer.finish().map(drop)
    }
}

/// The number of rounds after which batches of all workers have come since a run's end, wherever in
/// a round that was.
const WHOLE_ROUND: u64 = 2;
