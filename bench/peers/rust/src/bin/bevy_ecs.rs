//! Bevy's schedule: a system per task, a set per task to say what comes after what. One worker
//! means its executor for one thread.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use hemiola_bench_contestant::{Contest, CountAllocations};

#[global_allocator]
static ALLOCATOR: CountAllocations = CountAllocations;

#[derive(SystemSet, Debug, Clone, PartialEq, Eq, Hash)]
struct TaskSet(usize);

fn main() {
    let contest = Contest::enter("bevy_ecs", hemiola_bench_peers::version("bevy_ecs"));
    let mut world = World::new();
    let mut schedule = Schedule::default();
    if contest.workers() > 1 {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(contest.workers()).build());
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    for task in 0..contest.graph().len() {
        let mut system = (move || contest.work().run(task)).in_set(TaskSet(task));
        for &before in contest.graph().predecessors(task) {
            system = system.after(TaskSet(before));
        }
        schedule.add_systems(system);
    }
    contest.measure(&mut || schedule.run(&mut world));
}
