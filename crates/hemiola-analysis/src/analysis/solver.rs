//! Finds all bounds together, from below.

use crate::dag::Dag;
use crate::dag::pool::{Method, Pool};
use crate::picas::{self, Deployment, SegmentBound, palencia_1998};
use crate::system::{Begin, Beginning, Cycle, Moved, Path, Start, System};
use crate::{Arrivals, Bound, NoBound, TimeSpan};

/// The largest bound that is searched for, in multiples of the longest period: a larger one is of
/// no use.
const PERIODS: u64 = 64;

/// Returns the time up to which bounds are searched for: some periods of cycles, and the deadlines
/// of chains. Where there are cycles, periods of chains do not count, because a rare message would
/// make the search for all others long.
fn horizon(system: &System) -> TimeSpan {
    let every = |cycle: &Cycle| match cycle.begins {
        Begin::Every { period, .. } => period,
        Begin::After(_) => TimeSpan::ZERO,
    };
    let longest = |times: &mut dyn Iterator<Item = TimeSpan>| times.max().unwrap_or(TimeSpan::ZERO);
    let of_cycles = longest(&mut system.cycles.iter().map(every));
    if of_cycles == TimeSpan::ZERO {
        return longest(&mut system.chains.iter().map(|chain| chain.period)) * PERIODS;
    }
    (of_cycles * PERIODS).max(longest(&mut system.chains.iter().filter_map(|chain| system.due(chain))))
}

/// The bounds so far.
pub(super) struct Solver<'s> {
    pub(super) system: &'s System,
    pub(super) deployment: Result<Deployment, NoBound>,
    pub(super) horizon: TimeSpan,
    pub(super) graphs: Vec<Dag>,
    priorities: Vec<Option<Vec<usize>>>,
    /// The longest time that a cycle's run takes if nothing interrupts it.
    makespans: Vec<Option<TimeSpan>>,
    pub(super) methods: Vec<Option<Method>>,
    pub(super) segments: Vec<SegmentBound>,
    /// The runs of callbacks on executors that stay on no core; they come last among the segments.
    pub(super) moved: Vec<Moved>,
    /// The bounds of cycles, from release to end.
    pub(super) cycles: Vec<Bound>,
}

impl<'s> Solver<'s> {
    pub(super) fn new(system: &'s System) -> Self {
        let graphs: Vec<Dag> = system.cycles.iter().map(Cycle::graph).collect();
        let cycles = vec![Ok(TimeSpan::ZERO); system.cycles.len()];
        let horizon = horizon(system);
        let mut solver = Self {
            system,
            deployment: system.deployment(),
            horizon,
            priorities: system.cycles.iter().map(Cycle::order).collect(),
            makespans: vec![None; graphs.len()],
            methods: vec![None; graphs.len()],
            graphs,
            segments: Vec::new(),
            moved: system.moved(),
            cycles,
        };
        for (number, cycle) in system.cycles.iter().enumerate() {
            let shortest: Vec<TimeSpan> = cycle.tasks.iter().map(|task| task.takes.shortest).collect();
            let pool = solver.pool(number, Arrivals::periodic(TimeSpan::ZERO));
            solver.makespans[number] = pool.makespan_alone(&shortest);
        }
        solver
    }

    fn pool(&self, cycle: usize, arrivals: Arrivals) -> Pool<'_> {
        Pool {
            graph: &self.graphs[cycle],
            priorities: self.priorities[cycle].as_deref(),
            makespan: self.makespans[cycle],
            kept: self.system.kept(cycle),
            arrivals,
            workers: self.system.cycles[cycle].workers,
            allowed: self.system.cycles[cycle].allowed(self.system.cores),
            cores: self.system.cores,
            costs: self.system.costs,
        }
    }

    pub(super) fn solve(&mut self) {
        loop {
            let before = (self.segments.clone(), self.cycles.clone());
            let interference = self.moving_interference();
            let moved = self.moved_segments();
            let lateness: Vec<Option<TimeSpan>> =
                (0..self.system.chains.len()).map(|chain| self.lateness_of_chain(chain)).collect();
            if let Ok(deployment) = &mut self.deployment {
                deployment.interference = interference;
                for (chain, within) in deployment.chains.iter_mut().zip(lateness) {
                    chain.begins = within.map_or(chain.begins, |within| picas::Beginning::After { within });
                }
                self.segments = palencia_1998::segments(deployment, self.horizon);
                self.segments.extend(moved);
            }
            for number in 0..self.cycles.len() {
                // A bound that is lost does not come back, and none gets smaller again, because the
                // bound of a pool may be slightly above the least one.
                if let Ok(known) = self.cycles[number] {
                    let response_time = self.response_time(number);
                    self.methods[number] = response_time.as_ref().ok().map(|(_, method)| *method);
                    self.cycles[number] = response_time.map(|(bound, _)| bound.max(known));
                }
            }
            if before == (self.segments.clone(), self.cycles.clone()) {
                return;
            }
        }
    }

    /// Returns the bound of a chain, from its release to its end. It counts from what the chain
    /// begins after: whenever that has ended, the chain needs no more than its longest windows.
    pub(super) fn chain_bound(&self, chain: usize) -> Bound {
        match &self.system.chains[chain].begins {
            Beginning::After(before) => {
                let released = self.ends_of(before)?.jitter;
                Ok(self.chain_end(chain)? - released)
            }
            Beginning::Timer | Beginning::WakeUp => self.chain_end(chain),
        }
    }

    /// Returns the latest end of a chain after the release of the first of all that it begins
    /// after, or after its own release if there is nothing.
    fn chain_end(&self, chain: usize) -> Bound {
        if let Err(reason) = &self.deployment {
            return Err(reason.clone());
        }
        let last = self.segments.iter().rfind(|segment| segment.chain == chain);
        last.map_or(Ok(TimeSpan::ZERO), |last| last.end.clone())
    }

    /// Returns how late a chain is released at most if it begins after something.
    fn lateness_of_chain(&self, chain: usize) -> Option<TimeSpan> {
        let Beginning::After(before) = &self.system.chains[chain].begins else { return None };
        Some(self.ends_of(before).map_or(TimeSpan::MAX, |ends| ends.jitter))
    }

    /// Returns when a cycle is released.
    pub(super) fn arrivals(&self, cycle: usize) -> Result<Arrivals, NoBound> {
        match &self.system.cycles[cycle].begins {
            Begin::Every { period, .. } => Ok(Arrivals::periodic(*period)),
            Begin::After(name) => self.ends_of(name),
        }
    }

    /// Returns when a chain or cycle ends, or a link delivers.
    pub(super) fn ends_of(&self, name: &str) -> Result<Arrivals, NoBound> {
        let unbounded = |_| NoBound::Unbounded { on: name.to_owned() };
        if let Some(chain) = self.system.chains.iter().position(|chain| chain.name == name) {
            let end = self.chain_end(chain).map_err(unbounded)?;
            return Ok(Arrivals::periodic(self.system.chains[chain].period).late_by(end));
        }
        if let Some(link) = self.system.link(name) {
            let sent = self.ends_of(&link.from)?;
            return Ok(sent.late_by(sent.jitter + link.takes.longest));
        }
        match self.system.cycles.iter().position(|cycle| cycle.name == name) {
            Some(cycle) => {
                let arrivals = self.arrivals(cycle)?;
                let end = self.cycles[cycle].clone().map_err(unbounded)?;
                Ok(arrivals.late_by(arrivals.jitter + end))
            }
            None => Err(NoBound::Unbounded { on: name.to_owned() }),
        }
    }

    /// Returns the time from the release of a cycle until its worker 0 runs, if nothing of higher
    /// priority does.
    fn lateness(&self, cycle: usize) -> TimeSpan {
        match self.system.cycles[cycle].begins {
            Begin::Every { .. } => self.system.costs.timer_lateness,
            Begin::After(_) => self.system.costs.wake_up,
        }
    }

    fn response_time(&self, number: usize) -> Result<(TimeSpan, Method), NoBound> {
        let above = self.before(number)?;
        let (arrivals, lateness) = (self.arrivals(number)?, self.lateness(number));
        let pool = self.pool(number, arrivals.late_by(arrivals.jitter + lateness));
        let (bound, method) = pool.response_time(&above, self.horizon)?;
        Ok((lateness + bound, method))
    }

    pub(super) fn reaction_time(&self, path: &Path) -> Bound {
        let mut sum = TimeSpan::ZERO;
        let mut before: Option<&str> = None;
        for (place, name) in path.through.iter().enumerate() {
            // The sample of the first part is available when that part is released.
            let is_there = place == 0 && path.from == Start::Sample;
            let unbounded = |_| NoBound::Unbounded { on: name.clone() };
            if let Some(link) = self.system.link(name) {
                sum += link.takes.longest + link.clock_error;
            } else if let Some(chain) = self.system.chains.iter().position(|chain| chain.name == *name) {
                let end = self.chain_bound(chain).map_err(unbounded)?;
                let released = match &self.system.chains[chain].begins {
                    Beginning::After(by) if Some(by.as_str()) == before => None,
                    Beginning::After(by) => Some(self.ends_of(by)?.jitter),
                    Beginning::Timer | Beginning::WakeUp => Some(TimeSpan::ZERO),
                };
                if let Some(jitter) = released.filter(|_| !is_there) {
                    sum += self.system.chains[chain].period + jitter;
                }
                sum += end;
            } else if let Some(cycle) = self.system.cycles.iter().position(|cycle| cycle.name == *name) {
                let triggered =
                    matches!(&self.system.cycles[cycle].begins, Begin::After(by) if Some(by.as_str()) == before);
                let end = self.cycles[cycle].clone().map_err(unbounded)?;
                if !triggered && !is_there {
                    // The next run begins with the next release, or with the latest one when the
                    // run before has ended.
                    let arrivals = self.arrivals(cycle)?;
                    sum += (arrivals.period + arrivals.jitter).max(end);
                }
                sum += end;
            }
            before = Some(name);
        }
        Ok(sum)
    }
}
