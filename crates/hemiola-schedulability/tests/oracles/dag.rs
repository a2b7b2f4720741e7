use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Misfit, Tally, each_case, ticks};
use hemiola_analysis::dag::he_2019::{self, Dispatch};
use hemiola_analysis::dag::{Dag, Exact, graham_1969, he_2022, nasri_2019};
use hemiola_analysis::{NoBound, TimeSpan};
use hemiola_schedulability::dag::topcuoglu_2002::{Heterogeneous, Placed};
use hemiola_schedulability::dag::{DagTask, list_schedule, melani_2015, serrano_2016};

fn graph(wcet: &[u64], edges: &[(usize, usize)]) -> Result<Dag, Misfit> {
    if edges.iter().any(|&(from, to)| from.max(to) >= wcet.len()) {
        return Err("an edge of a node that is not there".into());
    }
    let graph = Dag::new(wcet.iter().copied().map(ticks), edges.iter().copied());
    graph.map_err(|_| "a graph with a circle".into())
}

fn counts(times: &[TimeSpan]) -> Vec<u64> {
    times.iter().map(|time| time.as_nanoseconds()).collect()
}

#[derive(Deserialize)]
struct ListCase {
    wcet: Vec<u64>,
    /// The shortest times; the longest if they are missing.
    bcet: Option<Vec<u64>>,
    edges: Vec<(usize, usize)>,
    /// Priorities by the name of their rule; the smaller, the more important.
    #[serde(default)]
    priority: BTreeMap<String, Vec<usize>>,
    length: Option<u64>,
    volume: Option<u64>,
    upward_rank: Option<Vec<u64>>,
    /// Expected values by the number of workers.
    expected: BTreeMap<usize, OnWorkers>,
}

#[derive(Deserialize)]
struct OnWorkers {
    lower_bound: Option<u64>,
    graham: Option<f64>,
    optimal: Option<u64>,
    /// Makespans by the name of the priorities, and values that nothing here compares.
    #[serde(flatten)]
    others: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Listed {
    start_wcet: Option<Vec<u64>>,
    finish_wcet: Option<Vec<u64>>,
    makespan_wcet: Option<u64>,
    makespan_bcet: Option<u64>,
    sag_finish_bounds: Option<Vec<(u64, u64)>>,
    sag_makespan_bound: Option<u64>,
    #[serde(flatten)]
    others: BTreeMap<String, serde_json::Value>,
}

const CRITICAL_PATH: &str = "critical_path_priority";

pub(super) fn list_scheduling(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("optima are not computed here: they must lie between the lower bound and every schedule");
    each_case(text, tally, |tally, case: ListCase| {
        let dag = graph(&case.wcet, &case.edges)?;
        let fastest = case.bcet.as_ref().unwrap_or(&case.wcet);
        let is_whole = |order: &Vec<usize>| order.len() == dag.len();
        if fastest.len() != dag.len() || !case.priority.values().all(is_whole) {
            return Err("execution times or priorities of another number of nodes".into());
        }
        tally.same_if("length", case.length, || dag.length().as_nanoseconds());
        tally.same_if("volume", case.volume, || dag.volume().as_nanoseconds());
        tally.same_if("upward_rank", case.upward_rank, || counts(&dag.upward_ranks()));
        tally.same_if(CRITICAL_PATH, case.priority.get(CRITICAL_PATH).cloned(), || dag.critical_path_first());
        for (workers, OnWorkers { lower_bound, graham, optimal, mut others }) in case.expected {
            tally.not_asked(&workers.to_string());
            let lower = graham_1969::lower_bound(&dag, workers).as_nanoseconds();
            tally.same_if("lower_bound", lower_bound, || lower);
            if let Some(expected) = graham {
                tally.near("graham", expected, graham_1969::makespan(&dag, workers).as_f64(), 1e-3);
            }
            if let Some(optimal) = optimal {
                tally.at_most("optimal", optimal, lower);
            }
            for (name, priorities) in &case.priority {
                let Some(listed) = others.remove(name) else { continue };
                let of = Scheduled { dag: &dag, shortest: fastest, priorities, workers };
                of.compare(tally, optimal, Listed::deserialize(listed)?);
            }
            others.keys().for_each(|value| tally.compared_with_nothing(value));
        }
        Ok(())
    })
}

/// A graph that is scheduled with these priorities.
struct Scheduled<'c> {
    dag: &'c Dag,
    shortest: &'c [u64],
    priorities: &'c [usize],
    workers: usize,
}

impl Scheduled<'_> {
    fn compare(&self, tally: &mut Tally, optimal: Option<u64>, expected: Listed) {
        let &Self { dag, shortest, priorities, workers } = self;
        let shortest: Vec<TimeSpan> = shortest.iter().copied().map(ticks).collect();
        let slowest = list_schedule::schedule(dag, priorities, workers);
        let fastest = list_schedule::schedule(&dag.with_costs(shortest.iter().copied()), priorities, workers);
        let (ends, makespan) = (counts(&slowest.ends), slowest.makespan().as_nanoseconds());
        tally.same_if("start_wcet", expected.start_wcet, || counts(&slowest.starts));
        tally.same_if("finish_wcet", expected.finish_wcet, || ends.clone());
        tally.same_if("makespan_wcet", expected.makespan_wcet, || makespan);
        tally.same_if("makespan_bcet", expected.makespan_bcet, || fastest.makespan().as_nanoseconds());
        if let Some(optimal) = optimal {
            tally.at_least("optimal", optimal, makespan);
        }
        // Our bounds hold for every schedule that was listed.
        let he = he_2019::makespan(dag, priorities, workers, Dispatch::NonPreemptive).rounded_up();
        tally.at_least("makespan_wcet (He 2019)", makespan, he.as_nanoseconds());
        let long_paths = he_2022::makespan(dag, workers).rounded_up();
        tally.at_least("makespan_wcet (He 2022)", makespan, long_paths.as_nanoseconds());
        let problem =
            nasri_2019::Problem { graph: dag, shortest: &shortest, priorities, workers, hand_over: TimeSpan::ZERO };
        let bounds = problem.ends().unwrap_or_default();
        for (bound, &end) in bounds.iter().zip(&ends) {
            tally.at_most("finish_wcet (earliest)", end, bound.earliest.as_nanoseconds());
            tally.at_least("finish_wcet (latest)", end, bound.latest.as_nanoseconds());
        }
        // The file's bounds hold for every schedule of ours.
        for (node, (earliest, latest)) in expected.sag_finish_bounds.into_iter().flatten().enumerate() {
            for end in [ends.get(node), counts(&fastest.ends).get(node)].into_iter().flatten() {
                tally.at_least("sag_finish_bounds (earliest)", earliest, *end);
                tally.at_most("sag_finish_bounds (latest)", latest, *end);
            }
        }
        if let Some(expected) = expected.sag_makespan_bound {
            if bounds.iter().map(|end| end.latest.as_nanoseconds()).max() != Some(expected) {
                tally.remark_case("interval analysis: the bound of the makespan is not the tool's, as states are united in another order");
            }
            // The interval analysis knows every schedule that priorities allow; Graham's bound
            // allows any order.
            let graham = graham_1969::makespan(dag, workers).rounded_up().as_nanoseconds();
            tally.at_least("sag_makespan_bound (Graham)", expected, graham);
        }
        expected.others.keys().for_each(|value| tally.compared_with_nothing(value));
    }
}

#[derive(Deserialize)]
struct SetCase {
    /// The number of processors, of a case or of its expected values.
    m: Option<usize>,
    tasks: Vec<SetTask>,
    expected: SetExpected,
}

#[derive(Deserialize)]
struct SetTask {
    period: u64,
    /// The deadline; the period if it is missing.
    deadline: Option<u64>,
    wcet: Vec<u64>,
    #[serde(default)]
    edges: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
struct SetExpected {
    m: Option<usize>,
    #[serde(default)]
    single: Vec<Single>,
    melani_ftp: Option<Verdict>,
    serrano_lp_ftp: Option<Verdict>,
}

#[derive(Deserialize)]
struct Single {
    len: Option<u64>,
    vol: Option<u64>,
    graham: Option<f64>,
    melani_makespan: Option<f64>,
    he2019_topo_prio: Option<f64>,
}

#[derive(Deserialize)]
struct Verdict {
    sched: bool,
    #[serde(rename = "R", default)]
    response_times: Vec<f64>,
}

/// The horizon is far above all bounds of tasks that meet their deadlines.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(1_000_000);

pub(super) fn task_sets(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("he2019: ours may be larger than the tool's, which follows one path only (dag/he_2019.rs), and is at most Graham's");
    each_case(text, tally, |tally, SetCase { m, tasks, expected }| {
        let workers = m.or(expected.m).ok_or("nothing says how many processors there are")?;
        ["m", "single"].iter().for_each(|value| tally.not_asked(value));
        let task = |task: &SetTask| -> Result<DagTask, Misfit> {
            let (period, deadline) = (ticks(task.period), ticks(task.deadline.unwrap_or(task.period)));
            Ok(DagTask { graph: graph(&task.wcet, &task.edges)?, period, deadline })
        };
        let tasks = tasks.iter().map(task).collect::<Result<Vec<DagTask>, Misfit>>()?;
        if expected.single.len() > tasks.len() {
            return Err("values of tasks that are not there".into());
        }
        for (DagTask { graph, .. }, single) in tasks.iter().zip(expected.single) {
            tally.same_if("len", single.len, || graph.length().as_nanoseconds());
            tally.same_if("vol", single.vol, || graph.volume().as_nanoseconds());
            let graham = graham_1969::makespan(graph, workers).as_f64();
            for (name, expected) in [("graham", single.graham), ("melani_makespan", single.melani_makespan)] {
                expected.into_iter().for_each(|expected| tally.near(name, expected, graham, 1e-6));
            }
            let mut priorities = vec![0; graph.len()];
            graph.topological_order().iter().enumerate().for_each(|(place, &node)| priorities[node] = place);
            let he = he_2019::makespan(graph, &priorities, workers, Dispatch::Preemptive).as_f64();
            if let Some(expected) = single.he2019_topo_prio {
                tally.at_least("he2019_topo_prio", expected - 1e-6, he);
                tally.at_most("he2019_topo_prio (Graham)", graham + 1e-6, he);
            }
        }
        let ours = Bounds::of(&tasks, melani_2015::response_times(&tasks, workers, HORIZON));
        if let Some(expected) = expected.melani_ftp.as_ref().filter(|expected| expected.sched) {
            // Schedules exceed the published bounds. Ours hold, and are never smaller.
            for (place, &expected) in expected.response_times.iter().enumerate() {
                tally.at_least("melani_ftp (mended)", expected - 1e-6, ours.get(place));
            }
        }
        let mut verdict = |name: &str, expected: Option<Verdict>, published: Vec<Result<Exact, NoBound>>| {
            let Some(expected) = expected else { return };
            let published = Bounds::of(&tasks, published);
            tally.same(name, expected.sched, published.in_time);
            if expected.sched {
                for (place, &expected) in expected.response_times.iter().enumerate() {
                    tally.near(name, expected, published.get(place), 1e-6);
                }
            }
        };
        verdict("melani_ftp", expected.melani_ftp, melani_2015::published(&tasks, workers, HORIZON));
        verdict("serrano_lp_ftp", expected.serrano_lp_ftp, serrano_2016::published(&tasks, workers, HORIZON));
        Ok(())
    })
}

/// The bounds of a set of graphs.
struct Bounds {
    bounds: Vec<Option<f64>>,
    /// Set if all are within their deadlines.
    in_time: bool,
}

impl Bounds {
    fn of(tasks: &[DagTask], bounds: Vec<Result<Exact, NoBound>>) -> Self {
        let bounds: Vec<Option<f64>> = bounds.into_iter().map(|bound| bound.ok().map(Exact::as_f64)).collect();
        let in_time = |(task, bound): (&DagTask, &Option<f64>)| {
            bound.is_some_and(|bound| bound <= task.deadline.as_nanoseconds() as f64)
        };
        let in_time = tasks.iter().zip(&bounds).all(in_time);
        Self { bounds, in_time }
    }

    fn get(&self, place: usize) -> f64 {
        self.bounds.get(place).copied().flatten().unwrap_or(f64::INFINITY)
    }
}

#[derive(Deserialize)]
struct HeftCase {
    /// The number of processors; as many as each node has execution times if it is missing.
    procs: Option<usize>,
    comp: Vec<Vec<u64>>,
    #[serde(default)]
    edges: Vec<(usize, usize, u64)>,
    expected: HeftExpected,
}

#[derive(Deserialize)]
struct HeftExpected {
    rank_u: Option<Vec<f64>>,
    rank_d: Option<Vec<f64>>,
    heft: Option<HeftSchedule>,
    cpop: Option<HeftSchedule>,
}

#[derive(Deserialize)]
struct HeftSchedule {
    makespan: Option<f64>,
    schedule: Option<BTreeMap<usize, (usize, f64, f64)>>,
    critical_path: Option<Vec<usize>>,
    cp_processor: Option<usize>,
}

pub(super) fn heft(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let file: serde_json::Value = serde_json::from_str(text)?;
    if let Some(canonical) = file.get("canonical") {
        tally.each(0, canonical, &mut compare_heft);
    }
    each_case(text, tally, compare_heft)
}

fn compare_heft(tally: &mut Tally, HeftCase { procs, comp, edges, expected }: HeftCase) -> Result<(), Misfit> {
    ["heft", "cpop"].iter().for_each(|value| tally.not_asked(value));
    let processors = procs.or(comp.first().map(Vec::len)).unwrap_or(0);
    if comp.iter().any(|costs| costs.len() != processors) {
        return Err("execution times on another number of processors".into());
    }
    if edges.iter().any(|&(from, to, _)| from.max(to) >= comp.len()) {
        return Err("an edge of a node that is not there".into());
    }
    let costs: Vec<Vec<TimeSpan>> = comp.iter().map(|costs| costs.iter().copied().map(ticks).collect()).collect();
    let problem = Heterogeneous::new(costs, edges.iter().map(|&(a, b, wait)| (a, b, ticks(wait))));
    let problem = problem.map_err(|_| "a graph with a circle")?;
    let mut ranks = |name: &str, expected: Option<Vec<f64>>, parts: Vec<TimeSpan>| {
        let Some(expected) = expected else { return };
        tally.same(name, expected.len(), parts.len());
        for (expected, parts) in expected.into_iter().zip(parts) {
            tally.near(name, expected, parts.as_nanoseconds() as f64 / processors as f64, 1e-3);
        }
    };
    ranks("rank_u", expected.rank_u, problem.upward_ranks());
    ranks("rank_d", expected.rank_d, problem.downward_ranks());
    for (name, expected, got) in [("heft", expected.heft, problem.heft()), ("cpop", expected.cpop, problem.cpop())] {
        let Some(HeftSchedule { makespan, schedule, critical_path, cp_processor }) = expected else { continue };
        let exact = |time: TimeSpan| time.as_nanoseconds() as f64;
        let row = |placed: &Placed| (placed.processor, exact(placed.start), exact(placed.end));
        tally.same_if(&format!("{name} schedule"), schedule, || got.nodes.iter().map(row).enumerate().collect());
        tally.same_if(&format!("{name} makespan"), makespan, || exact(got.makespan()));
        let critical = problem.critical_path();
        tally.same_if(&format!("{name} critical_path"), critical_path, || critical.nodes.clone());
        tally.same_if(&format!("{name} cp_processor"), cp_processor, || critical.processor);
    }
    Ok(())
}
