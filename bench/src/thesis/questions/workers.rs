//! Numbers of workers: measured where there are cores, simulated for the robot's, with the error of
//! the simulator.

use std::time::Duration;

use super::super::cycle::Cycle;
use super::super::experiment::Setting;
use super::super::inquiry::{Inquiry, SIMULATED_RUNS, as_measured, available_cores, count, pairs, predict};
use super::super::prediction::{self, Prediction, ROBOT_CORES};
use super::super::report::{Grid, Origin, Question};
use super::super::simulator_error::{self, FROM_ALONE};
use super::super::subject::Subject;
use super::Inquired;
use crate::contestant::ContestantError;

pub const QUESTION: Inquired = Inquired { title: "3. Number of workers: motion x cognition", measure, conclude };

/// The largest number of workers of each cycle that is compared.
const MOST_WORKERS: usize = 4;

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    let cores = available_cores();
    let measurable = cores.min(MOST_WORKERS);
    let motion = alone(inquiry, question, inquiry.subject.motion.clone(), measurable)?;
    let cognition = alone(inquiry, question, inquiry.subject.cognition.clone(), measurable)?;
    for (motion_workers, cognition_workers) in pairs(measurable) {
        let way = format!("{motion_workers} x {cognition_workers}");
        let settings = [motion_workers, cognition_workers].map(Setting::with_workers);
        let cycles = [inquiry.subject.motion.clone(), inquiry.subject.cognition.clone()];
        let outcomes = inquiry.run(&[(&cycles[0], settings[0]), (&cycles[1], settings[1])])?;
        let measured = outcomes.iter().flat_map(|outcome| &outcome.response);
        for (name, measured) in names(&cycles, cores).iter().zip(measured) {
            question.add(&way, name, Origin::Measured, measured);
        }
        let lead = outcomes[0].lead;
        if let Some(predicted) = predict(&as_measured(&cycles, &outcomes), settings, cores, lead) {
            let simulated = predicted.motion.iter().chain([&predicted.cognition]);
            for (name, simulated) in names(&cycles, cores).iter().zip(simulated) {
                question.add(&way, name, Origin::Simulated, simulated);
            }
        }
        // The check: no duration is of a run of both.
        let apart = [motion[motion_workers - 1].clone(), cognition[cognition_workers - 1].clone()];
        if let Some(predicted) = predict(&apart, settings, cores, lead)
            && let Some(name) = names(&cycles, cores).last()
        {
            question.add(&format!("{way}{FROM_ALONE}"), name, Origin::Simulated, &predicted.cognition);
        }
    }
    Ok(())
}

/// Runs a cycle alone with 1 to `most` workers. Returns it with the durations of each of these
/// runs.
fn alone(
    inquiry: &mut Inquiry,
    question: &mut Question,
    cycle: Cycle,
    most: usize,
) -> Result<Vec<Cycle>, ContestantError> {
    let mut all = Vec::new();
    for workers in 1..=most {
        let setting = Setting::with_workers(workers);
        let outcome = inquiry.run(&[(&cycle, setting)])?.remove(0);
        // The simulator gets the durations of the same run, so that a change of the machine's speed
        // does not count as its error.
        let measured = cycle.as_measured(&outcome.events, &[]);
        let Some(plan) = setting.plan(&cycle) else { continue };
        let simulated = prediction::alone(&measured, &plan, SIMULATED_RUNS);
        for (frame, (response, simulated)) in cycle.frames.iter().zip(outcome.response.iter().zip(&simulated)) {
            let what = format!("{}, alone", frame.name);
            question.add(&count(workers), &what, Origin::Measured, response);
            question.add(&count(workers), &what, Origin::Simulated, simulated);
        }
        all.push(measured);
    }
    Ok(all)
}

fn names(cycles: &[Cycle; 2], cores: usize) -> Vec<String> {
    let frames = cycles.iter().flat_map(|cycle| &cycle.frames);
    frames.map(|frame| format!("{}, both at once on {cores} cores", frame.name)).collect()
}

fn conclude(subject: &Subject, question: &mut Question) {
    question.grids = grids(subject);
    question.findings = simulator_error::findings(question);
}

/// Predicts all numbers of workers on the robot's cores, with the durations of the last pass.
fn grids(subject: &Subject) -> Vec<Grid> {
    let cycles = [subject.motion.clone(), subject.cognition.clone()];
    let names = names(&cycles, ROBOT_CORES);
    let mut grids: Vec<Grid> = names
        .into_iter()
        .map(|name| Grid { what: format!("{name} (simulated)"), cells: vec![Vec::new(); MOST_WORKERS] })
        .collect();
    for (motion, cognition) in pairs(MOST_WORKERS) {
        let settings = [motion, cognition].map(Setting::with_workers);
        let predicted = predict(&cycles, settings, ROBOT_CORES, Duration::ZERO);
        let Some(Prediction { motion: mut responses, cognition, .. }) = predicted else { continue };
        responses.push(cognition);
        grids.iter_mut().zip(&responses).for_each(|(grid, response)| grid.cells[motion - 1].push(response.summary()));
    }
    grids
}
