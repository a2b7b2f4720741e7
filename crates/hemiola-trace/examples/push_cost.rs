//! Measures the cost of tracing per event:
//! `cargo run --release -p hemiola-trace --example push_cost`.
//!
//! Method: batches of events are pushed in a tight loop into a ring larger than the first-level
//! cache, each with one reading of the counter and of the core's number; the median batch and its
//! spread are printed, without and with a reader that drains the ring every millisecond. Then the
//! cost of statistics and of a trace is measured, which the draining thread pays (runs of 48 tasks,
//! each waiting for the previous one).

use hemiola_trace::{
    Catalog, Core, Cycle, CycleId, Event, PlanId, Ring, Statistics, TaskId, TickScale, Ticks, WorkerId, perfetto,
};
use std::{
    error::Error,
    hint::black_box,
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

const EVENTS: u32 = 10_000;
const BATCHES: usize = 500;
const CAPACITY: usize = 1 << 14;

fn main() -> Result<(), Box<dyn Error>> {
    let scale = TickScale::calibrate();
    println!("counter: {scale}; {EVENTS} events per batch, {BATCHES} batches, ring of {CAPACITY} x 32 bytes");
    report("reading the counter", &scale, || {
        for _ in 0..EVENTS {
            black_box(Ticks::now());
        }
    });
    let mut ring = Ring::with_capacity(CAPACITY);
    report("push with both readings", &scale, || record(&mut ring));

    let mut reader = ring.reader();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut events = Vec::with_capacity(CAPACITY);
            while !done.load(Ordering::Relaxed) {
                events.clear();
                reader.read(&mut events);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        report("the same beside a reader", &scale, || record(&mut ring));
        done.store(true, Ordering::Relaxed);
    });

    let mut robot = Robot::new()?;
    let mut statistics = Statistics::new(robot.catalog.clone(), scale.clone());
    report("absorbed by statistics", &scale, || statistics.absorb(robot.worker, robot.next_events()));
    let mut writer = perfetto::Writer::new(io::sink(), "nowhere", robot.catalog.clone(), scale.clone())?;
    report("written as a trace", &scale, || {
        writer.append(robot.worker, robot.next_events()).expect("a sink takes everything");
    });
    Ok(())
}

/// A cycle whose tasks wait for each other in a row.
struct Robot {
    catalog: Catalog,
    cycle: CycleId,
    worker: WorkerId,
    plan: PlanId,
    tasks: Vec<TaskId>,
    run: u32,
    events: Vec<Event>,
}

impl Robot {
    const TASKS: usize = 48;

    fn new() -> Result<Self, hemiola_trace::Error> {
        let catalog = Catalog::new("cost");
        let cycle = catalog.cycle(Cycle::named("motion"))?;
        let worker = catalog.worker(cycle, 0, 1)?;
        let tasks = (0..Self::TASKS).map(|task| catalog.task(cycle, &format!("Module{task}.update")));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
        let edges: Vec<_> = tasks.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let plan = catalog.plan(cycle, &edges)?;
        Ok(Self { catalog, cycle, worker, plan, tasks, run: 0, events: Vec::new() })
    }

    /// Returns the events of the next runs.
    fn next_events(&mut self) -> &[Event] {
        self.events.clear();
        let (cycle, plan) = (self.cycle, self.plan);
        while self.events.len() < EVENTS as usize {
            let (run, mut begin) = (self.run, Ticks(u64::from(self.run) * 1_000_000));
            self.events.push(Event::CycleBegin { cycle, plan, run, trigger: begin, begin });
            for &task in &self.tasks {
                let end = Ticks(begin.0 + 9_000);
                self.events.push(Event::TaskRun { task, core: Core(0), run, ready: begin, begin, end });
                begin = end;
            }
            self.events.push(Event::CycleEnd { cycle, run, at: begin });
            self.run += 1;
        }
        &self.events
    }
}

/// Records tasks like a worker: the end of a task is the begin of the next one.
fn record(ring: &mut Ring) {
    let mut begin = Ticks::now();
    for run in 0..EVENTS {
        let end = Ticks::now();
        ring.push(black_box(Event::TaskRun { task: TaskId(1), core: Core::current(), run, ready: begin, begin, end }));
        begin = end;
    }
}

fn report(what: &str, scale: &TickScale, mut batch: impl FnMut()) {
    let mut costs: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let begin = Ticks::now();
            batch();
            scale.nanoseconds_between(begin, Ticks::now()) as f64 / f64::from(EVENTS)
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    let quantile = |q: f64| costs[(q * (costs.len() - 1) as f64) as usize];
    println!(
        "{what:<26} median {:5.1} ns, 1 % {:5.1} ns, 99 % {:5.1} ns",
        quantile(0.5),
        quantile(0.01),
        quantile(0.99)
    );
}
