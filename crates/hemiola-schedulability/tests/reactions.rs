//! Compares bounds of reaction times and data ages of chains with all that is read and written in
//! simulated schedules: periodic tasks with any phases, sporadic ones at any distances, implicit
//! communication and logical execution time.

use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::Task;
use hemiola_schedulability::reaction::guenzel_2021::{self, Stage};
use hemiola_schedulability::reaction::{
    Communication, Job, PeriodicTask, Release, Step, davare_2007, duerr_2019, fixed_priority_schedule, guenzel_2023,
    hyperperiod, kloda_2018,
};
use hemiola_schedulability::response_times::fixed_priority;
use proptest::prelude::*;

const PERIODS: [u64; 7] = [4, 5, 6, 8, 10, 12, 20];

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// The reaction time and the data ages of a chain in one schedule.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// The longest time from an event to the first output that is based on it.
    reaction: u64,
    /// The longest time from a read to the last moment at which an output based on it is the
    /// newest.
    data_age: u64,
    /// The longest time from a read to an output that is based on it.
    reduced_data_age: u64,
}

/// Carries every value through a chain, by when each job reads and writes; each output that is made
/// within `window` counts.
fn carried(chain: &[&[Job]], window: std::ops::Range<u64>) -> Seen {
    let at = |time: TimeSpan| time.as_nanoseconds();
    // Each entry has when a job wrote, and when the first task read what that is based on.
    let mut origins: Vec<(u64, u64)> = chain[0].iter().map(|job| (at(job.write), at(job.read))).collect();
    for jobs in &chain[1..] {
        origins = jobs
            .iter()
            .filter_map(|job| {
                // The newest value that is there counts; of two at one time, the later one.
                let newest = origins.iter().rev().find(|(written, _)| *written <= at(job.read))?;
                Some((at(job.write), newest.1))
            })
            .collect();
    }
    let mut seen = Seen::default();
    let reads: Vec<u64> = chain[0].iter().map(|job| at(job.read)).collect();
    for pair in reads.windows(2).filter(|pair| window.contains(&pair[0])) {
        // An event right after a read is read next.
        if let Some((written, _)) = origins.iter().find(|(_, origin)| *origin >= pair[1]) {
            seen.reaction = seen.reaction.max(written - pair[0]);
        }
    }
    for pair in origins.windows(2).filter(|pair| window.contains(&pair[0].1)) {
        seen.reduced_data_age = seen.reduced_data_age.max(pair[0].0 - pair[0].1);
        seen.data_age = seen.data_age.max(pair[1].0 - pair[0].1);
    }
    seen
}

/// Schedules tasks with these (release, cost) of each job, the most important task first.
fn schedule(releases: &[Vec<(u64, u64)>]) -> Vec<Vec<Job>> {
    let mut jobs: Vec<Vec<(Job, u64)>> = releases
        .iter()
        .map(|task| {
            task.iter().map(|&(release, cost)| (Job { release: ns(release), ..Job::default() }, cost)).collect()
        })
        .collect();
    let mut now = 0;
    while jobs.iter().flatten().any(|(_, left)| *left > 0) {
        let ready = |(job, left): &&mut (Job, u64)| *left > 0 && job.release <= ns(now);
        if let Some((job, left)) = jobs.iter_mut().flatten().find(ready) {
            if job.read == TimeSpan::ZERO {
                job.read = ns(now);
            }
            *left -= 1;
            if *left == 0 {
                job.write = ns(now + 1);
            }
        }
        now += 1;
    }
    jobs.into_iter().map(|task| task.into_iter().map(|(job, _)| job).collect()).collect()
}

/// A task: period or shortest distance, how much longer the longest is (periodic if `None`), phase,
/// cost, and whether it communicates by logical execution time.
type Described = (u64, Option<u64>, u64, u64, bool);

fn tasks(kinds: impl Strategy<Value = Option<u64>> + Clone) -> impl Strategy<Value = Vec<Described>> {
    let task = (prop::sample::select(&PERIODS[..]), kinds, 1u64..30, 1u64..4, any::<bool>());
    prop::collection::vec(task, 1..5).prop_filter("there is less work than time", |tasks| {
        tasks.iter().map(|task| task.3 as f64 / task.0 as f64).sum::<f64>() <= 1.0
    })
}

/// Returns the longest response times; none where tasks may still run when they are released again.
fn response_times(tasks: &[Described]) -> Option<Vec<TimeSpan>> {
    let analysed: Vec<Task> = tasks.iter().map(|task| Task::new(ns(task.3), Arrivals::periodic(ns(task.0)))).collect();
    let bounds: Result<Vec<TimeSpan>, _> = fixed_priority::preemptive(&analysed, ns(10_000)).into_iter().collect();
    bounds.ok().filter(|bounds| bounds.iter().zip(tasks).all(|(&bound, task)| bound <= ns(task.0)))
}

fn steps(tasks: &[Described], order: &[usize], response_times: &[TimeSpan]) -> Vec<Step> {
    let step = |&task: &usize| {
        let (shortest, longer, phase, cost, is_logical) = tasks[task];
        let release = match longer {
            None => Release::Periodic { period: ns(shortest), phase: ns(phase) },
            Some(longer) => Release::Sporadic { shortest: ns(shortest), longest: ns(shortest + longer) },
        };
        let communication = if is_logical { Communication::LogicalExecutionTime } else { Communication::Implicit };
        let step = Step::new(release, ns(cost), response_times[task]);
        Step { communication, priority: u32::MAX - task as u32, ..step }
    };
    order.iter().map(step).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_schedule_reacts_later_than_its_bound_whatever_is_periodic_or_logical(
        tasks in tasks(prop::option::of(0u64..8)), order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        draws in prop::collection::vec((0u64..1000, 0u64..1000), 97)
    ) {
        let Some(response_times) = response_times(&tasks) else { return Ok(()) };
        let order: Vec<usize> = order.into_iter().filter(|&task| task < tasks.len()).collect();
        const END: u64 = 600;
        let mut draws = draws.iter().cycle();
        let mut releases = Vec::new();
        for &(shortest, longer, phase, cost, _) in &tasks {
            let (mut release, mut of_task) = (phase, Vec::new());
            while release < END {
                let &(late, short) = draws.next().expect("they go round");
                of_task.push((release, if short % 2 == 0 { 1 + short % cost } else { cost }));
                release += shortest + longer.map_or(0, |longer| late % (longer + 1));
            }
            releases.push(of_task);
        }
        let mut jobs = schedule(&releases);
        for (jobs, task) in jobs.iter_mut().zip(&tasks).filter(|(_, task)| task.4) {
            jobs.iter_mut().for_each(|job| (job.read, job.write) = (job.release, job.release + ns(task.0)));
        }
        let chain: Vec<&[Job]> = order.iter().map(|&task| jobs[task].as_slice()).collect();
        let seen = carried(&chain, 60..END - 250);
        let steps = steps(&tasks, &order, &response_times);
        for (name, bound) in [
            ("mixed", guenzel_2023::reaction_time(&steps)),
            ("cut", guenzel_2023::cut_at_every_change(&steps)),
            ("sporadic", Ok(guenzel_2023::sporadic(&steps))),
            ("davare", Ok(davare_2007::reaction_time(&steps))),
            ("duerr", Ok(duerr_2019::reaction_time(&steps))),
        ] {
            let bound = bound.expect("hyperperiods are short").as_nanoseconds();
            prop_assert!(seen.reaction <= bound, "{name}: {} exceeds {bound}, {steps:?}", seen.reaction);
            // Reaction time and data age are equal: Günzel et al., ECRTS 2023.
            prop_assert!(seen.data_age <= bound, "{name}: data of {} exceeds {bound}, {steps:?}", seen.data_age);
        }
    }

    #[test]
    fn reaction_time_and_data_age_of_a_schedule_are_what_its_values_say(
        tasks in tasks(Just(None)), order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle()
    ) {
        let Some(response_times) = response_times(&tasks) else { return Ok(()) };
        let order: Vec<usize> = order.into_iter().filter(|&task| task < tasks.len()).collect();
        let periodic: Vec<PeriodicTask> = tasks
            .iter()
            .map(|&(period, _, phase, cost, _)| PeriodicTask { period: ns(period), phase: ns(phase), cost: ns(cost) })
            .collect();
        let repeats = hyperperiod(periodic.iter().map(|task| task.period));
        let end = ns(40) + repeats * 2;
        let jobs = fixed_priority_schedule(&periodic, end + ns(300) + repeats);
        let stages: Vec<Stage<'_>> = order
            .iter()
            .map(|&task| Stage { fastest: &jobs[task], slowest: &jobs[task], precedes_next: false })
            .collect();
        let ages = guenzel_2021::ages(&stages, end);
        let chain: Vec<&[Job]> = order.iter().map(|&task| jobs[task].as_slice()).collect();
        let seen = carried(&chain, 0..end.as_nanoseconds());
        prop_assert_eq!(ages.data_age, ns(seen.data_age));
        prop_assert_eq!(ages.reduced_data_age, ns(seen.reduced_data_age));
        // Only what tasks do once all have begun counts; before, reactions wait for that.
        prop_assert!(ages.reaction_time >= ns(carried(&chain, 60..end.as_nanoseconds()).reaction));
        let implicit: Vec<Described> = tasks.iter().map(|task| (task.0, task.1, task.2, task.3, false)).collect();
        let bound = kloda_2018::reaction_time(&steps(&implicit, &order, &response_times)).expect("hyperperiods are short");
        prop_assert!(ns(seen.data_age) <= bound);
    }
}
