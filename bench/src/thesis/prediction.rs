//! The prediction for two cycles on the same cores: the schedule simulator, and motion preempting
//! cognition.

use std::time::Duration;

use hemiola_plan::{Plan, PlanOptions, Schedule, Simulation, SimulationOptions};
use hemiola_runtime::executor::PATIENCE;
use hemiola_trace::Distribution;

use super::cycle::Cycle;
use super::experiment::{Placement, deadlines_of};
use super::preemption::{Occupation, preempted};
use super::report::Deadlines;
use crate::workload::uniform;

/// The cores of the robot that the thesis measured on.
pub const ROBOT_CORES: usize = 4;

/// The cores that both cycles share.
#[derive(Debug, Clone, Copy)]
pub struct Cores {
    pub number: usize,
    /// The cores on which cognition's workers run. Motion's prefer the cores on which they were
    /// last, so that they run there whether pinned or not.
    pub cognition: Placement,
    /// The time for which motion's workers are awake before a run is due.
    pub lead: Duration,
}

/// The prediction for both cycles.
pub struct Prediction {
    /// Motion's responses per kind of frame.
    pub motion: Vec<Distribution>,
    pub cognition: Distribution,
    /// The deadlines of cognition.
    pub deadlines: Deadlines,
}

/// Predicts the responses of both cycles in `runs` runs of cognition.
pub fn both(motion: (&Cycle, &Plan), cognition: (&Cycle, &Plan), cores: Cores, runs: usize) -> Prediction {
    let period = nanoseconds(cognition.0.period);
    // Cognition may take several periods per run.
    let motion_runs = (period * runs as u64).div_ceil(nanoseconds(motion.0.period)) as usize;
    let mut responses = vec![Distribution::new(); motion.0.frames.len()];
    let mut occupation = Occupation::new(cores.number);
    for (run, (frame, schedule)) in schedules(motion.0, motion.1, cores.number).take(motion_runs).enumerate() {
        responses[frame].record(nanoseconds(schedule.makespan));
        let begin = nanoseconds(motion.0.period) * run as u64;
        occupation.add(begin, &schedule, nanoseconds(cores.lead), nanoseconds(PATIENCE));
    }
    occupation.merge();

    let (mut response, mut deadlines, mut due) = (Distribution::new(), Deadlines::default(), 0);
    // On one worker all tasks are there with the durations that the simulator draws, and nothing
    // else.
    for (run, (_, draw)) in schedules(cognition.0, cognition.1, 1).enumerate() {
        if due >= period * runs as u64 {
            break;
        }
        // The kernel has put cognition's workers anywhere before.
        let first_core = match cores.cognition {
            Placement::Pinned => 0,
            Placement::Anywhere => (uniform(run as u64) * cores.number as f64) as usize,
        };
        let durations = unit_durations(cognition.1, &draw);
        let took = preempted(cognition.1, &durations, &occupation, cores.cognition, first_core, due) - due;
        response.record(took);
        deadlines.add(deadlines_of(took / period));
        due += period * (took / period + 1);
    }
    Prediction { motion: responses, cognition: response, deadlines }
}

/// Predicts the response of one cycle alone.
pub fn alone(cycle: &Cycle, plan: &Plan, runs: usize) -> Vec<Distribution> {
    let mut responses = vec![Distribution::new(); cycle.frames.len()];
    for (frame, schedule) in schedules(cycle, plan, usize::MAX).take(runs) {
        responses[frame].record(nanoseconds(schedule.makespan));
    }
    responses
}

/// Returns run after run, each with newly drawn durations and its kind of frame, on no more than
/// `most` workers.
fn schedules(cycle: &Cycle, plan: &Plan, most: usize) -> impl Iterator<Item = (usize, Schedule)> {
    let workers = plan.workers().min(most);
    let hand_over = PlanOptions::default().hand_over;
    let simulate = |(seed, frame): (u64, &super::cycle::Frame)| {
        Simulation::new(plan, &frame.durations, &SimulationOptions { workers, hand_over, seed, ..Default::default() })
    };
    let mut simulations: Vec<Simulation> = (1..).zip(&cycle.frames).map(simulate).collect();
    (0..).map(move |run| {
        let frame = cycle.frame_of(run);
        (frame, simulations[frame].schedule())
    })
}

fn unit_durations(plan: &Plan, draw: &Schedule) -> Vec<u64> {
    let mut durations = vec![0; plan.units().len()];
    draw.slots.iter().for_each(|slot| durations[slot.unit.index()] += nanoseconds(slot.end - slot.start));
    durations
}

pub fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}
