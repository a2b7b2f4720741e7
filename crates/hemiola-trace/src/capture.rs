//! Parts of a capture: long runs, and time spans.

use std::collections::BTreeMap;

use crate::{Capture, CycleId, Event, Ticks};

/// A long run of a cycle: [`Capture::longest_runs`].
///
/// ```
/// use hemiola_trace::{LongRun, Ticks};
///
/// let run = LongRun { run: 7, trigger: Ticks(100), end: Ticks(350) };
/// assert_eq!(run.ticks(), 250);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongRun {
    /// The number of the run.
    pub run: u32,
    /// The time at which it was triggered.
    pub trigger: Ticks,
    /// The time at which it ended.
    pub end: Ticks,
}

impl LongRun {
    /// Returns the time from the trigger to the end of the run.
    pub fn ticks(&self) -> u64 {
        self.end.since(self.trigger)
    }
}

impl Capture {
    /// Returns, for each cycle, the run that took longest from its trigger to its end, among the
    /// runs whose events are complete.
    ///
    /// ```
    /// use hemiola_trace::{Capture, CycleId, Event, PlanId, Ticks, WorkerId};
    ///
    /// let (cycle, plan) = (CycleId(0), PlanId(0));
    /// let mut capture = Capture::default();
    /// for (run, ticks) in [(0, 10), (1, 30), (2, 20)] {
    ///     let trigger = Ticks(100 * u64::from(run));
    ///     let end = Ticks(trigger.0 + ticks);
    ///     let events = vec![
    ///         Event::CycleBegin { cycle, plan, run, trigger, begin: trigger },
    ///         Event::CycleEnd { cycle, run, at: end },
    ///     ];
    ///     capture.insert(WorkerId(0), events);
    /// }
    /// let longest = capture.longest_runs()[&cycle];
    /// assert_eq!((longest.run, longest.ticks()), (1, 30));
    /// assert_eq!(capture.between(longest.trigger, longest.end).events(WorkerId(0)).len(), 2);
    /// ```
    pub fn longest_runs(&self) -> BTreeMap<CycleId, LongRun> {
        let mut triggers = BTreeMap::new();
        let mut ends = BTreeMap::new();
        for event in self.workers().flat_map(|(_, events)| events) {
            match *event {
                Event::CycleBegin { cycle, run, trigger, .. } => _ = triggers.insert((cycle, run), trigger),
                Event::CycleEnd { cycle, run, at } => _ = ends.insert((cycle, run), at),
                _ => {}
            }
        }
        let mut longest: BTreeMap<CycleId, LongRun> = BTreeMap::new();
        for ((cycle, run), trigger) in triggers {
            let Some(&end) = ends.get(&(cycle, run)) else { continue };
            let found = LongRun { run, trigger, end };
            let known = longest.entry(cycle).or_insert(found);
            if found.ticks() > known.ticks() {
                *known = found;
            }
        }
        longest
    }

    /// Returns the part that shows the causes of what happened in a time span: with at least
    /// `least` ticks before and after it, and from the last reading of the kernel's accounts before
    /// it to the first one after it, if both exist.
    ///
    /// ```
    /// use hemiola_trace::{Capture, Event, Ticks, WorkerId};
    ///
    /// let look = |at| Event::ThreadTime { worker: WorkerId(0), running: 0, waiting: 0, at: Ticks(at) };
    /// let mut capture = Capture::default();
    /// capture.insert(WorkerId(9), [100, 150, 200, 250].map(look).to_vec());
    /// let around = |begin, end| capture.around(Ticks(begin), Ticks(end), 10).events(WorkerId(9)).to_vec();
    /// assert_eq!(around(160, 180), [look(150), look(200)]);
    /// assert_eq!(around(160, 195), [look(150), look(200)]);
    /// assert_eq!(around(195, 300), [look(200), look(250)]); // nobody looked after that
    /// ```
    #[must_use]
    pub fn around(&self, begin: Ticks, end: Ticks, least: u64) -> Self {
        let looks = || {
            let events = self.workers().flat_map(|(_, events)| events);
            events.filter(|event| matches!(event, Event::ThreadTime { .. })).map(Event::at)
        };
        let before = looks().filter(|at| *at <= begin).max();
        let after = looks().filter(|at| *at >= end).min();
        let (first, last) = before.zip(after).unwrap_or((begin, end));
        let [from, to] = [Ticks(begin.0.saturating_sub(least)), Ticks(end.0.saturating_add(least))];
        self.between(first.min(from), last.max(to))
    }

    /// Returns the events that happened, or ended, within a time span.
    #[must_use]
    pub fn between(&self, begin: Ticks, end: Ticks) -> Self {
        let mut part = Self::default();
        for (worker, events) in self.workers() {
            let events = events.iter().filter(|event| (begin..=end).contains(&event.at()));
            part.insert(worker, events.copied().collect());
        }
        part
    }
}
