//! Any text is either task graphs that can be planned, simulated and drawn, or an error that can be
//! shown; nothing panics.
#![no_main]

use hemiola_plan::datasets::Dataset;
use hemiola_plan::draw::{Colour, graph_dot, graph_svg, graph_text, schedule_svg, schedule_text};
use hemiola_plan::{Plan, PlanOptions, Simulation, SimulationOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Dataset::read(text).and_then(Dataset::cycles) {
        Ok(cycles) => {
            for cycle in cycles {
                let graph = cycle.graph.ordered_by(&cycle.durations);
                let _ = (graph_text(&graph, &cycle.durations, 100), graph_dot(&graph));
                let _ = graph_svg(&graph, &cycle.durations, Colour::Module);
                let plan = Plan::new(graph, &cycle.durations, &PlanOptions::default());
                let options = SimulationOptions { workers: 2, ..SimulationOptions::default() };
                let mut simulation = Simulation::new(&plan, &cycle.durations, &options);
                let schedule = simulation.schedule();
                let _ = (schedule_text(&plan, &schedule, 80), schedule_svg(&plan, &schedule));
                assert!(simulation.makespan(1).mean >= plan.prediction().lower_bound(2));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
