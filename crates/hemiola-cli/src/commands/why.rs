//! `why`: what a run of a cycle, or a chain from a sensor to an output, spent its time with.

mod chain;
mod evidence;
mod run;

use std::process::ExitCode;

use hemiola_trace::Ticks;

use super::print;
use crate::command_line::WhyArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::configuration;
use evidence::Evidence;
use hemiola_words::duration;

pub fn why(program: &Program, name: &str, arguments: &WhyArguments) -> Result<ExitCode, CommandError> {
    let configuration = configuration(program, &arguments.configuration)?.0.configuration;
    let evidence = Evidence::find(arguments, configuration, name)?;
    let Some(subject) = &arguments.subject else {
        return print(&overview(&evidence));
    };
    let (text, span) = match evidence.cycle(subject) {
        Some(cycle) => run::explain(&evidence, cycle, arguments)?,
        None => chain::explain(&evidence, subject, arguments)?,
    };
    print(&text)?;
    if let (Some(path), Some(span)) = (&arguments.slice, span) {
        evidence.write_slice(path, span)?;
        eprintln!("written: {}: open it in https://ui.perfetto.dev", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be asked about, with the worst of each.
fn overview(evidence: &Evidence) -> String {
    let mut text = evidence.heading();
    text += "\ncycle            runs    late   longest  in run\n";
    let names = evidence.trace.catalog.read();
    for (id, cycle) in names.cycles() {
        let runs: Vec<_> = evidence.history.runs(id).collect();
        let late = runs.iter().filter(|run| evidence.lateness(id, run).is_some()).count();
        let Some(worst) = runs.iter().max_by_key(|run| run.response_ticks()) else { continue };
        let longest = evidence.duration(worst.response_ticks());
        text += &format!("{:<14}{:>7} {late:>7}  {longest:>8}  {}\n", cycle.name, runs.len(), worst.run);
    }
    let chains = chain::overview(evidence, &names);
    if !chains.is_empty() {
        text += "\nlongest reaction time, data age of chain\n";
        text += &chains;
    }
    text += "\n`why CYCLE` and `why CHAIN` (its name in robot.toml, or \"SOURCE -> OUTPUT\") take the longest apart.\n";
    text
}

/// The time on the robot's clock, if the trace tells, or since the trace began.
fn moment(evidence: &Evidence, at: Ticks) -> String {
    match evidence.clock_zero {
        Some(zero) => format!("at {:.3} s", (at.0 as f64 - zero as f64) * 1e-9),
        None => format!("{} into the trace", duration(std::time::Duration::from_nanos(at.since(evidence.begin)))),
    }
}
