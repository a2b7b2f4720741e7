//! Chains over several resources, against what they do: no task ends later than its bound, however late events are and however long tasks
//! take.

use hemiola_analysis::TimeSpan;
use hemiola_schedulability::compositional::{Chain, Propagation, Scheduling, Task, response_times};
use proptest::prelude::*;

const HORIZON: TimeSpan = TimeSpan::nanoseconds(2_000);
const END: u64 = 300;

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

#[derive(Clone, Copy)]
struct Job {
    chain: usize,
    place: usize,
    /// When it became ready.
    ready: u64,
    left: u64,
    has_begun: bool,
}

/// The longest response time of every task if chains begin then; `cost` draws how long a task takes.
fn longest(
    resources: &[Scheduling],
    chains: &[Chain],
    begins: &[Vec<u64>],
    mut cost: impl FnMut(&Task) -> u64,
) -> Vec<Vec<u64>> {
    let mut longest: Vec<Vec<u64>> = chains.iter().map(|chain| vec![0; chain.tasks.len()]).collect();
    let mut jobs: Vec<Job> = Vec::new();
    for now in 0..2 * END {
        for (chain, begins) in begins.iter().enumerate() {
            for _ in begins.iter().filter(|&&begin| begin == now) {
                let left = cost(&chains[chain].tasks[0]);
                jobs.push(Job { chain, place: 0, ready: now, left, has_begun: false });
            }
        }
        for (resource, scheduling) in resources.iter().enumerate() {
            let on_it = |job: &Job| chains[job.chain].tasks[job.place].resource == resource && job.ready <= now;
            let rank = |job: &Job| chains[job.chain].tasks[job.place].rank;
            // Who is not interrupted goes on.
            let is_held = |job: &Job| *scheduling == Scheduling::NonPreemptive && job.has_begun;
            let of_resource = (0..jobs.len()).filter(|&job| on_it(&jobs[job]));
            let next = of_resource.min_by_key(|&job| (!is_held(&jobs[job]), rank(&jobs[job]), jobs[job].ready, job));
            let Some(next) = next else { continue };
            (jobs[next].has_begun, jobs[next].left) = (true, jobs[next].left - 1);
            if jobs[next].left == 0 {
                let Job { chain, place, ready, .. } = jobs.remove(next);
                longest[chain][place] = longest[chain][place].max(now + 1 - ready);
                if let Some(task) = chains[chain].tasks.get(place + 1) {
                    let left = cost(task);
                    jobs.push(Job { chain, place: place + 1, ready: now + 1, left, has_begun: false });
                }
            }
        }
    }
    longest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_task_ends_later_than_its_bound_on_any_resource(
        preemptive in prop::collection::vec(any::<bool>(), 1..4),
        chains in prop::collection::vec(
            (prop::sample::select(&[10u64, 12, 15, 20, 30, 40][..]), 0u64..30, 0u64..30,
             prop::collection::vec((0usize..3, 1u64..5, 0u64..5), 1..4)), 1..4),
        ranks in Just((0..12).collect::<Vec<u32>>()).prop_shuffle(),
        draws in prop::collection::vec((0u64..100, 0u64..100), 61)
    ) {
        let resources: Vec<Scheduling> = preemptive
            .iter()
            .map(|&preemptive| if preemptive { Scheduling::Preemptive } else { Scheduling::NonPreemptive })
            .collect();
        let mut ranks = ranks.into_iter();
        let described: Vec<Chain> = chains
            .iter()
            .map(|(period, jitter, _, tasks)| Chain {
                period: ns(*period),
                jitter: ns(*jitter),
                tasks: tasks
                    .iter()
                    .map(|&(resource, longest, less)| Task {
                        resource: resource % resources.len(),
                        shortest: ns(longest.saturating_sub(less).max(1)),
                        longest: ns(longest),
                        rank: ranks.next().expect("there are enough"),
                    })
                    .collect(),
            })
            .collect();
        let mut draws = draws.into_iter().cycle();
        let begins: Vec<Vec<u64>> = chains
            .iter()
            .map(|(period, jitter, phase, _)| {
                let late = |number: u64, draw: u64| phase + number * period + draw % (jitter + 1);
                (0..END / period).map(|number| late(number, draws.next().expect("they go round").0)).collect()
            })
            .collect();
        let seen = longest(&resources, &described, &begins, |task| {
            let (shortest, longest) = (task.shortest.as_nanoseconds(), task.longest.as_nanoseconds());
            let draw = draws.next().expect("they go round");
            if draw.1 < 50 { longest } else { shortest + draw.0 % (longest - shortest + 1) }
        });
        for propagation in [Propagation::Jitter, Propagation::JitterAndDistance, Propagation::BusyWindow] {
            let Ok(bounds) = response_times(&resources, &described, propagation, HORIZON) else { continue };
            for (bound, &seen) in bounds.iter().flatten().zip(seen.iter().flatten()) {
                prop_assert!(ns(seen) <= *bound, "{propagation:?}: {seen} exceeds {bound}");
            }
        }
    }
}
