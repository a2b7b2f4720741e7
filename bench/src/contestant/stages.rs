//! Two stages as a robot has them: each a cycle of its own, with its own thread and graph, and a
//! topic from one to the other.

use std::time::Duration;

use hemiola_bench_contestant::{Contest, Work};
use hemiola_bus::{Bus, WhenFull};
use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph};
use hemiola_runtime::executor::{ExecutableGraph, Executor, Tasks};
use hemiola_trace::Ticks;

use super::ContestantError;

/// The number of runs that may be under way at once: that of the stages, as copper's pipeline is
/// configured.
const UNDER_WAY: usize = 2;
/// The time after which a stage that waits counts as stuck.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(contest: &'static Contest) -> Result<(), ContestantError> {
    let topic = Bus::new().topic::<u64>("handed over")?;
    let mut received = topic.queue(UNDER_WAY, WhenFull::Wait);
    let mut publisher = topic.publisher();
    let (mut first, mut second) = (Stage::new(contest, 0)?, Stage::new(contest, 1)?);
    // The thread ends with the process.
    std::thread::spawn(move || {
        for run in 0.. {
            first.run();
            publisher.publish_waiting(run, PATIENCE).expect("the second stage receives");
        }
    });
    let mut completions = contest.completions();
    let mut expected = 0;
    loop {
        assert!(received.wait(PATIENCE), "the first stage hands over");
        while let Some(run) = received.receive() {
            assert_eq!(*run, expected, "every run arrives, in order");
            expected += 1;
            second.run();
            if completions.note() {
                return Ok(());
            }
        }
    }
}

/// A cycle with a graph of one task.
struct Stage {
    executor: Executor<StageWork>,
    graph: ExecutableGraph,
    work: StageWork,
}

impl Stage {
    fn new(contest: &'static Contest, task: usize) -> Result<Self, ContestantError> {
        let graph = TaskGraph::plain("stage", 1, [])?;
        let plan = Plan::new(graph, &Durations::unknown(1), &PlanOptions::default());
        let work = StageWork { work: contest.work(), task };
        Ok(Self { executor: Executor::new(), graph: ExecutableGraph::new(&plan)?, work })
    }

    fn run(&mut self) {
        self.executor.run(&mut self.graph, &self.work, &mut ());
    }
}

struct StageWork {
    work: &'static Work,
    task: usize,
}

impl Tasks for StageWork {
    type Worker = ();

    fn run(&self, _: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope<'_>) -> Ticks {
        self.work.run(self.task);
        begin
    }
}
