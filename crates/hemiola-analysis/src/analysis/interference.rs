//! The delays that chains and cycles cause each other.

use super::solver::Solver;
use crate::dag::pool::Above;
use crate::picas::Interference;
use crate::system::Begin;
use crate::{Arrivals, NoBound, TimeSpan};

impl Solver<'_> {
    /// Returns everything that has precedence over a cycle.
    pub(super) fn before(&self, number: usize) -> Result<Vec<Above>, NoBound> {
        self.above_priority(self.system.cycles[number].priority, Some(number), None)
    }

    /// Returns the load of a cycle on everything below it. A cycle without a bound has at most one
    /// run in progress and one waiting.
    pub(super) fn above(&self, cycle: usize) -> Option<Above> {
        let arrivals = self.arrivals(cycle).ok()?;
        let graph = &self.graphs[cycle];
        let begins = graph.begins(self.system.cycles[cycle].workers);
        let costs = self.system.costs;
        let early = if graph.is_empty() { TimeSpan::ZERO } else { costs.earliness };
        let workers = self.system.cycles[cycle].workers as u64;
        // Workers that wake up early may sleep again, because another one can get the first task.
        let begins = if early > TimeSpan::ZERO { begins + workers } else { begins };
        let idle = costs.spin * begins + early * workers;
        let work = graph.volume() + costs.dispatch * graph.len() as u64 + idle;
        let end = match &self.cycles[cycle] {
            Ok(end) => *end,
            Err(_) => arrivals.period * 3 + work,
        };
        // The cycle counts as released when its workers wake up, and as ended when they sleep.
        let latest_end = early + end + costs.spin;
        Some(Above { work, begins, arrivals, latest_end })
    }

    /// Returns the interference of threads that migrate among cores (those of cycles and of other
    /// executors) with executors that are pinned to one. Because they migrate, preempting one may
    /// make it preempt something on another core, so that chains elsewhere count, too.
    pub(super) fn moving_interference(&self) -> Vec<Interference> {
        let never_ending = |name, priority| Interference {
            name,
            priority,
            cost: TimeSpan::MAX,
            arrivals: Arrivals::periodic(TimeSpan::MAX),
        };
        let switches = |begins| self.system.costs.of_switches(begins, self.system.cores);
        let of = |number: usize| {
            let cycle = &self.system.cycles[number];
            let (name, priority) = (cycle.name.clone(), cycle.priority);
            let Some(Above { work, begins, arrivals, latest_end }) = self.above(number) else {
                return never_ending(name, priority);
            };
            let cost = work + switches(begins);
            Interference { name, priority, cost, arrivals: arrivals.late_by(arrivals.jitter + latest_end) }
        };
        let mut interference: Vec<Interference> = (0..self.system.cycles.len()).map(of).collect();
        let threads_move = !interference.is_empty() || !self.moved.is_empty();
        for segment in self.segments.iter().filter(|_| threads_move) {
            let executor = &self.system.executors[segment.executor.0];
            let work = if executor.core.is_none() { segment.cost } else { TimeSpan::ZERO };
            let cost = work + switches(1);
            if cost == TimeSpan::ZERO {
                continue;
            }
            let (name, priority) = (self.system.chains[segment.chain].name.clone(), executor.priority);
            interference.push(match &segment.end {
                Ok(end) => {
                    let arrivals = Arrivals::periodic(segment.period).late_by(*end - segment.earliest_begin);
                    Interference { name, priority, cost, arrivals }
                }
                Err(_) => never_ending(name, priority),
            });
        }
        interference
    }

    /// Returns whether one of two cycles begins after the other, directly or not, and sleeps before
    /// that begins again: then neither ever waits for the other's tasks. If this holds so far, it
    /// also holds for the next run, because the bounds on all that delays both until then assume
    /// it.
    pub(super) fn take_turns(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.way_to(one), self.way_to(other)) else { return false };
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let Begin::Every { period, .. } = self.system.cycles[long[0]].begins else { return false };
        if !long.starts_with(&short) {
            return false;
        }
        let end: Result<TimeSpan, _> = long.iter().map(|&cycle| self.cycles[cycle].clone()).sum();
        end.is_ok_and(|end| end + self.system.costs.spin <= period)
    }

    /// Returns the cycles that begin one after another, up to this one; nothing if a chain is
    /// before them, because several of its instances may be in progress.
    fn way_to(&self, cycle: usize) -> Option<Vec<usize>> {
        let mut way = vec![cycle];
        while let Begin::After(name) = &self.system.cycles[way[0]].begins {
            way.insert(0, self.system.cycles.iter().position(|cycle| cycle.name == *name)?);
        }
        Some(way)
    }

    /// Returns what a cycle does before its release and after its work: nothing else of it delays
    /// the cycles with which it takes turns.
    pub(super) fn idle(&self, cycle: usize, all: Above) -> Above {
        let workers = self.system.cycles[cycle].workers as u64;
        let work = (self.system.costs.earliness + self.system.costs.spin) * workers;
        Above { work, begins: if work > TimeSpan::ZERO { workers } else { 0 }, ..all }
    }
}
