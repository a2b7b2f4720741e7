//! Compares bounds of the data age of chains whose tasks do not begin together with all of their
//! jobs, one by one.

use hemiola_analysis::TimeSpan;
use hemiola_schedulability::reaction::guenzel_2021::{self, Stage};
use hemiola_schedulability::reaction::{
    PeriodicTask, Release, Step, becker_2017, fixed_priority_schedule, hyperperiod,
};
use proptest::prelude::*;

const PERIODS: [u64; 8] = [4, 5, 6, 8, 10, 12, 20, 40];

/// Makes tasks as (period, phase of up to several periods, cost, response time), in the order in
/// which a chain leads through them.
fn chains() -> impl Strategy<Value = Vec<(u64, u64, u64, u64)>> {
    let task = (prop::sample::select(&PERIODS[..]), 0u64..100, 1u64..4, 0u64..4);
    let task = task.prop_map(|(period, phase, cost, later)| (period, phase, cost, (cost + later).min(period)));
    prop::collection::vec(task, 1..5)
}

fn step(&(period, phase, cost, response): &(u64, u64, u64, u64)) -> Step {
    let ns = TimeSpan::nanoseconds;
    Step::new(Release::Periodic { period: ns(period), phase: ns(phase) }, ns(cost), ns(response))
}

/// Tries every release of every task, for two hyperperiods after all have begun.
fn by_trying_all_jobs(chain: &[(u64, u64, u64, u64)]) -> u64 {
    let repeats = hyperperiod(chain.iter().map(|task| TimeSpan::nanoseconds(task.0))).as_nanoseconds();
    let settled = chain.iter().map(|task| task.1).max().unwrap_or(0);
    let end = settled + 2 * repeats;
    let horizon = end + chain.iter().map(|task| task.0 + task.3).sum::<u64>();
    let releases = |task: &(u64, u64, u64, u64)| (task.1..=horizon).step_by(task.0 as usize).collect::<Vec<_>>();
    let mut worst = 0;
    for read in releases(&chain[0]).into_iter().filter(|&read| read < end) {
        let through = chain.windows(2).try_fold(read, |release, pair| {
            let overwritten = release + pair[0].0 + pair[0].3;
            releases(&pair[1]).into_iter().filter(|&release| release < overwritten).max()
        });
        if let Some(last) = through {
            // An age is not negative, though the latest job may have been released before the read.
            worst = worst.max((last + chain[chain.len() - 1].3).saturating_sub(read));
        }
    }
    worst
}

proptest! {
    #[test]
    fn a_value_that_is_overwritten_before_the_next_task_begins_has_no_age(chain in chains()) {
        let steps: Vec<Step> = chain.iter().map(step).collect();
        let age = becker_2017::reduced_data_age(&steps).expect("hyperperiods are short");
        prop_assert_eq!(age.as_nanoseconds(), by_trying_all_jobs(&chain));
    }

    #[test]
    fn no_schedule_of_tasks_with_phases_has_data_older_than_its_bound(
        chain in chains(), order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle()
    ) {
        let ns = TimeSpan::nanoseconds;
        prop_assume!(chain.iter().map(|task| task.2 as f64 / task.0 as f64).sum::<f64>() <= 1.0);
        let tasks: Vec<PeriodicTask> = chain
            .iter()
            .map(|&(period, phase, cost, _)| PeriodicTask { period: ns(period), phase: ns(phase), cost: ns(cost) })
            .collect();
        let repeats = hyperperiod(tasks.iter().map(|task| task.period));
        let jobs = fixed_priority_schedule(&tasks, ns(200) + repeats * 8);
        let order: Vec<usize> = order.into_iter().filter(|&task| task < chain.len()).collect();
        let responses = jobs.iter().map(|jobs| jobs.iter().map(|job| job.write - job.release).max());
        let responses: Vec<TimeSpan> = responses.map(Option::unwrap_or_default).collect();
        // The analysis holds for tasks that end before they are released again.
        prop_assume!(responses.iter().zip(&tasks).all(|(&response, task)| response <= task.period));
        let stages: Vec<Stage<'_>> = order
            .iter()
            .map(|&task| Stage { fastest: &jobs[task], slowest: &jobs[task], precedes_next: false })
            .collect();
        let steps: Vec<Step> = order
            .iter()
            .map(|&task| Step { response_time: responses[task], ..step(&chain[task]) })
            .collect();
        let seen = guenzel_2021::ages(&stages, ns(100) + repeats * 2).reduced_data_age;
        let bound = becker_2017::reduced_data_age(&steps).expect("hyperperiods are short");
        prop_assert!(seen <= bound, "saw {} and bounded it by {}", seen.as_nanoseconds(), bound.as_nanoseconds());
    }
}
