//! Judges which executions were held up: longer than all before them because other programs, the
//! kernel, or the host had the core.
//!
//! Bounds rest on the longest execution of each kind, and hold for the robot's software on cores
//! that it is given. One stall must not become that longest execution. So an execution that is
//! longer than all of its kind waits until the kernel's accounts of the time after it are read. If
//! the robot did not have the core for most of the time by which it was longer, it counts without
//! that time. In doubt it counts as measured: where there is no reading before it or soon after it,
//! where the robot's own threads may have had the core, where the thread slept, and where it may
//! have lost the core in another execution between the same readings.

use super::undisturbed::{Execution, What};
use crate::{
    catalog::Catalog,
    causes::History,
    clock::{TickScale, Ticks},
    collector::Capture,
    event::Event,
    ids::WorkerId,
    profile::HeldUp,
};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// The longest execution of each kind that counts, and what is needed to judge longer ones.
#[derive(Clone, Debug, Default)]
pub(super) struct LongestExecutions {
    longest: BTreeMap<(What, Among), Longest>,
    /// The shortest execution of each kind, in nanoseconds.
    shortest: BTreeMap<What, u64>,
    candidates: Vec<Candidate>,
    /// The recent events.
    recent: VecDeque<(WorkerId, Event)>,
}

/// The set of executions among which one is the longest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Among {
    All,
    Undisturbed,
}

/// The longest execution of a kind, in nanoseconds.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Longest {
    /// The longest execution that counts: longer ones were held up.
    pub(super) counts: u64,
    pub(super) held_up: HeldUp,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    execution: Execution,
    among: Among,
    nanoseconds: u64,
}

/// The time for which an execution waits for readings after its end.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time for which events are kept; an execution that took longer counts as it is.
const KEPT: Duration = Duration::from_secs(2);
const MOST_KEPT: usize = 1 << 16;
/// The maximum number of executions that wait: others count as measured.
const MOST_WAITING: usize = 1 << 12;
/// The number of readings after an execution for which it waits. At the first one, other threads of
/// the robot may be executing something, whose events come only when it ends.
const LOOKS_AFTER: usize = 2;

impl LongestExecutions {
    /// Keeps the events that are needed for judging.
    pub(super) fn absorb(&mut self, worker: WorkerId, event: &Event) {
        if let Event::TaskRun { .. }
        | Event::CycleBegin { .. }
        | Event::CycleEnd { .. }
        | Event::Callback { .. }
        | Event::Sample { .. }
        | Event::ThreadTime { .. }
        | Event::StolenTime { .. } = event
        {
            if self.recent.len() >= MOST_KEPT {
                self.recent.pop_front();
            }
            self.recent.push_back((worker, *event));
        }
    }

    /// Notes the duration of an execution, among all executions or among those that nothing more
    /// important interrupted.
    pub(super) fn executed(&mut self, execution: Execution, among: Among, nanoseconds: u64) {
        let shortest = self.shortest.entry(execution.of).or_insert(nanoseconds);
        *shortest = nanoseconds.min(*shortest);
        let longest = self.longest.entry((execution.of, among)).or_default();
        if nanoseconds <= longest.counts {
            return;
        }
        if self.candidates.len() < MOST_WAITING {
            self.candidates.push(Candidate { execution, among, nanoseconds });
        } else {
            longest.counts = nanoseconds;
        }
    }

    /// Returns the longest execution that counts; one that still waits counts.
    pub(super) fn longest(&self, of: What, among: Among) -> Longest {
        let mut longest = self.longest.get(&(of, among)).copied().unwrap_or_default();
        let waiting =
            self.candidates.iter().filter(|candidate| (candidate.execution.of, candidate.among) == (of, among));
        longest.counts = waiting.map(|candidate| candidate.nanoseconds).chain([longest.counts]).max().unwrap_or(0);
        longest
    }

    /// Judges what can be judged, given that everything that happened before `until` was absorbed.
    pub(super) fn settle(&mut self, until: Ticks, scale: &TickScale, catalog: &Catalog) {
        let before = |duration| Ticks(until.0.saturating_sub(scale.ticks_in(duration)));
        if !self.candidates.is_empty() {
            self.judge(before(PATIENCE), scale, catalog);
        }
        let oldest = before(KEPT);
        while self.recent.front().is_some_and(|(_, event)| event.at() < oldest) {
            self.recent.pop_front();
        }
    }

    /// Judges executions; those that ended before `patience` do not wait any longer.
    fn judge(&mut self, patience: Ticks, scale: &TickScale, catalog: &Catalog) {
        let looks = Looks::of(&self.recent);
        let readiness = |candidate: &Candidate| looks.readiness(&candidate.execution, patience);
        let begins = self.candidates.iter().filter_map(|candidate| match readiness(candidate) {
            Readiness::Ready { since } => Some(since),
            Readiness::Waits | Readiness::Unknown => None,
        });
        let history = begins.min().map(|since| self.history(since, catalog, scale));
        for candidate in std::mem::take(&mut self.candidates) {
            let known = self.longest.get(&(candidate.execution.of, candidate.among)).copied().unwrap_or_default();
            // An execution that is not longer than one that has been judged meanwhile is dropped.
            let Some(lost) = candidate.nanoseconds.checked_sub(known.counts).filter(|lost| *lost > 0) else { continue };
            let taken = match (readiness(&candidate), &history) {
                (Readiness::Waits, _) => {
                    self.candidates.push(candidate);
                    continue;
                }
                (Readiness::Ready { .. }, Some(history)) => self.taken(&candidate.execution, lost, history, scale),
                _ => 0,
            };
            let longest = self.longest.entry((candidate.execution.of, candidate.among)).or_default();
            longest.counts = candidate.nanoseconds - taken;
            if taken > 0 {
                longest.held_up.add(HeldUp { count: 1, longest: candidate.nanoseconds });
            }
        }
    }

    /// Returns for how many nanoseconds others had the core, of the time by which an execution was
    /// longer than all others.
    fn taken(&self, execution: &Execution, lost: u64, history: &History, scale: &TickScale) -> u64 {
        let Execution { worker, core, begin, end, .. } = *execution;
        let Some(account) = history.account(worker, core, begin, end) else { return 0 };
        // Another execution may have been without a core for the time by which it was longer than
        // the shortest of its kind, which had a core all the time.
        let may_lack = |other: Execution| {
            let within = scale.nanoseconds_between(other.begin.max(account.begin), other.end.min(account.end));
            let shortest = self.shortest.get(&other.of).copied().unwrap_or(0);
            scale.nanoseconds_between(other.begin, other.end).saturating_sub(shortest).min(within)
        };
        let of_thread = self.recent.iter().filter(|(thread, _)| *thread == worker);
        let others = of_thread.filter_map(|(thread, event)| Execution::told_by(*thread, event));
        let others = others.filter(|other| (other.begin, other.end) != (begin, end));
        account.taken_by_others(lost, others.map(may_lack).fold(0, u64::saturating_add))
    }

    fn history(&self, since: Ticks, catalog: &Catalog, scale: &TickScale) -> History {
        let mut events: BTreeMap<WorkerId, Vec<Event>> = BTreeMap::new();
        for (worker, event) in self.recent.iter().filter(|(_, event)| event.at() >= since) {
            events.entry(*worker).or_default().push(*event);
        }
        let mut capture = Capture::default();
        events.into_iter().for_each(|(worker, events)| capture.insert(worker, events));
        History::of(&capture, catalog, scale)
    }
}

/// The readiness of an execution for being judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Readiness {
    /// The execution can be judged, from the events since then.
    Ready { since: Ticks },
    /// Readings after the execution are still to come.
    Waits,
    /// The execution can never be judged.
    Unknown,
}

/// The times of the readings of each thread.
struct Looks(BTreeMap<WorkerId, Vec<Ticks>>);

impl Looks {
    fn of(recent: &VecDeque<(WorkerId, Event)>) -> Self {
        let mut looks: BTreeMap<WorkerId, Vec<Ticks>> = BTreeMap::new();
        for (_, event) in recent {
            if let Event::ThreadTime { worker, at, .. } = *event {
                looks.entry(worker).or_default().push(at);
            }
        }
        Self(looks)
    }

    /// Returns whether an execution can be judged; one that ended before `patience` does not wait
    /// any longer.
    fn readiness(&self, execution: &Execution, patience: Ticks) -> Readiness {
        let looks = self.0.get(&execution.worker).map_or(&[][..], Vec::as_slice);
        let Some(&since) = looks.iter().rev().find(|at| **at <= execution.begin) else { return Readiness::Unknown };
        if looks.iter().filter(|at| **at >= execution.end).count() >= LOOKS_AFTER {
            Readiness::Ready { since }
        } else if execution.end < patience {
            Readiness::Unknown
        } else {
            Readiness::Waits
        }
    }
}

#[cfg(test)]
mod tests;
