use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Tally, cases, ticks};
use hemiola_analysis::dag::he_2019::{self, Dispatch};
use hemiola_analysis::dag::{Dag, Exact, graham_1969, he_2022, nasri_2019};
use hemiola_analysis::{NoBound, TimeSpan};
use hemiola_schedulability::dag::topcuoglu_2002::Heterogeneous;
use hemiola_schedulability::dag::{DagTask, list_schedule, melani_2015, serrano_2016};

fn graph(wcet: &[u64], edges: &[(usize, usize)]) -> Dag {
    Dag::new(wcet.iter().copied().map(ticks), edges.iter().copied()).unwrap_or_else(|_| empty())
}

/// What a damaged file's graph becomes: it then differs in everything.
fn empty() -> Dag {
    Dag::new([], []).expect("nothing waits for nothing")
}

fn counts(times: &[TimeSpan]) -> Vec<u64> {
    times.iter().map(|time| time.as_nanoseconds()).collect()
}

#[derive(Deserialize)]
struct ListCase {
    id: String,
    wcet: Vec<u64>,
    bcet: Vec<u64>,
    edges: Vec<(usize, usize)>,
    priority: BTreeMap<String, Vec<usize>>,
    length: u64,
    volume: u64,
    upward_rank: Vec<u64>,
    expected: BTreeMap<usize, serde_json::Value>,
}

#[derive(Deserialize)]
struct Bounds {
    lower_bound: u64,
    graham: f64,
    optimal: u64,
}

#[derive(Deserialize)]
struct Starts {
    start_wcet: Vec<u64>,
    finish_wcet: Vec<u64>,
    makespan_wcet: u64,
    makespan_bcet: u64,
    sag_makespan_bound: u64,
}

pub(super) fn list_scheduling(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("optima are not computed here: they must lie between the lower bound and every schedule");
    for case in cases::<ListCase>(text, tally)? {
        tally.case(&case.id);
        let dag = graph(&case.wcet, &case.edges);
        tally.same("length", case.length, dag.length().as_nanoseconds());
        tally.same("volume", case.volume, dag.volume().as_nanoseconds());
        tally.same("upward_rank", case.upward_rank, counts(&dag.upward_ranks()));
        let by_path = &case.priority["critical_path_priority"];
        tally.same("critical_path_priority", by_path, &dag.critical_path_first());
        for (workers, expected) in case.expected {
            tally.not_asked(&workers.to_string());
            let bounds = Bounds::deserialize(&expected)?;
            let graham = graham_1969::makespan(&dag, workers);
            let lower = graham_1969::lower_bound(&dag, workers).as_nanoseconds();
            tally.same("lower_bound", bounds.lower_bound, lower);
            tally.near("graham", bounds.graham, graham.as_f64(), 1e-3);
            tally.at_most("optimal", bounds.optimal, lower);
            for (name, priorities) in &case.priority {
                let starts = Starts::deserialize(&expected[name])?;
                let schedule = list_schedule::schedule(&dag, priorities, workers);
                let fastest = dag.with_costs(case.bcet.iter().copied().map(ticks));
                tally.same("start_wcet", starts.start_wcet, counts(&schedule.starts));
                tally.same("finish_wcet", &starts.finish_wcet, &counts(&schedule.ends));
                tally.same("makespan_wcet", starts.makespan_wcet, schedule.makespan().as_nanoseconds());
                let fastest = list_schedule::schedule(&fastest, priorities, workers).makespan();
                tally.same("makespan_bcet", starts.makespan_bcet, fastest.as_nanoseconds());
                tally.at_least("optimal", bounds.optimal, schedule.makespan().as_nanoseconds());
                let he = he_2019::makespan(&dag, priorities, workers, Dispatch::NonPreemptive).rounded_up();
                tally.at_least("makespan_wcet (He 2019)", starts.makespan_wcet, he.as_nanoseconds());
                let long_paths = he_2022::makespan(&dag, workers).rounded_up();
                tally.at_least("makespan_wcet (He 2022)", starts.makespan_wcet, long_paths.as_nanoseconds());
                let shortest: Vec<TimeSpan> = case.bcet.iter().copied().map(ticks).collect();
                let hand_over = TimeSpan::ZERO;
                let problem = nasri_2019::Problem { graph: &dag, shortest: &shortest, priorities, workers, hand_over };
                let ends = problem.ends().unwrap_or_default();
                for (node, end) in ends.iter().enumerate() {
                    tally.at_most("finish_wcet (earliest)", starts.finish_wcet[node], end.earliest.as_nanoseconds());
                    tally.at_least("finish_wcet (latest)", starts.finish_wcet[node], end.latest.as_nanoseconds());
                }
                let latest = ends.iter().map(|end| end.latest.as_nanoseconds()).max().unwrap_or(0);
                if latest != starts.sag_makespan_bound {
                    tally.remark_case("interval analysis: the bound of the makespan is not the tool's, as states are united in another order");
                }
                // The interval analysis knows every schedule that priorities allow; Graham's bound allows any order.
                tally.at_least(
                    "sag_makespan_bound (Graham)",
                    starts.sag_makespan_bound,
                    graham.rounded_up().as_nanoseconds(),
                );
            }
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct SetCase {
    id: String,
    tasks: Vec<SetTask>,
    expected: SetExpected,
}

#[derive(Deserialize)]
struct SetTask {
    period: u64,
    deadline: u64,
    wcet: Vec<u64>,
    edges: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
struct SetExpected {
    m: usize,
    single: Vec<Single>,
    melani_ftp: Verdict,
    serrano_lp_ftp: Verdict,
}

#[derive(Deserialize)]
struct Single {
    len: u64,
    vol: u64,
    graham: f64,
    melani_makespan: f64,
    he2019_topo_prio: f64,
}

#[derive(Deserialize)]
struct Verdict {
    sched: bool,
    #[serde(rename = "R")]
    response_times: Vec<f64>,
}

pub(super) fn task_sets(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("he2019: ours may be larger than the tool's, which follows one path only (dag/he_2019.rs), and is at most Graham's");
    for SetCase { id, tasks, expected } in cases(text, tally)? {
        tally.case(id);
        tally.not_asked("m");
        tally.not_asked("single");
        let workers = expected.m;
        let tasks: Vec<DagTask> = tasks
            .iter()
            .map(|task| DagTask {
                graph: graph(&task.wcet, &task.edges),
                period: ticks(task.period),
                deadline: ticks(task.deadline),
            })
            .collect();
        for (DagTask { graph, .. }, single) in tasks.iter().zip(expected.single) {
            tally.same("len", single.len, graph.length().as_nanoseconds());
            tally.same("vol", single.vol, graph.volume().as_nanoseconds());
            let graham = graham_1969::makespan(graph, workers).as_f64();
            tally.near("graham", single.graham, graham, 1e-6);
            tally.near("melani_makespan", single.melani_makespan, graham, 1e-6);
            let mut priorities = vec![0; graph.len()];
            graph.topological_order().iter().enumerate().for_each(|(place, &node)| priorities[node] = place);
            let he = he_2019::makespan(graph, &priorities, workers, Dispatch::Preemptive).as_f64();
            tally.at_least("he2019_topo_prio", single.he2019_topo_prio - 1e-6, he);
        }
        let horizon = ticks(1_000_000);
        let mut verdict = |name: &str, expected: Verdict, bounds: Vec<Result<Exact, NoBound>>| {
            let bounds: Vec<Option<f64>> = bounds.into_iter().map(|bound| bound.ok().map(Exact::as_f64)).collect();
            let in_time = |(task, bound): (&DagTask, &Option<f64>)| {
                bound.is_some_and(|bound| bound <= task.deadline.as_nanoseconds() as f64)
            };
            tally.same(name, expected.sched, tasks.iter().zip(&bounds).all(in_time));
            if expected.sched {
                for (&expected, bound) in expected.response_times.iter().zip(&bounds) {
                    tally.near(name, expected, bound.unwrap_or(f64::INFINITY), 1e-6);
                }
            }
        };
        verdict("melani_ftp", expected.melani_ftp, melani_2015::response_times(&tasks, workers, horizon));
        verdict("serrano_lp_ftp", expected.serrano_lp_ftp, serrano_2016::response_times(&tasks, workers, horizon));
    }
    Ok(())
}

#[derive(Deserialize)]
struct HeftFile {
    canonical: Option<HeftCase>,
}

#[derive(Deserialize)]
struct HeftCase {
    id: String,
    procs: u64,
    comp: Vec<Vec<u64>>,
    edges: Vec<(usize, usize, u64)>,
    expected: HeftExpected,
}

#[derive(Deserialize)]
struct HeftExpected {
    rank_u: Vec<f64>,
    rank_d: Vec<f64>,
    heft: HeftSchedule,
    cpop: CpopSchedule,
}

#[derive(Deserialize)]
struct HeftSchedule {
    makespan: f64,
    schedule: BTreeMap<usize, (usize, f64, f64)>,
}

#[derive(Deserialize)]
struct CpopSchedule {
    makespan: f64,
    critical_path: Vec<usize>,
    cp_processor: usize,
    schedule: Option<BTreeMap<usize, (usize, f64, f64)>>,
}

pub(super) fn heft(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let HeftFile { canonical } = serde_json::from_str(text)?;
    for HeftCase { id, procs, comp, edges, expected } in canonical.into_iter().chain(cases(text, tally)?) {
        tally.case(id);
        tally.not_asked("heft");
        tally.not_asked("cpop");
        let costs: Vec<Vec<TimeSpan>> = comp.iter().map(|costs| costs.iter().copied().map(ticks).collect()).collect();
        let Ok(problem) = Heterogeneous::new(costs, edges.iter().map(|&(a, b, wait)| (a, b, ticks(wait)))) else {
            tally.same("graph", "one without circles", "a circle");
            continue;
        };
        let mean = |parts: TimeSpan| parts.as_nanoseconds() as f64 / procs as f64;
        for (expected, got) in expected.rank_u.iter().zip(problem.upward_ranks()) {
            tally.near("rank_u", *expected, mean(got), 1e-3);
        }
        for (expected, got) in expected.rank_d.iter().zip(problem.downward_ranks()) {
            tally.near("rank_d", *expected, mean(got), 1e-3);
        }
        let table =
            |placement: &hemiola_schedulability::dag::topcuoglu_2002::Placement| -> BTreeMap<usize, (usize, f64, f64)> {
                let exact = |time: TimeSpan| time.as_nanoseconds() as f64;
                let row = |placed: &hemiola_schedulability::dag::topcuoglu_2002::Placed| {
                    (placed.processor, exact(placed.start), exact(placed.end))
                };
                placement.nodes.iter().map(row).enumerate().collect()
            };
        let (heft, cpop) = (problem.heft(), problem.cpop());
        tally.same("heft schedule", &expected.heft.schedule, &table(&heft));
        tally.near("heft makespan", expected.heft.makespan, heft.makespan().as_nanoseconds() as f64, 0.0);
        let critical = problem.critical_path();
        tally.same("cpop critical_path", &expected.cpop.critical_path, &critical.nodes);
        tally.same("cpop cp_processor", expected.cpop.cp_processor, critical.processor);
        tally.near("cpop makespan", expected.cpop.makespan, cpop.makespan().as_nanoseconds() as f64, 0.0);
        if let Some(schedule) = &expected.cpop.schedule {
            tally.same("cpop schedule", schedule, &table(&cpop));
        }
    }
    Ok(())
}
