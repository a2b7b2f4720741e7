//! Bounds, schedules and allocations that others computed, and whether ours agree.
//!
//! An oracle is a JSON file with `cases`; which one it is says its name. The commands and tests that read such files share
//! this module. A case agrees if every value in it does: exactly, within the tolerance that the file states, or on the right
//! side where a bound may be tighter.

mod compositional;
mod dag;
mod executor;
mod movebase;
mod picas;
mod reaction;
mod ros2;
mod uniprocessor;
mod worked;

use std::fmt::{self, Debug, Display};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{Bound, Time};

/// A file of cases cannot be checked.
///
/// ```
/// use hemiola_analysis::oracles;
/// let error = oracles::check("weather", "{}").unwrap_err();
/// assert!(error.to_string().starts_with("`weather` is not known as an oracle; there are "));
/// ```
#[derive(Debug, Error)]
pub enum OracleError {
    /// It has another form than the oracle of its name.
    #[error("`{name}` does not have the form of this oracle: {error}")]
    Form {
        /// The oracle.
        name: String,
        /// What JSON says.
        error: serde_json::Error,
    },
    /// Nobody knows what its cases mean.
    #[error("`{name}` is not known as an oracle; there are {}", known().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
    },
}

/// What became of a file of cases.
///
/// ```
/// use hemiola_analysis::oracles;
/// let text = r#"{"cases": [{"id": "sbf-0", "period": 10, "budget": 4, "deadline": 6, "delta": [58], "demand": [7], "expected":
///     {"periodic_sbf": [20], "periodic_service_time": [25], "constrained_sbf": [20], "constrained_service_time": [22]}}]}"#;
/// let report = oracles::check("supply-bound", text).unwrap();
/// assert_eq!((report.cases, report.differing.len()), (1, 1));
/// assert_eq!(report.differing[0].to_string(), "sbf-0: constrained_service_time: expected [22], got [21]");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many cases there are.
    pub cases: usize,
    /// How many more there are that nothing here computes; a remark says which.
    pub left_out: usize,
    /// How many values were compared.
    pub values: usize,
    /// The cases that differ, each with the first value that does.
    pub differing: Vec<Difference>,
    /// What the file has and nobody here computes, or where a bound may differ, and why.
    pub remarks: Vec<&'static str>,
}

/// A case that differs.
///
/// ```
/// use hemiola_analysis::oracles::Difference;
/// let difference = Difference { case: "a".into(), value: "fifo".into(), expected: "84".into(), got: "85".into() };
/// assert_eq!(difference.to_string(), "a: fifo: expected 84, got 85");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which case.
    pub case: String,
    /// Which of its values.
    pub value: String,
    /// What the file says.
    pub expected: String,
    /// What we say.
    pub got: String,
}

impl Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, value, expected, got } = self;
        write!(formatter, "{case}: {value}: expected {expected}, got {got}")
    }
}

type Check = fn(&str, &mut Tally) -> Result<(), serde_json::Error>;

/// All oracles by the names of their files.
const ORACLES: &[(&str, Check)] = &[
    ("uniprocessor-rta", uniprocessor::response_times),
    ("supply-bound", uniprocessor::supply),
    ("ros2-executor-rta", ros2::callbacks),
    ("ros2-chain-rta", ros2::chains),
    ("dag-list-scheduling", dag::list_scheduling),
    ("dag-task-sets", dag::task_sets),
    ("heft-cpop", dag::heft),
    ("picas-schedulability-sets", picas::schedulability_sets),
    ("mrt-mda-implicit", reaction::implicit),
    ("mrt-mixed-communication", reaction::mixed),
    ("let-chains", reaction::logical_execution_time),
    ("executor-semantics", executor::semantics),
    ("cpa-distributed-chains", compositional::chains),
    ("worked-examples", worked::examples),
    ("ros2-movebase-case-study", movebase::cases_of_the_study),
];

/// The names of all oracles, without `.json`.
pub fn known() -> impl Iterator<Item = &'static str> {
    ORACLES.iter().map(|(name, _)| *name)
}

/// Checks the cases of an oracle.
///
/// # Errors
/// If there is no such oracle, or the text is not one.
pub fn check(name: &str, text: &str) -> Result<Report, OracleError> {
    let Some((_, check)) = ORACLES.iter().find(|(known, _)| *known == name) else {
        return Err(OracleError::Unknown { name: name.to_owned() });
    };
    let mut tally = Tally::default();
    check(text, &mut tally).map_err(|error| OracleError::Form { name: name.to_owned(), error })?;
    Ok(tally.report)
}

/// Counts what agrees.
#[derive(Default)]
struct Tally {
    report: Report,
    case: String,
    differs: bool,
}

impl Tally {
    /// What follows belongs to this case.
    fn case(&mut self, id: impl Display) {
        self.report.cases += 1;
        self.case = id.to_string();
        self.differs = false;
    }

    /// Nothing here computes this case.
    fn leave_out(&mut self) {
        self.report.cases -= 1;
        self.report.left_out += 1;
    }

    /// Both are the same.
    fn same<T: PartialEq + Debug>(&mut self, value: &str, expected: T, got: T) {
        self.judge(value, &expected, &got, expected == got);
    }

    /// Both are the same but for rounding.
    fn near(&mut self, value: &str, expected: f64, got: f64, tolerance: f64) {
        self.judge(value, expected, got, (expected - got).abs() <= tolerance);
    }

    /// Ours is not smaller: it bounds what the file has.
    fn at_least<T: PartialOrd + Debug>(&mut self, value: &str, expected: T, got: T) {
        let agrees = got >= expected;
        self.judge(value, expected, got, agrees);
    }

    /// Ours is not larger: what the file has bounds it.
    fn at_most<T: PartialOrd + Debug>(&mut self, value: &str, expected: T, got: T) {
        let agrees = got <= expected;
        self.judge(value, expected, got, agrees);
    }

    /// Something to know about the whole file.
    fn remark(&mut self, remark: &'static str) {
        self.report.remarks.push(remark);
    }

    fn judge(&mut self, value: &str, expected: impl Debug, got: impl Debug, agrees: bool) {
        self.report.values += 1;
        if !agrees && !self.differs {
            self.differs = true;
            self.report.differing.push(Difference {
                case: self.case.clone(),
                value: value.to_owned(),
                expected: format!("{expected:?}"),
                got: format!("{got:?}"),
            });
        }
    }
}

/// The cases of a file of the usual form.
fn cases<Case: DeserializeOwned>(text: &str) -> Result<Vec<Case>, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct File<Case> {
        cases: Vec<Case>,
    }
    serde_json::from_str::<File<Case>>(text).map(|file| file.cases)
}

/// The files count in ticks, for which nanoseconds do as well.
fn ticks(count: u64) -> Time {
    Time::nanoseconds(count)
}

/// No number where there is no bound.
fn number(bound: &Bound) -> Option<u64> {
    bound.as_ref().ok().map(|bound| bound.as_nanoseconds())
}

fn numbers(bounds: &[Bound]) -> Vec<Option<u64>> {
    bounds.iter().map(number).collect()
}
