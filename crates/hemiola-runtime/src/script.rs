//! The script of a replay: which runs, in which order, and what each of them reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hemiola_model::module::Place;

use crate::blackboard::channel::{Recorded, RecordedSamples};
use crate::record::{Change, CyclePart, InputRecord, RunRecord, SampleSpan};

/// The runs of a recording, to be repeated: [`Course::of`](crate::Course::of).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Robot, Stepper};
/// use hemiola_runtime::{Course, Observation, Script};
/// # let robot = || {
/// #     let mut configuration = Configuration::default();
/// #     configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// #     Robot::assemble(configuration)
/// # };
///
/// let mut stepper = robot()?.into_stepper()?;
/// let mut seen = stepper.handle().observe(Observation::default().with_runs())?;
/// stepper.run_for(std::time::Duration::from_secs(1));
/// let script = Script::of(std::iter::from_fn(|| seen.next_run()));
///
/// let mut again = robot()?.following(Course::of(script))?.into_stepper()?;
/// while again.step().is_some() {}
/// assert_eq!(again.now(), stepper.now());
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The runs in their order; the last ones may come after what can be followed. A long log has
    /// millions, which all copies share.
    runs: Vec<Arc<RunRecord>>,
    /// The number of runs that can be followed.
    followed: usize,
    /// The first run of each cycle, if it begins with a checkpoint.
    begin: BTreeMap<Arc<str>, u32>,
    /// All cycles that have run, also before the script begins.
    cycles: BTreeSet<Arc<str>>,
    break_off: Option<BreakOff>,
    /// The changes in runs before the script begins, each with its cycle.
    changed_before: Vec<(Arc<str>, u32)>,
    /// The changes by their numbers.
    changes: BTreeMap<u32, Change>,
    /// The parts of the checkpoint with which it begins.
    parts: Arc<[CyclePart]>,
}

/// The point at which a script ends before the recording does, and the reason.
///
/// ```
/// use hemiola_runtime::{BreakOff, BreakOffReason};
///
/// let break_off = BreakOff { after: Some(("motion".into(), 417)), reason: BreakOffReason::Lost { runs: 3, later: 20 } };
/// assert_eq!(
///     break_off.to_string(),
///     "after run 417 of motion, 3 runs are missing in the transcript, because the recorder was too slow or the log is damaged"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakOff {
    /// The last run before it: cycle and number.
    pub after: Option<(Arc<str>, u32)>,
    /// The reason.
    pub reason: BreakOffReason,
}

/// The reason for a [`BreakOff`].
///
/// See [`BreakOff`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakOffReason {
    /// The log does not begin with the robot, so the states of its modules at that time are not in
    /// it.
    NoBeginning,
    /// Runs are missing.
    Lost {
        /// The number of missing runs.
        runs: u64,
        /// The number of runs that follow the missing ones.
        later: usize,
    },
    /// A run claims to have read more samples at once than a queue holds.
    Impossible {
        /// The cycle.
        cycle: Arc<str>,
        /// The run.
        run: u32,
    },
    /// Samples were lost while a run read others from its queue, and it is not known which.
    Torn {
        /// The cycle.
        cycle: Arc<str>,
        /// The run.
        run: u32,
    },
}

/// The maximum number of samples that a run may read at once, the same as that of
/// `sample_capacity`: a record that claims more allocates no memory.
const MOST_AT_ONCE: u32 = 1 << 20;

/// The maximum number of messages of one publisher that a run can have received. One that claims
/// more is damaged.
pub(crate) const MOST_MESSAGES: u32 = 1 << 10;

impl Script {
    /// Creates the script of all recorded runs, given in any order.
    pub fn of(runs: impl IntoIterator<Item = RunRecord>) -> Self {
        let mut runs: Vec<Arc<RunRecord>> = runs.into_iter().map(Arc::new).collect();
        runs.sort_by_key(|run| run.order);
        runs.dedup_by_key(|run| run.order);
        let cycles = runs.iter().map(|run| run.cycle.clone()).collect();
        Self::checked(runs, 0, BTreeMap::new(), cycles)
    }

    /// Returns the script of the runs after a checkpoint with these parts, from which the robot
    /// resumes. The runs before it are not needed, and gaps among them do not matter.
    #[must_use]
    pub fn since(&self, parts: &[CyclePart]) -> Self {
        let begin: BTreeMap<_, _> = parts.iter().map(|part| (part.cycle.clone(), part.run)).collect();
        // Cycles without a part did not run after the cut.
        let is_later = |run: &RunRecord| begin.get(&run.cycle).is_some_and(|&first| run.run >= first);
        let first = self.runs.iter().filter(|run| is_later(run)).map(|run| run.order).min().unwrap_or(u64::MAX);
        let runs = self.runs.iter().filter(|run| run.order >= first).cloned().collect();
        let cycles = self.cycles.iter().chain(begin.keys()).cloned().collect();
        let earlier = self.runs.iter().filter(|run| !is_later(run));
        let changed_before =
            earlier.flat_map(|run| run.changes.iter().map(|&change| (run.cycle.clone(), change))).collect();
        let changes = self.changes.clone();
        let parts = parts.into();
        Self { changes, changed_before, parts, ..Self::checked(runs, first, begin, cycles) }
    }

    /// Returns the parts of the checkpoint with which it begins; empty if it begins with the
    /// recording.
    pub(crate) fn parts(&self) -> &Arc<[CyclePart]> {
        &self.parts
    }

    /// Returns the changes from outside before the checkpoint with which it begins: the cycle, and
    /// the number of the change.
    pub(crate) fn changed_before(&self) -> &[(Arc<str>, u32)] {
        &self.changed_before
    }

    /// Finds how far runs can be followed, of which the first has that order.
    fn checked(
        runs: Vec<Arc<RunRecord>>,
        first: u64,
        begin: BTreeMap<Arc<str>, u32>,
        cycles: BTreeSet<Arc<str>>,
    ) -> Self {
        let mut last: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        let (mut followed, mut rest, mut reason) = (Vec::new(), Vec::new(), None);
        let count = runs.len();
        for (index, (order, run)) in (first..=u64::MAX).zip(runs).enumerate() {
            let spans = || run.inputs.iter().flat_map(|input| &input.samples).map(|samples| samples.span);
            let begin = begin.get(&run.cycle).copied().unwrap_or(0);
            if reason.is_some() {
                rest.push(run);
                continue;
            } else if run.order != order {
                let later = count - index;
                reason = Some(match index {
                    0 => BreakOffReason::NoBeginning,
                    _ => BreakOffReason::Lost { runs: run.order - order, later },
                });
            } else if run.run < begin {
                // This run is between the cuts of two cycles.
                continue;
            } else if Some(run.run) != last.get(&run.cycle).map_or(Some(begin), |last| last.checked_add(1)) {
                reason = Some(BreakOffReason::NoBeginning);
            } else if spans().any(|span| span.count > MOST_AT_ONCE) {
                reason = Some(BreakOffReason::Impossible { cycle: run.cycle.clone(), run: run.run });
            } else if spans().any(SampleSpan::is_torn) {
                reason = Some(BreakOffReason::Torn { cycle: run.cycle.clone(), run: run.run });
            } else {
                last.insert(run.cycle.clone(), run.run);
                followed.push(run);
                continue;
            }
            rest.push(run);
        }
        let after = followed.last().map(|run: &Arc<RunRecord>| (run.cycle.clone(), run.run));
        let break_off = reason.map(|reason| BreakOff { after, reason });
        let count = followed.len();
        followed.append(&mut rest);
        let changes = BTreeMap::new();
        Self {
            runs: followed,
            followed: count,
            begin,
            cycles,
            break_off,
            changes,
            changed_before: Vec::new(),
            parts: Arc::default(),
        }
    }

    /// Adds the changes from outside, by the numbers in the runs:
    /// [`JournalEvent::Change`](crate::JournalEvent::Change).
    #[must_use]
    pub fn with_changes(mut self, changes: impl IntoIterator<Item = (u32, Change)>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// Returns the changes from outside.
    pub(crate) fn changes(&self) -> &BTreeMap<u32, Change> {
        &self.changes
    }

    /// Returns a number that no change has.
    pub(crate) fn next_change(&self) -> u32 {
        let named = self.runs.iter().flat_map(|run| run.changes.iter().copied());
        named.chain(self.changes.keys().copied()).max().map_or(0, |last| last.saturating_add(1))
    }

    /// Returns the modules that were replaced by new instances.
    pub(crate) fn restarted(&self) -> impl Iterator<Item = String> {
        self.changes.values().filter_map(|change| match change {
            Change::Restart { module } => Some(module.clone()),
            _ => None,
        })
    }

    /// Returns the runs, in an order in which each run finds what it read.
    pub fn runs(&self) -> &[Arc<RunRecord>] {
        &self.runs[..self.followed]
    }

    /// Returns all recorded runs, including those that cannot be followed.
    pub fn written(&self) -> &[Arc<RunRecord>] {
        &self.runs
    }

    /// Returns the first sample of each source that the runs read.
    pub fn first_samples(&self) -> BTreeMap<Arc<str>, u32> {
        let mut first: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        for input in self.runs().iter().flat_map(|run| &run.inputs).filter(|input| !self.cycles.contains(&input.from)) {
            let spans = input.samples.iter().filter(|samples| samples.span.count > 0).map(|samples| samples.span.first);
            for number in spans.chain(input.snapshot) {
                let first = first.entry(input.from.clone()).or_insert(number);
                *first = number.min(*first);
            }
        }
        first
    }

    /// Returns the messages that runs received and no cycle published: by topic and publisher, the
    /// spans of their numbers, in order.
    pub fn carried(&self) -> Carried {
        let mut carried = Carried::new();
        for message in self.runs().iter().flat_map(|run| &run.messages) {
            if matches!(message.publisher, Place::Cycle(_)) || message.count > MOST_MESSAGES {
                continue;
            }
            let numbers = message.first..message.inlet().end();
            let spans = carried.entry(message.topic.clone()).or_default().entry(message.publisher).or_default();
            match spans.last_mut() {
                Some(last) if (last.start..=last.end).contains(&numbers.start) => last.end = last.end.max(numbers.end),
                _ => spans.push(numbers),
            }
        }
        for spans in carried.values_mut().flat_map(BTreeMap::values_mut) {
            spans.sort_by_key(|span| span.start);
            spans.dedup_by(|next, last| {
                let is_joined = next.start <= last.end;
                if is_joined {
                    last.end = last.end.max(next.end);
                }
                is_joined
            });
        }
        carried
    }

    /// Returns where and why it ends before the recording does; `None` if all runs are there.
    pub fn break_off(&self) -> Option<&BreakOff> {
        self.break_off.as_ref()
    }

    /// Returns the inputs of each cycle, from its first run.
    pub(crate) fn inputs(&self) -> BTreeMap<&str, &[InputRecord]> {
        let mut inputs = BTreeMap::new();
        for run in self.runs() {
            inputs.entry(&*run.cycle).or_insert(run.inputs.as_slice());
        }
        inputs
    }

    /// Returns the exchanges of each channel, by publisher and consumer.
    pub(crate) fn channels(&self) -> Channels {
        let mut channels: BTreeMap<(Arc<str>, Arc<str>), Passage> = BTreeMap::new();
        // A checkpoint publishes again what its cycle published last.
        let published = self.begin.iter().filter_map(|(cycle, first)| Some((cycle.clone(), first.checked_sub(1)?)));
        let mut latest: BTreeMap<Arc<str>, u32> = published.collect();
        let is_cycle = self.inputs();
        for run in self.runs() {
            // These are the samples that a source must have delivered by now.
            for input in run.inputs.iter().filter(|input| !is_cycle.contains_key(&*input.from)) {
                if let Some(last) = input.last() {
                    let latest = latest.entry(input.from.clone()).or_insert(last);
                    *latest = last.max(*latest);
                }
            }
            let is_first = self.begin.get(&run.cycle) == Some(&run.run);
            for input in &run.inputs {
                // A checkpoint contains what its first run read from other cycles.
                if is_first && self.cycles.contains(&input.from) {
                    continue;
                }
                let passage = channels.entry((input.from.clone(), run.cycle.clone())).or_default();
                passage.take(input, latest.get(&input.from).copied());
            }
            latest.insert(run.cycle.clone(), run.run);
        }
        channels.into_iter().map(|(ends, passage)| (ends, passage.finish())).collect()
    }
}

/// The messages that runs received and no cycle published, [as a replay needs
/// them](crate::RecordedMessages): the spans of their numbers, by topic and publisher.
pub type Carried = BTreeMap<Arc<str>, BTreeMap<Place, Vec<Range<u64>>>>;

/// The exchanges of each channel, by publisher and consumer.
pub(crate) type Channels = BTreeMap<(Arc<str>, Arc<str>), Recorded>;

/// One channel while the script is processed.
#[derive(Default)]
struct Passage {
    /// The snapshots, each with the publisher's last publication when it was read.
    snapshots: Vec<(u32, u32)>,
    samples: Vec<RecordedSamples>,
}

impl Passage {
    fn take(&mut self, input: &InputRecord, latest: Option<u32>) {
        self.snapshots.extend(input.snapshot.map(|snapshot| (snapshot, latest.unwrap_or(snapshot))));
        self.samples.resize_with(input.samples.len().max(self.samples.len()), RecordedSamples::default);
        for (recorded, samples) in self.samples.iter_mut().zip(&input.samples) {
            let SampleSpan { first, count } = samples.span;
            recorded.at_once = recorded.at_once.max(count as usize);
            if count == 0 {
                continue;
            }
            // Most of them wait right before they are read.
            let waiting = latest.map_or(count, |latest| latest.saturating_sub(first).saturating_add(1).max(count));
            recorded.waiting = recorded.waiting.max(waiting as usize);
            let longer = recorded.spans.last_mut().filter(|last| last.first.wrapping_add(last.count) == first);
            match longer.and_then(|last| Some((last.count.checked_add(count)?, last))) {
                Some((all, last)) => last.count = all,
                None => recorded.spans.push(samples.span),
            }
        }
    }

    fn finish(mut self) -> Recorded {
        for recorded in &mut self.samples {
            // Only samples that are read wait.
            let taken = recorded.spans.iter().map(|span| span.count as usize).sum();
            recorded.waiting = recorded.waiting.min(taken);
        }
        let snapshots: Vec<u32> = self.snapshots.iter().map(|&(snapshot, _)| snapshot).collect();
        let there_already = |&(_, latest): &(u32, u32)| snapshots.partition_point(|&snapshot| snapshot <= latest);
        let taken = self.snapshots.iter().enumerate();
        let waiting = taken.map(|(index, taken)| there_already(taken).saturating_sub(index)).max().unwrap_or(0);
        Recorded { waiting: waiting.max(1), samples: self.samples, snapshots }
    }
}

impl fmt::Display for BreakOff {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.after {
            Some((cycle, run)) => write!(formatter, "after run {run} of {cycle}, ")?,
            None => formatter.write_str("at the beginning, ")?,
        }
        match &self.reason {
            BreakOffReason::NoBeginning => formatter.write_str(
                "earlier runs are missing in the transcript, and with them the state of the modules after them",
            ),
            BreakOffReason::Lost { runs, .. } => {
                let are = if *runs == 1 { "run is" } else { "runs are" };
                write!(
                    formatter,
                    "{runs} {are} missing in the transcript, because the recorder was too slow or the log is damaged"
                )
            }
            BreakOffReason::Impossible { cycle, run } => write!(
                formatter,
                "run {run} of {cycle} is said to have taken more samples at once than a queue holds, because the log is damaged"
            ),
            BreakOffReason::Torn { cycle, run } => {
                write!(formatter, "samples were lost while run {run} of {cycle} took others, and it is not known which")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{MessageRecord, SampleRecord};

    fn run(order: u64, number: u32, span: (u32, u32)) -> RunRecord {
        let span = SampleSpan { first: span.0, count: span.1 };
        let samples = vec![SampleRecord { representation: "Turn".into(), span }];
        RunRecord {
            cycle: "motion".into(),
            run: number,
            now: Default::default(),
            order,
            safe_state: hemiola_model::module::SafeState::Inactive,
            changes: Vec::new(),
            inputs: vec![InputRecord { from: "Gyroscope".into(), snapshot: Some(u32::MAX - 1), samples }],
            messages: Vec::new(),
        }
    }

    #[test]
    fn what_claims_more_samples_than_a_queue_holds_is_not_followed_and_takes_no_memory() {
        let script = Script::of([run(0, 0, (0, 2)), run(1, 1, (2, u32::MAX)), run(2, 2, (3, 1))]);
        assert_eq!(script.runs().len(), 1);
        let told = script.break_off().unwrap().to_string();
        assert!(told.contains("run 1 of motion is said to have taken more samples at once"), "{told}");
        let channels = script.channels();
        let recorded = channels.values().next().unwrap();
        assert_eq!(
            (recorded.samples[0].waiting, recorded.samples[0].at_once),
            (2, 2),
            "though the snapshot is far ahead"
        );
    }

    #[test]
    fn what_no_cycle_published_is_carried_once_however_many_runs_received_it() {
        let received = |order: u64, publisher, first, count| {
            let topic: Arc<str> = "Order".into();
            let messages = vec![MessageRecord { topic, subscriber: 0, publisher, first, count }];
            RunRecord { messages, ..run(order, order as u32, (0, 0)) }
        };
        let link = Place::Outside(0);
        let spans = [(5, 3), (8, 2), (0, 2), (9, 4), (20, 1)];
        let mut runs: Vec<_> =
            (0..).zip(spans).map(|(order, (first, count))| received(order, link, first, count)).collect();
        runs.push(received(5, Place::Cycle(0), 0, 4));
        runs.push(received(6, Place::Source(1), u64::MAX, 4));
        let carried = Script::of(runs).carried();
        let carried: Vec<_> = carried.values().flatten().collect();
        let nothing = std::iter::once(u64::MAX..u64::MAX).collect();
        assert_eq!(carried, [(&Place::Source(1), &nothing), (&link, &vec![0..2, 5..13, 20..21])]);
    }

    #[test]
    fn numbers_at_the_end_of_their_range_end_a_script() {
        let part = CyclePart {
            cycle: "motion".into(),
            number: 1,
            run: u32::MAX,
            now: Default::default(),
            before: None,
            is_safe: false,
            pieces: Vec::new(),
            published: Vec::new(),
            opaque: Vec::new(),
            missing: Vec::new(),
        };
        let script =
            Script::of([run(u64::MAX - 1, u32::MAX, (u32::MAX - 1, 2)), run(u64::MAX, 0, (1, 1))]).since(&[part]);
        assert_eq!(script.runs().len(), 1);
        assert_eq!(script.channels().len(), 1);
        assert!(Script::default().since(&[]).runs().is_empty());
    }
}
