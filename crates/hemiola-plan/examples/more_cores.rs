//! What would more cores give me? Usage: `more_cores WORKLOAD.json [CORES]`.
//!
//! Prints, for a workload with durations, the predicted makespan with 1 to CORES (4) workers under Hemiola's policy and
//! two others, how many workers the plan would choose, and how fast the simulation itself is.

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use hemiola_plan::{
    Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskDuration, TaskId, WorkerChoice, datasets,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let file = arguments.get(1).ok_or("usage: more_cores WORKLOAD.json [CORES]")?;
    let cores: NonZeroUsize =
        arguments.get(2).map_or(Ok(NonZeroUsize::MIN.saturating_add(3)), |cores| cores.parse())?;
    let workload = datasets::workload(&std::fs::read_to_string(file)?)?;
    let hand_over = Duration::from_nanos(500);
    let options =
        PlanOptions { workers: WorkerChoice::Automatic { available: cores }, hand_over, ..PlanOptions::default() };

    let started = Instant::now();
    let plan = Plan::new(workload.graph, &workload.durations, &options);
    let planned = started.elapsed();
    let prediction = plan.prediction();
    println!(
        "{}: work {:?}, critical path {:?}; the plan takes {} of {cores} workers",
        plan.graph().name(),
        prediction.work,
        prediction.critical_path,
        plan.workers()
    );
    println!("workers   critical path first            fifo   work stealing     lower bound");
    for workers in 1..=cores.get() {
        print!("{workers:7}");
        for policy in [Policy::CriticalPath, Policy::Fifo, Policy::WorkStealing] {
            let options = SimulationOptions { workers, hand_over, policy, seed: 0 };
            let makespan = Simulation::new(&plan, &workload.durations, &options).makespan(1);
            print!(
                "{:>width$}",
                format!("{:?}", makespan.mean),
                width = if policy == Policy::CriticalPath { 22 } else { 16 }
            );
        }
        println!("{:>16}", format!("{:?}", prediction.lower_bound(workers)));
    }

    // The same with durations that vary by half to double, to see what the simulation costs.
    let mut varying = Durations::unknown(plan.graph().tasks().len());
    for task in (0..plan.graph().tasks().len() as u32).map(TaskId) {
        let usual = workload.durations.expected(task);
        varying.set(task, TaskDuration::Samples(vec![(usual / 2, 2), (usual, 5), (usual * 2, 1)]));
    }
    let two = SimulationOptions { workers: 2, hand_over, ..SimulationOptions::default() };
    let mut simulation = Simulation::new(&plan, &varying, &two);
    let started = Instant::now();
    let makespan = simulation.makespan(1000);
    println!(
        "with durations that vary: mean {:?}, p99 {:?} on 2 workers; 1000 simulated runs took {:?}, planning {planned:?}",
        makespan.mean,
        makespan.p99,
        started.elapsed()
    );
    Ok(())
}
