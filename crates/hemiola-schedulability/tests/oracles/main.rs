//! Bounds, schedules and allocations that others computed, and whether ours agree.
//!
//! An oracle is a JSON file with `cases`; which one it is says its name. A case agrees if every value in it does: exactly, within the tolerance that the file states, or on the right
//! side where a bound may be tighter.

mod compositional;
mod dag;
mod executor;
mod movebase;
mod picas;
mod reaction;
mod ros2;
#[path = "../shared/mod.rs"]
mod shared;
mod uniprocessor;
mod worked;

use std::fmt::{self, Debug, Display};

use serde::de::DeserializeOwned;

use hemiola_analysis::{Bound, TimeSpan};

/// What became of a file of cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Report {
    /// How many cases there are.
    cases: usize,
    /// How many more there are that nothing here computes; a remark says which.
    left_out: usize,
    /// How many values were compared.
    values: usize,
    /// The cases that differ, each with the first value that does.
    differing: Vec<Difference>,
    /// What the file has and nobody here computes, or where a bound may differ, and why.
    remarks: Vec<&'static str>,
}

/// A case that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    /// Which case.
    case: String,
    /// Which of its values.
    value: String,
    /// What the file says.
    expected: String,
    /// What we say.
    got: String,
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

/// Checks the cases of an oracle.
fn check(name: &str, text: &str) -> Report {
    let (_, check) = ORACLES.iter().find(|(known, _)| *known == name).expect("it is known");
    let mut tally = Tally::default();
    check(text, &mut tally).unwrap_or_else(|error| panic!("`{name}` does not have the form of this oracle: {error}"));
    tally.report
}

#[test]
fn every_case_of_every_oracle_agrees() {
    let mut differing = Vec::new();
    for (name, _) in ORACLES {
        let Some(text) = shared::data_file(&format!("oracles/{name}.json")) else { continue };
        let Report { cases, left_out, values, differing: of_it, remarks } = check(name, &text);
        assert!(cases > 0 && values >= cases, "{name} has nothing to compare");
        println!(
            "{name}: {} of {cases} cases agree ({values} values; {left_out} more not checked)",
            cases - of_it.len()
        );
        remarks.iter().for_each(|remark| println!("    note: {remark}"));
        differing.extend(of_it.iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(differing.is_empty(), "{} cases differ:\n{}", differing.len(), differing.join("\n"));
}

/// The right values differ in one place from those that the case expects.
#[test]
fn a_case_that_differs_is_named_with_its_first_value_that_does() {
    let text = r#"{"cases": [{"id": "sbf-0", "period": 10, "budget": 4, "deadline": 6, "delta": [58], "demand": [7], "expected":
        {"periodic_sbf": [20], "periodic_service_time": [25], "constrained_sbf": [20], "constrained_service_time": [22]}}]}"#;
    let report = check("supply-bound", text);
    assert_eq!((report.cases, report.differing.len()), (1, 1));
    assert_eq!(report.differing[0].to_string(), "sbf-0: constrained_service_time: expected [22], got [21]");
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
fn ticks(count: u64) -> TimeSpan {
    TimeSpan::nanoseconds(count)
}

/// No number where there is no bound.
fn number(bound: &Bound) -> Option<u64> {
    bound.as_ref().ok().map(|bound| bound.as_nanoseconds())
}

fn numbers(bounds: &[Bound]) -> Vec<Option<u64>> {
    bounds.iter().map(number).collect()
}
