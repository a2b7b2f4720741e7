//! A cycle of the robot: the work of its tasks, and how long each of them really takes here.

use std::sync::Arc;
use std::time::Duration;

use hemiola_bench_contestant::{Graph, Work};
use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskDuration, TaskGraph};
use hemiola_realtime::{AdaptiveEarliness, Policy, Priority, ThreadSettings};
use hemiola_runtime::executor::Tasks;
use hemiola_trace::{Core, Distribution, Event, Ring, TaskId, TickScale, Ticks};

use super::experiment::Run;
use crate::contestant::ContestantError;
use crate::error::BenchError;

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
/// The longest time for which workers are awake before and after a run.
const AWAKE: Duration = AdaptiveEarliness::MOST;
/// The number of runs in sequence in which the durations of tasks are measured.
const PROFILED_RUNS: usize = 10;

impl Frame {
    pub fn calibrated(name: &'static str, number: u32, share: usize, durations_ns: &[u64]) -> Result<Self, BenchError> {
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
    pub fn profiled(
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

    /// Returns the cycle with the durations that the tasks had in runs of it, by its workers'
    /// events, without those times that a run of another cycle can have interrupted.
    pub fn as_measured(&self, events: &[Event], others: &[Run]) -> Self {
        let scale = TickScale::calibrate();
        let margin = scale.ticks_in(AWAKE);
        let none = || vec![vec![Distribution::new(); self.graph.tasks().len()]; self.frames.len()];
        let (mut undisturbed, mut all) = (none(), none());
        for event in events {
            if let Event::TaskRun { task, run, begin, end, .. } = *event {
                let ns = scale.nanoseconds_between(begin, end);
                all[run as usize][task.index()].record(ns);
                if !is_disturbed((begin, end), others, margin) {
                    undisturbed[run as usize][task.index()].record(ns);
                }
            }
        }
        let mut again = self.clone();
        for (frame, (mut measured, all)) in again.frames.iter_mut().zip(undisturbed.into_iter().zip(all)) {
            // A task that was disturbed every time has only these times.
            for (task, all) in measured.iter_mut().zip(all).filter(|(task, _)| task.is_empty()) {
                *task = all;
            }
            frame.durations = durations(&measured);
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

/// Returns whether a time overlaps with a run, or with the time for which its workers may be awake
/// before and after it. The runs are in order.
fn is_disturbed((begin, end): (Ticks, Ticks), runs: &[Run], margin: u64) -> bool {
    let next = runs.partition_point(|run| run.span.1.0.saturating_add(margin) <= begin.0);
    runs.get(next).is_some_and(|run| run.span.0.0.saturating_sub(margin) < end.0)
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
    fn what_overlaps_with_a_run_or_the_time_around_it_is_disturbed() {
        let run = |begin, end| Run {
            frame: 0,
            due: Duration::ZERO,
            started: Duration::ZERO,
            response: Duration::ZERO,
            skipped: 0,
            span: (Ticks(begin), Ticks(end)),
        };
        let runs = [run(100, 200), run(400, 500)];
        let is_disturbed = |begin, end| is_disturbed((Ticks(begin), Ticks(end)), &runs, 10);
        assert!(!is_disturbed(20, 90) && !is_disturbed(210, 390) && !is_disturbed(510, 900));
        assert!(is_disturbed(20, 91) && is_disturbed(209, 300) && is_disturbed(300, 700) && is_disturbed(120, 130));
    }

    #[test]
    fn interrupted_times_of_a_task_do_not_count_if_it_has_others() {
        let graph = TaskGraph::plain("pair", 2, []).expect("a graph");
        let frame = Frame::calibrated("pair", 0, ROUND, &[0, 0]).expect("calibrated");
        let durations = Durations::unknown(2);
        let priority = Priority::new(1).expect("a priority");
        let cycle = Cycle { name: "pair", period: AWAKE, priority, graph, frames: vec![frame], durations };
        let scale = TickScale::calibrate();
        let at = |time: Duration| Ticks(scale.ticks_in(Duration::from_secs(1) + time));
        let (ms, us) = (Duration::from_millis, Duration::from_micros);
        let event = |task, begin, end| Event::TaskRun {
            task: TaskId(task),
            core: Core::current(),
            run: 0,
            ready: at(begin),
            begin: at(begin),
            end: at(end),
        };
        let other =
            Run { frame: 0, due: ms(10), started: ms(0), response: ms(1), skipped: 0, span: (at(ms(10)), at(ms(11))) };
        // Task 0 is interrupted once of twice, task 1 always.
        let events = [event(0, ms(1), us(1_100)), event(0, ms(9), ms(12)), event(1, ms(10), us(10_500))];
        let measured = cycle.as_measured(&events, &[other]);
        let mean = |task| measured.frames[0].durations.get(hemiola_plan::TaskId(task)).mean().expect("measured");
        assert!(mean(0) < us(150) && mean(0) > us(50), "{:?}", mean(0));
        assert!(mean(1) > us(400), "{:?}", mean(1));
    }
}
