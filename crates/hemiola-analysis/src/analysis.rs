//! Bounds for all chains, cycles and paths of a system together.
//!
//! - **Chains** on executors are bounded by [`crate::picas::palencia_1998`], together with all
//!   cycles that have precedence over their executors.
//! - **Chains** on an executor that stays on no core are bounded by `moved`.
//! - **Chains that begin after something** begin with its period, and as late as it ends at most:
//!   that is their release jitter (Tindell and Clark 1994; for callbacks that publish Casini,
//!   Blass, Lütkebohle and Brandenburg, ECRTS 2019, and Tang et al., RTSS 2020). So callbacks that
//!   publish to several topics are forks, a cycle's messages go on in an executor, and an
//!   executor's in a cycle. A call of a service that does not wait for the answer is a chain
//!   through the server's executor and back: the client's executor is free meanwhile, so that
//!   nobody suspends itself.
//! - **Cycles** on pools are bounded by [`crate::dag::pool`], together with all cycles and
//!   executors that have precedence over them. Between its release and the time at which its worker
//!   0 runs, a cycle is delayed by the lateness of timers, or by a wake-up if it begins after
//!   something else.
//! - **Paths** are bounded in Davare's form: for each cycle or chain on the way, the longest
//!   distance between two releases plus its bound. A cycle that begins whenever the one before has
//!   ended adds no distance.
//! - **Links** add the time that they take, and the error by which the clocks at their ends may
//!   disagree. They send each value by itself, so that no distance is added, as for Davare's
//!   event-triggered messages (Davare et al., *Period optimization for hard real-time distributed
//!   automotive systems*, DAC 2007); the next part reads the latest value, or is triggered by it.
//! - Bounds that depend on each other are computed together, from below, until none grows
//!   (`solver`; `interference` has the effects of each on the others).

mod interference;
mod moved;
mod solver;

use std::fmt::{self, Display};

use crate::dag::pool::Method;
use crate::system::System;
use crate::{Bound, TimeSpan};
use solver::Solver;

/// The bounds of a system, and whether its deadlines are met.
///
/// ```
/// use hemiola_analysis::{Analysis, System, TimeSpan};
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
/// assert_eq!(bound("motion"), Ok(TimeSpan::milliseconds(2)));
/// assert_eq!(bound("vision"), Ok(TimeSpan::milliseconds(19)));
/// assert_eq!(bound("ball to kick"), Ok(TimeSpan::milliseconds(33 + 19 + 12 + 2)));
/// assert!(analysis.holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The verdicts on chains, cycles and paths, each in the order of the description.
    pub verdicts: Vec<Verdict>,
}

/// The bound of a chain, cycle or path, and whether it meets the deadline.
///
/// ```
/// use hemiola_analysis::{Part, TimeSpan, Verdict};
/// let ms = TimeSpan::milliseconds;
/// let (part, name) = (Part::Cycle, "motion".into());
/// let verdict = Verdict { part, name, deadline: Some(ms(12)), bound: Ok(ms(15)), method: None };
/// assert!(!verdict.holds());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The kind of thing that the verdict is about.
    pub part: Part,
    /// The name in the description.
    pub name: String,
    /// The deadline, counted from the release.
    pub deadline: Option<TimeSpan>,
    /// The bound on the time from release to end; for a path, on the maximum reaction time.
    pub bound: Bound,
    /// The method that gave the smallest bound on the runs of a cycle.
    pub method: Option<Method>,
}

/// The kind of thing that a verdict is about.
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
    /// A path through several of them.
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
    /// Returns whether the deadline is guaranteed to be met; without a deadline, it always is.
    pub fn holds(&self) -> bool {
        let is_within = |deadline| self.bound.as_ref().is_ok_and(|&bound| bound <= deadline);
        self.deadline.is_none_or(is_within)
    }
}

/// Formats the verdict as a line of a table: `cycle  motion   2 ms of 12 ms   holds`.
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

impl Analysis {
    /// Computes bounds for all chains, cycles and paths of a system that has been checked.
    pub fn of(system: &System) -> Self {
        let system = &system.with_periods();
        let mut solver = Solver::new(system);
        solver.solve();
        let mut verdicts = Vec::new();
        for (number, chain) in system.chains.iter().enumerate() {
            let (deadline, bound) = (system.due(chain), solver.chain_bound(number));
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

    /// Returns the verdict on the chain, cycle or path of this name.
    pub fn find(&self, name: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.name == name)
    }

    /// Returns whether all deadlines are guaranteed to be met.
    pub fn holds(&self) -> bool {
        self.verdicts.iter().all(Verdict::holds)
    }
}
