//! Who takes part, in what, and how it goes: round by round, every contestant in turn.

pub mod cyclictest;
pub mod discipline;
pub mod entrant;
pub mod peers;
pub mod process;
pub mod result;

use std::path::Path;

use crate::error::{BenchError, write};
use crate::workload::Workload;
use discipline::Discipline;
use entrant::Entrant;
use process::Samples;
use result::{Entry, Event};

/// Runs all disciplines with all entrants, `rounds` times, in turn: what the machine does at the time meets everybody alike.
pub fn hold(
    workloads: &[Workload],
    disciplines: &[Discipline],
    entrants: &[Entrant],
    rounds: usize,
    folder: &Path,
) -> Result<Vec<Event>, BenchError> {
    std::fs::create_dir_all(folder).map_err(|error| BenchError::Write { path: folder.to_owned(), error })?;
    for workload in workloads {
        write(&folder.join(workload.name).with_extension("graph"), &workload.text)?;
    }
    let mut samples: Vec<Vec<Vec<Samples>>> = disciplines.iter().map(|_| vec![Vec::new(); entrants.len()]).collect();
    let mut failures = Vec::new();
    for round in 0..rounds {
        for (discipline, samples) in disciplines.iter().zip(&mut samples) {
            progress(round, rounds, &discipline.to_string());
            let graph = folder.join(discipline.workload).with_extension("graph");
            for position in 0..entrants.len() {
                // Another one begins in every round.
                let index = (position + round) % entrants.len();
                if !entrants[index].takes_part_in(discipline) {
                    continue;
                }
                match process::run(&entrants[index], discipline, &graph) {
                    Ok(result) => samples[index].push(result),
                    Err(error) => failures.push(format!("{discipline}: {error}")),
                }
            }
        }
    }
    progress_done();
    failures.sort();
    failures.dedup();
    failures.iter().for_each(|failure| eprintln!("warning: {failure}"));

    let events = disciplines.iter().zip(samples).filter_map(|(discipline, samples)| {
        let workload = workloads.iter().find(|workload| workload.name == discipline.workload)?;
        let entries = entrants.iter().zip(&samples).filter(|(_, rounds)| !rounds.is_empty());
        let entries = entries.map(|(entrant, rounds)| Entry::new(entrant, rounds, discipline, workload)).collect();
        Some(Event::new(discipline, workload, entries))
    });
    Ok(events.collect())
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
