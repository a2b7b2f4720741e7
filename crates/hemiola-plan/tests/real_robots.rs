mod shared;
use hemiola_plan::*;
#[test]
fn explore() {
    let system = datasets::module_graph(&shared::graph_file("naodevils-2024.json").unwrap()).unwrap();
    let resolved = match resolve(&system) {
        Ok(r) => r,
        Err(p) => {
            for p in &p {
                println!("{p}");
            }
            panic!()
        }
    };
    for cycle in &resolved.cycles {
        let mut c = cycle.clone();
        c.publishes.clear();
        let g = TaskGraph::of(&c);
        let n = g.tasks().len();
        println!(
            "{} {} deps {} ord {} edges {} reduced {} cp {} width {}",
            g.name(),
            n,
            g.dependencies().len(),
            g.module_order().len(),
            {
                let s: std::collections::BTreeSet<_> = g.edges().map(|e| (e.from, e.to)).collect();
                s.len()
            },
            g.reduced().len(),
            g.critical_path(&Durations::default()).tasks.len(),
            g.width()
        );
        for name in ["JointRequest", "MotionRequest", "RobotPose", "BallModel"] {
            if let Some(id) = cycle.providers.get(name) {
                let t = g.find(TaskKind::Update(*id)).unwrap();
                println!("  {name}: {}", g.prerequisites(t).len() + 1);
            }
        }
        println!(
            "  publishes {:?} inputs {}",
            cycle.publishes.iter().map(|p| p.representations.len()).collect::<Vec<_>>(),
            cycle.inputs.len()
        );
        let mut alone = c.clone();
        alone.updates.iter_mut().for_each(|u| u.access = Access::Concurrent);
        let g = TaskGraph::of(&alone);
        println!(
            "  alone cp {} width {} reduced {}",
            g.critical_path(&Durations::default()).tasks.len(),
            g.width(),
            g.reduced().len()
        );
    }
    println!("{} warnings", resolved.warnings.len());
    for w in &resolved.warnings {
        println!("{w}");
    }
    for name in [
        "nao-cognition",
        "nao-motion",
        "nao-cognition-easy",
        "rand150",
        "rand150-1us",
        "forkjoin100",
        "forkjoin100-10us",
        "chain100",
    ] {
        let w = datasets::workload(&shared::graph_file(&format!("dispatch-{name}.json")).unwrap()).unwrap();
        let o = PlanOptions {
            workers: WorkerChoice::Fixed(std::num::NonZeroUsize::new(4).unwrap()),
            hand_over: std::time::Duration::from_nanos(0),
        };
        let plan = Plan::new(w.graph.clone(), &w.durations, &o);
        let un = Plan::new(w.graph.clone(), &Durations::unknown(w.graph.tasks().len()), &o);
        let lb = plan.prediction().lower_bound(2).as_nanos() as f64;
        print!(
            "{name} units {} lb {lb} ours {:.4}",
            plan.units().len(),
            plan.prediction().makespan(2).map(|m| m.mean.as_nanos() as f64 / lb).unwrap_or(0.0)
        );
        for policy in [Policy::CriticalPath, Policy::Fifo, Policy::WorkStealing] {
            for h in [0, 500] {
                let so =
                    SimulationOptions { workers: 2, policy, hand_over: std::time::Duration::from_nanos(h), seed: 0 };
                let a = Simulation::new(&un, &w.durations, &so).makespan(1).mean.as_nanos() as f64 / lb;
                let b = Simulation::new(&plan, &w.durations, &so).makespan(1).mean.as_nanos() as f64 / lb;
                print!(" {policy:?} {h} unknown {a:.4} known {b:.4};");
            }
        }
        println!();
    }
}
