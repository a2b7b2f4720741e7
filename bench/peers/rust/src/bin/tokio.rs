//! Tokio with counters around it: the result of using the common executor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hemiola_bench_contestant::{Contest, CountAllocations};
use hemiola_bench_peers::Countdown;
use tokio::sync::Notify;

#[global_allocator]
static ALLOCATOR: CountAllocations = CountAllocations;

struct Run {
    graph: Countdown,
    tasks: u32,
    remaining: AtomicU32,
    over: Notify,
}

fn main() {
    let contest = Contest::enter("tokio", hemiola_bench_peers::version("tokio"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(contest.workers()).build();
    let runtime = runtime.expect("a runtime");
    let run = Arc::new(Run {
        graph: Countdown::new(contest.graph(), contest.work()),
        tasks: contest.graph().len() as u32,
        remaining: AtomicU32::new(0),
        over: Notify::new(),
    });
    contest.measure(&mut || {
        run.remaining.store(run.tasks, Ordering::Relaxed);
        runtime.block_on(async {
            run.graph.roots.iter().for_each(|&root| spawn(run.clone(), root));
            run.over.notified().await;
        });
    });
}

fn spawn(run: Arc<Run>, task: usize) {
    tokio::spawn(async move {
        let ran = run.graph.run_from(task, |ready| spawn(run.clone(), ready));
        if run.remaining.fetch_sub(ran, Ordering::AcqRel) == ran {
            run.over.notify_one();
        }
    });
}
