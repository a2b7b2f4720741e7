//! Gathers what the workers leave behind: events, failures, plots and drawings. Runs off the real-time threads.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::DebugRecord;
use hemiola_realtime::Denial;
use hemiola_trace::{Capture, Catalog, Collector, Statistics, TickScale, WorkerId, perfetto};

use crate::error::RuntimeError;
use crate::exchange::QueueReader;
use crate::failure::describe_panic;
use crate::program::{FailureReason, FailureRecord};
use crate::source::SourceFailure;
use crate::worker::WorkerOutputs;

/// See the module.
pub struct Monitor {
    catalog: Catalog,
    scale: TickScale,
    collector: Collector,
    statistics: Statistics,
    trace: Option<(PathBuf, perfetto::Writer<BufWriter<File>>)>,
    failures: Vec<QueueReader<FailureRecord>>,
    debug: Vec<QueueReader<DebugRecord>>,
    sources: Vec<QueueReader<SourceFailure>>,
    messages: Messages,
    watched: Option<Vec<DebugRecord>>,
}

/// Something that people should know. Repeated ones are counted, not repeated.
///
/// ```
/// let message = hemiola_runtime::Message { text: "BallFinder failed".into(), count: 3 };
/// assert_eq!(message.to_string(), "BallFinder failed (3 times)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What happened, and what to do about it.
    pub text: String,
    /// How often so far.
    pub count: u64,
}

impl std::fmt::Display for Message {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count {
            1 => formatter.write_str(&self.text),
            count => write!(formatter, "{} ({count} times)", self.text),
        }
    }
}

#[derive(Default)]
struct Messages {
    order: Vec<String>,
    counts: BTreeMap<String, u64>,
    delivered: usize,
}

/// More different messages than anybody reads.
const MOST_MESSAGES: usize = 1000;
/// Records kept for whoever watches plots and drawings, and has not fetched them yet.
const MOST_WATCHED: usize = 100_000;

impl Messages {
    fn add(&mut self, text: String) {
        match self.counts.get_mut(&text) {
            Some(count) => *count += 1,
            None if self.order.len() < MOST_MESSAGES => {
                self.order.push(text.clone());
                self.counts.insert(text, 1);
            }
            None => *self.counts.entry(String::from("further messages, not shown")).or_default() += 1,
        }
    }
}

/// A module whose policy is to be replaced after a failure.
pub struct Restart {
    pub module: &'static str,
}

impl Monitor {
    pub fn new(catalog: Catalog, scale: TickScale) -> Self {
        Self {
            statistics: Statistics::new(catalog.clone(), scale.clone()),
            catalog,
            scale,
            collector: Collector::default(),
            trace: None,
            failures: Vec::new(),
            debug: Vec::new(),
            sources: Vec::new(),
            messages: Messages::default(),
            watched: None,
        }
    }

    pub fn add_worker(&mut self, worker: WorkerId, outputs: WorkerOutputs) {
        self.collector.add(worker, outputs.events);
        self.failures.push(outputs.failures);
        self.debug.push(outputs.debug);
    }

    pub fn add_source(&mut self, failures: QueueReader<SourceFailure>) {
        self.sources.push(failures);
    }

    /// Says once what the operating system refused.
    pub fn note_denials<'d>(&mut self, denials: impl Iterator<Item = &'d Denial>) {
        for denial in denials {
            let text = denial.to_string();
            if !self.messages.counts.contains_key(&text) {
                self.messages.add(text);
            }
        }
    }

    pub fn note(&mut self, text: String) {
        self.messages.add(text);
    }

    /// Gathers all that is new. Tells which modules want to be replaced.
    pub fn poll(&mut self) -> Vec<Restart> {
        self.scale.refresh();
        self.statistics.rescale(self.scale.clone());
        let Self { collector, statistics, trace, messages, .. } = self;
        let mut failed = None;
        collector.drain(|worker, events, lost| {
            statistics.absorb(worker, events);
            statistics.lost(lost);
            if let Some((_, writer)) = trace {
                writer.lost(worker, lost);
                failed = writer.append(worker, events).err().or(failed.take());
            }
        });
        if let Some(error) = failed {
            messages.add(format!("the trace ends here: {error}"));
            self.trace = None;
        }
        self.poll_debug();
        self.poll_failures()
    }

    fn poll_debug(&mut self) {
        for records in &mut self.debug {
            while let Some(record) = records.pop() {
                if let Some(watched) = self.watched.as_mut().filter(|watched| watched.len() < MOST_WATCHED) {
                    watched.push(record);
                }
            }
        }
    }

    fn poll_failures(&mut self) -> Vec<Restart> {
        let mut restarts = Vec::new();
        for failures in &mut self.failures {
            while let Some(failure) = failures.pop() {
                let name = self.catalog.read().task_name(failure.task);
                let reason = match &failure.reason {
                    FailureReason::Error(error) => format!("failed: {error}"),
                    FailureReason::Panic { payload, place } => describe_panic(&**payload, place),
                };
                let consequence = match failure.policy {
                    FailurePolicy::KeepLast => "its representations keep their last values",
                    FailurePolicy::Restart => {
                        restarts.push(Restart { module: failure.instance.name() });
                        "the module is replaced by a new instance"
                    }
                    FailurePolicy::SafeState => "the robot enters its safe state",
                };
                self.messages.add(format!("{name} {reason}; {consequence}"));
            }
        }
        for failures in &mut self.sources {
            while let Some(failure) = failures.pop() {
                self.messages.add(format!("source {}: {}", failure.source, failure.reason));
            }
        }
        restarts
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

    /// Messages that were not fetched yet.
    pub fn new_messages(&mut self) -> Vec<Message> {
        let new = self.messages.order[self.messages.delivered..].iter();
        let new = new.map(|text| Message { text: text.clone(), count: self.messages.counts[text] }).collect();
        self.messages.delivered = self.messages.order.len();
        new
    }

    /// All messages so far.
    pub fn messages(&self) -> Vec<Message> {
        let all = self.messages.order.iter();
        all.map(|text| Message { text: text.clone(), count: self.messages.counts[text] }).collect()
    }

    /// Writes all events from now on into a trace.
    pub fn start_trace(&mut self, path: &Path) -> Result<(), RuntimeError> {
        self.poll();
        let writer = perfetto::Writer::create(path, self.catalog.clone(), self.scale.clone())?;
        self.trace = Some((path.to_owned(), writer));
        Ok(())
    }

    /// Ends the trace; tells where it is.
    pub fn stop_trace(&mut self) -> Result<Option<PathBuf>, RuntimeError> {
        self.poll();
        match self.trace.take() {
            Some((path, writer)) => {
                writer.finish()?;
                Ok(Some(path))
            }
            None => Ok(None),
        }
    }

    /// From now on plots and drawings are kept until they are fetched.
    pub fn watch(&mut self) {
        self.watched.get_or_insert_default();
    }

    /// Plots and drawings since the last time.
    pub fn watched(&mut self) -> Vec<DebugRecord> {
        self.watched.as_mut().map(std::mem::take).unwrap_or_default()
    }
}
