//! The two cycles of the robot: the work of their tasks, and how long each of them really takes
//! here.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bench_contestant::{Graph, Work};
use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskDuration, TaskGraph};
use hemiola_realtime::{Policy, Priority, ThreadSettings};
use hemiola_runtime::executor::Tasks;
use hemiola_trace::{Core, Distribution, Event, Ring, TaskId, TickScale, Ticks};

use crate::contestant::ContestantError;
use crate::error::BenchError;
use crate::workload::nao_devils;

/// A cycle that can be run in different ways.
#[derive(Clone)]
pub struct Cycle {
    pub name: &'static str,
    pub period: Duration,
    pub priority: Priority,
    pub graph: TaskGraph,
    /// The kinds of its runs; never empty.
    pub frames: Vec<Frame>,
    /// The durations of all frames, as often as they come, for plans.
    pub durations: Durations,
}

/// One kind of run of a cycle.
#[derive(Clone)]
pub struct Frame {
    pub name: &'static str,
    /// The place among the cycle's frames.
    number: u32,
    /// The number of runs out of [`ROUND`] that are of this kind.
    pub share: usize,
    work: Arc<Work>,
    /// The durations of the tasks, measured here.
    pub durations: Durations,
}

/// The number of runs after which the kinds of frames come in the same order again.
pub const ROUND: usize = 4;
const MOTION_RATE: f64 = 1000.0 / 12.0;
const COGNITION_RATE: f64 = 30.0;
const MOTION_PRIORITY: u8 = 80;
const COGNITION_PRIORITY: u8 = 40;
/// The number of runs in sequence in which the durations of tasks are measured.
const PROFILED_RUNS: usize = 20;
/// The time that one task of the stressed cognition takes in addition.
const STRESS_NS: u64 = 20_000_000;

/// The cycles of the robot.
pub struct Subject {
    pub motion: Cycle,
    pub cognition: Cycle,
    /// Cognition with a task that takes 20 ms longer.
    pub stressed: Cycle,
}

impl Subject {
    /// Calibrates the work, and measures every task in sequential runs; `None` without the shared
    /// data.
    pub fn prepare() -> Result<Option<Self>, BenchError> {
        let Some(cycles) = nao_devils::cycles()? else { return Ok(None) };
        let find = |name: &str| cycles.iter().find(|cycle| cycle.graph.name() == name);
        let (Some(motion), Some(cognition)) = (find("motion"), find("cognition")) else { return Ok(None) };
        let preview = nao_devils::with_preview(&motion.durations_ns);
        let mut stressed = cognition.durations_ns.clone();
        stressed.iter_mut().max().into_iter().for_each(|longest| *longest += STRESS_NS);
        let of_cognition = |name, frame, durations: &[u64]| {
            let frames = vec![Frame::calibrated(frame, 0, ROUND, durations)?];
            Cycle::profiled(name, COGNITION_RATE, COGNITION_PRIORITY, &cognition.graph, frames)
        };
        let of_motion = vec![
            Frame::calibrated("motion", 0, ROUND - 1, &motion.durations_ns)?,
            Frame::calibrated("motion, preview", 1, 1, &preview)?,
        ];
        Ok(Some(Self {
            motion: Cycle::profiled("motion", MOTION_RATE, MOTION_PRIORITY, &motion.graph, of_motion)?,
            cognition: of_cognition("cognition", "cognition", &cognition.durations_ns)?,
            stressed: of_cognition("cognition", "cognition + 20 ms", &stressed)?,
        }))
    }
}

impl Frame {
    fn calibrated(name: &'static str, number: u32, share: usize, durations_ns: &[u64]) -> Result<Self, BenchError> {
        // Only durations matter to the work, so that the lines have no predecessors.
        let lines = durations_ns.iter().enumerate().map(|(task, duration)| format!("{task} {duration}\n"));
        let graph =
            Graph::parse(&lines.collect::<String>()).map_err(|error| BenchError::Graph { path: name.into(), error })?;
        let durations = Durations::unknown(durations_ns.len());
        Ok(Self { name, number, share, work: Arc::new(Work::calibrated(&graph)), durations })
    }

    /// Does the work of one task.
    pub fn run(&self, task: usize) {
        self.work.run(task);
    }
}

impl Cycle {
    fn profiled(
        name: &'static str,
        rate: f64,
        priority: u8,
        graph: &TaskGraph,
        frames: Vec<Frame>,
    ) -> Result<Self, BenchError> {
        let priority = Priority::new(priority).map_err(ContestantError::Realtime)?;
        let durations = Durations::unknown(graph.tasks().len());
        let period = Duration::from_secs_f64(1.0 / rate);
        Ok(Self { name, period, priority, graph: graph.clone(), frames, durations }.profiled_again()?)
    }

    /// Returns the cycle with all tasks measured again: the speed of a machine may change by the
    /// minute, above all that of a virtual one.
    pub fn profiled_again(&self) -> Result<Self, ContestantError> {
        let tasks = self.graph.tasks().len();
        let plan = Plan::new(self.graph.clone(), &Durations::unknown(tasks), &PlanOptions::default());
        let order: Vec<usize> = plan.order().map(|task| task.index()).collect();
        let measured = profile(self.frames.clone(), order, self.priority)?;
        let mut again = self.clone();
        let mut all = vec![Distribution::new(); tasks];
        for (frame, measured) in again.frames.iter_mut().zip(&measured) {
            for _ in 0..frame.share {
                all.iter_mut().zip(measured).for_each(|(all, task)| all.merge(task));
            }
            frame.durations = durations(measured);
        }
        again.durations = durations(&all);
        Ok(again)
    }

    /// Returns the cycle with the durations that the tasks had in a run of it, by its workers'
    /// events.
    pub fn as_measured(&self, events: &[Event]) -> Self {
        let scale = TickScale::calibrate();
        let mut measured = vec![vec![Distribution::new(); self.graph.tasks().len()]; self.frames.len()];
        for event in events {
            if let Event::TaskRun { task, run, begin, end, .. } = *event {
                measured[run as usize][task.index()].record(scale.nanoseconds_between(begin, end));
            }
        }
        let mut again = self.clone();
        for (frame, measured) in again.frames.iter_mut().zip(&measured) {
            frame.durations = durations(measured);
        }
        again
    }

    /// Returns the frame of a run.
    pub fn frame_of(&self, run: usize) -> usize {
        let place = run % ROUND;
        let ends = self.frames.iter().scan(0, |end, frame| {
            *end += frame.share;
            Some(*end)
        });
        ends.take_while(|&end| end <= place).count()
    }
}

/// Measures how long each task of each kind of frame takes when all run in sequence, at the cycle's
/// priority.
fn profile(
    frames: Vec<Frame>,
    order: Vec<usize>,
    priority: Priority,
) -> Result<Vec<Vec<Distribution>>, ContestantError> {
    let settings = ThreadSettings::new("profile").policy(Policy::Fifo(priority));
    let measure = move || {
        let scale = TickScale::calibrate();
        let mut measured = vec![vec![Distribution::new(); order.len()]; frames.len()];
        for _ in 0..PROFILED_RUNS {
            for (frame, tasks) in frames.iter().zip(&mut measured) {
                for &task in &order {
                    let begin = Ticks::now();
                    frame.run(task);
                    tasks[task].record(scale.nanoseconds_between(begin, Ticks::now()));
                }
            }
        }
        measured
    };
    let spawned = hemiola_realtime::spawn(settings, measure)?;
    Ok(spawned.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

fn durations(tasks: &[Distribution]) -> Durations {
    let mut durations = Durations::unknown(tasks.len());
    for (task, distribution) in (0..).zip(tasks) {
        let samples = distribution.buckets();
        let samples = samples.map(|bucket| (Duration::from_nanos(bucket.nanoseconds), u64::from(bucket.count)));
        durations.set(hemiola_plan::TaskId(task), TaskDuration::Samples(samples.collect()));
    }
    durations
}

impl Tasks for Frame {
    type Worker = Ring;

    fn run(&self, task: usize, ready: Ticks, begin: Ticks, ring: &mut Ring, _: &Scope<'_>) -> Ticks {
        self.work.run(task);
        let end = Ticks::now();
        // The kind of frame takes the place of the run's number, which is not needed.
        let run = self.number;
        ring.push(Event::TaskRun { task: TaskId(task as u16), core: Core::current(), run, ready, begin, end });
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fourth_run_of_motion_is_a_preview() {
        let Some(subject) = Subject::prepare().expect("readable") else {
            return eprintln!("SKIPPED: naodevils-2024.json is not at hand; set HEMIOLA_SHARED to where the data lies");
        };
        let frames: Vec<usize> = (0..8).map(|run| subject.motion.frame_of(run)).collect();
        assert_eq!(frames, [0, 0, 0, 1, 0, 0, 0, 1]);
        assert_eq!((0..8).map(|run| subject.cognition.frame_of(run)).max(), Some(0));
    }
}
