//! The monitoring of a running robot: its statistics and measured durations, exceeded bounds,
//! messages, journal, debug output and events.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hemiola_realtime::ThreadReport;
use hemiola_trace::perfetto::Trace;
use hemiola_trace::{Catalog, Profile, Report, TickScale};

use super::RobotHandle;
use crate::debug::DebugName;
use crate::inlet::SourceInlet;
use crate::journal::JournalEntry;
use crate::monitor::{LatencyBounds, Message};
use crate::origins::TopicInlet;
use crate::record::{Bounded, Change, ChangeNumber, Severity};

impl RobotHandle {
    /// Returns the timing statistics so far.
    pub fn report(&self) -> Report {
        self.monitor().statistics().report()
    }

    /// Returns the durations measured so far, combined with those of earlier runs.
    pub fn profile(&self) -> Profile {
        self.updated(self.present().profile.clone())
    }

    /// Returns what was measured in this run alone.
    pub fn measured(&self) -> Profile {
        let mut measured = self.monitor().statistics().profile();
        let values = self.state.inlets().iter().map(|(source, inlet)| ((*source).to_owned(), inlet.measured()));
        let topics = self.state.topic_inlets().iter().map(|(source, inlet)| (source.clone(), inlet.measured()));
        measured.links.extend(values.chain(topics).filter(|(_, link)| link.delay.count() > 0));
        measured
    }

    /// Resets the timing statistics.
    pub fn clear_statistics(&self) {
        self.monitor().clear_statistics();
        self.state.inlets().values().for_each(SourceInlet::clear_measured);
        self.state.topic_inlets().values().for_each(TopicInlet::clear_measured);
    }

    /// Compares response times of cycles, and reaction times and data ages of chains, with these
    /// bounds from now on, instead of the previous bounds.
    ///
    /// An observed latency above its bound is reported in a message and an entry of the journal
    /// ([`JournalEvent::Exceedance`](crate::JournalEvent::Exceedance)), and so in the log, with its
    /// cause: an execution time above its assumed maximum, a preemption, a core that was taken
    /// away, a late timer. The cause is derived from the events of all workers on the thread that
    /// gathers them, some ten milliseconds later, at no cost for the cycles. At most four
    /// exceedances are explained per second, the others are counted.
    ///
    /// Latencies are times of the world: for a stepped robot they show how fast this machine
    /// computes it.
    ///
    /// ```
    /// use hemiola_runtime::{JournalEvent, LatencyBounds, Robot};
    /// use std::time::Duration;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// let robot = stepper.handle().clone();
    /// robot.watch_bounds(LatencyBounds::default().response("motion", Duration::from_nanos(1)));
    /// stepper.run_for(Duration::from_secs(1));
    /// assert!(robot.exceedances().into_values().sum::<u64>() >= 100); // that was too much to ask
    /// let told = robot.journal(0).into_iter().filter(|entry| matches!(entry.event, JournalEvent::Exceedance(_)));
    /// assert!((1..=4).contains(&told.count()));
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn watch_bounds(&self, bounds: LatencyBounds) {
        self.monitor().watch_bounds(bounds);
    }

    /// Returns how often each bound was exceeded, including exceedances that were only counted.
    pub fn exceedances(&self) -> BTreeMap<Bounded, u64> {
        self.monitor().exceedances()
    }

    /// Returns all messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.monitor().messages()
    }

    /// Returns the entries of the journal from this number on that are still kept: a few thousand
    /// are. An [observer](Self::observe) receives entries as they come.
    pub fn journal(&self, number: u64) -> Vec<JournalEntry> {
        self.monitor().journal(number)
    }

    /// Adds a message for people: to [`messages`](Self::messages), and to the journal.
    pub fn note(&self, text: String) {
        self.monitor().note(text);
        self.state.news().notify_all();
    }

    /// Adds a warning for people, as [`note`](Self::note) adds a message: the robot continues, with
    /// reduced function.
    pub fn warn(&self, text: String) {
        self.monitor().add(Severity::Warning, text);
        self.state.news().notify_all();
    }

    /// Marks this moment with a text, in the journal and so in the log; `by` is the name of whoever
    /// marked it, if that is known.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// use hemiola_runtime::JournalEvent;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// # let robot = stepper.handle();
    ///
    /// robot.mark("the ball is behind the goal".to_owned(), None);
    /// let last = robot.journal(0).pop().unwrap();
    /// assert!(matches!(last.event, JournalEvent::Mark { text, .. } if text.contains("goal")));
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn mark(&self, text: String, by: Option<String>) {
        self.monitor().mark(text, by);
        self.state.news().notify_all();
    }

    /// Returns the names of the debug output of updates, as far as it was called while somebody
    /// watched ([`Observation::with_debug`](crate::Observation::with_debug)), sorted.
    pub fn debug_names(&self) -> Vec<DebugName> {
        self.monitor().debug_names()
    }

    /// Returns the file to which the trace is being written; `None` if there is none, or writing
    /// failed.
    pub fn trace(&self) -> Option<PathBuf> {
        self.monitor().trace()
    }

    /// Captures the newest events of all workers, with what is needed to read them.
    pub fn capture_events(&self) -> Trace {
        let monitor = self.monitor();
        Trace { capture: monitor.capture(), catalog: monitor.catalog().clone(), scale: monitor.scale().clone() }
    }

    /// Returns the names for the numbers in [events](crate::Observation::with_events), as far as
    /// they are known now: the catalog grows with the robot.
    pub fn catalog(&self) -> Catalog {
        self.monitor().catalog().clone()
    }

    /// Returns the scale of the processor's counter, in whose ticks the times of events are given.
    pub fn tick_scale(&self) -> TickScale {
        self.monitor().scale().clone()
    }

    /// Notes that a change from outside has come into force.
    pub(crate) fn note_change(&self, change: Change, number: Option<ChangeNumber>, by: Option<&str>) {
        self.monitor().note_change(change, number, by.map(str::to_owned));
        self.state.news().notify_all();
    }

    pub(crate) fn note_denials(&self, report: &ThreadReport) {
        self.monitor().note_denials(report.denials());
    }

    /// Reports what the operating system has refused until now.
    pub(crate) fn tell_denials(&self) {
        self.monitor().tell_denials();
        self.state.news().notify_all();
    }

    /// Returns a profile, combined with what was measured in this run.
    pub(super) fn updated(&self, mut profile: Profile) -> Profile {
        profile.update(self.measured());
        profile
    }
}
