//! Compares schedules of HEFT and CPOP on unlike processors with their definitions, read off all
//! paths, and with the shortest schedule; and the bound on workers of several types with all
//! schedules.

#[path = "shared/choices.rs"]
mod choices;

use std::cmp::Reverse;
use std::fmt::{self, Display};

use choices::Choices;
use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::Dag;
use hemiola_schedulability::dag::han_2019;
use hemiola_schedulability::dag::topcuoglu_2002::{Heterogeneous, Placed, Placement};

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// Costs of nodes by processor, and edges with the time that communication takes.
#[derive(Debug, Clone)]
struct System {
    costs: Vec<Vec<u64>>,
    edges: Vec<(usize, usize, u64)>,
    processors: usize,
}

/// The processor of a node, its begin and its end.
type Row = (usize, u64, u64);

impl System {
    /// Draws a system in which numbers are not in the order of paths, and many nodes tie.
    fn random(choices: &mut Choices, most_nodes: u64) -> Self {
        let nodes = choices.between(1, most_nodes) as usize;
        let processors = choices.between(1, 3) as usize;
        let (longest, shortest) = (choices.between(1, 6), choices.below(2));
        let mut cost = || choices.between(shortest, longest);
        let costs = (0..nodes).map(|_| (0..processors).map(|_| cost()).collect()).collect();
        let names = choices.order(nodes);
        let (one_in, communication) = (choices.between(1, 4), choices.between(1, 6));
        let mut edges = Vec::new();
        for to in 0..nodes {
            for from in 0..to {
                if choices.below(one_in) == 0 {
                    edges.push((names[from], names[to], choices.below(communication)));
                }
            }
        }
        if choices.below(2) == 1 {
            edges.reverse();
        }
        Self { costs, edges, processors }
    }

    fn problem(&self) -> Heterogeneous {
        let costs = self.costs.iter().map(|costs| costs.iter().copied().map(ns).collect()).collect();
        let edges = self.edges.iter().map(|&(from, to, takes)| (from, to, ns(takes)));
        Heterogeneous::new(costs, edges).expect("edges follow an order")
    }

    /// Returns the sum of a node's costs on all processors, which is its mean cost times their
    /// number.
    fn sum(&self, node: usize) -> u64 {
        self.costs[node].iter().sum()
    }

    /// Returns all paths that begin with a node and end where nothing follows, each with its length
    /// in parts.
    fn paths(&self, node: usize) -> Vec<(u64, Vec<usize>)> {
        let mut paths = Vec::new();
        for &(_, next, takes) in self.edges.iter().filter(|&&(from, ..)| from == node) {
            for (length, path) in self.paths(next) {
                let length = self.sum(node) + takes * self.processors as u64 + length;
                paths.push((length, [vec![node], path].concat()));
            }
        }
        if paths.is_empty() {
            paths.push((self.sum(node), vec![node]));
        }
        paths
    }

    fn upward_rank(&self, node: usize) -> u64 {
        self.paths(node).into_iter().map(|(length, _)| length).max().unwrap_or(0)
    }

    /// Returns the rank from the other end, without the node itself.
    fn downward_rank(&self, node: usize) -> u64 {
        let turned = self.edges.iter().map(|&(from, to, takes)| (to, from, takes)).collect();
        Self { edges: turned, ..self.clone() }.upward_rank(node) - self.sum(node)
    }

    fn predecessors(&self, node: usize) -> impl Iterator<Item = (usize, u64)> {
        self.edges.iter().filter(move |&&(_, to, _)| to == node).map(|&(from, _, takes)| (from, takes))
    }

    /// Returns when a node can begin at the earliest, given what it waits for.
    fn arrival(&self, placed: &[Option<Row>], node: usize, processor: usize) -> u64 {
        let arrives = |(from, takes): (usize, u64)| {
            let (on, _, end) = placed[from].expect("predecessors come first");
            end + if on == processor { 0 } else { takes }
        };
        self.predecessors(node).map(arrives).max().unwrap_or(0)
    }

    /// Schedules as the paper describes, tick by tick: of the ready nodes the one with the highest
    /// rank goes where it ends first.
    fn by_rank(&self, rank: impl Fn(usize) -> u64, allowed: impl Fn(usize, usize) -> bool) -> Vec<Row> {
        let mut placed: Vec<Option<Row>> = vec![None; self.costs.len()];
        for _ in 0..self.costs.len() {
            let is_ready = |&node: &usize| {
                placed[node].is_none() && self.predecessors(node).all(|(from, _)| placed[from].is_some())
            };
            let ready = (0..self.costs.len()).filter(is_ready);
            let node = ready.max_by_key(|&node| (rank(node), Reverse(node))).expect("there is no circle");
            let on = |processor: usize| {
                let cost = self.costs[node][processor];
                let is_free = |&start: &u64| {
                    let mut there = placed.iter().flatten().filter(|row| row.0 == processor);
                    there.all(|&(_, begin, end)| end <= start || start + cost <= begin)
                };
                let start = (self.arrival(&placed, node, processor)..).find(is_free).expect("it ends some time");
                (processor, start, start + cost)
            };
            let places = (0..self.processors).filter(|&processor| allowed(node, processor)).map(on);
            placed[node] = places.min_by_key(|&(processor, _, end)| (end, processor));
        }
        placed.into_iter().flatten().collect()
    }

    /// Returns the shortest makespan: every order, each node on every processor, as early as it
    /// can.
    fn optimum(&self) -> u64 {
        let mut best = u64::MAX;
        self.search(&mut vec![None; self.costs.len()], &mut vec![0; self.processors], 0, &mut best);
        best
    }

    fn search(&self, placed: &mut Vec<Option<Row>>, free: &mut Vec<u64>, makespan: u64, best: &mut u64) {
        if makespan >= *best {
            return;
        }
        if placed.iter().all(Option::is_some) {
            *best = makespan;
        }
        for node in 0..self.costs.len() {
            if placed[node].is_some() || self.predecessors(node).any(|(from, _)| placed[from].is_none()) {
                continue;
            }
            for processor in 0..self.processors {
                let (before, start) = (free[processor], self.arrival(placed, node, processor).max(free[processor]));
                let end = start + self.costs[node][processor];
                (placed[node], free[processor]) = (Some((processor, start, end)), end);
                self.search(placed, free, makespan.max(end), best);
                (placed[node], free[processor]) = (None, before);
            }
        }
    }

    /// Returns why rows are no schedule of this system, if they are none.
    fn fault(&self, rows: &[Row]) -> Option<String> {
        let placed: Vec<Option<Row>> = rows.iter().copied().map(Some).collect();
        for (node, &(processor, start, end)) in rows.iter().enumerate() {
            if end != start + self.costs[node][processor] {
                return Some(format!("node {node} does not take what it costs"));
            }
            if start < self.arrival(&placed, node, processor) {
                return Some(format!("node {node} begins before what it waits for has arrived"));
            }
            for (other, &(on, begin, until)) in rows.iter().enumerate().filter(|&(other, _)| other != node) {
                if on == processor && start < until && begin < end {
                    return Some(format!("nodes {node} and {other} overlap"));
                }
            }
        }
        None
    }

    /// Returns the time if nodes run one after the other, each after a message from another
    /// processor, on the fastest of the processors that they may use.
    fn one_after_the_other(&self, allowed: impl Fn(usize, usize) -> bool) -> u64 {
        let of_one = |node: usize| {
            let costs = (0..self.processors).filter(|&processor| allowed(node, processor));
            let cost = costs.map(|processor| self.costs[node][processor]).min().unwrap_or(0);
            cost + self.predecessors(node).map(|(_, takes)| takes).max().unwrap_or(0)
        };
        (0..self.costs.len()).map(of_one).sum()
    }

    /// Compares both heuristics with their definitions and with bounds that hold for every
    /// schedule.
    fn compare(&self, optimum: Option<u64>) -> [u64; 2] {
        let problem = self.problem();
        let parts = |ranks: Vec<TimeSpan>| -> Vec<u64> { ranks.iter().map(|rank| rank.as_nanoseconds()).collect() };
        let nodes = 0..self.costs.len();
        let up: Vec<u64> = nodes.clone().map(|node| self.upward_rank(node)).collect();
        let down: Vec<u64> = nodes.clone().map(|node| self.downward_rank(node)).collect();
        assert_eq!(parts(problem.upward_ranks()), up, "upward ranks\n{self}");
        assert_eq!(parts(problem.downward_ranks()), down, "downward ranks\n{self}");

        let critical = problem.critical_path();
        let entries = nodes.clone().filter(|&node| self.predecessors(node).next().is_none());
        let paths: Vec<(u64, Vec<usize>)> = entries.flat_map(|node| self.paths(node)).collect();
        let longest = paths.iter().map(|&(length, _)| length).max();
        let is_longest = paths.iter().any(|(length, path)| Some(*length) == longest && *path == critical.nodes);
        assert!(is_longest, "{:?} is none of the longest paths ({longest:?})\n{self}", critical.nodes);
        let on = |&processor: &usize| critical.nodes.iter().map(|&node| self.costs[node][processor]).sum::<u64>();
        assert_eq!(Some(critical.processor), (0..self.processors).min_by_key(on), "critical path's processor\n{self}");

        let anywhere = |_, _| true;
        let on_path = |node: usize, processor| !critical.nodes.contains(&node) || processor == critical.processor;
        let expected = [self.by_rank(|node| up[node], anywhere), self.by_rank(|node| up[node] + down[node], on_path)];
        let at_most = [self.one_after_the_other(anywhere), self.one_after_the_other(on_path)];
        let mut makespans = [0; 2];
        for (number, (name, got)) in [("HEFT", problem.heft()), ("CPOP", problem.cpop())].into_iter().enumerate() {
            let (rows, makespan) = (rows(&got), got.makespan().as_nanoseconds());
            let schedule = rows.iter().enumerate().map(|(node, row)| format!("node {node}: {row:?}\n"));
            let both = format!("\n{self}{name}, node: (processor, begin, end)\n{}", schedule.collect::<String>());
            assert_eq!(self.fault(&rows), None, "{both}");
            assert_eq!(rows, expected[number], "another schedule than the paper's{both}");
            assert!(makespan <= at_most[number], "{makespan} is longer than {}{both}", at_most[number]);
            assert!(optimum.is_none_or(|optimum| optimum <= makespan), "shorter than {optimum:?}, the shortest{both}");
            makespans[number] = makespan;
        }
        makespans
    }
}

fn rows(placement: &Placement) -> Vec<Row> {
    let row = |&Placed { processor, start, end }: &Placed| (processor, start.as_nanoseconds(), end.as_nanoseconds());
    placement.nodes.iter().map(row).collect()
}

impl Display for System {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (node, costs) in self.costs.iter().enumerate() {
            writeln!(formatter, "node {node}: costs by processor {costs:?}")?;
        }
        writeln!(formatter, "edges and what communication takes: {:?}", self.edges)
    }
}

/// The lengths of schedules in the mean, as shares of the shortest, and how many are as short.
#[derive(Debug, Default)]
struct Tally {
    systems: usize,
    shares: [f64; 2],
    shortest: [usize; 2],
}

fn compare_with_the_shortest(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let system = System::random(&mut Choices::random(seed), 5);
        let optimum = system.optimum();
        let makespans = system.compare(Some(optimum));
        tally.systems += 1;
        for (number, makespan) in makespans.into_iter().enumerate() {
            tally.shares[number] += makespan.max(1) as f64 / optimum.max(1) as f64;
            tally.shortest[number] += usize::from(makespan == optimum);
        }
    }
    tally
}

#[test]
fn heft_and_cpop_do_what_their_paper_says_and_nothing_is_shorter_than_the_shortest() {
    let Tally { systems, shares, shortest } = compare_with_the_shortest(0..1_000);
    // Poor schedules would pass all other checks.
    assert!(shortest.into_iter().all(|shortest| shortest > systems / 2), "{shortest:?} of {systems}");
    assert!(shares.into_iter().all(|share| share < 1.2 * systems as f64), "{shares:?} of {systems}");
}

#[test]
fn heft_and_cpop_do_what_their_paper_says_with_more_nodes() {
    for seed in 0..300 {
        System::random(&mut Choices::random(seed), 10).compare(None);
    }
}

/// Takes a minute:
/// `cargo test --release -p hemiola-schedulability --test unlike_processors -- --ignored`
#[test]
#[ignore = "takes a minute"]
fn heft_and_cpop_do_what_their_paper_says_for_200_000_graphs() {
    println!("{:?}", compare_with_the_shortest(1_000_000..1_200_000));
}

/// The edge from 0 to 2 leads past node 1, and all three lie on the longest path.
#[test]
fn the_critical_path_takes_no_short_cut() {
    for edges in [[(0, 2, 0), (0, 1, 0), (1, 2, 0)], [(0, 1, 0), (1, 2, 0), (0, 2, 0)]] {
        let system = System { costs: vec![vec![2, 3], vec![9, 1], vec![2, 3]], edges: edges.to_vec(), processors: 2 };
        let critical = system.problem().critical_path();
        assert_eq!((critical.nodes, critical.processor), (vec![0, 1, 2], 1));
        assert_eq!(rows(&system.problem().cpop()), [(1, 0, 3), (1, 3, 4), (1, 4, 7)]);
    }
}

/// Node 0 waits for node 2, and then its rank is that of node 1.
#[test]
fn of_ready_nodes_with_equal_ranks_the_smaller_one_goes_first() {
    let system = System { costs: vec![vec![1]; 3], edges: vec![(2, 0, 0)], processors: 1 };
    assert_eq!(rows(&system.problem().heft()), [(0, 1, 2), (0, 2, 3), (0, 0, 1)]);
}

/// Returns when all nodes have ended, if free workers of a type run any ready node of it, and none
/// is interrupted.
fn typed_run(dag: &Dag, types: &[usize], workers: &[usize], choices: &mut Choices) -> (u64, Vec<Row>) {
    let order = choices.order(dag.len());
    let costs: Vec<u64> = dag.costs().iter().map(|cost| cost.as_nanoseconds()).collect();
    let takes: Vec<u64> = costs.iter().map(|cost| cost - choices.below(*cost)).collect();
    let mut rows: Vec<Option<Row>> = vec![None; dag.len()];
    for now in 0..=costs.iter().sum() {
        for (kind, &workers) in workers.iter().enumerate() {
            let running = rows.iter().flatten().filter(|row| row.0 == kind && row.2 > now).count();
            let has_ended = |node: &usize| rows[*node].is_some_and(|row| row.2 <= now);
            let is_ready = |&node: &usize| {
                types[node] == kind && rows[node].is_none() && dag.predecessors(node).iter().all(has_ended)
            };
            let mut ready: Vec<usize> = (0..dag.len()).filter(is_ready).collect();
            ready.sort_by_key(|&node| order[node]);
            for node in ready.into_iter().take(workers - running) {
                rows[node] = Some((kind, now, now + takes[node]));
            }
        }
    }
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    assert_eq!(rows.len(), dag.len(), "all nodes run");
    (rows.iter().map(|row| row.2).max().unwrap_or(0), rows)
}

#[test]
fn no_run_on_workers_of_several_types_exceeds_its_bound() {
    let mut reached = 0;
    for seed in 0..120 {
        let mut choices = Choices::random(seed);
        let nodes = choices.between(1, 4) as usize;
        let costs: Vec<u64> = (0..nodes).map(|_| choices.between(1, 3)).collect();
        let types: Vec<usize> = (0..nodes).map(|_| choices.below(2) as usize).collect();
        let workers = [choices.between(1, 2) as usize, choices.between(1, 2) as usize];
        let pairs = (0..nodes).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges: Vec<(usize, usize)> = pairs.filter(|_| choices.below(3) == 0).collect();
        let dag = Dag::new(costs.iter().copied().map(ns), edges.iter().copied()).expect("edges lead upwards");
        let bound = han_2019::makespan(&dag, &types, &workers).as_f64();
        let mut longest = 0;
        let all = Choices::each(10_000, |choices| {
            let (makespan, rows) = typed_run(&dag, &types, &workers, choices);
            assert!(
                makespan as f64 <= bound,
                "{makespan} exceeds {bound}: costs {costs:?}, types {types:?}, edges {edges:?}, {workers:?} workers; \
                 (type, begin, end) of nodes: {rows:?}"
            );
            longest = longest.max(makespan);
        });
        assert!(all, "there are more schedules");
        reached += usize::from(bound < longest as f64 + 1.0);
    }
    assert!(reached > 60, "{reached}");
}
