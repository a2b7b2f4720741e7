//! `simulate`: predicts the gain of more workers.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use hemiola_plan::draw::{schedule_svg, schedule_text};
use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, WorkerChoice};
use hemiola_words::duration;
use serde_json::{Value, json};

use super::subject::{Missing, Subject, only, subjects};
use super::{columns, nanoseconds, print, print_json, print_or_write};
use crate::command_line::SimulateArguments;
use crate::error::CommandError;
use crate::program::Program;

/// The number of simulated runs per number of workers, with durations drawn from the measured ones.
const RUNS: usize = 400;

pub fn simulate(program: &Program, arguments: &SimulateArguments) -> Result<ExitCode, CommandError> {
    let most = NonZeroUsize::new(usize::from(arguments.workers)).unwrap_or(NonZeroUsize::MIN);
    let SimulateArguments { configuration, file, cycle, picture, json, .. } = arguments;
    let (cycles, missing) = subjects(program, configuration, file.as_deref(), cycle.as_deref())?;
    if *json {
        let studied = cycles.into_iter().map(|cycle| {
            let has_durations = cycle.has_durations;
            Study::of(cycle, most).as_json(most, has_durations)
        });
        return print_json(&studied.collect());
    }
    let mut text = String::new();
    if cycles.iter().any(|cycle| !cycle.has_durations) {
        text += &without_durations(&missing);
    }
    if let Some(path) = picture {
        let study = Study::of(only(cycles, "`--picture`")?, most);
        let schedule = study.simulation(most.get()).schedule();
        print(&(text + &study.table(most)))?;
        return print_or_write(&schedule_svg(&study.plan, &schedule), Some(path));
    }
    for cycle in cycles {
        let study = Study::of(cycle, most);
        let schedule = study.simulation(study.plan.workers()).schedule();
        let _ = writeln!(text, "{}", study.table(most));
        let _ = writeln!(text, "{}", schedule_text(&study.plan, &schedule, columns(110).max(60)));
    }
    print(&text)
}

/// Returns the note before all figures, which mean little without durations.
fn without_durations(missing: &Missing) -> String {
    match missing {
        Missing::Profile(None) => "No durations are known yet, so every task counts as 100 µs.\n\
             Set `output.profile` in robot.toml and run the robot once: then they are measured.\n\n"
            .to_owned(),
        Missing::Profile(Some(path)) => format!(
            "No durations are known yet, so every task counts as 100 µs.\n\
             Run the robot once: it measures them and keeps them in\n{}.\n\n",
            path.display()
        ),
        Missing::NotInFile => "The file has no durations, so every task counts as 100 µs: \
             the shape of the graph alone decides.\n\n"
            .to_owned(),
    }
}

/// A cycle under examination.
struct Study {
    plan: Plan,
    durations: Durations,
    hand_over: Duration,
    period: Option<Duration>,
    /// The workers that the cycle has where the graph comes from.
    workers: Option<NonZeroUsize>,
}

impl Study {
    fn of(Subject { graph, durations, period, workers, .. }: Subject, available: NonZeroUsize) -> Self {
        let options = PlanOptions { workers: WorkerChoice::Automatic { available }, ..PlanOptions::default() };
        let plan = Plan::new(graph, &durations, &options);
        Self { plan, durations, hand_over: options.hand_over, period, workers }
    }

    fn simulation(&self, workers: usize) -> Simulation<'_> {
        let options = SimulationOptions { workers, hand_over: self.hand_over, ..SimulationOptions::default() };
        Simulation::new(&self.plan, &self.durations, &options)
    }

    fn as_json(&self, most: NonZeroUsize, has_durations: bool) -> Value {
        let prediction = self.plan.prediction();
        let alone = self.simulation(1).makespan(RUNS).mean.as_secs_f64();
        let workers = (1..=most.get()).map(|workers| {
            let makespan = self.simulation(workers).makespan(RUNS);
            json!({
                "workers": workers,
                "mean_ns": nanoseconds(makespan.mean),
                "p99_ns": nanoseconds(makespan.p99),
                "at_least_ns": nanoseconds(prediction.lower_bound(workers)),
                "speed_up": alone / makespan.mean.as_secs_f64().max(1e-12),
            })
        });
        json!({
            "cycle": self.plan.graph().name(),
            // Otherwise every task counts as 100 µs.
            "has_durations": has_durations,
            "work_ns": nanoseconds(prediction.work),
            "critical_path_ns": nanoseconds(prediction.critical_path),
            "period_ns": self.period.map(nanoseconds),
            "chosen": self.plan.workers(),
            "in_file": self.workers,
            "predicted": workers.collect::<Vec<_>>(),
        })
    }

    /// Returns a line for each number of workers.
    fn table(&self, most: NonZeroUsize) -> String {
        let (prediction, chosen) = (self.plan.prediction(), self.plan.workers());
        let mut text = format!(
            "{}: {} of work, {} of it on the critical path\n",
            self.plan.graph().name(),
            duration(prediction.work),
            duration(prediction.critical_path)
        );
        if let Some(period) = self.period {
            let _ = writeln!(text, "In its file it runs every {}.", duration(period));
        }
        text += " workers      mean       p99  at least  speed-up efficiency\n";
        let alone = self.simulation(1).makespan(RUNS).mean.as_secs_f64();
        for workers in 1..=most.get() {
            let makespan = self.simulation(workers).makespan(RUNS);
            let speed_up = alone / makespan.mean.as_secs_f64().max(1e-12);
            let in_file = self.workers.is_some_and(|in_file| in_file.get() == workers);
            let mark = match (workers == chosen, in_file) {
                (true, true) => "  ← the choice of the plan and of the file",
                (true, false) => "  ← the choice of the plan",
                (false, true) => "  ← the choice of the file",
                (false, false) => "",
            };
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
