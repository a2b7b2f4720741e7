//! Rayon with counters around it. `inside`: the loop over the runs is in the pool, so that no
//! thread has to be woken to begin. `outside`: each run is started from a thread outside the pool,
//! as a robot's cycle would.

use hemiola_bench_contestant::{Contest, CountAllocations};
use hemiola_bench_peers::Countdown;

#[global_allocator]
static ALLOCATOR: CountAllocations = CountAllocations;

fn main() {
    let contest = Contest::enter("rayon", hemiola_bench_peers::version("rayon"));
    let graph = Countdown::new(contest.graph(), contest.work());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(contest.workers()).build().expect("a pool");
    match std::env::args().nth(1).as_deref() {
        Some("inside") => pool.install(|| contest.measure(&mut || run(&graph))),
        _ => contest.measure(&mut || pool.install(|| run(&graph))),
    }
}

fn run(graph: &Countdown) {
    rayon::scope(|scope| graph.roots.iter().for_each(|&root| spawn(graph, scope, root)));
}

fn spawn<'s>(graph: &'s Countdown, scope: &rayon::Scope<'s>, task: usize) {
    scope.spawn(move |scope| _ = graph.run_from(task, |ready| spawn(graph, scope, ready)));
}
