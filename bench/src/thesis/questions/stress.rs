//! Cognition with 20 ms more to do: the effect on motion, and the number of workers with which its
//! deadlines are met.

use super::super::cycle::Cycle;
use super::super::experiment::{Scheduling, Setting};
use super::super::inquiry::{Inquiry, add_frames, as_measured, available_cores, count, predict, signed_time};
use super::super::prediction::ROBOT_CORES;
use super::super::report::{Deadlines, Origin, Question};
use super::super::subject::Subject;
use super::Inquired;
use crate::contestant::ContestantError;

pub const QUESTION: Inquired = Inquired {
    title: "5. Stress: 20 ms more in cognition, in one task or shared out, with 1 to 4 workers",
    measure,
    conclude,
};

const MOST_WORKERS: usize = 4;
const ALONE: &str = "motion alone";
const BESIDE: [&str; 2] = ["beside cognition", "beside cognition + 20 ms"];

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    let subject = &inquiry.subject;
    let (motion, cognition, stressed) = (subject.motion.clone(), subject.cognition.clone(), subject.stressed.clone());
    let time_sharing = Setting { scheduling: Scheduling::TimeSharing, ..Setting::automatic() };
    let ways = [
        (ALONE, None, Setting::automatic()),
        (BESIDE[0], Some(&cognition), Setting::automatic()),
        (BESIDE[1], Some(&stressed), Setting::automatic()),
        ("beside cognition + 20 ms, time sharing", Some(&stressed), time_sharing),
    ];
    for (way, other, setting) in ways {
        let both: Vec<_> = [Some(&motion), other].into_iter().flatten().map(|cycle| (cycle, setting)).collect();
        let outcomes = inquiry.run(&both)?;
        for ((cycle, _), outcome) in both.iter().zip(&outcomes) {
            add_frames(question, way, cycle, outcome);
        }
    }
    sweep(inquiry, question)
}

/// Shares the stress out and varies the workers: measured as far as there are cores, simulated for
/// the robot's.
fn sweep(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    let (cores, motion) = (available_cores(), inquiry.subject.motion.clone());
    let stressed = inquiry.subject.shared_stress.clone();
    let mut last = ([motion.clone(), stressed.clone()], std::time::Duration::ZERO);
    for workers in 1..=MOST_WORKERS {
        let settings = [Setting::automatic(), Setting::with_workers(workers)];
        if workers <= cores {
            let outcomes = inquiry.run(&[(&motion, settings[0]), (&stressed, settings[1])])?;
            last = (as_measured(&[motion.clone(), stressed.clone()], &outcomes), outcomes[0].lead);
            for (cycle, outcome) in [&motion, &stressed].into_iter().zip(&outcomes) {
                for (frame, (response, deadlines)) in
                    cycle.frames.iter().zip(outcome.response.iter().zip(&outcome.deadlines))
                {
                    let row =
                        question.add(&count(workers), &name(cycle, frame.name, cores), Origin::Measured, response);
                    row.deadlines.get_or_insert_default().add(*deadlines);
                }
            }
        }
        // With the durations of the last run that the cores allowed.
        if let Some(predicted) = predict(&last.0, settings, ROBOT_CORES, last.1) {
            let what = name(&stressed, stressed.frames[0].name, ROBOT_CORES);
            let row = question.add(&count(workers), &what, Origin::Simulated, &predicted.cognition);
            row.deadlines.get_or_insert_default().add(predicted.deadlines);
        }
    }
    Ok(())
}

fn name(cycle: &Cycle, frame: &str, cores: usize) -> String {
    match cycle.name {
        "motion" => format!("{frame}, beside cognition + 20 ms, shared out, on {cores} cores"),
        _ => format!("{frame}, beside motion on {cores} cores"),
    }
}

fn conclude(_: &Subject, question: &mut Question) {
    let costs = BESIDE.map(|way| {
        let cost = question.p99(way, "motion") - question.p99(ALONE, "motion");
        format!("{way} {}", signed_time(cost))
    });
    let mut findings = vec![format!("Motion's 99th percentile against motion alone: {}.", costs.join(", "))];
    let swept = question.rows.iter().filter_map(|row| Some((row, row.deadlines?)));
    let swept: Vec<_> = swept.filter(|(row, _)| row.what.starts_with("cognition")).collect();
    let missed = swept.iter().map(|(row, deadlines)| {
        format!(
            "{} on {}: {}",
            row.label(),
            if row.origin == Origin::Simulated { "4 cores" } else { "this machine" },
            share(*deadlines)
        )
    });
    findings
        .push(format!("Missed deadlines of cognition, 20 ms shared out. {}.", missed.collect::<Vec<_>>().join("; ")));
    question.findings.extend(findings);
}

fn share(Deadlines { missed, of }: Deadlines) -> String {
    format!("{:.1} %", 100.0 * missed as f64 / of.max(1) as f64)
}
