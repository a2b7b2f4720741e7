//! `simulate`: what would more workers give?

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use hemiola_plan::draw::{schedule_svg, schedule_text};
use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, WorkerChoice};
use hemiola_words::duration;

use super::{columns, print, print_or_write};
use crate::command_line::SimulateArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

/// Simulated runs per number of workers, with durations drawn from what was measured.
const RUNS: usize = 400;

pub fn simulate(program: &Program, arguments: &SimulateArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    let most = NonZeroUsize::new(usize::from(arguments.workers)).unwrap_or(NonZeroUsize::MIN);
    let mut text = String::new();
    if session.history.profiles().is_empty() {
        text += &without_durations(session.robot.configuration().output.profile.as_deref());
    }
    if let Some(path) = &arguments.svg {
        let study = Study::of(&session, session.cycle(arguments.cycle.as_deref(), "`--svg`")?, most);
        let schedule = study.simulation(most.get()).schedule();
        print(&(text + &study.table(most)))?;
        return print_or_write(&schedule_svg(&study.plan, &schedule), Some(path));
    }
    for index in session.cycles(arguments.cycle.as_deref())? {
        let study = Study::of(&session, index, most);
        let schedule = study.simulation(study.plan.workers()).schedule();
        let _ = writeln!(text, "{}", study.table(most));
        let _ = writeln!(text, "{}", schedule_text(&study.plan, &schedule, columns(110).max(60)));
    }
    print(&text)
}

/// Said before all figures, which mean little then.
fn without_durations(profile: Option<&Path>) -> String {
    let remedy = profile.map_or_else(
        || "Set `output.profile` in robot.toml and run the robot once: then they are measured.".to_owned(),
        |path| format!("Run the robot once: it measures them and keeps them in\n{}.", path.display()),
    );
    format!("No durations are known yet, so every task counts as 100 µs.\n{remedy}\n\n")
}

/// A cycle under examination.
struct Study {
    plan: Plan,
    durations: Durations,
    hand_over: Duration,
}

impl Study {
    fn of(session: &Session, index: usize, available: NonZeroUsize) -> Self {
        let graph = TaskGraph::of(&session.robot.resolved().cycles[index]);
        let durations = session.robot.durations(&graph);
        let options = PlanOptions { workers: WorkerChoice::Automatic { available }, ..PlanOptions::default() };
        let plan = Plan::new(graph, &durations, &options);
        Self { plan, durations, hand_over: options.hand_over }
    }

    fn simulation(&self, workers: usize) -> Simulation<'_> {
        let options = SimulationOptions { workers, hand_over: self.hand_over, ..SimulationOptions::default() };
        Simulation::new(&self.plan, &self.durations, &options)
    }

    /// A line per number of workers.
    fn table(&self, most: NonZeroUsize) -> String {
        let (prediction, chosen) = (self.plan.prediction(), self.plan.workers());
        let mut text = format!(
            "{}: {} of work, {} of them one after the other whatever happens\n",
            self.plan.graph().name(),
            duration(prediction.work),
            duration(prediction.critical_path)
        );
        text += " workers      mean     p0.99  at least  speed-up efficiency\n";
        let alone = self.simulation(1).makespan(RUNS).mean.as_secs_f64();
        for workers in 1..=most.get() {
            let makespan = self.simulation(workers).makespan(RUNS);
            let speed_up = alone / makespan.mean.as_secs_f64().max(1e-12);
            let mark = if workers == chosen { "  ← the plan's choice" } else { "" };
            let _ = writeln!(
                text,
                "{workers:8} {:>9} {:>9} {:>9} {speed_up:7.2} × {:8.0} %{mark}",
                duration(makespan.mean),
                duration(makespan.p99),
                duration(prediction.lower_bound(workers)),
                100.0 * speed_up / workers as f64,
            );
        }
        text
    }
}
