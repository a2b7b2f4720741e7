//! A source: takes a sample, waits until it is due, delivers it. A recording may stand in for it,
//! and a source without samples of its own reads what is delivered from outside.

#![expect(unsafe_code, reason = "the sample method is called by the one thread that has the source")]

mod rest;
mod stamps;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::{BetweenRuns, Binding, Context, Debug, Instance, Outcome, Scope, Update};
use hemiola_model::{Clock, SourceRate, Time};
use hemiola_realtime::ThreadSettings;
use hemiola_trace::{Core, Event, Ring, Ticks};

use crate::blackboard::Blackboard;
use crate::blackboard::channel::Import;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Writing;
use crate::coherence::{Coherence, Views};
use crate::containment::{describe_and_discard, in_words, quietly};
use crate::faults::Fault;
use crate::inlet::{Intake, Next};
use crate::observe::{Outlets, Provided};
use crate::origins::OriginWriter;
use crate::ports::Ports;
use crate::program::StoreRef;
use crate::robot_state::RobotState;
use crate::run::Trigger;
use crate::stand_in::Feed;
use hemiola_bus::exchange::QueueWriter;

pub use rest::SourceRest;
pub use stamps::Stamps;

/// A source, ready to run. It belongs to its own thread.
pub struct SourceRunner {
    pub name: &'static str,
    /// The number among the robot's sources.
    pub number: usize,
    pub rate: SourceRate,
    pub update: Update,
    pub instance: Instance,
    pub bindings: Box<[Binding<'static>]>,
    /// The ports to which the bindings refer, besides the blackboard.
    pub ports: Ports,
    /// The stores that it fills.
    pub outputs: Box<[StoreRef]>,
    pub blackboard: Arc<Blackboard>,
    pub imports: Vec<Import>,
    /// The views by which some of the imports are read together.
    pub views: Views,
    /// The exports, each with its number of lines and the trigger that is notified.
    pub exports: Vec<SourceExport>,
    pub robot: Arc<RobotState>,
    pub provenance: Provenance,
    /// The topics to which it publishes, by its arguments.
    pub publishers: Vec<(usize, OriginWriter)>,
    /// The number of the next sample to be delivered.
    pub samples: u32,
    pub last: Option<Time>,
    /// Set if the next sample to be delivered repeats the previous one, marked as stale.
    pub is_lapsed: bool,
    /// The state of the checks of the time stamps that it gives itself.
    pub stamps: Stamps,
    pub records: SourceRecords,
    /// The settings of its thread.
    pub settings: ThreadSettings,
    /// The rests of a source with real-time priority.
    pub rest: Option<SourceRest>,
    /// The source's end for all its observers.
    pub outlets: Outlets,
    /// The feed that stands in for it.
    pub feed: Option<Box<dyn Feed>>,
    /// The samples that are delivered from outside, if it has none of its own.
    pub intake: Option<Intake>,
}

/// The records of what happens to a source.
pub struct SourceRecords {
    pub failures: QueueWriter<SourceFailure>,
    /// The events of taking samples.
    pub events: Ring,
}

/// An export of a source.
pub struct SourceExport {
    pub export: usize,
    pub lines: usize,
    /// The trigger of the reading cycle, if this source triggers it.
    pub trigger: Option<Arc<Trigger>>,
}

/// The failure to take a sample.
pub struct SourceFailure {
    pub source: &'static str,
    pub reason: String,
}

/// The outcome of trying to take a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// There is a sample with that time.
    At(Time),
    /// Nothing has been delivered since the last sample.
    Nothing,
    /// There is no sample this time; the next may come.
    Failed,
    /// There are no more samples.
    Ended,
}

impl SourceRunner {
    /// Returns the time between two samples, for a source of a fixed rate.
    pub fn period(&self) -> Option<Duration> {
        match self.rate {
            SourceRate::Hertz(rate) => Duration::try_from_secs_f64(1.0 / rate).ok(),
            SourceRate::OwnStamps => None,
        }
    }

    /// Returns when sample number `count` is due, for a source of a fixed rate.
    pub fn due(&self, count: u64) -> Option<Time> {
        match self.rate {
            SourceRate::Hertz(rate) => Some(Time::from_nanoseconds((count as f64 * 1e9 / rate).round() as i64)),
            SourceRate::OwnStamps => None,
        }
    }

    /// Takes a sample; `due` is its time, if the framework paces the source.
    pub fn sample(&mut self, due: Option<Time>) -> Sampled {
        let begin = Ticks::now();
        self.is_lapsed = false;
        let sampled = self.take_sample(due);
        if let (Sampled::At(_), Some(&source)) = (sampled, self.robot.source_ids().get(self.number)) {
            let (core, sample, end) = (Core::current(), self.samples, Ticks::now());
            self.records.events.push(Event::Sample { source, core, sample, begin, end });
        }
        sampled
    }

    fn take_sample(&mut self, due: Option<Time>) -> Sampled {
        if self.feed.is_some() {
            return self.sample_feed();
        }
        if self.intake.is_some() {
            return self.sample_intake();
        }
        let now = due.unwrap_or_else(|| self.robot.clock().now());
        // SAFETY: this thread is the only one that uses this blackboard, and no sample is being
        // taken.
        let mut between = unsafe { BetweenRuns::assume() };
        self.views.open();
        self.imports.iter_mut().for_each(|import| import.acquire(&self.views));
        self.views.close();
        for import in &mut self.imports {
            import.take(&self.views, &self.blackboard, &mut between);
        }
        for port in self.ports.iter() {
            port.begin_run(&mut between);
        }
        let step = self.last.map_or(self.period().unwrap_or_default(), |last| now.since(last));
        let clock = Clock::new(now, step, u64::from(self.samples));
        let context = Context::new(clock, Scope::default(), Debug::default(), self.robot.safe_state());
        // SAFETY: this thread is the provider, and what it provides is read when it has delivered.
        let Some(mut writing) = (unsafe { Writing::begin(&self.outputs) }) else { return Sampled::Failed };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            writing.reset();
            // SAFETY: instance and bindings were made for this update when the robot was built;
            // only this thread uses them.
            unsafe { self.update.call(&self.instance, &self.bindings, &context) }
        }));
        let stamp = match outcome {
            Ok(Outcome::Done) => Ok((now, None)),
            Ok(Outcome::Sampled(stamp)) => Ok(self.stamps.admit(stamp, self.last, now)),
            Ok(Outcome::Ended) => return Sampled::Ended,
            Ok(Outcome::Failed(failure)) => {
                let text = in_words(&failure);
                _ = quietly(|| drop(failure));
                Err(text)
            }
            Err(panic) => Err(describe_and_discard(panic)),
        };
        match stamp {
            Ok((stamp, said)) => {
                writing.commit(stamp);
                self.last = Some(stamp);
                said.into_iter().for_each(|text| _ = self.fail(text));
                Sampled::At(stamp)
            }
            Err(reason) => {
                drop(writing);
                self.fail(reason)
            }
        }
    }

    /// Takes a sample from the feed that stands in for the source.
    fn sample_feed(&mut self) -> Sampled {
        let Some(feed) = &mut self.feed else { return Sampled::Failed };
        // SAFETY: as in `take_sample`.
        let Some(mut writing) = (unsafe { Writing::begin(&self.outputs) }) else { return Sampled::Failed };
        let sampled = catch_unwind(AssertUnwindSafe(|| {
            writing.reset();
            feed.sample(&mut writing.values().collect::<Vec<_>>())
        }));
        let sampled = match sampled {
            Ok(Ok(Some(stamp))) => Ok(stamp),
            Ok(Ok(None)) => return Sampled::Ended,
            Ok(Err(reason)) => Err(reason),
            Err(panic) => Err(describe_and_discard(panic)),
        };
        match sampled {
            Ok(time) => {
                self.samples = feed.number().unwrap_or(self.samples);
                if let Some(taken) = feed.lapsed() {
                    writing.commit_lapsed(taken);
                    (self.last, self.is_lapsed) = (Some(time), true);
                    return Sampled::At(time);
                }
                // The recorder has reported stamps that do not increase.
                let (stamp, _) = self.stamps.admit(time, self.last, self.robot.clock().now());
                writing.commit(stamp);
                self.last = Some(stamp);
                Sampled::At(stamp)
            }
            Err(reason) => {
                drop(writing);
                self.fail(reason)
            }
        }
    }

    /// Takes the next sample that was delivered from outside.
    fn sample_intake(&mut self) -> Sampled {
        let Some(intake) = &mut self.intake else { return Sampled::Nothing };
        match intake.next() {
            Next::Delivery => {}
            Next::Loss => return self.sample_loss(),
            Next::Nothing => return Sampled::Nothing,
        }
        // SAFETY: as in `take_sample`.
        let Some(mut writing) = (unsafe { Writing::begin(&self.outputs) }) else { return Sampled::Failed };
        let taken = catch_unwind(AssertUnwindSafe(|| {
            writing.reset();
            writing.values().next().map(|mut value| intake.take(&mut value))
        }));
        let taken = match taken {
            Ok(Some(taken)) => taken,
            Ok(None) => return Sampled::Ended,
            Err(panic) => Err(describe_and_discard(panic)),
        };
        match taken {
            Ok(stamp) => {
                // Several values may derive from one sample, later ones from an older one, and the
                // clock of the feeder may be set back. Nothing is earlier than the robot's clock.
                let stamp = stamp.max(self.last.unwrap_or(Time::ZERO));
                writing.commit(stamp);
                self.last = Some(stamp);
                Sampled::At(stamp)
            }
            Err(reason) => {
                drop(writing);
                intake.count_unreadable();
                self.fail(format!("what was delivered is not such a value: {reason}"))
            }
        }
    }

    /// Takes the loss of the feeder as a sample: the same value again, marked as stale.
    fn sample_loss(&mut self) -> Sampled {
        let Some(last) = self.last else { return Sampled::Nothing };
        // SAFETY: as in `take_sample`.
        let Some(writing) = (unsafe { Writing::begin(&self.outputs) }) else { return Sampled::Failed };
        writing.lapse();
        // In the log, such a sample differs from all others by its time, which is not the time at
        // which the value was sampled. No later sample is earlier, so that their order is kept.
        let lost = self.robot.clock().now().max(last + Duration::from_nanos(1));
        (self.last, self.is_lapsed) = (Some(lost), true);
        Sampled::At(lost)
    }

    /// Returns whether its samples are delivered from outside, so that it never ends by itself.
    pub fn is_open(&self) -> bool {
        self.feed.is_none() && self.intake.is_some()
    }

    /// Gives up reading values together.
    pub fn read_one_by_one(&mut self) {
        self.views = Views::default();
        self.imports.iter_mut().for_each(|import| import.by_view(None));
    }

    /// Returns what is to be coherent with values of other sources, if these are read together.
    /// Recorded samples come one by one, as the recording has them.
    pub fn coherence(&self) -> Option<&Arc<Coherence>> {
        self.intake.as_ref().filter(|_| self.is_open()).and_then(Intake::coherence)
    }

    /// Returns whether something has come from outside since the last sample.
    pub fn has_delivery(&mut self) -> bool {
        self.intake.as_mut().is_some_and(Intake::has_news)
    }

    /// Sleeps until a sample is delivered from outside, or the robot stops.
    pub fn wait_for_delivery(&mut self) {
        if let Some(intake) = &mut self.intake {
            intake.wait(|| self.robot.is_stopping());
        }
    }

    /// Delivers the sample and triggers the cycles that wait for it.
    pub fn deliver(&mut self) {
        let Some(stamp) = self.last else { return };
        let at = Ticks::now();
        self.provenance.clear();
        self.provenance.include(self.number, stamp);
        // SAFETY: as in `take_sample`.
        let mut between = unsafe { BetweenRuns::assume() };
        for (argument, origins) in &self.publishers {
            let Some(port) = self.ports.get(*argument) else { continue };
            // The time of the sample is only known now; messages that were published with it are
            // already sent.
            let next = port.port(&between).published();
            origins.begin(self.samples, next, &self.provenance);
            origins.end(next);
        }
        for SourceExport { export, lines, trigger } in &self.exports {
            if self.is_lapsed {
                self.blackboard.lapse_export(*export, &mut between);
            }
            let lines = (0..*lines).map(|line| (line, &self.provenance));
            // SAFETY: only this thread publishes what the source provides.
            unsafe { self.blackboard.publish(*export, lines, self.samples, Ticks::now()) };
            // What is shown together triggers when all of it is shown.
            if let Some(trigger) = trigger.as_ref().filter(|_| self.coherence().is_none()) {
                trigger.wakeup.notify_all();
            }
        }
        self.outlets.attend_with_sample(&self.blackboard, (self.samples, stamp), &mut between);
        self.outlets.pass_on(&self.blackboard, Provided { run: self.samples, now: stamp, at }, &between);
        self.samples = self.samples.wrapping_add(1);
    }

    /// Returns whether its time stamps have stood still for so long that no later one is to be
    /// expected. Recorded stamps are repeated as they were.
    pub fn stands_still(&self) -> bool {
        self.feed.is_none() && self.stamps.stand_still()
    }

    /// Notifies the cycles that wait for samples that there will be no more. If there was none at
    /// all, that is a fault.
    pub fn say_ended(&self) {
        if self.last.is_none() && self.feed.is_none() {
            self.robot.faults().note(Fault::NoSample { source: self.name });
        }
        let triggers = self.exports.iter().filter_map(|export| export.trigger.as_ref());
        triggers.for_each(|trigger| trigger.end());
    }

    /// Reports that samples were skipped because the machine held the source up.
    pub fn say_late(&mut self) {
        _ = self.fail("was held up and skipped samples that were due meanwhile".to_owned());
    }

    /// Reports once that samples are skipped because the source would take a whole core.
    pub fn say_rested(&mut self) {
        if self.rest.as_mut().is_some_and(SourceRest::is_first) {
            _ = self.fail(
                "takes nearly all of a core: so that real-time priority leaves others their part, it rests now and then, and skips \
                 the samples that are due meanwhile"
                    .to_owned(),
            );
        }
    }

    /// Reports that in simulated time the source counts as having ended.
    pub fn say_standing(&mut self) {
        _ = self.fail("its time stamps stand still, and simulated time with them: it counts as ended".to_owned());
    }

    fn fail(&mut self, reason: String) -> Sampled {
        _ = self.records.failures.push(SourceFailure { source: self.name, reason });
        Sampled::Failed
    }
}
