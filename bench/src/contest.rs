//! The contest: entrants take part in disciplines, round by round, heat by heat, each in turn.

pub mod cyclictest;
pub mod discipline;
pub mod entrant;
pub mod host;
pub mod peers;
pub mod process;
pub mod result;

use std::path::Path;

use crate::error::{BenchError, write};
use crate::workload::Workload;
use discipline::Heat;
use entrant::Entrant;
use host::Host;
use process::Samples;
use result::{Entry, Event};

/// Runs all heats with all entrants, `rounds` times, in turn, so that the state of the machine
/// meets all alike. Also returns what its host took.
pub fn hold(
    workloads: &[Workload],
    heats: &[Heat],
    entrants: &[Entrant],
    rounds: usize,
    folder: &Path,
) -> Result<(Vec<Event>, Host), BenchError> {
    std::fs::create_dir_all(folder).map_err(|error| BenchError::Write { path: folder.to_owned(), error })?;
    for workload in workloads {
        write(&folder.join(workload.name).with_extension("graph"), &workload.text)?;
    }
    // The samples by heat, entrant, round, and discipline of the heat.
    let mut samples: Vec<Vec<Vec<Vec<Samples>>>> = heats.iter().map(|_| vec![Vec::new(); entrants.len()]).collect();
    let mut host = Host::default();
    let mut failures = Vec::new();
    for round in 0..rounds {
        for (heat, samples) in heats.iter().zip(&mut samples) {
            progress(round, rounds, &heat.to_string());
            for position in 0..entrants.len() {
                // Another entrant begins in every round.
                let index = (position + round) % entrants.len();
                if !heat.disciplines().iter().all(|discipline| entrants[index].takes_part_in(discipline)) {
                    continue;
                }
                match host.hold(|| process::run_heat(&entrants[index], heat, folder)) {
                    Ok(results) => samples[index].push(results),
                    Err(error) => failures.push(format!("{heat}: {error}")),
                }
            }
        }
    }
    progress_done();
    failures.sort();
    failures.dedup();
    failures.iter().for_each(|failure| eprintln!("warning: {failure}"));

    let events = heats.iter().zip(&samples).flat_map(|(heat, samples)| {
        heat.disciplines().iter().enumerate().filter_map(move |(position, discipline)| {
            let workload = workloads.iter().find(|workload| workload.name == discipline.workload)?;
            let rounds = samples.iter().map(|rounds| rounds.iter().map(|round| round[position].clone()).collect());
            let entries = entrants.iter().zip(rounds).filter(|(_, rounds): &(_, Vec<Samples>)| !rounds.is_empty());
            let entries = entries.map(|(entrant, rounds)| Entry::new(entrant, &rounds, discipline, workload)).collect();
            Some(Event::new(discipline, workload, entries))
        })
    });
    Ok((events.collect(), host))
}

pub fn progress(round: usize, rounds: usize, what: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[Kround {} of {rounds}: {what}", round + 1);
    }
}

pub fn progress_done() {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
