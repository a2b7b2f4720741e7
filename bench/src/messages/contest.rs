//! Round by round, every contestant in turn; before and after each, how far the two cores are from
//! each other.

use std::path::PathBuf;
use std::process::Command;

use super::peers::Programs;
use super::result::{Contest, Entry, Sample};
use super::workload::{Case, Contestant, Workload};
use crate::contest::host::Host;
use crate::contest::process;
use crate::contest::{progress, progress_done};
use crate::error::EntryError;

/// Runs all cases of all workloads, `rounds` times; also returns what the machine's host took.
pub fn hold(workloads: &[Workload], programs: &Programs, rounds: usize) -> (Vec<Contest>, Host) {
    let pairs: Vec<(&Workload, &Case)> =
        workloads.iter().flat_map(|workload| workload.cases.iter().map(move |case| (workload, case))).collect();
    let mut samples: Vec<Vec<Vec<Sample>>> =
        pairs.iter().map(|(workload, _)| workload.contestants.iter().map(|_| Vec::new()).collect()).collect();
    let mut host = Host::default();
    let mut failures = Vec::new();
    for round in 0..rounds {
        for ((workload, case), samples) in pairs.iter().zip(&mut samples) {
            progress(round, rounds, &format!("{}, {}", workload.name, case.name));
            let count = workload.contestants.len();
            for position in 0..count {
                // Another contestant begins in every round.
                let index = (position + round) % count;
                let contestant = &workload.contestants[index];
                let Some(program) = programs.of(contestant) else { continue };
                if case.without.contains(&contestant.id) {
                    continue;
                }
                match host.hold(|| run(workload, case, contestant, program)) {
                    Ok(sample) => samples[index].push(sample),
                    Err(error) => failures.push(format!("{}, {}: {error}", workload.name, case.name)),
                }
            }
        }
    }
    progress_done();
    failures.sort();
    failures.dedup();
    failures.iter().for_each(|failure| eprintln!("warning: {failure}"));

    let contests = pairs.iter().zip(samples).map(|((workload, case), samples)| {
        let entries = workload.contestants.iter().zip(samples).filter(|(_, samples)| !samples.is_empty());
        Contest {
            workload: workload.name.to_owned(),
            case: case.name.clone(),
            entries: entries.map(|(contestant, samples)| Entry::new(contestant, samples, case.cores)).collect(),
        }
    });
    (contests.collect(), host)
}

fn run(
    workload: &Workload,
    case: &Case,
    contestant: &Contestant,
    (program, first): (&PathBuf, Option<&str>),
) -> Result<Sample, EntryError> {
    let mut command = Command::new(program);
    command.args(first).args([contestant.id, "--workload", workload.name]);
    for (key, number) in &case.arguments {
        command.args([format!("--{key}"), number.to_string()]);
    }
    let before = hand_over_ns();
    let samples = process::run_command(contestant.label, command)?;
    Ok(Sample { before_ns: before, after_ns: hand_over_ns(), samples })
}

/// Measures a hand-over from one core to the other, both spinning, 10,000 times; if there are two.
fn hand_over_ns() -> Option<f64> {
    hemiola_realtime::hand_over_cost().map(|cost| cost.as_nanos() as f64)
}
