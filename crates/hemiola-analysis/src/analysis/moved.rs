//! Bounds for chains on an executor that is pinned to no core, so that the kernel migrates its
//! thread among all of them, with a priority or with a reservation.
//!
//! - **Model.** An executor is one thread that may run on any of m cores. It runs the ready
//!   callback with the highest priority, and preempts none. A chain is on such executors only; a
//!   *segment* is a sequence of its callbacks that one executor runs in a row.
//! - **Formula.** For a segment of cost C, period T and jitter J with blocking B, for q = 1, 2, ...
//!   the least `w = B + q C + sum of ceil((w + J_h) / T_h) C_h + sum of W_o(w) / m`, rounded up; h
//!   are the other segments of its executor of which something has precedence over it, o everything
//!   with the priority of its thread or a higher one, with W as in [`crate::dag::pool`]. It ends at
//!   the latest `J + max (w - (q - 1) T)` after it could begin at the earliest; the q end where `w
//!   <= q T - J`. That, less the shortest time to the next segment's begin, is the next one's
//!   jitter, as in [`crate::picas::holistic`]. With a reservation, w is the time in which that is
//!   sure to be supplied ([`Supply`](crate::Supply)) without W.
//! - **Why it holds.** The window begins when last its executor had only work of lower priority
//!   than the segment. From then on the thread needs a core: it runs the segment or what has
//!   precedence over it, or the one callback that had begun (B); or it waits, and all m cores run
//!   work of higher priority. What was left of that when the window began is in W. A thread with a
//!   reservation has work throughout the window, so that its budget is not lost (see
//!   [`crate::system::Reservation`], which also says when it is given in time).
//! - **Costs.** The lateness of a timer and a wake-up are jitter. Callbacks take longer by the
//!   dispatch. Whenever something of higher priority begins to run, it preempts this thread, and
//!   others on each other core. A thread with a reservation is preempted by others with one; being
//!   stopped once per period costs it as much; and it lacks what it has overrun.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** For reservations Casini, Blass, Lütkebohle and Brandenburg, ECRTS 2019.

use super::solver::Solver;
use crate::bound::{Search, check_utilisation};
use crate::dag::pool::Above;
use crate::picas::{ExecutorId, Order, SegmentBound};
use crate::system::{Beginning, Moved};
use crate::{Arrivals, Bound, NoBound, TimeSpan};

impl Solver<'_> {
    /// Returns the bounds of all chains on such executors, from below: none is smaller than it was.
    pub(super) fn moved_segments(&self) -> Vec<SegmentBound> {
        let segment = |(number, moved): (usize, &Moved)| SegmentBound {
            chain: moved.chain,
            executor: moved.executor,
            cost: self.cost(moved),
            period: self.system.chains[moved.chain].period,
            earliest_begin: moved.earliest_begin,
            end: self.known_end(number).and_then(|known| Ok(self.latest_end(number)?.max(known))),
        };
        self.moved.iter().enumerate().map(segment).collect()
    }

    /// Returns the latest end that is known so far; these segments are the last ones of all.
    fn known_end(&self, number: usize) -> Bound {
        let place = self.segments.len().checked_sub(self.moved.len() - number);
        place.map_or(Ok(self.moved[number].earliest_begin), |place| self.segments[place].end.clone())
    }

    /// Returns how late a segment can become ready after the earliest time at which it can.
    pub(super) fn jitter(&self, number: usize) -> Bound {
        let (own, costs) = (&self.moved[number], self.system.costs);
        match (own.place, &self.system.chains[own.chain].begins) {
            (0, Beginning::Timer) => Ok(costs.timer_lateness),
            (0, Beginning::WakeUp) => Ok(costs.wake_up),
            (0, Beginning::After(before)) => Ok(self.ends_of(before)?.jitter + costs.wake_up),
            _ => Ok(self.known_end(number - 1)? - own.earliest_begin + costs.wake_up),
        }
    }

    fn cost(&self, moved: &Moved) -> TimeSpan {
        moved.callbacks.iter().map(|callback| callback.cost + self.system.costs.dispatch).sum()
    }

    fn latest_end(&self, number: usize) -> Bound {
        let own = &self.moved[number];
        let ExecutorId(executor) = own.executor;
        let described = &self.system.executors[executor];
        if described.core.is_some() {
            return Err(NoBound::Moved { executor: described.name.clone() });
        }
        let (costs, cores) = (self.system.costs, self.system.cores.max(1));
        let chain = &self.system.chains[own.chain];
        let (cost, period, jitter_of_own) = (self.cost(own), chain.period, self.jitter(number)?);
        let all_go_before = described.order == Order::Registration;
        let same_executor = || self.moved.iter().enumerate().filter(|(_, other)| other.executor == own.executor);
        let beside = same_executor().filter(|(place, _)| *place != number);
        let goes_before = beside.filter(|(_, other)| all_go_before || other.highest() >= own.lowest());
        let goes_before: Vec<(TimeSpan, Arrivals)> = goes_before
            .map(|(place, other)| {
                let of = &self.system.chains[other.chain];
                let jitter = self.jitter(place).map_err(|_| NoBound::Unbounded { on: of.name.clone() })?;
                Ok((self.cost(other), Arrivals::periodic(of.period).late_by(jitter)))
            })
            .collect::<Result<_, NoBound>>()?;
        let callbacks = same_executor().flat_map(|(_, other)| &other.callbacks);
        let begun = callbacks.filter(|callback| callback.priority < own.lowest());
        let blocking = begun.map(|callback| callback.cost + costs.dispatch).max().unwrap_or(TimeSpan::ZERO);
        let of_executor =
            || goes_before.iter().map(|(cost, arrivals)| (*cost, arrivals.period)).chain([(cost, period)]);
        let of_executor_within = |jobs: u64, window: TimeSpan| {
            let beside = goes_before.iter().map(|(cost, arrivals)| *cost * arrivals.within(window)).sum::<TimeSpan>();
            blocking + cost * jobs + beside
        };
        let demand: Box<dyn Fn(u64, TimeSpan) -> TimeSpan> = if let Some(reservation) = described.reservation {
            self.system.are_reservations_given()?;
            check_utilisation(of_executor(), reservation.share())?;
            let others = (0..self.system.executors.len()).filter(|&other| other != executor);
            let servers: Vec<Above> = others.map(|other| self.server(other)).collect::<Result<Vec<_>, _>>()?.concat();
            Box::new(move |jobs, window| {
                let begins = servers.iter().map(|other| other.begins_within(window)).fold(0, u64::saturating_add);
                let stops = window.whole(reservation.period).0 + 2;
                let switches = costs.of_switches(begins.saturating_add(stops), 1);
                reservation.supply().time_for(of_executor_within(jobs, window) + switches + costs.budget_overrun)
            })
        } else {
            let above = self.above_priority(described.priority, None, Some(own.executor))?;
            let others = above
                .iter()
                .map(|other| (other.work + costs.of_switches(other.begins * 2, cores), other.arrivals.period));
            let of_executor = of_executor().map(|(cost, period)| (cost * cores as u64, period));
            check_utilisation(others.chain(of_executor), cores as f64)?;
            Box::new(move |jobs, window| {
                let begins = above.iter().map(|other| other.begins_within(window)).fold(0, u64::saturating_add);
                let others = above.iter().map(|other| other.within(window, cores)).sum::<TimeSpan>();
                let elsewhere = costs.of_switches(begins, cores - 1);
                let own = of_executor_within(jobs, window) + costs.of_switches(begins, 1);
                own + (others + elsewhere).shared_by(cores)
            })
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
        Ok(own.earliest_begin + jitter_of_own + worst)
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
        let others = || (0..self.system.executors.len()).filter(|&number| Some(ExecutorId(number)) != executor);
        let kept: Vec<usize> = others().filter(|&number| self.is_overloaded(number)).collect();
        for &number in &kept {
            above.extend(self.server(number)?);
        }
        let segments = self.segments.iter().filter(|_| self.deployment.is_ok());
        for segment in segments.filter(|segment| Some(segment.executor) != executor) {
            let ExecutorId(number) = segment.executor;
            if !kept.contains(&number) && self.system.executors[number].level() >= priority {
                let name = |_| NoBound::Unbounded { on: self.system.chains[segment.chain].name.clone() };
                let latest_end = segment.end.clone().map_err(name)? - segment.earliest_begin;
                let arrivals = Arrivals::periodic(segment.period);
                above.push(Above { work: segment.cost, begins: self.begins(segment), arrivals, latest_end });
            }
        }
        Ok(above)
    }
}
