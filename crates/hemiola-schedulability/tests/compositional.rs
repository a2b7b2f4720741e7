//! Compares bounds of chains over several resources with simulations tick by tick: no task ends
//! later than its bound, however late events are, whatever the phases, and however long tasks take.

#[path = "shared/choices.rs"]
mod choices;

use std::fmt::{self, Display};

use choices::Choices;
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::compositional::{Chain, Propagation, Scheduling, Task, response_times};
use hemiola_schedulability::response_times::fixed_priority;

/// The horizon is above the bounds of all but the most loaded systems, which take long to analyse
/// and are hardly ever at their worst.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(300);

const PROPAGATIONS: [Propagation; 3] = [Propagation::Jitter, Propagation::JitterAndDistance, Propagation::BusyWindow];

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

#[derive(Debug, Clone)]
struct System {
    resources: Vec<Scheduling>,
    chains: Vec<Chain>,
}

impl System {
    fn random(choices: &mut Choices, most_resources: u64, most_chains: u64, most_tasks: u64) -> Self {
        let scheduling =
            |choices: &mut Choices| [Scheduling::Preemptive, Scheduling::NonPreemptive][choices.below(2) as usize];
        let resources: Vec<Scheduling> = (0..choices.between(1, most_resources)).map(|_| scheduling(choices)).collect();
        let count = choices.between(1, most_chains);
        let mut ranks = choices.order((count * most_tasks) as usize).into_iter();
        let mut chain = |_| {
            let period = ns([6, 8, 10, 12, 15, 20, 30, 40][choices.below(8) as usize]);
            let jitter = ns(choices.below(2) * choices.below(30));
            let mut task = |_| {
                let longest = choices.between(1, 5);
                let shortest = choices.between(1, longest);
                let resource = choices.below(resources.len() as u64) as usize;
                let rank = ranks.next().expect("there are enough") as u32;
                Task { resource, shortest: ns(shortest), longest: ns(longest), rank }
            };
            let tasks = (0..most_tasks).map(&mut task).collect();
            Chain { period, jitter, tasks }
        };
        let mut chains: Vec<Chain> = (0..count).map(&mut chain).collect();
        for chain in &mut chains {
            chain.tasks.truncate(choices.between(1, most_tasks) as usize);
        }
        Self { resources, chains }
    }

    fn bounds(&self, propagation: Propagation) -> Option<Vec<Vec<TimeSpan>>> {
        response_times(&self.resources, &self.chains, propagation, HORIZON).ok()
    }
}

/// The possibilities for a run of a system that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Everything may vary, for this many ticks.
    All { ticks: u64 },
    /// Only beginnings vary: phases below this, whether the first event is as late as it can be,
    /// and whether the first job of each task is as short; later ones are neither.
    Beginnings { phases: u64, ticks: u64 },
}

/// A job of a task.
#[derive(Debug, Clone, Copy)]
struct Job {
    chain: usize,
    place: usize,
    ready: u64,
    left: u64,
    has_begun: bool,
}

/// A simulated run: when chains began, and what each resource did in every tick.
#[derive(Debug, Clone)]
struct Run {
    begins: Vec<Vec<u64>>,
    ticks: Vec<Vec<Option<(usize, usize)>>>,
    /// The longest response time of every task.
    longest: Vec<Vec<u64>>,
}

/// The durations of the jobs of a task.
#[derive(Debug, Clone, Copy)]
enum Costs {
    Longest,
    ShortestFirst,
    LongestFirst,
    Random,
}

impl Costs {
    fn draw(choices: &mut Choices, extent: Extent) -> Self {
        match extent {
            Extent::Beginnings { .. } => [Self::Longest, Self::ShortestFirst][choices.below(2) as usize],
            Extent::All { .. } => {
                [Self::Longest, Self::ShortestFirst, Self::LongestFirst, Self::Random][choices.below(4) as usize]
            }
        }
    }

    fn of(self, task: &Task, number: u64, choices: &mut Choices) -> u64 {
        let (shortest, longest) = (task.shortest.as_nanoseconds(), task.longest.as_nanoseconds());
        match (self, number) {
            (Self::ShortestFirst, 0) => shortest,
            // Jobs that queued up behind long ones leave closely together.
            (Self::LongestFirst, 3..) => shortest,
            (Self::Random, _) => choices.between(shortest, longest),
            _ => longest,
        }
    }
}

impl Run {
    fn of(system: &System, extent: Extent, choices: &mut Choices) -> Self {
        let ticks = match extent {
            Extent::All { ticks } | Extent::Beginnings { ticks, .. } => ticks,
        };
        let begins: Vec<Vec<u64>> = system.chains.iter().map(|chain| begins(chain, extent, choices)).collect();
        let mut costs: Vec<Vec<(Costs, u64)>> = Vec::new();
        for chain in &system.chains {
            costs.push(chain.tasks.iter().map(|_| (Costs::draw(choices, extent), 0)).collect());
        }
        let mut cost = |chain: usize, place: usize| {
            let (costs, number) = &mut costs[chain][place];
            *number += 1;
            costs.of(&system.chains[chain].tasks[place], *number - 1, choices)
        };
        let longest = system.chains.iter().map(|chain| vec![0; chain.tasks.len()]).collect();
        let mut run = Self { begins, ticks: Vec::new(), longest };
        let mut jobs: Vec<Job> = Vec::new();
        for now in 0..ticks {
            for (chain, begins) in run.begins.iter().enumerate() {
                for _ in begins.iter().filter(|&&begin| begin == now) {
                    jobs.push(Job { chain, place: 0, ready: now, left: cost(chain, 0), has_begun: false });
                }
            }
            let mut running = Vec::new();
            for (resource, scheduling) in system.resources.iter().enumerate() {
                let task = |job: &Job| &system.chains[job.chain].tasks[job.place];
                // A job that is not interrupted goes on.
                let is_held = |job: &Job| *scheduling == Scheduling::NonPreemptive && job.has_begun;
                let is_ready = |&job: &usize| task(&jobs[job]).resource == resource && jobs[job].ready <= now;
                let order = |&job: &usize| (!is_held(&jobs[job]), task(&jobs[job]).rank, jobs[job].ready, job);
                let next = (0..jobs.len()).filter(is_ready).min_by_key(order);
                running.push(next.map(|job| (jobs[job].chain, jobs[job].place)));
                let Some(next) = next else { continue };
                (jobs[next].has_begun, jobs[next].left) = (true, jobs[next].left - 1);
                if jobs[next].left > 0 {
                    continue;
                }
                let Job { chain, place, ready, .. } = jobs.remove(next);
                let longest = &mut run.longest[chain][place];
                *longest = (now + 1 - ready).max(*longest);
                if place + 1 < system.chains[chain].tasks.len() {
                    let left = cost(chain, place + 1);
                    jobs.push(Job { chain, place: place + 1, ready: now + 1, left, has_begun: false });
                }
            }
            run.ticks.push(running);
        }
        run
    }
}

/// Draws the times at which a chain begins.
fn begins(chain: &Chain, extent: Extent, choices: &mut Choices) -> Vec<u64> {
    let (period, jitter) = (chain.period.as_nanoseconds(), chain.jitter.as_nanoseconds());
    let (phase, is_random, first, ticks) = match extent {
        Extent::Beginnings { phases, ticks } => (choices.below(phases), false, choices.below(2) * jitter, ticks),
        Extent::All { ticks } => (choices.below(30), choices.below(2) == 1, choices.between(jitter / 2, jitter), ticks),
    };
    let mut late = |number: u64| match (is_random, number) {
        (true, _) => choices.below(jitter + 1),
        (false, 0) => first,
        (false, _) => 0,
    };
    (0..ticks / period).map(|number| phase + number * period + late(number)).collect()
}

impl Display for System {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "resources: {:?}", self.resources)?;
        for (number, Chain { period, jitter, tasks }) in self.chains.iter().enumerate() {
            writeln!(formatter, "chain {number}: every {period}, late by up to {jitter}")?;
            for (place, task) in tasks.iter().enumerate() {
                writeln!(formatter, "    {number}.{place}: {task:?}")?;
            }
        }
        Ok(())
    }
}

impl Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (chain, begins) in self.begins.iter().enumerate() {
            writeln!(formatter, "chain {chain} begins at {begins:?}")?;
        }
        writeln!(formatter, "what each resource does in every tick, chain.task")?;
        for (now, running) in self.ticks.iter().enumerate() {
            let name =
                |job: &Option<(usize, usize)>| job.map_or("-".into(), |(chain, place)| format!("{chain}.{place}"));
            writeln!(formatter, "{now:4}: {}", running.iter().map(name).collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

/// The number of bounds, the number of reached ones, and how much of them was seen.
#[derive(Debug, Default)]
struct Tally {
    bounds: usize,
    reached: usize,
    shares: f64,
}

impl Tally {
    fn add(&mut self, bounds: &[Vec<TimeSpan>], longest: &[Vec<u64>]) {
        for (bound, &longest) in bounds.iter().flatten().zip(longest.iter().flatten()) {
            self.bounds += 1;
            self.reached += usize::from(ns(longest) == *bound);
            self.shares += longest as f64 / bound.as_nanoseconds() as f64;
        }
    }

    fn mean_share(&self) -> f64 {
        self.shares / self.bounds as f64
    }
}

/// The bounds of a system, and the longest response times that were seen.
struct Comparison<'s> {
    system: &'s System,
    bounds: Vec<(Propagation, Vec<Vec<TimeSpan>>)>,
    longest: Vec<Vec<u64>>,
}

impl<'s> Comparison<'s> {
    fn of(system: &'s System) -> Self {
        let bounds = PROPAGATIONS.into_iter().filter_map(|how| Some((how, system.bounds(how)?))).collect();
        let longest = system.chains.iter().map(|chain| vec![0; chain.tasks.len()]).collect();
        Self { system, bounds, longest }
    }

    fn add(&mut self, run: &Run) {
        for (propagation, bounds) in &self.bounds {
            let mut both = bounds.iter().flatten().zip(run.longest.iter().flatten());
            let exceeded = both.any(|(bound, &seen)| ns(seen) > *bound);
            assert!(!exceeded, "{propagation:?}: {:?} exceed {bounds:?}\n{}{run}", run.longest, self.system);
        }
        for (longest, &seen) in self.longest.iter_mut().flatten().zip(run.longest.iter().flatten()) {
            *longest = seen.max(*longest);
        }
    }

    /// Counts what was seen against the smallest bounds.
    fn count(&self, tally: &mut Tally) {
        if let Some((_, bounds)) = self.bounds.iter().find(|(propagation, _)| *propagation == Propagation::BusyWindow) {
            tally.add(bounds, &self.longest);
        }
    }
}

fn random_runs_of(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut choices = Choices::random(seed);
        let system = System::random(&mut choices, 3, 3, 3);
        let mut comparison = Comparison::of(&system);
        if comparison.bounds.is_empty() {
            continue;
        }
        for _ in 0..8 {
            comparison.add(&Run::of(&system, Extent::All { ticks: 250 }, &mut choices));
        }
        comparison.count(&mut tally);
    }
    tally
}

#[test]
fn no_task_ends_later_than_its_bound_on_any_resource() {
    let tally = random_runs_of(0..250);
    assert!(tally.bounds > 500 && tally.reached > 150 && tally.mean_share() > 0.6, "{tally:?}");
}

fn all_beginnings_of(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let system = System::random(&mut Choices::random(seed), 2, 2, 2);
        let mut comparison = Comparison::of(&system);
        if comparison.bounds.is_empty() {
            continue;
        }
        let extent = Extent::Beginnings { phases: 6, ticks: 45 };
        let all = Choices::each(5_000, |choices| comparison.add(&Run::of(&system, extent, choices)));
        assert!(all, "there are more runs");
        comparison.count(&mut tally);
    }
    tally
}

/// All phases, first events late or not, first jobs short or not, are tried.
#[test]
fn no_task_of_a_small_system_ends_later_however_it_begins() {
    let tally = all_beginnings_of(0..60);
    assert!(tally.bounds > 80 && tally.reached > 25 && tally.mean_share() > 0.6, "{tally:?}");
}

/// Where nothing is handed on, chains are tasks on one processor, and the response times of those
/// are exact: with interruption the bounds are the same, without it no longer (a blocking job has
/// begun a whole tick before).
/// tick before).
#[test]
fn bounds_of_chains_of_one_task_are_those_of_one_processor() {
    let mut compared = 0;
    for seed in 0..2_000 {
        let mut system = System::random(&mut Choices::random(seed), 1, 4, 1);
        system.chains.sort_by_key(|chain| chain.tasks[0].rank);
        let task = |chain: &Chain| {
            let arrivals = Arrivals::periodic(chain.period).late_by(chain.jitter);
            hemiola_schedulability::Task::new(chain.tasks[0].longest, arrivals)
        };
        let tasks: Vec<hemiola_schedulability::Task> = system.chains.iter().map(task).collect();
        let Some(bounds) = system.bounds(Propagation::BusyWindow) else { continue };
        let bounds: Vec<_> = bounds.into_iter().flatten().map(Ok).collect();
        match system.resources[0] {
            Scheduling::Preemptive => assert_eq!(bounds, fixed_priority::preemptive(&tasks, HORIZON), "{system}"),
            Scheduling::NonPreemptive => {
                let exact = fixed_priority::non_preemptive(&tasks, HORIZON);
                let mut both = bounds.iter().zip(&exact);
                let is_least = both.all(|(bound, exact)| bound.as_ref().ok() >= exact.as_ref().ok());
                assert!(is_least, "{bounds:?} are less than {exact:?}\n{system}");
            }
        }
        compared += 1;
    }
    assert!(compared > 1_000, "{compared}");
}

/// Takes some minutes:
/// `cargo test --release -p hemiola-schedulability --test compositional -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn no_task_of_50_000_systems_ends_later_than_its_bound() {
    println!("{:?}, {:?}", random_runs_of(1_000_000..1_050_000), all_beginnings_of(1_000_000..1_001_000));
}
