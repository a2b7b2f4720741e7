//! Tries every schedule of sets of jobs that are not interrupted, on identical processors, that
//! their execution times allow.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::{Misfit, Tally};

#[derive(Clone, Copy, Default)]
struct Job {
    task: u64,
    number: u64,
    arrival: u64,
    shortest: u64,
    longest: u64,
    deadline: u64,
    /// The priority: the smaller, the more important.
    priority: u64,
}

/// The largest number of schedules that are tried.
const MOST_SCHEDULES: u64 = 200_000;

pub(super) fn compare(value: &Value, tally: &mut Tally) -> Result<(), Misfit> {
    let processors = usize::deserialize(&value["m"])?;
    let columns = Vec::<String>::deserialize(&value["jobs_columns"])?;
    let rows = Vec::<Vec<u64>>::deserialize(&value["jobs"])?;
    let jobs = rows.iter().map(|row| job(&columns, row)).collect::<Option<Vec<Job>>>();
    let jobs = jobs.ok_or("a column of the jobs")?;
    if processors == 0 || jobs.iter().any(|job| job.shortest > job.longest) {
        return Err("no processor, or a job that takes less at most than at least".into());
    }
    let choices = |job: &Job| (job.longest - job.shortest).saturating_add(1);
    let schedules = jobs.iter().map(choices).fold(1, u64::saturating_mul);
    if schedules > MOST_SCHEDULES {
        tally.leave_out();
        return Ok(());
    }
    let (ends, is_schedulable) = all_ends(&jobs, processors, schedules);
    let expected = &value["expected"];
    // With several processors the intervals of the file are safe, and need not be reached.
    let is_exact = processors == 1;
    if let Some(expected) = expected["schedulable"].as_bool() {
        if is_exact || expected {
            tally.same("schedulable", expected, is_schedulable);
        } else {
            tally.not_asked("schedulable");
        }
    }
    let mut interval = |name: &str, expected: &Value, job: Option<usize>| -> Result<(), Misfit> {
        let (earliest, latest) = <(u64, u64)>::deserialize(expected)?;
        let job = job.ok_or_else(|| format!("`{name}`, which is no job of the set"))?;
        if is_exact {
            tally.same(name, (earliest, latest), ends[job]);
        } else {
            tally.at_least(name, earliest, ends[job].0);
            tally.at_most(name, latest, ends[job].1);
        }
        Ok(())
    };
    for (name, expected) in expected.as_object().into_iter().flatten() {
        let number = name.strip_prefix("job").and_then(|name| name.strip_suffix("_finish"));
        if let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) {
            interval(name, expected, jobs.iter().position(|job| job.number == number))?;
        }
        if name == "finish" {
            for (task, expected) in BTreeMap::<u64, Value>::deserialize(expected)? {
                interval(name, &expected, jobs.iter().position(|job| job.task == task))?;
            }
        }
    }
    Ok(())
}

fn job(columns: &[String], row: &[u64]) -> Option<Job> {
    let mut job = Job::default();
    for (column, &value) in columns.iter().zip(row) {
        *match column.as_str() {
            "task" => &mut job.task,
            "job" => &mut job.number,
            "arrival" => &mut job.arrival,
            "cost_min" => &mut job.shortest,
            "cost_max" => &mut job.longest,
            "deadline" => &mut job.deadline,
            "priority" => &mut job.priority,
            _ => return None,
        } = value;
    }
    Some(job)
}

/// Returns when each job ends at the earliest and at the latest, and whether all end in time, in
/// all schedules.
fn all_ends(jobs: &[Job], processors: usize, schedules: u64) -> (Vec<(u64, u64)>, bool) {
    let mut ends = vec![(u64::MAX, 0); jobs.len()];
    let mut is_schedulable = true;
    for number in 0..schedules {
        let mut rest = number;
        let cost = |job: &Job| {
            let choices = job.longest + 1 - job.shortest;
            let cost = job.shortest + rest % choices;
            rest /= choices;
            cost
        };
        let costs: Vec<u64> = jobs.iter().map(cost).collect();
        for (job, end) in schedule(jobs, &costs, processors).into_iter().enumerate() {
            ends[job] = (ends[job].0.min(end), ends[job].1.max(end));
            is_schedulable &= end <= jobs[job].deadline;
        }
    }
    (ends, is_schedulable)
}

/// Returns when each job ends: whenever a processor is free, the most important job that has
/// arrived begins.
fn schedule(jobs: &[Job], costs: &[u64], processors: usize) -> Vec<u64> {
    let mut free = vec![0; processors];
    let mut ends = vec![None; jobs.len()];
    let mut waiting: Vec<usize> = (0..jobs.len()).collect();
    while !waiting.is_empty() {
        let processor = (0..processors).min_by_key(|&processor| free[processor]).unwrap_or(0);
        let first_arrival = waiting.iter().map(|&job| jobs[job].arrival).min().unwrap_or(0);
        let now = free[processor].max(first_arrival);
        let arrived = waiting.iter().copied().filter(|&job| jobs[job].arrival <= now);
        let Some(next) = arrived.min_by_key(|&job| (jobs[job].priority, jobs[job].task, job)) else { break };
        waiting.retain(|&job| job != next);
        free[processor] = now + costs[next];
        ends[next] = Some(free[processor]);
    }
    ends.into_iter().map(Option::unwrap_or_default).collect()
}
