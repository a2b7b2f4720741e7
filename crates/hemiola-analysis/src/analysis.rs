//! Bounds for all chains, cycles and paths of a system together.
//!
//! - **Chains** on executors: [`crate::picas::holistic`], beside all cycles that go before their executors.
//! - **Cycles** on pools: [`crate::dag::pool`], beside all cycles and executors that go before them. From its release to when its
//!   worker 0 runs a cycle loses what timers are late, or what waking takes if it begins after something else.
//! - **Paths**: for each cycle or chain on the way the longest distance of two releases and its bound (Davare's form); one that begins
//!   whenever the one before has ended has no distance to add.
//! - What depends on each other is found together, from below, until nothing grows.

use std::fmt::{self, Display};

use crate::dag::Dag;
use crate::dag::pool::{Above, Method, Pool};
use crate::picas::holistic::{self, SegmentBound};
use crate::picas::{Deployment, ExecutorId, Interference};
use crate::system::{Begin, Path, Start, System};
use crate::{Arrivals, Bound, NoBound, Time};

/// What is known of a system.
///
/// ```
/// use hemiola_analysis::{Analysis, System, Time};
/// let text = r#"
///     cores = 2
///     [[cycle]]
///     name = "vision"
///     begins = { every = "33 ms" }
///     workers = 2
///     priority = 50
///     tasks = [{ name = "left", takes = "12 ms" }, { name = "right", takes = "12 ms" }, { name = "ball", takes = "3 ms", after = ["left", "right"] }]
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     priority = 80
///     tasks = [{ name = "walk", takes = "2 ms" }]
///     [[path]]
///     name = "ball to kick"
///     through = ["vision", "motion"]
///     deadline = "100 ms"
/// "#;
/// let analysis = Analysis::of(&System::from_toml(text, "system.toml").unwrap());
/// let bound = |name| analysis.find(name).unwrap().bound.clone();
/// assert_eq!(bound("motion"), Ok(Time::milliseconds(2)));
/// assert_eq!(bound("vision"), Ok(Time::milliseconds(19)));
/// assert_eq!(bound("ball to kick"), Ok(Time::milliseconds(33 + 19 + 12 + 2)));
/// assert!(analysis.holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Chains, cycles and paths, each in the order of the description.
    pub verdicts: Vec<Verdict>,
}

/// What is known of a chain, cycle or path.
///
/// ```
/// use hemiola_analysis::{Part, Time, Verdict};
/// let ms = Time::milliseconds;
/// let (part, name) = (Part::Cycle, "motion".into());
/// let verdict = Verdict { part, name, deadline: Some(ms(12)), bound: Ok(ms(15)), method: None };
/// assert!(!verdict.holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What it is.
    pub part: Part,
    /// What people call it.
    pub name: String,
    /// Until when it has to be done, from its release.
    pub deadline: Option<Time>,
    /// The longest from its release to its end; of a path, the maximum reaction time.
    pub bound: Bound,
    /// Of a cycle, which bound on its runs was the smallest.
    pub method: Option<Method>,
}

/// What a verdict is about.
///
/// ```
/// assert_eq!(hemiola_analysis::Part::Chain.to_string(), "chain");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A chain of callbacks.
    Chain,
    /// A cycle.
    Cycle,
    /// A way through several.
    Path,
}

impl Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Chain => "chain",
            Self::Cycle => "cycle",
            Self::Path => "path",
        })
    }
}

impl Verdict {
    /// Whether it is sure to be done in time.
    pub fn holds(&self) -> bool {
        self.bound.as_ref().is_ok_and(|&bound| self.deadline.is_none_or(|deadline| bound <= deadline))
    }
}

/// A line of a table: `cycle  motion   2 ms of 12 ms   holds`.
impl Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, name, deadline, bound, method } = self;
        let bound = match (bound, method) {
            (Ok(bound), Some(method)) => format!("{bound} ({method})"),
            (Ok(bound), None) => bound.to_string(),
            (Err(reason), _) => format!("no bound: {reason}"),
        };
        let deadline = deadline.map_or_else(|| "any time".to_owned(), |deadline| deadline.to_string());
        let verdict = if self.holds() { "holds" } else { "FAILS" };
        write!(formatter, "{verdict}  {part:5}  {name:24}  {deadline:>12}  {bound}")
    }
}

impl Display for Analysis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:5}  {:5}  {:24}  {:>12}  bound", "", "", "", "deadline")?;
        self.verdicts.iter().try_for_each(|verdict| writeln!(formatter, "{verdict}"))
    }
}

/// No bound of more than so many of the longest periods is looked for: nobody has a use for it.
const PERIODS: u64 = 64;

impl Analysis {
    /// Bounds for all chains, cycles and paths of a system, which has been checked.
    pub fn of(system: &System) -> Self {
        let mut solver = Solver::new(system);
        solver.solve();
        let mut verdicts = Vec::new();
        for (chain, bound) in system.chains.iter().zip(solver.chain_bounds()) {
            let deadline = Some(chain.due());
            verdicts.push(Verdict { part: Part::Chain, name: chain.name.clone(), deadline, bound, method: None });
        }
        for (number, cycle) in system.cycles.iter().enumerate() {
            let deadline = cycle.deadline.or_else(|| solver.arrivals(number).ok().map(|arrivals| arrivals.period));
            let bound = solver.cycles[number].clone();
            let method = solver.methods[number];
            verdicts.push(Verdict { part: Part::Cycle, name: cycle.name.clone(), deadline, bound, method });
        }
        for path in &system.paths {
            let bound = solver.reaction_time(path);
            let (name, deadline) = (path.name.clone(), path.deadline);
            verdicts.push(Verdict { part: Part::Path, name, deadline, bound, method: None });
        }
        Self { verdicts }
    }

    /// The verdict on the chain, cycle or path of this name.
    pub fn find(&self, name: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.name == name)
    }

    /// Whether everything is sure to be done in time.
    pub fn holds(&self) -> bool {
        self.verdicts.iter().all(Verdict::holds)
    }
}

struct Solver<'s> {
    system: &'s System,
    deployment: Result<Deployment, NoBound>,
    horizon: Time,
    graphs: Vec<Dag>,
    priorities: Vec<Option<Vec<usize>>>,
    /// How long a cycle's run takes at most if nothing interrupts it.
    makespans: Vec<Option<Time>>,
    methods: Vec<Option<Method>>,
    segments: Vec<SegmentBound>,
    /// From a cycle's release to its end.
    cycles: Vec<Bound>,
}

impl<'s> Solver<'s> {
    fn new(system: &'s System) -> Self {
        let graphs: Vec<Dag> = system.cycles.iter().map(System::graph).collect();
        let cycles = vec![Ok(Time::ZERO); system.cycles.len()];
        let periods =
            system.chains.iter().map(|chain| chain.period).chain(system.cycles.iter().map(
                |cycle| match cycle.begins {
                    Begin::Every(period) => period,
                    Begin::After(_) => Time::ZERO,
                },
            ));
        let horizon = periods.max().unwrap_or(Time::ZERO) * PERIODS;
        let mut solver = Self {
            system,
            deployment: system.deployment(),
            horizon,
            priorities: system.cycles.iter().map(System::priorities).collect(),
            makespans: vec![None; graphs.len()],
            methods: vec![None; graphs.len()],
            graphs,
            segments: Vec::new(),
            cycles,
        };
        for (number, cycle) in system.cycles.iter().enumerate() {
            let shortest: Vec<Time> = cycle.tasks.iter().map(|task| task.takes.shortest).collect();
            let pool = solver.pool(number, Arrivals::periodic(Time::ZERO));
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

    fn solve(&mut self) {
        loop {
            let before = (self.segments.clone(), self.cycles.clone());
            let interference = self.cycles_as_interference();
            if let Ok(deployment) = &mut self.deployment {
                deployment.interference = interference;
                self.segments = holistic::segments(deployment, self.horizon);
            }
            for number in 0..self.cycles.len() {
                // A bound that is lost does not come back, and none gets smaller again: the pool's may be a little above the least.
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

    fn chain_bounds(&self) -> Vec<Bound> {
        if let Err(reason) = &self.deployment {
            return vec![Err(reason.clone()); self.system.chains.len()];
        }
        let last = |chain| self.segments.iter().rfind(|segment| segment.chain == chain).map(|last| last.end.clone());
        (0..self.system.chains.len()).map(|chain| last(chain).unwrap_or(Ok(Time::ZERO))).collect()
    }

    /// When a cycle is released.
    fn arrivals(&self, cycle: usize) -> Result<Arrivals, NoBound> {
        match &self.system.cycles[cycle].begins {
            Begin::Every(period) => Ok(Arrivals::periodic(*period)),
            Begin::After(name) => self.ends_of(name),
        }
    }

    /// When a chain or cycle ends.
    fn ends_of(&self, name: &str) -> Result<Arrivals, NoBound> {
        let unbounded = |_| NoBound::Unbounded { on: name.to_owned() };
        if let Some(chain) = self.system.chains.iter().position(|chain| chain.name == name) {
            let end = self.chain_bounds()[chain].clone().map_err(unbounded)?;
            return Ok(Arrivals::periodic(self.system.chains[chain].period).late_by(end));
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

    /// From the release of a cycle until its worker 0 runs, if nothing more important does.
    fn lateness(&self, cycle: usize) -> Time {
        match self.system.cycles[cycle].begins {
            Begin::Every(_) => self.system.costs.timer_lateness,
            Begin::After(_) => self.system.costs.wake_up,
        }
    }

    /// What a cycle does to what is below it. One without a bound has at most one run under way and one waiting.
    fn above(&self, cycle: usize) -> Option<Above> {
        let arrivals = self.arrivals(cycle).ok()?;
        let graph = &self.graphs[cycle];
        let begins = graph.begins(self.system.cycles[cycle].workers);
        let costs = self.system.costs;
        let early = if graph.is_empty() { Time::ZERO } else { costs.earliness };
        let workers = self.system.cycles[cycle].workers as u64;
        // Who is awake early may sleep again, for what comes first is somebody else's.
        let begins = if early > Time::ZERO { begins + workers } else { begins };
        let idle = costs.spin * begins + early * workers;
        let work = graph.volume() + costs.dispatch * graph.len() as u64 + idle;
        let end = match &self.cycles[cycle] {
            Ok(end) => *end,
            Err(_) => arrivals.period * 3 + work,
        };
        // As if it was released when its workers wake, and ended when they sleep.
        let latest_end = early + end + costs.spin;
        Some(Above { work, begins, arrivals, latest_end })
    }

    /// What cycles take from executors. Because their threads move, whatever interrupts one may make another one interrupt
    /// something on another core, so that chains elsewhere count, too.
    fn cycles_as_interference(&self) -> Vec<Interference> {
        let never_ending =
            |name, priority| Interference { name, priority, cost: Time::MAX, arrivals: Arrivals::periodic(Time::MAX) };
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
        if !interference.is_empty() && switches(1) > Time::ZERO {
            interference.extend(self.segments.iter().map(|segment| {
                let name = self.system.chains[segment.chain].name.clone();
                let priority = self.system.executors[segment.executor.0].priority;
                let Ok(end) = &segment.end else { return never_ending(name, priority) };
                let arrivals = Arrivals::periodic(segment.period).late_by(*end - segment.earliest_begin);
                Interference { name, priority, cost: switches(1), arrivals }
            }));
        }
        interference
    }

    fn response_time(&self, number: usize) -> Result<(Time, Method), NoBound> {
        let cycle = &self.system.cycles[number];
        let mut above = Vec::new();
        for (other, _) in self
            .system
            .cycles
            .iter()
            .enumerate()
            .filter(|&(other, one)| other != number && one.priority >= cycle.priority)
        {
            let name = || NoBound::Unbounded { on: self.system.cycles[other].name.clone() };
            let all = self.above(other).ok_or_else(name)?;
            above.push(if self.take_turns(number, other) { self.idle(other, all) } else { all });
        }
        if let Ok(deployment) = &self.deployment {
            for segment in &self.segments {
                let ExecutorId(executor) = segment.executor;
                if deployment.executors[executor].priority < cycle.priority {
                    continue;
                }
                let name = |_| NoBound::Unbounded { on: self.system.chains[segment.chain].name.clone() };
                let latest_end = segment.end.clone().map_err(name)? - segment.earliest_begin;
                above.push(Above {
                    work: segment.cost,
                    begins: 1,
                    arrivals: Arrivals::periodic(segment.period),
                    latest_end,
                });
            }
        }
        let (arrivals, lateness) = (self.arrivals(number)?, self.lateness(number));
        let pool = self.pool(number, arrivals.late_by(arrivals.jitter + lateness));
        let (bound, method) = pool.response_time(&above, self.horizon)?;
        Ok((lateness + bound, method))
    }

    /// Whether one of two cycles begins after the other, directly or not, and sleeps before that begins again: then neither ever
    /// waits for the other's tasks. If it was so until now, it is so the next time, for what keeps both until then is bounded as if it was.
    fn take_turns(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.way_to(one), self.way_to(other)) else { return false };
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let Begin::Every(period) = self.system.cycles[long[0]].begins else { return false };
        if !long.starts_with(&short) {
            return false;
        }
        let end: Result<Time, _> = long.iter().map(|&cycle| self.cycles[cycle].clone()).sum();
        end.is_ok_and(|end| end + self.system.costs.spin <= period)
    }

    /// What a cycle does before its time and after its work: nothing else of it is in the way of those with which it takes turns.
    fn idle(&self, cycle: usize, all: Above) -> Above {
        let workers = self.system.cycles[cycle].workers as u64;
        let work = (self.system.costs.earliness + self.system.costs.spin) * workers;
        Above { work, begins: if work > Time::ZERO { workers } else { 0 }, ..all }
    }

    /// The cycles that begin one after another until this one does; nothing if a chain is before them, of which several may be under way.
    fn way_to(&self, cycle: usize) -> Option<Vec<usize>> {
        let mut way = vec![cycle];
        while let Begin::After(name) = &self.system.cycles[way[0]].begins {
            way.insert(0, self.system.cycles.iter().position(|cycle| cycle.name == *name)?);
        }
        Some(way)
    }

    fn reaction_time(&self, path: &Path) -> Bound {
        let mut sum = Time::ZERO;
        let mut before: Option<&str> = None;
        for (place, name) in path.through.iter().enumerate() {
            // What is sampled by the first one is there when that is released.
            let is_there = place == 0 && path.from == Start::Sample;
            let unbounded = |_| NoBound::Unbounded { on: name.clone() };
            if let Some(chain) = self.system.chains.iter().position(|chain| chain.name == *name) {
                if !is_there {
                    sum += self.system.chains[chain].period;
                }
                sum += self.chain_bounds()[chain].clone().map_err(unbounded)?;
            } else if let Some(cycle) = self.system.cycles.iter().position(|cycle| cycle.name == *name) {
                let triggered =
                    matches!(&self.system.cycles[cycle].begins, Begin::After(by) if Some(by.as_str()) == before);
                let end = self.cycles[cycle].clone().map_err(unbounded)?;
                if !triggered && !is_there {
                    // The next run begins with the next release, or with the latest one when the run before has ended.
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
