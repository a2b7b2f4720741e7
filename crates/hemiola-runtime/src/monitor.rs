//! Gathers what the workers leave behind: events, failures, what updates show. Runs off the
//! real-time threads.

mod bound_watch;
mod bounds;
mod disk;
mod kernel_watch;
mod messages;
mod open_trace;

pub use bounds::LatencyBounds;
pub use messages::Message;
pub use open_trace::{EndedTrace, OpenTrace};

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hemiola_bus::RobotClock;
use hemiola_bus::exchange::QueueReader;
use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::DebugContent;
use hemiola_realtime::{Denial, describe_panic};
use hemiola_trace::{Capture, Catalog, Collector, RingReader, Statistics, TaskId, TickScale, WorkerId};

use crate::containment::{in_words, quietly};
use crate::debug::DebugName;
use crate::debug::inlets::DebugInlets;
use crate::debug::interest::Interest;
use crate::faults::Faults;
use crate::journal::{JournalEntry, JournalEvent};
use crate::observe::gathered::GatheredOutlets;
use crate::observe::observer::Gathered;
use crate::observe::{Observation, Presence};
use crate::record::{Change, ChangeNumber, Severity};
use crate::run::{FailureReason, FailureRecord};
use crate::source::SourceFailure;
use crate::watchdog::WatchdogReport;
use crate::worker::WorkerOutputs;
use bound_watch::BoundWatch;
use kernel_watch::KernelWatch;
use messages::Messages;

/// See the module.
pub struct Monitor {
    catalog: Catalog,
    scale: TickScale,
    collector: Collector,
    statistics: Statistics,
    bounds: BoundWatch,
    kernel: Option<KernelWatch>,
    trace: Option<OpenTrace>,
    /// One that could not be written on.
    ended_trace: Option<EndedTrace>,
    failures: Vec<QueueReader<FailureRecord>>,
    debug: DebugInlets,
    sources: Vec<QueueReader<SourceFailure>>,
    watchdog: Option<QueueReader<WatchdogReport>>,
    /// And how many of them were told.
    faults: Option<(Arc<Faults>, usize)>,
    messages: Messages,
    failed: BTreeSet<&'static str>,
    observers: GatheredOutlets,
}

/// A failure in words.
pub struct DescribedFailure {
    task: TaskId,
    module: &'static str,
    policy: FailurePolicy,
    reason: String,
}

impl DescribedFailure {
    /// Errors and payloads are the user's; so is what they say of themselves, and what happens when
    /// they are dropped: it may panic, take its time, or look at the robot.
    pub fn of(failure: FailureRecord) -> Self {
        let reason = match &failure.reason {
            FailureReason::Error(error) => format!("failed: {}", in_words(error)),
            FailureReason::Panic { payload, place } => describe_panic(&**payload, place),
        };
        let FailureRecord { task, policy, .. } = failure;
        let described = Self { task, module: failure.instance.name(), policy, reason };
        _ = quietly(|| drop(failure));
        described
    }
}

impl Monitor {
    pub fn new(catalog: Catalog, scale: TickScale, clock: Arc<RobotClock>) -> Self {
        Self {
            statistics: Statistics::new(catalog.clone(), scale.clone()),
            catalog,
            scale,
            collector: Collector::default(),
            bounds: BoundWatch::default(),
            kernel: None,
            trace: None,
            ended_trace: None,
            failures: Vec::new(),
            debug: DebugInlets::default(),
            sources: Vec::new(),
            watchdog: None,
            faults: None,
            messages: Messages::new(clock),
            failed: BTreeSet::new(),
            observers: GatheredOutlets::default(),
        }
    }

    pub fn add_worker(&mut self, worker: WorkerId, outputs: WorkerOutputs) {
        self.collector.add(worker, outputs.events);
        self.failures.push(outputs.failures);
        self.debug.add(outputs.debug);
    }

    /// Takes up the calls of an executor beside the cycles.
    pub fn add_executor(&mut self, thread: WorkerId, events: RingReader) {
        self.collector.add(thread, events);
    }

    /// Takes up what a watchdog has to say.
    pub fn set_watchdog(&mut self, reports: QueueReader<WatchdogReport>) {
        self.watchdog = Some(reports);
    }

    pub fn add_source(&mut self, thread: WorkerId, events: RingReader, failures: QueueReader<SourceFailure>) {
        self.collector.add(thread, events);
        self.sources.push(failures);
    }

    /// Says once what the operating system refused.
    pub fn note_denials<'d>(&mut self, denials: impl Iterator<Item = &'d Denial>) {
        for denial in denials {
            let text = denial.to_string();
            if !self.messages.contains(&text) {
                self.messages.add(Severity::Warning, "operating system", text);
            }
        }
    }

    pub fn note(&mut self, text: String) {
        self.messages.add(Severity::Information, "robot", text);
        self.tell();
    }

    /// A change from outside has come into force.
    pub fn note_change(&mut self, change: Change, number: Option<ChangeNumber>, by: Option<String>) {
        self.messages.happened(JournalEvent::Change { change, number, by });
        self.tell();
    }

    /// Somebody has marked a moment.
    pub fn mark(&mut self, text: String, by: Option<String>) {
        self.messages.happened(JournalEvent::Mark { text, by });
        self.tell();
    }

    /// What happened from this number on.
    pub fn journal(&self, number: u64) -> Vec<JournalEntry> {
        self.messages.journal(number)
    }

    /// Gathers all that is new.
    pub fn poll(&mut self) {
        self.scale.refresh();
        self.statistics.rescale(self.scale.clone());
        if self.observers.tidy() {
            self.spread_interest();
        }
        let Self { catalog, scale, collector, statistics, bounds, trace, observers, .. } = self;
        bounds.resolve(catalog);
        let mut failed = None;
        let told = collector.drain(|worker, events, lost| {
            statistics.absorb(worker, events);
            observers.events(worker, events, lost);
            bounds.absorb(events, scale);
            statistics.lost(lost);
            if let Some(OpenTrace { writer, .. }) = trace {
                writer.lost(worker, lost);
                // The first says why, if there are several.
                failed = failed.take().or(writer.append(worker, events).err());
            }
        });
        statistics.settle(told);
        if let Some(error) = failed {
            self.end_trace(&error);
        }
        // What the rings told has happened before this look, so that there is one after each of it.
        if let Some(kernel) = &mut self.kernel {
            kernel.follow_executors(&self.catalog.read());
            kernel.look();
        }
        self.poll_bounds();
        self.poll_debug();
        self.poll_watchdog();
        self.poll_sources();
        self.poll_faults();
        self.tell();
        self.observers.report(|| self.statistics.report());
    }

    /// Learns from now on of what should not have happened.
    pub fn set_faults(&mut self, faults: Arc<Faults>) {
        self.faults = Some((faults, 0));
    }

    /// Passes on what has happened.
    fn tell(&mut self) {
        self.messages.told().for_each(|entry| self.observers.entry(entry));
    }

    /// Modules that failed and are to be replaced; each is told once.
    pub fn take_failed(&mut self) -> BTreeSet<&'static str> {
        std::mem::take(&mut self.failed)
    }

    /// Replacing them did not come off; it is to be tried again.
    pub fn return_failed(&mut self, modules: BTreeSet<&'static str>) {
        self.failed.extend(modules);
    }

    fn poll_debug(&mut self) {
        let Self { debug, observers, trace, catalog, .. } = self;
        observers.lost_records(debug.take_dropped());
        let mut failed = None;
        debug.poll(catalog, |at, record| {
            observers.show(&record);
            let Some(OpenTrace { writer, .. }) = trace else { return };
            let written = match &record.content {
                DebugContent::Plot(value) => writer.plot(at, record.name, *value),
                DebugContent::Annotation(text) => writer.annotate(at, &record.update, record.name, text),
                _ => Ok(()),
            };
            failed = failed.take().or(written.err());
        });
        if let Some(error) = failed {
            self.end_trace(&error);
        }
    }

    /// The trace could not be written on.
    fn end_trace(&mut self, error: &hemiola_trace::Error) {
        self.messages.add(Severity::Warning, "trace", format!("the trace ends here: {error}"));
        self.ended_trace = self.trace.take().map(OpenTrace::end);
        self.spread_interest();
    }

    /// Tells workers what is wanted of what updates show.
    fn spread_interest(&mut self) {
        let mut interest = self.observers.interest().unwrap_or_default();
        if self.trace.is_some() {
            interest.join(&Interest::in_marks());
        }
        self.debug.want(interest);
    }

    /// The names that updates have used while somebody watched.
    pub fn debug_names(&self) -> Vec<DebugName> {
        self.debug.names()
    }

    fn poll_watchdog(&mut self) {
        let Some(reports) = &mut self.watchdog else { return };
        while let Some(report) = reports.pop() {
            self.messages.add(report.severity(), "watchdog", report.describe(&self.catalog));
        }
    }

    fn poll_faults(&mut self) {
        let Some((faults, told)) = &mut self.faults else { return };
        for fault in faults.since(*told) {
            *told += 1;
            self.messages.add(Severity::Error, "robot", fault.error().to_string());
        }
    }

    /// What failed since the last time, to be [put into words](DescribedFailure::of) with nothing
    /// locked, and [told](Self::tell_failures) then.
    pub fn take_failures(&mut self) -> Vec<FailureRecord> {
        self.failures.iter_mut().flat_map(|failures| std::iter::from_fn(|| failures.pop())).collect()
    }

    /// Tells what failed.
    pub fn tell_failures(&mut self, described: Vec<DescribedFailure>) {
        for DescribedFailure { task, module, policy, reason } in described {
            let name = self.catalog.read().task_name(task);
            let (severity, consequence) = match policy {
                FailurePolicy::KeepLast => (Severity::Warning, "its representations keep their last values"),
                FailurePolicy::Restart => {
                    self.failed.insert(module);
                    (Severity::Warning, "the module is replaced by a new instance")
                }
                FailurePolicy::SafeState => (Severity::Error, "the robot enters its safe state"),
            };
            self.messages.add(severity, &name, format!("{name} {reason}; {consequence}"));
        }
        self.tell();
    }

    fn poll_sources(&mut self) {
        for failures in &mut self.sources {
            while let Some(failure) = failures.pop() {
                let text = format!("source {}: {}", failure.source, failure.reason);
                self.messages.add(Severity::Warning, failure.source, text);
            }
        }
    }

    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub fn clear_statistics(&mut self) {
        self.statistics.clear();
    }

    pub fn scale(&self) -> &TickScale {
        &self.scale
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The newest events of all workers.
    pub fn capture(&self) -> Capture {
        self.collector.capture()
    }

    /// All messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.all()
    }

    /// Writes all events from now on into this trace, and none into it before. Gives back the trace
    /// that it replaces.
    #[must_use = "a file is closed when nothing is locked"]
    pub fn start_trace(&mut self, trace: OpenTrace) -> Option<OpenTrace> {
        self.poll();
        let before = self.trace.replace(trace);
        self.spread_interest();
        before
    }

    /// Writes no more into the trace, if one is being written, and gives it back.
    pub fn stop_trace(&mut self) -> Option<OpenTrace> {
        self.poll();
        let trace = self.trace.take()?;
        self.spread_interest();
        Some(trace)
    }

    /// What is left of a trace that could not be written on, if there was one.
    pub fn take_ended_trace(&mut self) -> Option<EndedTrace> {
        self.ended_trace.take()
    }

    /// Where the trace is being written.
    pub fn trace(&self) -> Option<PathBuf> {
        self.trace.as_ref().map(|trace| trace.path.clone())
    }

    /// Passes on from now on what is asked for of what it gathers.
    pub fn observe(&mut self, asked: &Observation, presence: &Arc<Presence>) -> Gathered {
        // What has been left behind before is nobody's.
        self.poll_debug();
        let known = self.messages.journal(0);
        let gathered = self.observers.observe(asked, presence, known);
        if gathered.debug.is_some() {
            self.spread_interest();
        }
        gathered
    }

    /// Whether anybody watches what updates show.
    pub fn is_watched(&self) -> bool {
        self.trace.is_some() || self.observers.interest().is_some()
    }
}
