//! Bounds for chains on an executor that is pinned to no core, so that the kernel migrates its
//! thread among all of them.
//!
//! - **Model.** An executor is one thread that may run on any of m cores. It runs the ready
//!   callback with the highest priority, and preempts none. All callbacks of a chain are of one
//!   such executor.
//! - **Formula.** For a chain of cost C, period T and jitter J with blocking B, for q = 1, 2, ...
//!   the least `w = B + q C + sum of ceil((w + J_h) / T_h) C_h + sum of W_o(w) / m`, rounded up; h
//!   are the other chains of its executor of which something has precedence over it, o everything
//!   with the priority of its thread or a higher one, with W as in [`crate::dag::pool`]. The bound
//!   is `J + max (w - (q - 1) T)`, until `w <= q T - J`.
//! - **Why it holds.** The window begins when last its executor had only work of lower priority
//!   than the chain. From then on the thread needs a core: it runs the chain or what has precedence
//!   over it, or the one callback that had begun (B); or it waits, and all m cores run work of
//!   higher priority. What was left of that when the window began is in W.
//! - **Costs.** The lateness of a timer and a wake-up are jitter. Callbacks take longer by the
//!   dispatch. Whenever something of higher priority begins to run, it preempts this thread, and
//!   others on each other core.
//! - **Complexity.** Pseudo-polynomial.

use super::solver::Solver;
use crate::bound::{Search, check_utilisation};
use crate::dag::pool::Above;
use crate::picas::{Beginning, ExecutorId, Order, SegmentBound};
use crate::system::Moved;
use crate::{Arrivals, Bound, NoBound, TimeSpan};

impl Solver<'_> {
    /// Returns the bounds of all chains on such executors, from below: none is smaller than it was.
    pub(super) fn moved_segments(&self) -> Vec<SegmentBound> {
        let before = |moved: &Moved| {
            let known =
                self.segments.iter().find(|known| (known.chain, known.executor) == (moved.chain, moved.executor));
            known.map_or(Ok(TimeSpan::ZERO), |known| known.end.clone())
        };
        let segment = |moved: &Moved| SegmentBound {
            chain: moved.chain,
            executor: moved.executor,
            cost: self.cost(moved),
            period: self.system.chains[moved.chain].period,
            earliest_begin: TimeSpan::ZERO,
            end: before(moved).and_then(|known| Ok(self.latest_end(moved)?.max(known))),
        };
        self.moved.iter().map(segment).collect()
    }

    fn cost(&self, moved: &Moved) -> TimeSpan {
        moved.callbacks.iter().map(|callback| callback.cost + self.system.costs.dispatch).sum()
    }

    fn latest_end(&self, own: &Moved) -> Bound {
        let ExecutorId(executor) = own.executor;
        let described = &self.system.executors[executor];
        if !own.is_whole {
            return Err(NoBound::Moved { executor: described.name.clone() });
        }
        let (costs, cores) = (self.system.costs, self.system.cores.max(1));
        let chain = &self.system.chains[own.chain];
        let jitter = |moved: &Moved| match self.system.chains[moved.chain].begins {
            Beginning::Timer => costs.timer_lateness,
            Beginning::WakeUp => costs.wake_up,
        };
        let (cost, period, jitter_of_own) = (self.cost(own), chain.period, jitter(own));
        let all_go_before = described.order == Order::Registration;
        let same_executor = || self.moved.iter().filter(|other| other.executor == own.executor);
        let beside = same_executor().filter(|other| other.chain != own.chain);
        let goes_before = beside.filter(|other| all_go_before || other.highest() >= own.lowest());
        let goes_before: Vec<(TimeSpan, Arrivals)> = goes_before
            .map(|other| {
                (self.cost(other), Arrivals::periodic(self.system.chains[other.chain].period).late_by(jitter(other)))
            })
            .collect();
        let callbacks = same_executor().flat_map(|other| &other.callbacks);
        let begun = callbacks.filter(|callback| callback.priority < own.lowest());
        let blocking = begun.map(|callback| callback.cost + costs.dispatch).max().unwrap_or(TimeSpan::ZERO);
        let above = self.above_priority(described.priority, None, Some(own.executor))?;

        let switches = |begins| costs.of_switches(begins, cores);
        let others = above.iter().map(|other| (other.work + switches(other.begins * 2), other.arrivals.period));
        let of_executor = goes_before.iter().map(|(cost, arrivals)| (*cost, arrivals.period)).chain([(cost, period)]);
        let of_executor = of_executor.map(|(cost, period)| (cost * cores as u64, period));
        check_utilisation(others.chain(of_executor), cores as f64)?;

        let demand = |jobs: u64, window: TimeSpan| {
            let begins = above.iter().map(|other| other.begins_within(window)).fold(0, u64::saturating_add);
            let others = above.iter().map(|other| other.within(window, cores)).sum::<TimeSpan>();
            let elsewhere = costs.of_switches(begins, cores - 1);
            let executor = goes_before.iter().map(|(cost, arrivals)| *cost * arrivals.within(window)).sum::<TimeSpan>();
            let own = blocking + cost * jobs + executor + costs.of_switches(begins, 1);
            own + (others + elsewhere).shared_by(cores)
        };
        // If a later instance can overtake, it is only certain that nothing is left when the window
        // ends.
        let in_order = !all_go_before && chain.begins == Beginning::Timer && own.rises();
        let mut search = Search::below(self.horizon);
        let (mut worst, mut window) = (TimeSpan::ZERO, TimeSpan::TICK);
        for jobs in 1.. {
            window = search.covered(window, |window| demand(jobs, window))?;
            worst = worst.max(if in_order { window - period * (jobs - 1) } else { window });
            if window + jitter_of_own <= period * jobs {
                break;
            }
        }
        Ok(jitter_of_own + worst)
    }

    /// Returns all cycles and executors that are at least as important as threads of this priority,
    /// except this cycle or executor.
    pub(super) fn above_priority(
        &self,
        priority: u32,
        cycle: Option<usize>,
        executor: Option<ExecutorId>,
    ) -> Result<Vec<Above>, NoBound> {
        let mut above = Vec::new();
        for (other, one) in self.system.cycles.iter().enumerate() {
            if Some(other) == cycle || one.priority < priority {
                continue;
            }
            let all = self.above(other).ok_or_else(|| NoBound::Unbounded { on: one.name.clone() })?;
            above.push(match cycle {
                Some(cycle) if self.take_turns(cycle, other) => self.idle(other, all),
                _ => all,
            });
        }
        let segments = self.segments.iter().filter(|_| self.deployment.is_ok());
        for segment in segments.filter(|segment| Some(segment.executor) != executor) {
            let ExecutorId(number) = segment.executor;
            if self.system.executors[number].priority >= priority {
                let name = |_| NoBound::Unbounded { on: self.system.chains[segment.chain].name.clone() };
                let latest_end = segment.end.clone().map_err(name)? - segment.earliest_begin;
                let arrivals = Arrivals::periodic(segment.period);
                above.push(Above { work: segment.cost, begins: 1, arrivals, latest_end });
            }
        }
        Ok(above)
    }
}
