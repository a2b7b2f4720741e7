//! Gathers the output of workers: events, failures, debug output of updates. It runs off the
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
use std::time::Instant;

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

/// The state of the thread that gathers the output of workers.
pub struct Monitor {
    catalog: Catalog,
    scale: TickScale,
    collector: Collector,
    statistics: Statistics,
    bounds: BoundWatch,
    kernel: Option<KernelWatch>,
    trace: Option<OpenTrace>,
    /// A trace that has ended because it could not be written.
    ended_trace: Option<EndedTrace>,
    failures: Vec<QueueReader<FailureRecord>>,
    debug: DebugInlets,
    sources: Vec<QueueReader<SourceFailure>>,
    watchdog: Option<QueueReader<WatchdogReport>>,
    /// The faults, and the number of them that were reported.
    faults: Option<(Arc<Faults>, usize)>,
    messages: Messages,
    /// The refusals of the operating system that were not reported yet.
    denials: Vec<Denial>,
    failed: BTreeSet<&'static str>,
    observers: GatheredOutlets,
}

/// A failure, described in words.
pub struct DescribedFailure {
    task: TaskId,
    module: &'static str,
    policy: FailurePolicy,
    reason: String,
}

impl DescribedFailure {
    /// Describes a failure, and drops it. Its error or payload is of the user's types: describing
    /// or dropping it may panic, take long, or access the robot.
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
            denials: Vec::new(),
            failed: BTreeSet::new(),
            observers: GatheredOutlets::default(),
        }
    }

    pub fn add_worker(&mut self, worker: WorkerId, outputs: WorkerOutputs) {
        self.collector.add(worker, outputs.events);
        self.failures.push(outputs.failures);
        self.debug.add(outputs.debug);
    }

    /// Adds an executor beside the cycles, whose calls are gathered.
    pub fn add_executor(&mut self, thread: WorkerId, events: RingReader) {
        self.collector.add(thread, events);
    }

    /// Sets the queue with the reports of a watchdog.
    pub fn set_watchdog(&mut self, reports: QueueReader<WatchdogReport>) {
        self.watchdog = Some(reports);
    }

    pub fn add_source(&mut self, thread: WorkerId, events: RingReader, failures: QueueReader<SourceFailure>) {
        self.collector.add(thread, events);
        self.sources.push(failures);
    }

    /// Notes what the operating system has refused; [`tell_denials`](Self::tell_denials) reports
    /// it.
    pub fn note_denials<'d>(&mut self, denials: impl Iterator<Item = &'d Denial>) {
        self.denials.extend(denials.cloned());
    }

    /// Reports everything that the operating system has refused so far, once for each remedy.
    pub fn tell_denials(&mut self) {
        for denial in Denial::joined(&std::mem::take(&mut self.denials)) {
            self.messages.add(Severity::Warning, "operating system", denial.to_string());
        }
    }

    pub fn note(&mut self, text: String) {
        self.add(Severity::Information, text);
    }

    pub fn add(&mut self, severity: Severity, text: String) {
        self.messages.add(severity, "robot", text);
        self.tell();
    }

    /// Notes that a change from outside was applied.
    pub fn note_change(&mut self, change: Change, number: Option<ChangeNumber>, by: Option<String>) {
        self.messages.happened(JournalEvent::Change { change, number, by });
        self.tell();
    }

    /// Marks a moment in the journal.
    pub fn mark(&mut self, text: String, by: Option<String>) {
        self.messages.happened(JournalEvent::Mark { text, by });
        self.tell();
    }

    /// Returns the journal from this number on.
    pub fn journal(&self, number: u64) -> Vec<JournalEntry> {
        self.messages.journal(number)
    }

    /// Gathers everything that is new.
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
                // If there are several errors, the first one is reported.
                failed = failed.take().or(writer.append(worker, events).err());
            }
        });
        statistics.settle(told);
        if let Some(error) = failed {
            self.end_trace(&error);
        }
        // Events from the rings are older than this reading of the kernel's accounts, so each of
        // them is followed by a reading.
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

    /// Sets the faults, which are reported from now on.
    pub fn set_faults(&mut self, faults: Arc<Faults>) {
        self.faults = Some((faults, 0));
    }

    /// Passes new entries of the journal on to observers.
    fn tell(&mut self) {
        self.messages.told().for_each(|entry| self.observers.entry(entry));
    }

    /// Returns the modules that have failed and are to be replaced, each once.
    pub fn take_failed(&mut self) -> BTreeSet<&'static str> {
        std::mem::take(&mut self.failed)
    }

    /// Returns modules whose replacement has failed, so that it is tried again.
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

    /// Ends the trace because it could not be written.
    fn end_trace(&mut self, error: &hemiola_trace::Error) {
        self.messages.add(Severity::Warning, "trace", format!("the trace ends here: {error}"));
        self.ended_trace = self.trace.take().map(OpenTrace::end);
        self.spread_interest();
    }

    /// Sends workers the interest in debug output.
    fn spread_interest(&mut self) {
        let mut interest = self.observers.interest().unwrap_or_default();
        if self.trace.is_some() {
            interest.join(&Interest::in_marks());
        }
        self.debug.want(interest);
    }

    /// Returns the names that updates have used while somebody watched.
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

    /// Returns the failures since the last call, to be [described](DescribedFailure::of) without
    /// holding a lock, and then [reported](Self::tell_failures).
    pub fn take_failures(&mut self) -> Vec<FailureRecord> {
        self.failures.iter_mut().flat_map(|failures| std::iter::from_fn(|| failures.pop())).collect()
    }

    /// Reports failures.
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

    /// Returns the newest events of all workers.
    pub fn capture(&self) -> Capture {
        self.collector.capture()
    }

    /// Returns all messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.all()
    }

    /// Starts to write all events into this trace, and only those from now on. Returns the trace
    /// that it replaces.
    #[must_use = "a file is closed when nothing is locked"]
    pub fn start_trace(&mut self, trace: OpenTrace) -> Option<OpenTrace> {
        self.poll();
        let before = self.trace.replace(trace);
        self.spread_interest();
        before
    }

    /// Stops writing to the trace, if there is one, and returns it.
    pub fn stop_trace(&mut self) -> Option<OpenTrace> {
        self.poll();
        let trace = self.trace.take()?;
        self.spread_interest();
        Some(trace)
    }

    /// Returns the rest of a trace that has ended because it could not be written, if there is one.
    pub fn take_ended_trace(&mut self) -> Option<EndedTrace> {
        self.ended_trace.take()
    }

    /// Returns the path of the trace that is being written.
    pub fn trace(&self) -> Option<PathBuf> {
        self.trace.as_ref().map(|trace| trace.path.clone())
    }

    /// Starts to pass the requested part of what is gathered to an observer.
    pub fn observe(&mut self, asked: &Observation, presence: &Arc<Presence>) -> Gathered {
        // Earlier debug output was not requested.
        self.poll_debug();
        let known = self.messages.journal(0);
        let gathered = self.observers.observe(asked, presence, known);
        if gathered.debug.is_some() {
            self.spread_interest();
        }
        gathered
    }

    /// Returns when the next statistics of an observer are due.
    pub fn due(&self) -> Option<Instant> {
        self.observers.due()
    }

    /// Returns whether anybody watches debug output.
    pub fn is_watched(&self) -> bool {
        self.trace.is_some() || self.observers.interest().is_some()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_is_reported_once_for_each_remedy() {
        let scale = TickScale::nanoseconds_per_tick_one();
        let mut monitor = Monitor::new(Catalog::new("robot"), scale, Arc::new(RobotClock::stepped()));
        let refused = |setting: &str, remedy: &str| Denial {
            setting: setting.into(),
            reason: "no permission".into(),
            remedy: remedy.into(),
        };
        let refused = [
            refused("locked memory", "run it as root"),
            refused("priority 60", "run it as root"),
            refused("to run on core 9", "choose among 0-3"),
            refused("priority 60", "run it as root"),
        ];
        refused.iter().for_each(|denial| monitor.note_denials(std::iter::once(denial)));
        monitor.tell_denials();
        let said: Vec<_> = monitor.messages.all().into_iter().map(|message| message.text).collect();
        assert_eq!(
            said,
            [
                "not granted: locked memory, priority 60\n  why: no permission\n  remedy: run it as root",
                "not granted: to run on core 9\n  why: no permission\n  remedy: choose among 0-3",
            ]
        );
    }
}
