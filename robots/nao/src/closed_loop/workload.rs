//! The work of the robot's cycles in a run: their task graphs, and the durations of the tasks.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use hemiola::configuration::{Catalog, Configuration, LoadOptions, load};
use hemiola::plan::{Durations, Plan, PlanOptions, TaskDuration, TaskGraph, TaskId, WorkerChoice};
use hemiola::realtime::describe_machine;
use hemiola::runtime::Robot;
use hemiola::trace::{Conditions, Pace, Profile, ProfileHistory};

use crate::NaoError;

/// The cycles of the robot, the most important one first, as the priorities in robot.toml say.
pub const CYCLES: [&str; 3] = ["motion", "audio", "cognition"];

/// The workload of the robot's cycles.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The graph of each of [`CYCLES`], and the durations of its tasks.
    cycles: Vec<(TaskGraph, Durations)>,
    /// The circumstances in which they were measured.
    measured: Conditions,
    /// The factor by which they are longer than they were.
    slower: f64,
}

impl Workload {
    /// Returns the workload of the robot of a file whose tasks take as long as a profile says,
    /// times `slower`.
    ///
    /// # Errors
    /// Returns an error if the robot cannot be configured or made, or the profile lacks a cycle.
    pub fn of(robot: &str, settings: &[String], profile: Profile, slower: f64) -> Result<Self, NaoError> {
        let lacking = CYCLES.into_iter().find(|cycle| profile.cycles.get(*cycle).is_none_or(|of| of.tasks.is_empty()));
        if let Some(cycle) = lacking {
            return Err(NaoError::NoDurations { cycle: cycle.to_owned() });
        }
        let measured = profile.conditions.clone();
        let robot = Robot::assemble(configuration(robot, settings)?)?.with_profile(profile);
        let plans = robot.plans(NonZeroUsize::MIN);
        let of = |cycle: &str| -> Result<_, NaoError> {
            let plan = plans.iter().find(|plan| plan.graph().name() == cycle);
            let graph = plan.ok_or_else(|| NaoError::NoDurations { cycle: cycle.to_owned() })?.graph();
            Ok((graph.clone(), scaled(&robot.durations(graph), graph.tasks().len(), slower)))
        };
        Ok(Self { cycles: CYCLES.into_iter().map(of).collect::<Result<_, _>>()?, measured, slower })
    }

    /// Returns the plan of each of [`CYCLES`] for a number of cores, with the durations of its
    /// tasks. The planner chooses the number of workers, as for a robot that has those cores.
    #[must_use]
    pub fn plans(&self, cores: NonZeroUsize) -> Vec<(Plan, &Durations)> {
        let options = PlanOptions { workers: WorkerChoice::Automatic { available: cores }, ..PlanOptions::default() };
        let plan = |(graph, durations): &(TaskGraph, Durations)| Plan::new(graph.clone(), durations, &options);
        self.cycles.iter().map(|cycle| (plan(cycle), &cycle.1)).collect()
    }

    /// Returns how the durations were obtained and how much they are in a mean run, in a sentence.
    #[must_use]
    pub fn origin(&self) -> String {
        let mean = |durations: &Durations, task| durations.get(task).mean().unwrap_or(durations.expected(task));
        let work = |(graph, durations): &(TaskGraph, Durations)| -> Duration {
            tasks(graph.tasks().len()).map(|task| mean(durations, task)).sum()
        };
        let work: Vec<String> = (CYCLES.iter().zip(&self.cycles))
            .map(|(name, cycle)| format!("{:.2} ms for {name}", work(cycle).as_secs_f64() * 1e3))
            .collect();
        let Conditions { pace, build, machine, .. } = &self.measured;
        let known = |text: &String| if text.is_empty() { "unknown".to_owned() } else { text.clone() };
        format!(
            "How long tasks take was measured {} (machine: {}; program: {}), each from entry to return, and is multiplied by {}: \
             in a mean run, {}.",
            if *pace == Pace::RealTime {
                "while the robot ran in real time"
            } else {
                "while the robot ran in simulated time"
            },
            known(machine),
            known(build),
            self.slower,
            work.join(", ")
        )
    }
}

/// Runs the robot of a file in simulated time for some seconds on the clock on the wall, and
/// returns how long its tasks took on this machine.
///
/// # Errors
/// Returns an error if the robot cannot be configured or made.
pub fn measure(robot: &str, settings: &[String], seconds: f64) -> Result<Profile, NaoError> {
    let mut stepper = Robot::assemble(configuration(robot, settings)?)?.into_stepper()?;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds && stepper.step().is_some() {}
    // What the last steps took is still on its way to the statistics.
    stepper.attend();
    let mut profile = stepper.handle().measured();
    profile.conditions.machine = describe_machine();
    profile.conditions.build = if cfg!(debug_assertions) { "debug build" } else { "release build" }.to_owned();
    Ok(profile)
}

/// Reads the newest profile of a file that `nao run` has written.
///
/// # Errors
/// Returns an error if the file cannot be read, or has no profile.
pub fn read(file: &Path) -> Result<Profile, NaoError> {
    let text = fs::read(file).map_err(NaoError::io(file))?;
    let history = ProfileHistory::from_json(&text).map_err(|error| NaoError::format(file, "profile", error))?;
    let newest = history.profiles().last().cloned();
    newest.ok_or_else(|| NaoError::format(file, "profile", "it has no measurements"))
}

/// Returns the configuration of the robot of a file.
pub(super) fn configuration(robot: &str, settings: &[String]) -> Result<Configuration, NaoError> {
    let options = LoadOptions { assignments: settings.to_vec(), ..LoadOptions::new(robot) };
    Ok(load(&options, &Catalog::linked())?.configuration)
}

fn tasks(count: usize) -> impl Iterator<Item = TaskId> {
    (0..).take(count).map(TaskId)
}

fn scaled(durations: &Durations, count: usize, factor: f64) -> Durations {
    let mut scaled = Durations::unknown(count);
    for task in tasks(count) {
        let duration = match durations.get(task) {
            TaskDuration::Unknown => TaskDuration::Unknown,
            TaskDuration::Constant(duration) => TaskDuration::Constant(duration.mul_f64(factor)),
            TaskDuration::Samples(buckets) => {
                TaskDuration::Samples(buckets.iter().map(|(value, count)| (value.mul_f64(factor), *count)).collect())
            }
        };
        scaled.set(task, duration);
    }
    scaled
}
