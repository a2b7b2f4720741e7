//! Events from the rings of running threads become figures and a trace.

use hemiola_trace::{Catalog, Collector, Core, Cycle, Event, PlanId, Ring, Statistics, TickScale, Ticks, perfetto};
use std::thread;

/// Workers record while another thread drains their rings: every event is in the figures or counted
/// as lost.
#[test]
fn nothing_is_lost_unseen_between_workers_and_figures() {
    const WORKERS: usize = 2;
    const RUNS: u32 = 20_000;
    let catalog = Catalog::new("robot");
    let cycle = catalog.cycle(Cycle::named("motion")).unwrap();
    let task = catalog.task(cycle, "Walk.joints").unwrap();
    let scale = TickScale::nanoseconds_per_tick_one();
    let mut statistics = Statistics::new(catalog.clone(), scale.clone());
    let mut trace = perfetto::Writer::new(Vec::new(), "memory", catalog.clone(), scale).unwrap();
    let mut collector = Collector::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|index| {
                let mut ring = Ring::with_capacity(1024);
                collector.add(catalog.worker(cycle, index, index as u32 + 1).unwrap(), ring.reader());
                scope.spawn(move || {
                    for run in 0..RUNS {
                        let [ready, begin, end] = [0, 1, 2].map(|step| Ticks(u64::from(run) * 10 + step));
                        ring.push(Event::CycleBegin { cycle, plan: PlanId(0), run, trigger: ready, begin });
                        ring.push(Event::TaskRun { task, core: Core::current(), run, ready, begin, end });
                    }
                })
            })
            .collect();
        let mut drained = 0;
        let mut finished = false;
        while !finished {
            // The threads are checked first, so that what the workers pushed before they finished
            // is drained in the round that follows.
            finished = workers.iter().all(|worker| worker.is_finished());
            collector.drain(|worker, events, lost| {
                drained += events.len() as u64 + lost;
                statistics.lost(lost);
                statistics.absorb(worker, events);
                trace.lost(worker, lost);
                trace.append(worker, events).unwrap();
            });
        }
        assert_eq!(drained, 2 * u64::from(RUNS) * WORKERS as u64);
    });
    let figures = statistics.task(task).unwrap();
    assert_eq!((figures.execution.minimum(), figures.execution.maximum(), figures.queueing.maximum()), (1, 1, 1));
    let seen = figures.execution.count() + statistics.cycle(cycle).unwrap().jitter.count();
    assert_eq!(seen + statistics.lost_events(), 2 * u64::from(RUNS) * WORKERS as u64);
    assert!(!trace.finish().unwrap().is_empty());
}
