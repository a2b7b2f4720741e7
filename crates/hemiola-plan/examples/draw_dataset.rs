//! Draws a published graph. Usage: `draw_dataset GRAPH.json OUTPUT_FOLDER`.
//!
//! A module graph gives one picture per cycle; a workload with durations gives a picture of the graph, coloured by share
//! of time, and of its schedules on two workers under three policies.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;

use hemiola_plan::draw::{self, Colour};
use hemiola_plan::{Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskGraph, WorkerChoice};
use hemiola_plan::{datasets, resolve};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, folder] = &arguments[..] else { return Err("usage: draw_dataset GRAPH.json OUTPUT_FOLDER".into()) };
    let (json, folder) = (std::fs::read_to_string(file)?, Path::new(folder));
    match datasets::workload(&json) {
        Ok(workload) => draw_workload(workload, folder),
        Err(_) => draw_modules(&json, folder),
    }
}

fn draw_modules(json: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let resolved = resolve(&datasets::module_graph(json)?).map_err(|problems| problems[0].to_string())?;
    for cycle in &resolved.cycles {
        let graph = TaskGraph::of(cycle);
        std::fs::write(
            folder.join(format!("{}.svg", cycle.name)),
            draw::graph_svg(&graph, &Durations::default(), Colour::Module),
        )?;
        std::fs::write(folder.join(format!("{}.dot", cycle.name)), draw::graph_dot(&graph))?;
    }
    Ok(())
}

fn draw_workload(workload: datasets::Workload, folder: &Path) -> Result<(), Box<dyn Error>> {
    let two = NonZeroUsize::MIN.saturating_add(1);
    let options = PlanOptions { workers: WorkerChoice::Fixed(two), ..PlanOptions::default() };
    let plan = Plan::new(workload.graph, &workload.durations, &options);
    let name = plan.graph().name();
    println!("{}", draw::graph_text(plan.graph(), &workload.durations, 110));
    std::fs::write(
        folder.join(format!("{name}.svg")),
        draw::graph_svg(plan.graph(), &workload.durations, Colour::Share),
    )?;
    for (policy, policy_name) in
        [(Policy::CriticalPath, "critical-path"), (Policy::Fifo, "fifo"), (Policy::WorkStealing, "work-stealing")]
    {
        let options = SimulationOptions { workers: two.get(), hand_over: options.hand_over, policy, seed: 0 };
        let schedule = Simulation::new(&plan, &workload.durations, &options).schedule();
        println!("{policy_name}\n{}", draw::schedule_text(&plan, &schedule, 120));
        std::fs::write(folder.join(format!("{name}-{policy_name}.svg")), draw::schedule_svg(&plan, &schedule))?;
    }
    Ok(())
}
