//! Examples from papers and tools, each of a different kind.

mod job_set;
mod pycpa;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::ros2::Reservation;
use super::{Misfit, Tally, each_case, number, numbers, ticks};
use hemiola_analysis::dag::{Dag, graham_1969};
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::Task;
use hemiola_schedulability::dag::list_schedule;
use hemiola_schedulability::picas::{case_study, published};
use hemiola_schedulability::response_times::{fixed_priority, global_fixed_priority};
use hemiola_schedulability::ros2::blass_2021::{self, Order};
use hemiola_schedulability::ros2::{Callback, Kind, casini_2019};

#[derive(Deserialize, Clone, Copy)]
struct OracleTask {
    wcet: f64,
    period: f64,
    #[serde(default)]
    jitter: f64,
    /// The deadline; the period if it is missing.
    deadline: Option<f64>,
}

/// One example counts in halves, so all are converted to thousandths.
const THOUSANDTHS: f64 = 1000.0;

fn scaled(count: f64) -> TimeSpan {
    ticks((count * THOUSANDTHS).round() as u64)
}

impl OracleTask {
    fn task(self) -> Task {
        let arrivals = Arrivals::periodic(scaled(self.period)).late_by(scaled(self.jitter));
        Task { deadline: scaled(self.deadline.unwrap_or(self.period)), ..Task::new(scaled(self.wcet), arrivals) }
    }

    fn callback(self, kind: Kind) -> Callback {
        Callback { kind, cost: ticks(self.wcet as u64), arrivals: self.arrivals() }
    }

    /// Returns the arrivals, for examples that count in whole ticks.
    fn arrivals(self) -> Arrivals {
        Arrivals::periodic(ticks(self.period as u64)).late_by(ticks(self.jitter as u64))
    }

    fn whole(self) -> Task {
        Task::new(ticks(self.wcet as u64), self.arrivals())
    }
}

const HORIZON: TimeSpan = TimeSpan::nanoseconds(100_000_000);

pub(super) fn examples(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("optimal list schedules are not computed here: they must not be below the lower bound");
    each_case(text, tally, |tally, value: Value| {
        let kind = value["kind"].as_str().ok_or("nothing says of which kind it is")?.to_owned();
        for key in value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()) {
            if RESULTS_BESIDE.iter().any(|result| key.starts_with(result)) {
                tally.compared_with_nothing(key);
            } else if !COMMON.contains(&key) && !inputs(&kind).contains(&key) {
                return Err(format!("nothing here understands `{key}`").into());
            }
        }
        match kind.as_str() {
            "list_schedule" => list_schedules(&value, tally)?,
            "fp_preemptive" | "fp_preemptive_arbitrary_deadline" => {
                let bounds = fixed_priority::preemptive(&tasks(&value["tasks"])?, HORIZON);
                tally.same(&kind, thousandths(&value["expected"])?, numbers(&bounds));
            }
            "fp_nonpreemptive_continuous" => {
                let tasks = tasks(&value["tasks"])?;
                // In continuous time, a lower task blocks for its whole cost, because it has begun
                // just before.
                let bound = |place: usize| {
                    let blocking = tasks[place + 1..].iter().map(|task| task.cost).max().unwrap_or(TimeSpan::ZERO);
                    let own = &tasks[place];
                    fixed_priority::response_time(own, &tasks[..place], blocking, own.cost, HORIZON)
                };
                let bounds: Vec<_> = (0..tasks.len()).map(bound).collect();
                tally.same(&kind, thousandths(&value["expected"])?, numbers(&bounds));
            }
            "fp_limited_preemptive_discrete" => limited(&value, tally)?,
            "utilisation_bound" => {
                for (tasks, expected) in BTreeMap::<String, f64>::deserialize(&value["expected"])? {
                    tally.not_asked(&tasks);
                    let tasks = if tasks == "inf" { 1_000_000 } else { tasks.parse()? };
                    tally.near(&kind, expected, fixed_priority::sure_utilisation(tasks), 1e-4);
                }
            }
            "global_fp_sequential" => {
                let processors = usize::deserialize(&value["m"])?;
                // Values that are rounded down there are whole here.
                let tasks: Vec<Task> = oracle_tasks(&value["tasks"])?.into_iter().map(OracleTask::whole).collect();
                let bounds = global_fixed_priority::response_times(&tasks, processors, HORIZON);
                tally.same(&kind, Vec::<Option<u64>>::deserialize(&value["expected"])?, numbers(&bounds));
            }
            "ros2_timer" => {
                for (blocking, expected) in BTreeMap::<String, u64>::deserialize(&value["expected"])? {
                    tally.not_asked(&blocking);
                    let blocking = blocking.trim_start_matches("blocking ").parse()?;
                    let got = under_casini(&value, "hp", Kind::Timer, ticks(blocking))?;
                    tally.same(&kind, Some(expected), got);
                }
            }
            "ros2_polled" => {
                let got = under_casini(&value, "others", Kind::Subscription, TimeSpan::ZERO)?;
                tally.same(&kind, Option::<u64>::deserialize(&value["expected"])?, got);
            }
            "ros2_round_robin" => {
                let callbacks: Vec<Callback> =
                    oracle_tasks(&value["callbacks"])?.iter().map(|task| task.callback(Kind::Subscription)).collect();
                let bounds = blass_2021::round_robin(
                    &callbacks,
                    hemiola_schedulability::Supply::Dedicated,
                    Order::Unknown,
                    HORIZON,
                );
                let got: Vec<u64> = bounds.unwrap_or_default().iter().map(|bound| bound.as_nanoseconds()).collect();
                tally.same(&kind, Vec::<u64>::deserialize(&value["expected"])?, got);
            }
            "cpa" => pycpa::compare(&value, tally)?,
            "picas" => {
                let bounds = published::latencies(&case_study::deployment(), TimeSpan::milliseconds(100_000));
                for (expected, bound) in Vec::<f64>::deserialize(&value["expected_ms"])?.iter().zip(bounds) {
                    tally.near(&kind, *expected, super::picas::milliseconds(&bound).unwrap_or(f64::INFINITY), 1e-6);
                }
            }
            "nonpreemptive_job_set" => job_set::compare(&value, tally)?,
            other => return Err(format!("the kind `{other}`").into()),
        }
        Ok(())
    })
}

/// The keys that every example may have.
const COMMON: [&str; 5] = ["id", "kind", "source", "note", "expected"];
/// The prefixes of intermediate results.
const RESULTS_BESIDE: [&str; 2] = ["per_instance_", "busy_period_"];

/// The further keys of examples of a kind.
fn inputs(kind: &str) -> &'static [&'static str] {
    match kind {
        "list_schedule" => &["wcet", "edges"],
        "fp_limited_preemptive_discrete" => &["tasks", "max_np_segment", "last_np_segment"],
        "global_fp_sequential" => &["m", "tasks"],
        "ros2_timer" => &["reservation", "own", "hp"],
        "ros2_polled" => &["reservation", "own", "others"],
        "ros2_round_robin" => &["callbacks"],
        "picas" => &["expected_ms"],
        "nonpreemptive_job_set" => &["m", "jobs_columns", "jobs"],
        kind if kind.starts_with("fp_") => &["tasks"],
        _ => &[],
    }
}

/// Reads tasks, and fails if one has a key that is not understood.
fn oracle_tasks(value: &Value) -> Result<Vec<OracleTask>, Misfit> {
    let mut unknown = None;
    let tasks = serde_ignored::deserialize(value, |path| unknown = Some(path.to_string()))?;
    match unknown {
        Some(path) => Err(format!("nothing here understands `{path}`").into()),
        None => Ok(tasks),
    }
}

fn tasks(value: &Value) -> Result<Vec<Task>, Misfit> {
    Ok(oracle_tasks(value)?.into_iter().map(OracleTask::task).collect())
}

fn thousandths(value: &Value) -> Result<Vec<Option<u64>>, serde_json::Error> {
    let counts = Vec::<f64>::deserialize(value)?;
    Ok(counts.into_iter().map(|count| Some(scaled(count).as_nanoseconds())).collect())
}

fn list_schedules(value: &Value, tally: &mut Tally) -> Result<(), Misfit> {
    let costs = Vec::<u64>::deserialize(&value["wcet"])?;
    let edges = Vec::<(usize, usize)>::deserialize(&value["edges"])?;
    for expected in Vec::<Value>::deserialize(&value["expected"])? {
        let (mut costs, mut edges) = (costs.clone(), edges.clone());
        match expected["change"].as_str() {
            None => {}
            Some(words) if change(words, &mut costs, &mut edges) => {}
            Some(words) => return Err(format!("the change `{words}`").into()),
        }
        let workers = usize::deserialize(&expected["m"])?;
        let dag = Dag::new(costs.into_iter().map(ticks), edges).map_err(|_| "a graph with a circle")?;
        if let Some(optimal) = expected["optimal"].as_u64() {
            tally.at_most("optimal", optimal, graham_1969::lower_bound(&dag, workers).as_nanoseconds());
        }
        if let Some(makespan) = expected["makespan"].as_u64() {
            let mut priorities = vec![0; dag.len()];
            let order = Vec::<usize>::deserialize(&expected["order"])?;
            for (place, &node) in order.iter().enumerate() {
                *priorities.get_mut(node).ok_or("the order has a node that is not there")? = place;
            }
            let schedule = list_schedule::schedule(&dag, &priorities, workers);
            tally.same("makespan", makespan, schedule.makespan().as_nanoseconds());
            tally.at_least("graham", makespan as f64, graham_1969::makespan(&dag, workers).as_f64());
        }
    }
    Ok(())
}

/// Applies a change such as `all wcet - 1` or `edges [3,4],[3,5] removed`; returns `false` for any
/// other.
fn change(words: &str, costs: &mut [u64], edges: &mut Vec<(usize, usize)>) -> bool {
    let numbers = |text: &str| -> Vec<usize> {
        text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let less = words.strip_prefix("all wcet - ").and_then(|less| less.parse::<u64>().ok());
    if let Some(less) = less {
        costs.iter_mut().for_each(|cost| *cost = cost.saturating_sub(less));
        return true;
    }
    let Some(listed) = words.strip_prefix("edges ") else { return false };
    let pairs: Vec<(usize, usize)> = numbers(listed).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    match (listed.ends_with(" removed"), listed.ends_with(" added")) {
        (true, _) => edges.retain(|edge| !pairs.contains(edge)),
        (_, true) => edges.extend(pairs),
        _ => return false,
    }
    true
}

fn limited(value: &Value, tally: &mut Tally) -> Result<(), Misfit> {
    let tasks: Vec<Task> = oracle_tasks(&value["tasks"])?.into_iter().map(OracleTask::whole).collect();
    let longest = Vec::<u64>::deserialize(&value["max_np_segment"])?;
    let last = Vec::<u64>::deserialize(&value["last_np_segment"])?;
    if longest.len() != tasks.len() || last.len() != tasks.len() {
        return Err("segments of another number of tasks".into());
    }
    let bound = |place: usize| {
        let blocking =
            longest[place + 1..].iter().max().map_or(TimeSpan::ZERO, |&piece| ticks(piece.saturating_sub(1)));
        fixed_priority::response_time(&tasks[place], &tasks[..place], blocking, ticks(last[place]), HORIZON)
    };
    let bounds: Vec<_> = (0..tasks.len()).map(bound).collect();
    tally.same("response times", Vec::<Option<u64>>::deserialize(&value["expected"])?, numbers(&bounds));
    Ok(())
}

fn under_casini(value: &Value, others: &str, kind: Kind, blocking: TimeSpan) -> Result<Option<u64>, Misfit> {
    let supply = Reservation::deserialize(&value["reservation"])?.supply();
    let own = OracleTask::deserialize(&value["own"])?.callback(kind);
    let others = oracle_tasks(&value[others])?;
    let others: Vec<Callback> = others.into_iter().map(|task| task.callback(kind)).collect();
    let others: Vec<&Callback> = others.iter().collect();
    Ok(number(&casini_2019::response_time(&own, &others, blocking, supply, HORIZON)))
}
