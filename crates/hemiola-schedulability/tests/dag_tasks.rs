//! Compares bounds of graphs that share cores with schedules that are simulated tick by tick:
//! random ones of random sets, and all of very small sets.

#[path = "shared/choices.rs"]
mod choices;

use std::fmt::{self, Display};

use choices::Choices;
use hemiola_analysis::dag::he_2019::{self, Dispatch};
use hemiola_analysis::dag::{Dag, Exact, graham_1969, he_2022, nasri_2019};
use hemiola_analysis::{NoBound, TimeSpan};
use hemiola_schedulability::dag::{DagTask, melani_2015, serrano_2016};

/// The horizon is far above all bounds of graphs this short.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(100_000);

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// Graphs by falling priority, and the number of cores.
#[derive(Debug, Clone)]
struct Set {
    workers: usize,
    tasks: Vec<DagTask>,
}

/// The times at which a core may be taken from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interruption {
    AtEveryTick,
    Never,
}

/// The possible differences between schedules of a set.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Each first run begins before this tick.
    phases: u64,
    /// The number of ticks, less one, by which later runs may come later than they could.
    gaps: u64,
    /// Set if nodes may also take less than their costs.
    shorter: bool,
    /// The number of ticks that are simulated.
    ticks: u64,
}

/// A run of a graph.
#[derive(Debug, Clone)]
struct Job {
    task: usize,
    release: u64,
    end: Option<u64>,
    left: Vec<u64>,
    has_begun: Vec<bool>,
    /// The number of nodes that each one waits for.
    waiting: Vec<usize>,
}

/// A schedule: for every tick, the nodes of jobs that run.
#[derive(Debug, Clone)]
struct Schedule {
    /// The places of each graph's nodes; of those that are ready, the first go first.
    orders: Vec<Vec<usize>>,
    jobs: Vec<Job>,
    ticks: Vec<Vec<(usize, usize)>>,
}

impl Schedule {
    /// Simulates the schedule that these choices lead to. Runs of a graph do not overlap: the next
    /// one waits for the end of the one before.
    fn of(set: &Set, interruption: Interruption, extent: Extent, choices: &mut Choices) -> Self {
        let mut next: Vec<u64> = set.tasks.iter().map(|_| choices.below(extent.phases)).collect();
        let orders = set.tasks.iter().map(|task| choices.order(task.graph.len())).collect();
        let mut schedule = Self { orders, jobs: Vec::new(), ticks: Vec::new() };
        let mut pending: Vec<usize> = Vec::new();
        for now in 0..extent.ticks {
            for (task, next) in next.iter_mut().enumerate() {
                if *next <= now && pending.iter().all(|&job| schedule.jobs[job].task != task) {
                    *next = now + set.tasks[task].period.as_nanoseconds() + choices.below(extent.gaps);
                    pending.push(schedule.jobs.len());
                    schedule.jobs.push(Job::new(&set.tasks[task].graph, task, now, extent.shorter, choices));
                }
            }
            let mut ready: Vec<(usize, usize)> = Vec::new();
            for &job in &pending {
                ready.extend(schedule.jobs[job].ready().map(|node| (job, node)));
            }
            ready.sort_by_key(|&(job, node)| {
                let Job { task, has_begun, .. } = &schedule.jobs[job];
                (!(interruption == Interruption::Never && has_begun[node]), *task, schedule.orders[*task][node])
            });
            ready.truncate(set.workers);
            for &(job, node) in &ready {
                let job = &mut schedule.jobs[job];
                job.run(node, &set.tasks[job.task].graph, now);
            }
            pending.retain(|&job| schedule.jobs[job].end.is_none());
            schedule.ticks.push(ready);
        }
        schedule
    }

    /// Returns the longest response time of every graph.
    fn responses(&self, tasks: usize) -> Vec<u64> {
        let mut longest = vec![0; tasks];
        for job in &self.jobs {
            longest[job.task] = longest[job.task].max(job.end.map_or(0, |end| end - job.release));
        }
        longest
    }
}

impl Job {
    fn new(graph: &Dag, task: usize, release: u64, shorter: bool, choices: &mut Choices) -> Self {
        let mut takes = |cost: &TimeSpan| {
            let cost = cost.as_nanoseconds();
            // At least half of the draws are the whole cost.
            if shorter && choices.below(2) == 1 { 1 + choices.below(cost) } else { cost }
        };
        let left = graph.costs().iter().map(&mut takes).collect();
        let waiting = (0..graph.len()).map(|node| graph.predecessors(node).len()).collect();
        Self { task, release, end: None, left, has_begun: vec![false; graph.len()], waiting }
    }

    fn ready(&self) -> impl Iterator<Item = usize> {
        (0..self.left.len()).filter(|&node| self.left[node] > 0 && self.waiting[node] == 0)
    }

    fn run(&mut self, node: usize, graph: &Dag, now: u64) {
        self.has_begun[node] = true;
        self.left[node] -= 1;
        if self.left[node] == 0 {
            graph.successors(node).iter().for_each(|&next| self.waiting[next] -= 1);
        }
        if self.left.iter().all(|&left| left == 0) {
            self.end = Some(now + 1);
        }
    }
}

impl Display for Set {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} cores", self.workers)?;
        for (number, DagTask { graph, period, .. }) in self.tasks.iter().enumerate() {
            let costs: Vec<u64> = graph.costs().iter().map(|cost| cost.as_nanoseconds()).collect();
            let edges: Vec<(usize, usize)> = (0..graph.len())
                .flat_map(|node| graph.successors(node).iter().map(move |&next| (node, next)))
                .collect();
            writeln!(formatter, "graph {number}: every {period}, costs {costs:?}, edges {edges:?}")?;
        }
        Ok(())
    }
}

/// Prints every tick, with `graph/node` for each core, and each run with its begin and end.
impl Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "places of nodes in each graph: {:?}", self.orders)?;
        for Job { task, release, end, .. } in &self.jobs {
            writeln!(formatter, "graph {task}: released at {release}, ends at {end:?}")?;
        }
        for (now, running) in self.ticks.iter().enumerate() {
            let names = running.iter().map(|&(job, node)| format!("{}/{node}", self.jobs[job].task));
            writeln!(formatter, "{now:4}: {}", names.collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

fn random_graph(choices: &mut Choices, most_nodes: u64, longest: u64) -> Dag {
    let nodes = choices.between(1, most_nodes);
    let costs: Vec<TimeSpan> = (0..nodes).map(|_| ns(choices.between(1, longest))).collect();
    let one_in = choices.between(1, 4);
    let mut edges = Vec::new();
    for to in 0..nodes as usize {
        edges.extend((0..to).filter(|_| choices.below(one_in) == 0).map(|from| (from, to)));
    }
    Dag::new(costs, edges).expect("edges lead upwards")
}

fn random_set(choices: &mut Choices, most_workers: u64, most_tasks: u64, most_nodes: u64) -> Set {
    let workers = choices.between(1, most_workers) as usize;
    let mut task = |_| {
        let longest = [2, 6, 12][choices.below(3) as usize];
        let graph = random_graph(choices, most_nodes, longest);
        // The period is often just enough for one run, and seldom much more.
        let least = graham_1969::makespan(&graph, workers).rounded_up().as_nanoseconds();
        let period = ns(least + choices.below(3 * graph.volume().as_nanoseconds()));
        DagTask { graph, period, deadline: period }
    };
    let tasks = (0..most_tasks).map(&mut task).collect();
    Set { workers, tasks }
}

type Bounds = Vec<Result<Exact, NoBound>>;

type Analysis = fn(&[DagTask], usize, TimeSpan) -> Bounds;

const POLICIES: [(Interruption, Analysis); 2] =
    [(Interruption::AtEveryTick, melani_2015::response_times), (Interruption::Never, serrano_2016::response_times)];

/// Returns whether one of these response times is longer than its bound.
fn exceed(seen: &[u64], bounds: &Bounds) -> bool {
    let exceeds = |(&seen, bound): (&u64, &Result<Exact, NoBound>)| {
        bound.as_ref().is_ok_and(|bound| bound.parts < ns(seen) * bound.workers)
    };
    seen.iter().zip(bounds).any(exceeds)
}

/// The results of many sets.
#[derive(Debug, Default)]
struct Tally {
    bounds: usize,
    /// The number of bounds that a schedule comes up to within a tick.
    reached: usize,
    /// The sum of the longest response times, each as a share of its bound.
    shares: f64,
}

impl Tally {
    fn add(&mut self, bounds: &Bounds, longest: &[u64]) {
        for (bound, &longest) in
            bounds.iter().zip(longest).filter_map(|(bound, seen)| Some((bound.as_ref().ok()?, seen)))
        {
            self.bounds += 1;
            self.reached += usize::from(bound.as_f64() < longest as f64 + 1.0);
            self.shares += longest as f64 / bound.as_f64();
        }
    }

    fn mean_share(&self) -> f64 {
        self.shares / self.bounds as f64
    }
}

/// Compares bounds with one schedule, and prints both if it takes longer.
fn compare(
    set: &Set,
    interruption: Interruption,
    extent: Extent,
    bounds: &Bounds,
    longest: &mut [u64],
    choices: &mut Choices,
) {
    let schedule = Schedule::of(set, interruption, extent, choices);
    let seen = schedule.responses(set.tasks.len());
    assert!(!exceed(&seen, bounds), "{seen:?} exceed {bounds:?}, interrupted {interruption:?}\n{set}{schedule}");
    longest.iter_mut().zip(seen).for_each(|(longest, seen)| *longest = seen.max(*longest));
}

fn random_schedules_of(sets: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in sets {
        let mut choices = Choices::random(seed);
        let most_tasks = choices.between(1, 3);
        let set = random_set(&mut choices, 4, most_tasks, 6);
        for (interruption, analysis) in POLICIES {
            let bounds = analysis(&set.tasks, set.workers, HORIZON);
            let mut longest = vec![0; set.tasks.len()];
            for number in 0..12 {
                let extent = Extent { phases: 20, gaps: 1 + number % 3, shorter: number % 2 == 1, ticks: 120 };
                compare(&set, interruption, extent, &bounds, &mut longest, &mut choices);
            }
            tally.add(&bounds, &longest);
        }
    }
    tally
}

#[test]
fn no_schedule_of_graphs_that_share_cores_exceeds_a_bound() {
    let tally = random_schedules_of(0..800);
    assert!(tally.bounds > 1500 && tally.reached > 500 && tally.mean_share() > 0.7, "{tally:?}");
}

/// Takes some minutes:
/// `cargo test --release -p hemiola-schedulability --test dag_tasks -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn no_schedule_of_200_000_sets_of_graphs_exceeds_a_bound() {
    let tally = random_schedules_of(1_000_000..1_200_000);
    println!("{tally:?}, mean share {:.3}", tally.mean_share());
}

/// All phases and orders of nodes are tried; nodes take as long as they can, and runs come as early
/// as they may.
#[test]
fn no_schedule_at_all_of_two_small_graphs_on_two_cores_exceeds_a_bound() {
    let extent = Extent { phases: 6, gaps: 1, shorter: false, ticks: 30 };
    let mut tally = Tally::default();
    for seed in 0..40 {
        let mut choices = Choices::random(seed);
        let set = Set { workers: 2, ..random_set(&mut choices, 2, 2, 3) };
        for (interruption, analysis) in POLICIES {
            let bounds = analysis(&set.tasks, set.workers, HORIZON);
            let mut longest = vec![0; set.tasks.len()];
            let all = Choices::each(6 * 6 * 6 * 6, |choices| {
                compare(&set, interruption, extent, &bounds, &mut longest, choices);
            });
            assert!(all, "there are more schedules");
            tally.add(&bounds, &longest);
        }
    }
    assert!(tally.bounds > 100 && tally.reached > 40 && tally.mean_share() > 0.7, "{tally:?}");
}

/// A cycle's bound rests on this: all orders of its nodes, and all times that they may take, are
/// tried.
#[test]
fn no_run_of_a_small_graph_alone_exceeds_a_bound() {
    let mut reached = 0;
    for seed in 0..60 {
        let mut choices = Choices::random(seed);
        let workers = choices.between(2, 3) as usize;
        let graph = random_graph(&mut choices, 4, 3);
        let (period, shortest) = (graph.volume(), vec![TimeSpan::TICK; graph.len()]);
        let set = Set { workers, tasks: vec![DagTask { graph, period, deadline: period }] };
        let graph = &set.tasks[0].graph;
        let any_order = [graham_1969::makespan(graph, workers), he_2022::makespan(graph, workers)];
        let mut longest = 0;
        for (interruption, dispatch) in
            [(Interruption::Never, Dispatch::NonPreemptive), (Interruption::AtEveryTick, Dispatch::Preemptive)]
        {
            let extent = Extent { phases: 1, gaps: 1, shorter: true, ticks: period.as_nanoseconds() };
            let all = Choices::each(50_000, |choices| {
                let schedule = Schedule::of(&set, interruption, extent, choices);
                let (order, end) = (&schedule.orders[0], schedule.responses(1)[0]);
                let by_order = he_2019::makespan(graph, order, workers, dispatch);
                let shortest_bound = any_order.iter().chain([&by_order]).map(|bound| bound.as_f64());
                for (name, bound) in ["Graham 1969", "He 2022", "He 2019"].into_iter().zip(shortest_bound) {
                    assert!(end as f64 <= bound, "{name}: {end} exceeds {bound}\n{set}{schedule}");
                }
                if interruption == Interruption::Never {
                    let hand_over = TimeSpan::ZERO;
                    let problem =
                        nasri_2019::Problem { graph, shortest: &shortest, priorities: order, workers, hand_over };
                    for (node, bound) in problem.ends().into_iter().flatten().enumerate() {
                        let last = schedule.ticks.iter().rposition(|running| running.contains(&(0, node)));
                        let end = last.map_or(TimeSpan::ZERO, |tick| ns(tick as u64 + 1));
                        assert!(
                            bound.earliest <= end && end <= bound.latest,
                            "Nasri 2019: node {node} ends at {end}, not in {bound:?}\n{set}{schedule}"
                        );
                    }
                }
                longest = longest.max(end);
            });
            assert!(all, "there are more schedules");
        }
        assert!(graham_1969::lower_bound(graph, workers) <= ns(longest));
        reached += usize::from(any_order.iter().any(|bound| bound.as_f64() < longest as f64 + 1.0));
    }
    assert!(reached > 45, "{reached}");
}

fn task(costs: &[u64], edges: &[(usize, usize)], period: u64) -> DagTask {
    let graph = Dag::new(costs.iter().copied().map(ns), edges.iter().copied()).expect("it has no circle");
    DagTask { graph, period: ns(period), deadline: ns(period) }
}

/// Returns the longest response time of one of two graphs, where each first begins then, and nodes
/// go in the order of their numbers.
fn response(set: &Set, interruption: Interruption, phases: [u64; 2], of: usize) -> u64 {
    let extent = Extent { phases: 1 + phases[0].max(phases[1]), gaps: 1, shorter: false, ticks: 60 };
    let mut choices = Choices::InTurn { answers: phases.map(|phase| (phase, extent.phases)).to_vec(), next: 0 };
    Schedule::of(set, interruption, extent, &mut choices).responses(2)[of]
}

/// A node waits for a tick, in which one core does other work of its graph, and the other one that
/// of a more important graph.
#[test]
fn the_formula_that_melani_published_is_exceeded() {
    let set = Set { workers: 2, tasks: vec![task(&[1], &[], 40), task(&[1, 1], &[], 40)] };
    assert_eq!(response(&set, Interruption::AtEveryTick, [0, 0], 1), 2);
    let of_second = |bounds: Bounds| bounds[1].clone().map(Exact::as_f64);
    assert_eq!(of_second(melani_2015::published(&set.tasks, 2, HORIZON)), Ok(1.5));
    assert_eq!(of_second(melani_2015::response_times(&set.tasks, 2, HORIZON)), Ok(2.0));
}

/// The second core runs a less important node as long as node 0 runs; then the others have one core
/// for all of them.
#[test]
fn the_formula_that_serrano_published_is_exceeded() {
    let edges = [(0, 1), (0, 2), (0, 3), (0, 4)];
    let set = Set { workers: 2, tasks: vec![task(&[1, 3, 3, 3, 3], &edges, 50), task(&[12, 12, 12], &[], 50)] };
    assert_eq!(response(&set, Interruption::Never, [1, 0], 0), 24);
    let of_first = |bounds: Bounds| bounds[0].clone().map(Exact::as_f64);
    assert_eq!(of_first(serrano_2016::published(&set.tasks, 2, HORIZON)), Ok(20.5));
    assert_eq!(of_first(serrano_2016::response_times(&set.tasks, 2, HORIZON)), Ok(26.5));
}
