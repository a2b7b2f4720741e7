//! Real module graphs and workloads as plans. The figures are those that were published with the
//! data, where the definitions agree; where they do not, the comment says why.

mod shared;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_plan::{
    Access, Durations, Plan, PlanOptions, Policy, ResolvedCycle, RobotDescription, Simulation, SimulationOptions,
    TaskGraph, TaskKind, Warning, WorkerChoice, datasets, resolve,
};

/// Returns the robot of a soccer team: motion and cognition, 119 modules.
fn soccer_robot() -> Option<RobotDescription> {
    Some(datasets::module_graph(&shared::data_file("graphs/naodevils-2024.json")?).expect("it can be read").robot)
}

/// Returns the graph of a cycle without the tasks that publish, which the published figures do not
/// count.
fn updates_only(cycle: &ResolvedCycle) -> TaskGraph {
    TaskGraph::of(&ResolvedCycle { publishes: Vec::new(), ..cycle.clone() })
}

fn workload(name: &str) -> Option<datasets::Workload> {
    Some(datasets::workload(&shared::data_file(&format!("graphs/dispatch-{name}.json"))?).expect("it can be read"))
}

fn critical_path(graph: &TaskGraph) -> usize {
    graph.critical_path(&Durations::default()).tasks.len()
}

fn distinct_edges(graph: &TaskGraph) -> usize {
    graph.edges().map(|edge| (edge.from, edge.to)).collect::<BTreeSet<_>>().len()
}

#[test]
fn the_soccer_robot_has_the_published_tasks() {
    let Some(system) = soccer_robot() else { return };
    let resolved = resolve(&system).expect("the configuration was valid on the robot");
    let [motion, cognition] = &resolved.cycles[..] else { panic!("two cycles") };
    let (motion_graph, cognition_graph) = (updates_only(motion), updates_only(cognition));

    assert_eq!((motion_graph.tasks().len(), cognition_graph.tasks().len()), (63, 149));
    assert_eq!((motion_graph.width(), cognition_graph.width()), (15, 36));
    // The release chains the exclusive updates only (21 and 44 edges) and trusts its concurrent
    // ones beside them. Here a `&self` update never runs beside a `&mut self` sibling, which takes
    // the edges around the gaps that they stand in.
    assert_eq!((motion_graph.module_order().len(), cognition_graph.module_order().len()), (22, 61));
    // "Longest remaining tail: 42, motion 20". The release itself sorts by number of successors and
    // has 21 in motion; that other order is also why motion keeps 90 edges here and 89 there.
    assert_eq!((critical_path(&motion_graph), critical_path(&cognition_graph)), (20, 42));
    assert_eq!((motion_graph.reduced().len(), cognition_graph.reduced().len()), (90, 206));
    // The release draws 334 and 1167 edges before reduction. It treats modules with a preparation
    // differently, in ways that the data does not tell; what remains after reduction shows that the
    // order is the same.
    assert_eq!((distinct_edges(&motion_graph), distinct_edges(&cognition_graph)), (340, 1195));
}

#[test]
fn without_preparations_the_dependencies_are_those_of_the_thesis() {
    let Some(mut system) = soccer_robot() else { return };
    for module in system.cycles.iter_mut().flat_map(|cycle| &mut cycle.modules) {
        module.updates.retain(|update| update.name != "prepare");
        let prepared = format!("{}.prepared", module.name);
        module.updates.iter_mut().for_each(|update| update.requires.retain(|name| *name != prepared));
    }
    let resolved = resolve(&system).expect("still complete");
    let graphs: Vec<_> = resolved.cycles.iter().map(updates_only).collect();
    // These are the edges of equation 5.1 of the thesis without self loops. Its critical path in
    // motion is 20, again because of the order by successors.
    assert_eq!(graphs.iter().map(|graph| graph.dependencies().len()).collect::<Vec<_>>(), [301, 985]);
    assert_eq!(graphs.iter().map(critical_path).collect::<Vec<_>>(), [19, 36]);

    for module in system.cycles.iter_mut().flat_map(|cycle| &mut cycle.modules) {
        module.updates.iter_mut().for_each(|update| update.access = Access::Concurrent);
    }
    let free: Vec<_> = resolve(&system).expect("still complete").cycles.iter().map(updates_only).collect();
    assert_eq!(free.iter().map(critical_path).collect::<Vec<_>>(), [18, 28]);
    assert_eq!(free.iter().map(TaskGraph::width).collect::<Vec<_>>(), [20, 43]);
}

#[test]
fn the_two_cycles_exchange_what_the_configuration_shared() {
    let Some(system) = soccer_robot() else { return };
    let resolved = resolve(&system).expect("valid");
    let shared: Vec<usize> = resolved.cycles.iter().map(|cycle| cycle.publishes[0].representations.len()).collect();
    assert_eq!(shared, [24, 17]);
    // The release has 7 and 21 updates that nobody consumes.
    let unused = |name: &str| {
        resolved
            .warnings
            .iter()
            .filter(|warning| matches!(warning, Warning::Unused { cycle, .. } if cycle == name))
            .count()
    };
    assert_eq!((unused("motion"), unused("cognition")), (7, 21));
}

#[test]
fn outputs_need_not_wait_for_the_whole_cycle() {
    let Some(system) = soccer_robot() else { return };
    let resolved = resolve(&system).expect("valid");
    let needed = |cycle: usize, representation: &str| {
        let graph = updates_only(&resolved.cycles[cycle]);
        let id = resolved.cycles[cycle].providers[representation];
        graph.prerequisites(graph.find(TaskKind::Update(id)).expect("it runs")).len()
    };
    // The release counts 49, 108, 56 and 47 with its order within modules; cognition's chains
    // differ by a task here.
    assert_eq!(needed(0, "JointRequest"), 49);
    assert_eq!(needed(1, "MotionRequest"), 109);
    assert_eq!(needed(1, "RobotPose"), 56);
    assert_eq!(needed(1, "BallModel"), 47);
}

#[test]
fn workloads_agree_with_their_own_figures() {
    let expected = [
        ("chain100", 99, 0, 0, 100),
        ("forkjoin100-10us", 196, 1_000_000, 30_000, 3),
        ("rand150-1us", 375, 150_000, 15_000, 15),
        ("nao-motion", 92, 961_309, 421_597, 14),
    ];
    for (name, edges, work, path, depth) in expected {
        let Some(workload) = workload(name) else { return };
        let plan = Plan::new(workload.graph.clone(), &workload.durations, &PlanOptions::default());
        let depth_of = critical_path(&workload.graph);
        let found =
            (workload.graph.dependencies().len(), plan.prediction().work, plan.prediction().critical_path, depth_of);
        assert_eq!(found, (edges, Duration::from_nanos(work), Duration::from_nanos(path), depth), "{name}");
    }
}

/// Returns the makespan on two workers, as a multiple of the lower bound. The plan knows the
/// durations or not.
fn stretch(workload: &datasets::Workload, knows: bool, policy: Policy) -> f64 {
    let options = PlanOptions { hand_over: Duration::ZERO, ..PlanOptions::default() };
    let unknown = Durations::unknown(workload.graph.tasks().len());
    let bound = Plan::new(workload.graph.clone(), &workload.durations, &options).prediction().lower_bound(2);
    let plan = Plan::new(workload.graph.clone(), if knows { &workload.durations } else { &unknown }, &options);
    let two = SimulationOptions { workers: 2, policy, ..SimulationOptions::default() };
    Simulation::new(&plan, &workload.durations, &two).makespan(1).mean.as_secs_f64() / bound.as_secs_f64()
}

#[test]
fn measured_durations_bring_cognition_to_its_lower_bound() {
    let Some(cognition) = workload("nao-cognition") else { return };
    assert!(stretch(&cognition, true, Policy::CriticalPath) <= 1.01);
    // A plan without durations starts the long tasks too late: 1.31 in the reference, which counts
    // single tasks as well.
    let counted = stretch(&cognition, false, Policy::CriticalPath);
    assert!((1.30..1.32).contains(&counted), "{counted}");
    assert!(stretch(&cognition, false, Policy::Fifo) > 1.3 && stretch(&cognition, false, Policy::WorkStealing) > 1.3);
}

#[test]
fn the_other_workloads_come_close_to_their_lower_bounds_too() {
    for name in ["nao-motion", "nao-cognition-easy", "rand150-1us", "forkjoin100-10us"] {
        let Some(workload) = workload(name) else { return };
        let stretch = stretch(&workload, true, Policy::CriticalPath);
        assert!(stretch <= 1.02 + 1e-9, "{name}: {stretch}");
    }
}

#[test]
fn a_second_worker_is_used_where_it_pays() {
    let workers = |name: &str| {
        let workload = workload(name)?;
        let options = PlanOptions {
            workers: WorkerChoice::Automatic { available: NonZeroUsize::new(4)? },
            ..PlanOptions::default()
        };
        Some(Plan::new(workload.graph, &workload.durations, &options).workers())
    };
    if workers("chain100").is_none() {
        return;
    }
    assert_eq!(workers("chain100"), Some(1));
    assert_eq!(workers("forkjoin100"), Some(1), "empty tasks are not worth a hand-over");
    assert_eq!(workers("rand150"), Some(1));
    assert_eq!(workers("nao-cognition"), Some(3));
    assert_eq!(workers("nao-motion"), Some(3));
}
