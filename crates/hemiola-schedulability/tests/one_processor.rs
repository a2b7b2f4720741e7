//! Compares bounds on one processor with schedules that are simulated tick by tick: none is below a
//! schedule, and those that are exact are reached.

use hemiola_analysis::{Arrivals, Bound, TimeSpan};
use hemiola_schedulability::response_times::{earliest_deadline, first_come, fixed_priority, global_fixed_priority};
use hemiola_schedulability::{Supply, Task};
use proptest::prelude::*;

/// The horizon is far above all bounds of tasks this short.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(100_000);

/// The number of simulated ticks: several times as much as the longest busy period.
const TICKS: u64 = 1_500;

/// A task in ticks: cost, period, jitter, deadline, and the longest piece that is not interrupted.
type Described = (u64, u64, u64, u64, u64);

fn tasks() -> impl Strategy<Value = Vec<Described>> {
    let period = prop::sample::select(&[3u64, 4, 5, 6, 8, 10, 12, 20][..]);
    let task = (1u64..5, period, 0u64..9, 1u64..25, 1u64..5);
    prop::collection::vec(
        task.prop_map(|(cost, period, jitter, deadline, piece)| (cost, period, jitter, deadline, piece.min(cost))),
        1..5,
    )
    .prop_filter("there is less work than time", |tasks| {
        tasks.iter().map(|task| task.0 as f64 / task.1 as f64).sum::<f64>() <= 1.0
    })
}

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

fn analysed(tasks: &[Described]) -> Vec<Task> {
    let task = |&(cost, period, jitter, deadline, piece): &Described| Task {
        cost: ns(cost),
        arrivals: Arrivals::periodic(ns(period)).late_by(ns(jitter)),
        deadline: ns(deadline),
        longest_piece: ns(piece),
    };
    tasks.iter().map(task).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Priority,
    Deadline,
    Arrival,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pieces {
    Ticks,
    AsSaid,
    Whole,
}

impl Pieces {
    fn of(self, task: &Described) -> u64 {
        match self {
            Self::Ticks => 1,
            Self::AsSaid => task.4,
            Self::Whole => task.0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Job {
    task: usize,
    arrival: u64,
    left: u64,
}

/// Returns the longest response time of each task for these jobs; of equals, one of `own` is last.
fn longest_responses(tasks: &[Described], mut jobs: Vec<Job>, order: Order, pieces: Pieces, own: usize) -> Vec<u64> {
    jobs.sort_by_key(|job| job.arrival);
    let mut longest = vec![0; tasks.len()];
    let mut running: Option<usize> = None;
    let (mut begin, mut now) = (0, 0);
    while begin < jobs.len() {
        if jobs[begin].left == 0 {
            begin += 1;
            continue;
        }
        // Pieces are counted from the end, so that the last one is the longest.
        let is_between = |job: &Job| job.left.is_multiple_of(pieces.of(&tasks[job.task]));
        if running.is_none_or(|job| jobs[job].left == 0 || is_between(&jobs[job])) {
            let ready =
                (begin..jobs.len()).take_while(|&job| jobs[job].arrival <= now).filter(|&job| jobs[job].left > 0);
            running = ready.min_by_key(|&number| {
                let Job { task, arrival, .. } = jobs[number];
                let first = match order {
                    Order::Priority => task as u64,
                    Order::Deadline => arrival + tasks[task].3,
                    Order::Arrival => arrival,
                };
                (first, task == own, arrival, number)
            });
        }
        now += 1;
        if let Some(job) = running.map(|job| &mut jobs[job]) {
            job.left -= 1;
            if job.left == 0 {
                longest[job.task] = longest[job.task].max(now - job.arrival);
            }
        }
    }
    longest
}

/// Returns a task's jobs if the first one is as late as it can be, and then all come as early as
/// they can: as many as there can be from `begin` on.
fn burst(tasks: &[Described], task: usize, begin: u64, end: u64) -> impl Iterator<Item = Job> {
    let (left, period, jitter, ..) = tasks[task];
    let arrivals = (0..).map(move |number: u64| begin + (number * period).saturating_sub(jitter));
    arrivals.take_while(move |&arrival| arrival < end).map(move |arrival| Job { task, arrival, left })
}

fn is_exceeded(bounds: &[Bound], seen: &[u64]) -> bool {
    bounds.iter().zip(seen).any(|(bound, &seen)| bound.as_ref().is_ok_and(|bound| bound.as_nanoseconds() < seen))
}

/// Returns whether a busy period ends: tasks that use all of the time and come late have no bound.
fn has_rest(tasks: &[Described]) -> bool {
    tasks.iter().map(|task| task.0 as f64 / task.1 as f64).sum::<f64>() < 0.999
}

fn number(bound: &Bound) -> Option<u64> {
    bound.as_ref().ok().map(|bound| bound.as_nanoseconds())
}

/// Returns the bounds of each analysis, with its order and its pieces.
fn bounds(tasks: &[Described]) -> Vec<(Order, Pieces, Vec<Bound>)> {
    let of = analysed(tasks);
    vec![
        (Order::Priority, Pieces::Ticks, fixed_priority::preemptive(&of, HORIZON)),
        (Order::Priority, Pieces::AsSaid, fixed_priority::limited_preemptive(&of, HORIZON)),
        (Order::Priority, Pieces::Whole, fixed_priority::non_preemptive(&of, HORIZON)),
        (Order::Deadline, Pieces::Ticks, earliest_deadline::preemptive(&of, HORIZON)),
        (Order::Deadline, Pieces::Whole, earliest_deadline::non_preemptive(&of, HORIZON)),
        (Order::Arrival, Pieces::Whole, vec![first_come::response_time(&of, HORIZON); of.len()]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_schedule_exceeds_its_bound_whatever_the_phases_and_however_late_each_job_is(
        tasks in tasks(), phases in prop::collection::vec(0u64..20, 4), draws in prop::collection::vec((0u64..1000, 0u64..1000), 64)
    ) {
        let mut draws = draws.iter().cycle();
        let mut jobs = Vec::new();
        for (task, &(cost, period, jitter, ..)) in tasks.iter().enumerate() {
            for number in 0..120 / period {
                let &(late, short) = draws.next().expect("they go round");
                let left = if short % 3 == 0 { 1 + short % cost } else { cost };
                jobs.push(Job { task, arrival: phases[task] + number * period + late % (jitter + 1), left });
            }
        }
        for (order, pieces, bounds) in bounds(&tasks) {
            for own in 0..tasks.len() {
                let seen = longest_responses(&tasks, jobs.clone(), order, pieces, own);
                prop_assert!(!is_exceeded(&bounds, &seen), "{order:?}, {pieces:?}: {seen:?} exceed {bounds:?}");
            }
        }
    }

    /// The worst case is tried: a less important job has just begun its longest piece, and
    /// everything else arrives.
    #[test]
    fn fixed_priority_bounds_are_reached(tasks in tasks()) {
        prop_assume!(has_rest(&tasks));
        for (order, pieces, bounds) in bounds(&tasks).into_iter().filter(|(order, ..)| *order == Order::Priority) {
            for (own, bound) in bounds.iter().enumerate() {
                let blocking = (own + 1..tasks.len()).max_by_key(|&task| pieces.of(&tasks[task]));
                // The blocking job has one piece left, and one tick of that is over.
                let blocker = blocking.map(|task| Job { task, arrival: 0, left: pieces.of(&tasks[task]) });
                let begin = u64::from(blocker.is_some());
                let mut jobs: Vec<Job> = (0..=own).flat_map(|task| burst(&tasks, task, begin, TICKS)).collect();
                jobs.extend(blocker);
                let seen = longest_responses(&tasks, jobs, order, pieces, own)[own];
                prop_assert_eq!(number(bound), Some(seen), "task {} with {:?}", own, pieces);
            }
        }
    }

    /// As Spuri proved, the worst case is that all others arrive at once, and own jobs at some
    /// distance from that.
    #[test]
    fn bounds_of_earliest_deadlines_with_interruption_are_reached(tasks in tasks()) {
        prop_assume!(has_rest(&tasks));
        let bounds = earliest_deadline::preemptive(&analysed(&tasks), HORIZON);
        for own in 0..tasks.len() {
            let seen = (0..=tasks[own].1).map(|distance| {
                let begin = |task| if task == own { distance } else { 0 };
                let jobs = (0..tasks.len()).flat_map(|task| burst(&tasks, task, begin(task), TICKS)).collect();
                longest_responses(&tasks, jobs, Order::Deadline, Pieces::Ticks, own)[own]
            });
            prop_assert_eq!(number(&bounds[own]), seen.max(), "task {}", own);
        }
    }

    #[test]
    fn the_bound_of_first_come_first_served_is_reached(tasks in tasks()) {
        prop_assume!(has_rest(&tasks));
        let jobs: Vec<Job> = (0..tasks.len()).flat_map(|task| burst(&tasks, task, 0, TICKS)).collect();
        let seen = (0..tasks.len())
            .map(|own| longest_responses(&tasks, jobs.clone(), Order::Arrival, Pieces::Whole, own)[own])
            .max();
        prop_assert_eq!(number(&first_come::response_time(&analysed(&tasks), HORIZON)), seen);
    }

    /// Every way to give a budget early or late in some periods is tried, and every window.
    #[test]
    fn a_reservation_supplies_no_less_than_its_bound_and_that_exactly_at_worst(
        budget in 1u64..5, rest in 0u64..6, lateness in 0u64..6, window in 1u64..25
    ) {
        let (period, deadline) = (budget + rest, budget + rest.min(lateness));
        const PERIODS: u64 = 8;
        let mut least = u64::MAX;
        for late in 0..1u64 << PERIODS {
            let begin = |number: u64| if late >> number & 1 == 1 { deadline - budget } else { 0 };
            let given: Vec<bool> = (0..PERIODS * period)
                .map(|tick| (begin(tick / period)..begin(tick / period) + budget).contains(&(tick % period)))
                .collect();
            let windows = given.windows(window.min(given.len() as u64) as usize);
            least = windows.map(|given| given.iter().filter(|&&given| given).count() as u64).min().unwrap_or(0).min(least);
        }
        prop_assume!(least != u64::MAX && window + 2 * period <= PERIODS * period);
        let supply = Supply::Reservation { budget: ns(budget), period: ns(period), deadline: ns(deadline) };
        prop_assert_eq!(supply.within(ns(window)).as_nanoseconds(), least);
    }

    #[test]
    fn no_schedule_on_several_processors_exceeds_its_bound(
        tasks in tasks(), more in tasks(), processors in 2usize..4, phases in prop::collection::vec(0u64..20, 8),
        pauses in prop::collection::vec(0u64..6, 64)
    ) {
        let mut tasks = [tasks, more].concat();
        for task in &mut tasks {
            (task.2, task.3) = (0, task.1);
        }
        let bounds = global_fixed_priority::response_times(&analysed(&tasks), processors, HORIZON);
        let mut pauses = pauses.iter().cycle();
        let mut jobs = Vec::new();
        for (task, &(left, period, ..)) in tasks.iter().enumerate() {
            let mut arrival = phases[task];
            while arrival < 150 {
                jobs.push(Job { task, arrival, left });
                // Most arrivals come as soon as they may.
                arrival += period + pauses.next().expect("they go round").saturating_sub(3);
            }
        }
        // Bounds hold for tasks whose more important ones end in time.
        let bounded = bounds.iter().take_while(|bound| bound.is_ok()).count();
        jobs.retain(|job| job.task < bounded);
        let mut seen = vec![0; tasks.len()];
        for now in 0..400 {
            let mut ready: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].arrival <= now && jobs[job].left > 0).collect();
            ready.sort_by_key(|&job| (jobs[job].task, jobs[job].arrival));
            // A task runs on one processor at a time.
            ready.dedup_by_key(|job| jobs[*job].task);
            for job in ready.into_iter().take(processors) {
                jobs[job].left -= 1;
                if jobs[job].left == 0 {
                    seen[jobs[job].task] = seen[jobs[job].task].max(now + 1 - jobs[job].arrival);
                }
            }
        }
        prop_assert!(!is_exceeded(&bounds, &seen), "{seen:?} exceed {bounds:?}");
    }
}
