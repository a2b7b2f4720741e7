//! The delays that chains and cycles cause each other.

use super::solver::Solver;
use crate::dag::pool::Above;
use crate::picas::{Interference, SegmentBound};
use crate::system::{Begin, Executor};
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
        let executors = 0..self.system.executors.len();
        let kept: Vec<usize> = executors.filter(|&number| self.is_overloaded(number)).collect();
        for &number in &kept {
            let Executor { name, .. } = &self.system.executors[number];
            let priority = self.system.executors[number].level();
            match self.server(number) {
                Ok(loads) => interference.extend(loads.into_iter().map(|load| {
                    let cost = load.work + switches(load.begins);
                    let arrivals = load.arrivals.late_by(load.arrivals.jitter + load.latest_end);
                    Interference { name: name.clone(), priority, cost, arrivals }
                })),
                Err(_) => interference.push(never_ending(name.clone(), priority)),
            }
        }
        let is_own = |segment: &&SegmentBound| !kept.contains(&segment.executor.0);
        for segment in self.segments.iter().filter(|_| threads_move).filter(is_own) {
            let executor = &self.system.executors[segment.executor.0];
            let work = if executor.core.is_none() { segment.cost } else { TimeSpan::ZERO };
            let cost = work + switches(self.begins(segment));
            if cost == TimeSpan::ZERO {
                continue;
            }
            let (name, priority) = (self.system.chains[segment.chain].name.clone(), executor.level());
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

    /// Returns whether an executor with a reservation has work without a bound: then the budget is
    /// what keeps it from delaying others.
    pub(super) fn is_overloaded(&self, executor: usize) -> bool {
        let own = self.segments.iter().filter(|segment| segment.executor.0 == executor);
        self.system.executors[executor].reservation.is_some() && own.into_iter().any(|segment| segment.end.is_err())
    }

    /// Returns the load of an executor with a reservation on others, whatever it has to do: its
    /// budgets with what it may overrun, for each of which it is stopped once; and its wake-ups.
    /// There is none of one without a reservation.
    pub(super) fn server(&self, executor: usize) -> Result<Vec<Above>, NoBound> {
        let Some(reservation) = self.system.executors[executor].reservation else { return Ok(Vec::new()) };
        let costs = self.system.costs;
        let mut loads = vec![Above {
            work: reservation.budget + costs.budget_overrun,
            begins: 2,
            arrivals: Arrivals::periodic(reservation.period).late_by(costs.timer_lateness),
            latest_end: reservation.period,
        }];
        for (number, own) in self.moved.iter().enumerate().filter(|(_, own)| own.executor.0 == executor) {
            let chain = &self.system.chains[own.chain];
            let jitter = self.jitter(number).map_err(|_| NoBound::Unbounded { on: chain.name.clone() })?;
            let arrivals = Arrivals::periodic(chain.period).late_by(jitter);
            loads.push(Above { work: TimeSpan::ZERO, begins: 1, arrivals, latest_end: TimeSpan::ZERO });
        }
        Ok(loads)
    }

    /// Returns how often a thread may begin to run for a segment. That of a reservation is stopped
    /// at most once per period, which takes it as much time as a further preemption.
    pub(super) fn begins(&self, segment: &SegmentBound) -> u64 {
        let end = segment.end.as_ref().ok();
        let periods = self.system.executors[segment.executor.0].reservation.zip(end);
        periods.map_or(1, |(reservation, &end)| 1 + 2 * (end.whole(reservation.period).0 + 2))
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
