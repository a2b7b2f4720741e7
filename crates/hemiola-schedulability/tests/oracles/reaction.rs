use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Misfit, Tally, each_case, if_present, number, ticks};
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::Task;
use hemiola_schedulability::reaction::guenzel_2021::{self, Ages, Stage};
use hemiola_schedulability::reaction::{
    Communication, Job, PeriodicTask, Release, Step, becker_2017, davare_2007, duerr_2019, fixed_priority_schedule,
    guenzel_2023, hyperperiod, kloda_2018, logical_execution,
};
use hemiola_schedulability::response_times::fixed_priority;

#[derive(Deserialize)]
struct Case {
    tasks: Vec<OracleTask>,
    chain: Vec<usize>,
    expected: Expected,
}

#[derive(Deserialize, Clone, Copy)]
struct OracleTask {
    #[serde(default)]
    phase: u64,
    wcet: u64,
    period: u64,
    /// The response time; that of the critical instant if it is missing.
    wcrt: Option<u64>,
    /// The deadline; the period if it is missing.
    deadline: Option<u64>,
    /// The priority; the order of the list if it is missing.
    prio: Option<u64>,
}

#[derive(Deserialize)]
struct Expected {
    davare: Option<u64>,
    duerr_mrt: Option<u64>,
    duerr_mda: Option<u64>,
    #[serde(default, deserialize_with = "if_present")]
    kloda_mrt_sync: Option<Option<u64>>,
    becker_mrda: Option<u64>,
    exact_wcet_schedule: Option<ExpectedAges>,
    let_exact: Option<ExpectedAges>,
    /// Values such as `guenzel_bcet_50pct`, for any share.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct ExpectedAges {
    mrt: Option<u64>,
    mda: Option<u64>,
    mrda: Option<u64>,
    mrrt: Option<u64>,
}

impl ExpectedAges {
    /// Returns those of our values that the file has, too.
    fn of(ages: &Ages, like: &Self) -> Self {
        let if_asked = |asked: Option<u64>, age: TimeSpan| asked.map(|_| age.as_nanoseconds());
        Self {
            mrt: if_asked(like.mrt, ages.reaction_time),
            mda: if_asked(like.mda, ages.data_age),
            mrda: if_asked(like.mrda, ages.reduced_data_age),
            mrrt: if_asked(like.mrrt, ages.reduced_reaction_time),
        }
    }
}

/// Returns the tasks by decreasing priority, and the place to which each has gone. The order is
/// that of the list if one has no priority.
fn by_priority(tasks: &[OracleTask]) -> (Vec<OracleTask>, Vec<usize>) {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    if tasks.iter().all(|task| task.prio.is_some()) {
        order.sort_by_key(|&index| tasks[index].prio);
    }
    let mut places = vec![0; tasks.len()];
    order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
    (order.into_iter().map(|index| tasks[index]).collect(), places)
}

/// Returns the response times of the file, or the bounds of the critical instant.
fn response_times(tasks: &[OracleTask]) -> Option<Vec<TimeSpan>> {
    let analysed = |task: &OracleTask| Task::new(ticks(task.wcet), Arrivals::periodic(ticks(task.period)));
    let horizon = tasks.iter().map(|task| ticks(task.period) * 100).sum();
    let bounds = fixed_priority::preemptive(&tasks.iter().map(analysed).collect::<Vec<_>>(), horizon);
    tasks.iter().zip(bounds).map(|(task, bound)| task.wcrt.map(ticks).or(bound.ok())).collect()
}

const NO_TASK: &str = "the chain has a task that is not there, or none";

fn is_of(chain: &[usize], tasks: usize) -> bool {
    !chain.is_empty() && chain.iter().all(|&index| index < tasks)
}

pub(super) fn implicit(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, |tally, Case { tasks, chain, expected }| {
        if !is_of(&chain, tasks.len()) {
            return Err(NO_TASK.into());
        }
        if tasks.iter().any(|task| task.deadline.is_some_and(|deadline| deadline > task.period)) {
            return Err("a deadline beyond the period".into());
        }
        let (tasks, places) = by_priority(&tasks);
        let chain: Vec<usize> = chain.into_iter().map(|index| places[index]).collect();
        let response_times = response_times(&tasks).ok_or("a task has no bound of its response time")?;
        let synchronous = tasks.iter().all(|task| task.phase == tasks[0].phase);
        let steps: Vec<Step> = chain
            .iter()
            .map(|&index| {
                let task = &tasks[index];
                let release = Release::Periodic { period: ticks(task.period), phase: ticks(task.phase) };
                Step {
                    priority: u32::MAX - index as u32,
                    ..Step::new(release, ticks(task.wcet), response_times[index])
                }
            })
            .collect();
        let davare = davare_2007::reaction_time(&steps);
        tally.same_if("davare", expected.davare, || davare.as_nanoseconds());
        tally.same_if("duerr_mrt", expected.duerr_mrt, || duerr_2019::reaction_time(&steps).as_nanoseconds());
        tally.same_if("duerr_mda", expected.duerr_mda, || duerr_2019::reduced_data_age(&steps).as_nanoseconds());
        if synchronous {
            tally.same_if("kloda_mrt_sync", expected.kloda_mrt_sync, || number(&kloda_2018::reaction_time(&steps)));
        } else {
            // The file has this value for synchronous tasks alone.
            tally.not_asked("kloda_mrt_sync");
        }
        let becker = || number(&becker_2017::reduced_data_age(&steps));
        tally.same_if("becker_mrda", expected.becker_mrda.map(Some), becker);

        let repeats = hyperperiod(tasks.iter().map(|task| ticks(task.period)));
        let settled = ticks(tasks.iter().map(|task| task.phase).max().unwrap_or(0));
        let observed = settled + repeats * 2;
        let end = observed + davare * 2;
        let periodic = |percent: u64| -> Vec<PeriodicTask> {
            let task = |task: &OracleTask| PeriodicTask {
                period: ticks(task.period),
                phase: ticks(task.phase),
                cost: ticks((task.wcet * percent).div_ceil(100)),
            };
            tasks.iter().map(task).collect()
        };
        let slowest = fixed_priority_schedule(&periodic(100), end);
        let through = |fastest: &[Vec<Job>], slowest: &[Vec<Job>], by_priority: bool| {
            let stage = |place: usize| Stage {
                fastest: &fastest[chain[place]],
                slowest: &slowest[chain[place]],
                precedes_next: by_priority && chain.get(place + 1).is_some_and(|&next| chain[place] < next),
            };
            let stages: Vec<Stage<'_>> = (0..chain.len()).map(stage).collect();
            guenzel_2021::ages(&stages, observed)
        };
        let mut compare = |name: &str, expected: ExpectedAges, ages: Ages| {
            let got = ExpectedAges::of(&ages, &expected);
            tally.same(name, expected, got);
        };
        if let Some(expected) = expected.exact_wcet_schedule {
            compare("exact_wcet_schedule", expected, through(&slowest, &slowest, false));
        }
        for (name, expected) in expected.others {
            let share = name.strip_prefix("guenzel_bcet_").and_then(|name| name.strip_suffix("pct"));
            let Some(percent) = share.and_then(|share| share.parse().ok()).filter(|&percent| percent <= 100) else {
                continue;
            };
            let fastest = fixed_priority_schedule(&periodic(percent), end);
            compare(&name, ExpectedAges::deserialize(expected)?, through(&fastest, &slowest, true));
        }
        if let Some(expected) = expected.let_exact {
            let logical = logical_execution(&periodic(100), end);
            compare("let_exact", expected, through(&logical, &logical, false));
        }
        Ok(())
    })
}

#[derive(Deserialize)]
struct LetCase {
    periods: Vec<u64>,
    /// The phase of all tasks, or of each.
    #[serde(default)]
    phase: Phases,
    expected: ExpectedAges,
    /// The communication and the deadlines, where they are given: only those that the analysis is
    /// for.
    comm: Option<String>,
    deadline: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Phases {
    All(u64),
    Each(Vec<u64>),
}

impl Default for Phases {
    fn default() -> Self {
        Self::All(0)
    }
}

impl Phases {
    fn of(&self, index: usize) -> u64 {
        match self {
            Self::All(phase) => *phase,
            Self::Each(phases) => phases.get(index).copied().unwrap_or(0),
        }
    }
}

pub(super) fn logical_execution_time(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, |tally, LetCase { periods, phase, expected, comm, deadline }| {
        let is_implicit = |deadline: &Value| match deadline {
            Value::String(words) => words.starts_with("implicit"),
            deadlines => *deadlines == serde_json::json!(periods),
        };
        if comm.is_some_and(|comm| comm != "LET") || !deadline.as_ref().is_none_or(is_implicit) {
            return Err("only logical execution times that end with the period are analysed".into());
        }
        let task = |(index, &period): (usize, &u64)| PeriodicTask {
            period: ticks(period),
            phase: ticks(phase.of(index)),
            cost: TimeSpan::TICK,
        };
        let tasks: Vec<PeriodicTask> = periods.iter().enumerate().map(task).collect();
        let settled = tasks.iter().map(|task| task.phase).max().unwrap_or(TimeSpan::ZERO);
        let observed = settled + hyperperiod(tasks.iter().map(|task| task.period)) * 2;
        let jobs = logical_execution(&tasks, observed + tasks.iter().map(|task| task.period * 4).sum());
        let stages: Vec<Stage<'_>> =
            jobs.iter().map(|jobs| Stage { fastest: jobs, slowest: jobs, precedes_next: false }).collect();
        let got = ExpectedAges::of(&guenzel_2021::ages(&stages, observed), &expected);
        tally.same("mrt, mda, mrda, mrrt", expected, got);
        ["mrt", "mda", "mrda", "mrrt"].iter().for_each(|value| tally.not_asked(value));
        Ok(())
    })
}

#[derive(Deserialize)]
struct MixedCase {
    tasks: Vec<MixedTask>,
    chain: Vec<usize>,
    expected: MixedExpected,
}

#[derive(Deserialize)]
struct MixedTask {
    /// The kind of release; sporadic if it is missing and there is no period.
    release: Option<MixedRelease>,
    period: Option<u64>,
    #[serde(default)]
    phase: u64,
    min_iat: Option<u64>,
    max_iat: Option<u64>,
    #[serde(default)]
    comm: MixedCommunication,
    #[serde(default)]
    wcet: u64,
    /// The response time; the execution time if it is missing and nothing can come before it.
    wcrt: Option<u64>,
    /// The deadline; the period, or the least distance of releases, if it is missing.
    deadline: Option<u64>,
    /// The priority; the order of the list if it is missing.
    prio: Option<u32>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum MixedRelease {
    Periodic,
    Sporadic,
}

impl MixedTask {
    fn release(&self) -> Result<Release, Misfit> {
        let is_sporadic = self.release.map_or(self.period.is_none(), |release| release == MixedRelease::Sporadic);
        match (is_sporadic, self.period, self.min_iat, self.max_iat) {
            (false, Some(period), ..) => Ok(Release::Periodic { period: ticks(period), phase: ticks(self.phase) }),
            (true, _, Some(shortest), Some(longest)) => {
                Ok(Release::Sporadic { shortest: ticks(shortest), longest: ticks(longest) })
            }
            _ => Err("a task without a period, or without the distances of its releases".into()),
        }
    }
}

#[derive(Deserialize, Default, Clone, Copy)]
enum MixedCommunication {
    #[default]
    #[serde(rename = "implicit")]
    Implicit,
    #[serde(rename = "LET")]
    LogicalExecutionTime,
}

#[derive(Deserialize)]
struct MixedExpected {
    pessimistic_sum: Option<u64>,
    cut_at_every_change: Option<u64>,
    cut_at_release_change: Option<u64>,
    sporadic_formula: Option<u64>,
    let_sporadic: Option<u64>,
    davare: Option<u64>,
    duerr: Option<u64>,
}

pub(super) fn mixed(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, compare_mixed)?;
    for (number, case) in worked(text)?.iter().enumerate() {
        tally.each(number, case, &mut compare_mixed);
    }
    Ok(())
}

fn compare_mixed(tally: &mut Tally, MixedCase { tasks, chain, expected }: MixedCase) -> Result<(), Misfit> {
    if !is_of(&chain, tasks.len()) {
        return Err(NO_TASK.into());
    }
    let step = |&index: &usize| -> Result<Step, Misfit> {
        let task = &tasks[index];
        let release = task.release()?;
        let shortest = match release {
            Release::Periodic { period, .. } => period,
            Release::Sporadic { shortest, .. } => shortest,
        };
        Ok(Step {
            communication: match task.comm {
                MixedCommunication::Implicit => Communication::Implicit,
                MixedCommunication::LogicalExecutionTime => Communication::LogicalExecutionTime,
            },
            deadline: task.deadline.map_or(shortest, ticks),
            priority: u32::MAX - task.prio.unwrap_or(index as u32),
            ..Step::new(release, ticks(task.wcet), ticks(task.wcrt.unwrap_or(task.wcet)))
        })
    };
    let steps = chain.iter().map(step).collect::<Result<Vec<Step>, Misfit>>()?;
    // Every task has a core of its own, so that no order between any two is known.
    let apart = steps.iter().enumerate().map(|(core, step)| Step { core, ..*step }).collect::<Vec<_>>();
    tally.same_if("pessimistic_sum", expected.pessimistic_sum, || guenzel_2023::sporadic(&apart).as_nanoseconds());
    let every = || number(&guenzel_2023::cut_at_every_change(&steps));
    tally.same_if("cut_at_every_change", expected.cut_at_every_change.map(Some), every);
    let release = || number(&guenzel_2023::reaction_time(&steps));
    tally.same_if("cut_at_release_change", expected.cut_at_release_change.map(Some), release);
    let sporadic = || guenzel_2023::sporadic(&steps).as_nanoseconds();
    tally.same_if("sporadic_formula", expected.sporadic_formula, sporadic);
    tally.same_if("let_sporadic", expected.let_sporadic, sporadic);
    tally.same_if("davare", expected.davare, || davare_2007::reaction_time(&steps).as_nanoseconds());
    tally.same_if("duerr", expected.duerr, || duerr_2019::reaction_time(&steps).as_nanoseconds());
    Ok(())
}

/// Returns the worked examples of the file as cases: results are by chain there, `chain[0,1]`, and
/// the communication is in the name.
fn worked(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        worked: Vec<Value>,
    }
    let mut cases = Vec::new();
    for example in serde_json::from_str::<File>(text)?.worked {
        let name = example["name"].as_str().unwrap_or("worked example");
        let mut tasks = example["tasks"].clone();
        for task in tasks.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            let comm = if name.contains("LET") { "LET" } else { "implicit" };
            task.entry("comm").or_insert_with(|| comm.into());
        }
        for (chain, expected) in example["expected"].as_object().into_iter().flatten() {
            let numbers = chain.split(|letter: char| !letter.is_ascii_digit());
            let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
            let id = format!("{name}, {chain}");
            cases.push(serde_json::json!({ "id": id, "tasks": tasks, "chain": numbers, "expected": expected }));
        }
    }
    Ok(cases)
}
