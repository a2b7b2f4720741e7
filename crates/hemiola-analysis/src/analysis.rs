//! Bounds for all chains, cycles and paths of a system together.
//!
//! - **Chains** on executors: [`crate::picas::palencia_1998`], beside all cycles that go before
//!   their executors.
//! - **Chains** on an executor that stays on no core: `moved`.
//! - **Cycles** on pools: [`crate::dag::pool`], beside all cycles and executors that go before
//!   them. From its release to when its worker 0 runs a cycle loses what timers are late, or what
//!   waking takes if it begins after something else.
//! - **Paths**: for each cycle or chain on the way the longest distance of two releases and its
//!   bound (Davare's form); one that begins whenever the one before has ended has no distance to
//!   add.
//! - What depends on each other is found together, from below, until nothing grows (`solver`, with
//!   what each does to others in `interference`).

mod interference;
mod moved;
mod solver;

use std::fmt::{self, Display};

use crate::dag::pool::Method;
use crate::system::System;
use crate::{Bound, TimeSpan};
use solver::Solver;

/// What is known of a system.
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
    /// Chains, cycles and paths, each in the order of the description.
    pub verdicts: Vec<Verdict>,
}

/// What is known of a chain, cycle or path.
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
    /// What it is.
    pub part: Part,
    /// What people call it.
    pub name: String,
    /// Until when it has to be done, from its release.
    pub deadline: Option<TimeSpan>,
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
    /// Whether it is sure to be done in time; what may be done at any time is.
    pub fn holds(&self) -> bool {
        let is_within = |deadline| self.bound.as_ref().is_ok_and(|&bound| bound <= deadline);
        self.deadline.is_none_or(is_within)
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

impl Analysis {
    /// Bounds for all chains, cycles and paths of a system, which has been checked.
    pub fn of(system: &System) -> Self {
        let mut solver = Solver::new(system);
        solver.solve();
        let mut verdicts = Vec::new();
        for (chain, bound) in system.chains.iter().zip(solver.chain_bounds()) {
            let deadline = chain.due();
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
