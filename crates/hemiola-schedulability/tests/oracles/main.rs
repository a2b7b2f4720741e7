//! Compares bounds, schedules and allocations that others computed with ours.
//!
//! An oracle is a JSON file with `cases`, and its name is that of the file. A case agrees if every
//! value in it does: exactly, within the tolerance that the file states, or on the right side where
//! a bound may be tighter. Values that a case does not have are not compared. Nothing is skipped in
//! silence: files, cases, inputs and values that nothing here understands are counted and named,
//! and the others are compared all the same.

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

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use hemiola_analysis::{Bound, TimeSpan};

/// The result of checking a file of cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Report {
    /// The number of cases.
    cases: usize,
    /// The number of further cases that nothing here computes; a remark names them.
    left_out: usize,
    /// The number of values that were compared.
    values: usize,
    /// The cases that differ, each with the first value that does.
    differing: Vec<Difference>,
    /// Cases that are not of the form of this oracle, and why.
    not_understood: Vec<String>,
    /// Values that cases expect but nothing here compares, with the number of such cases.
    not_compared: BTreeMap<String, usize>,
    /// Remarks on values that nobody here computes, or where a bound may differ, and why; with the
    /// cases where it did.
    remarks: BTreeMap<&'static str, Vec<String>>,
}

/// A case that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    /// The name of the case.
    case: String,
    /// The name of the value that differs.
    value: String,
    /// The value in the file.
    expected: String,
    /// Our value.
    got: String,
}

impl Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, value, expected, got } = self;
        write!(formatter, "{case}: {value}: expected {expected}, got {got}")
    }
}

type Check = fn(&str, &mut Tally) -> Result<(), serde_json::Error>;

/// The reason why a case is not compared, or not to its end.
type Misfit = Box<dyn Error>;

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

/// Checks the cases of an oracle; fails if the file cannot be read at all.
fn check(check: Check, text: &str) -> Result<Report, String> {
    let mut tally = Tally::default();
    check(text, &mut tally).map_err(|error| error.to_string())?;
    tally.end_case();
    Ok(tally.report)
}

#[test]
fn every_case_of_every_oracle_agrees() {
    let mut wrong = Vec::new();
    for (name, text) in shared::data_files("oracles", "json") {
        let Some((_, of_it)) = ORACLES.iter().find(|(known, _)| *known == name) else {
            wrong.push(format!("{name}: no oracle of that name is known"));
            continue;
        };
        match text.and_then(|text| check(*of_it, &text)) {
            Ok(report) => wrong.extend(tell(&name, &report)),
            Err(error) => wrong.push(format!("{name}: cannot be read: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} cases or files do not agree:\n{}", wrong.len(), wrong.join("\n"));
}

/// Prints the result of a file, and returns what is wrong with it.
fn tell(name: &str, report: &Report) -> Vec<String> {
    let Report { cases, left_out, values, differing, not_understood, not_compared, remarks } = report;
    println!(
        "{name}: {} of {cases} cases agree ({values} values; {left_out} more not checked, {} not understood)",
        cases - differing.len(),
        not_understood.len()
    );
    for (value, count) in not_compared {
        println!("    note: {count} cases expect `{value}`, which is compared with nothing");
    }
    for (remark, cases) in remarks {
        let named = if cases.is_empty() { String::new() } else { format!(" ({})", cases.join(", ")) };
        println!("    note: {remark}{named}");
    }
    let mut wrong: Vec<String> = differing.iter().map(|difference| format!("{name}: {difference}")).collect();
    wrong.extend(not_understood.iter().map(|case| format!("{name}: not understood: {case}")));
    if *values == 0 {
        wrong.push(format!("{name}: nothing was compared"));
    }
    wrong
}

#[test]
fn what_is_not_understood_is_named_and_the_rest_is_compared() {
    let text = r#"{"cases": [
        {"id": "sbf-0", "period": 10, "budget": 4, "delta": [58], "expected": {"periodic_sbf": [20], "shape": 3}},
        {"id": "sbf-1", "period": "ten", "budget": 4, "expected": {}},
        {"id": "sbf-2", "period": 10, "budget": 4, "burst": 2, "expected": {"periodic_sbf": []}}]}"#;
    let report = check(uniprocessor::supply, text).unwrap();
    assert_eq!((report.cases, report.values, report.differing.len()), (1, 1, 0), "{report:?}");
    assert_eq!(report.not_compared, BTreeMap::from([("shape".to_owned(), 1)]));
    let [wrong_type, unknown_input] = report.not_understood.as_slice() else { panic!("{report:?}") };
    assert!(wrong_type.starts_with("sbf-1: invalid type: string \"ten\""), "{wrong_type}");
    assert_eq!(unknown_input, "sbf-2: nothing here understands `burst`", "an input is never dropped");
    assert!(check(uniprocessor::supply, "{").is_err());
}

/// One of the right values differs from those that the case expects.
#[test]
fn a_case_that_differs_is_named_with_its_first_value_that_does() {
    let text = r#"{"cases": [{"id": "sbf-0", "period": 10, "budget": 4, "deadline": 6, "delta": [58], "demand": [7], "expected":
        {"periodic_sbf": [20], "periodic_service_time": [25], "constrained_sbf": [20], "constrained_service_time": [22]}}]}"#;
    let report = check(uniprocessor::supply, text).unwrap();
    assert_eq!((report.cases, report.differing.len()), (1, 1));
    assert_eq!(report.differing[0].to_string(), "sbf-0: constrained_service_time: expected [22], got [21]");
}

/// A count of the values that agree.
#[derive(Default)]
struct Tally {
    report: Report,
    case: String,
    differs: bool,
    /// The values that this case expects and that were not compared yet.
    due: BTreeSet<String>,
}

impl Tally {
    /// Begins a case, to which the following values belong.
    fn case(&mut self, id: impl Display, expected: impl IntoIterator<Item = String>) {
        self.end_case();
        self.report.cases += 1;
        self.case = id.to_string();
        self.differs = false;
        self.due = expected.into_iter().collect();
    }

    /// Sets the name by which people find this case.
    fn name(&mut self, name: String) {
        self.case = name;
    }

    /// Ends a case: values that were not compared until now count as not compared.
    fn end_case(&mut self) {
        for value in std::mem::take(&mut self.due) {
            *self.report.not_compared.entry(value).or_default() += 1;
        }
    }

    /// Notes that the case expects this value as well.
    fn compared_with_nothing(&mut self, value: &str) {
        self.due.insert(value.to_owned());
    }

    /// Notes that nothing here computes this case.
    fn leave_out(&mut self) {
        self.report.cases -= 1;
        self.report.left_out += 1;
        self.due.clear();
    }

    /// Notes that this case has something that nothing here understands.
    fn not_understood(&mut self, why: impl Display) {
        // A case that differs already still counts.
        self.report.cases -= usize::from(!self.differs);
        self.due.clear();
        self.report.not_understood.push(format!("{}: {why}", self.case));
    }

    /// Notes that this value of the case has no meaning of its own here: it is an input, or part of
    /// another one.
    fn not_asked(&mut self, value: &str) {
        self.due.remove(value);
    }

    /// Compares like [`Self::same`], if the case expects a value at all.
    fn same_if<T: PartialEq + Debug>(&mut self, value: &str, expected: Option<T>, got: impl FnOnce() -> T) {
        if let Some(expected) = expected {
            self.same(value, expected, got());
        }
    }

    /// Checks that both values are the same.
    fn same<T: PartialEq + Debug>(&mut self, value: &str, expected: T, got: T) {
        self.judge(value, &expected, &got, expected == got);
    }

    /// Checks that both values are the same but for rounding.
    fn near(&mut self, value: &str, expected: f64, got: f64, tolerance: f64) {
        self.judge(value, expected, got, (expected - got).abs() <= tolerance);
    }

    /// Checks that ours is not smaller: it bounds the value in the file.
    fn at_least<T: PartialOrd + Debug>(&mut self, value: &str, expected: T, got: T) {
        let agrees = got >= expected;
        self.judge(value, expected, got, agrees);
    }

    /// Checks that ours is not larger: the value in the file bounds it.
    fn at_most<T: PartialOrd + Debug>(&mut self, value: &str, expected: T, got: T) {
        let agrees = got <= expected;
        self.judge(value, expected, got, agrees);
    }

    /// Notes a remark on the whole file.
    fn remark(&mut self, remark: &'static str) {
        self.report.remarks.entry(remark).or_default();
    }

    /// Notes a remark on this case.
    fn remark_case(&mut self, remark: &'static str) {
        let cases = self.report.remarks.entry(remark).or_default();
        if cases.last() != Some(&self.case) {
            cases.push(self.case.clone());
        }
    }

    fn judge(&mut self, value: &str, expected: impl Debug, got: impl Debug, agrees: bool) {
        self.report.values += 1;
        let name = value.split([' ', '.']).next().unwrap_or(value);
        self.due.remove(name);
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

/// Compares every case of a file of the usual form.
fn each_case<Case: DeserializeOwned>(
    text: &str,
    tally: &mut Tally,
    mut compare: impl FnMut(&mut Tally, Case) -> Result<(), Misfit>,
) -> Result<(), serde_json::Error> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Value>,
    }
    let file: File = serde_json::from_str(text)?;
    file.cases.iter().enumerate().for_each(|(number, case)| tally.each(number, case, &mut compare));
    Ok(())
}

/// Keys that describe a case and decide nothing, or follow from others.
const DESCRIPTIONS: [&str; 12] = [
    "id",
    "source",
    "note",
    "n",
    "synchronous",
    "time_unit",
    "hyperperiod",
    "utilization",
    "set_index",
    "callbacks.name",
    "callbacks.chain",
    "callbacks.order",
];

impl Tally {
    /// Compares a case. One that does not have the form of this oracle, has an input that nothing
    /// here understands, lacks what is needed on the way, or makes the comparison panic, is named.
    fn each<Case: DeserializeOwned>(
        &mut self,
        number: usize,
        case: &Value,
        compare: &mut impl FnMut(&mut Tally, Case) -> Result<(), Misfit>,
    ) {
        let id = case["id"].as_str().map_or_else(|| format!("number {number}"), str::to_owned);
        self.case(id, case["expected"].as_object().into_iter().flatten().map(|(value, _)| value.clone()));
        let mut unknown = BTreeSet::new();
        let read: Result<Case, _> =
            serde_ignored::deserialize(case, |path| _ = unknown.insert(plain(&path.to_string())));
        let values = unknown.iter().filter_map(|path| path.strip_prefix("expected."));
        self.due.extend(values.map(str::to_owned));
        let input =
            unknown.iter().find(|path| !path.starts_with("expected.") && !DESCRIPTIONS.contains(&path.as_str()));
        let compared = match (read, input) {
            (Err(error), _) => Err(error.into()),
            (Ok(_), Some(input)) => Err(format!("nothing here understands `{input}`").into()),
            (Ok(case), None) => catch_unwind(AssertUnwindSafe(|| compare(self, case)))
                .unwrap_or_else(|panic| Err(format!("the comparison panics: {}", words(&*panic)).into())),
        };
        if let Err(misfit) = compared {
            self.not_understood(misfit);
        }
    }
}

/// Removes indices from a path: `tasks.3.burst` becomes `tasks.burst`.
fn plain(path: &str) -> String {
    let is_word = |part: &&str| part.parse::<usize>().is_err() && *part != "?";
    path.split('.').filter(is_word).collect::<Vec<_>>().join(".")
}

fn words(panic: &dyn std::any::Any) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word").to_owned()
}

/// Reads a value that may be missing, or be there and be null.
fn if_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Returns the time up to which the makers of a file looked for bounds, as its conventions state:
/// "null = no fixed point below 200000".
fn horizon(text: &str, otherwise: u64) -> TimeSpan {
    let conventions = conventions(text);
    let said = conventions.iter().filter_map(|text| text.split_once("null = ")).find_map(|(_, meaning)| {
        let (_, number) = meaning.split_once("below ").or_else(|| meaning.split_once("beyond "))?;
        number.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    });
    ticks(said.unwrap_or(otherwise))
}

/// Returns what a file states about all its cases, in words.
fn conventions(text: &str) -> Vec<String> {
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let conventions = file["meta"]["conventions"].as_array().cloned().unwrap_or_default();
    conventions.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Converts ticks, in which the files count, to nanoseconds, which do as well.
fn ticks(count: u64) -> TimeSpan {
    TimeSpan::nanoseconds(count)
}

/// Returns a bound as a number, or none where there is no bound.
fn number(bound: &Bound) -> Option<u64> {
    bound.as_ref().ok().map(|bound| bound.as_nanoseconds())
}

fn numbers(bounds: &[Bound]) -> Vec<Option<u64>> {
    bounds.iter().map(number).collect()
}
