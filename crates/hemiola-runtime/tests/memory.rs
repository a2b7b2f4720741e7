//! The memory that a robot needs for each cycle and each worker. The test has a process of its own,
//! because it counts allocations.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use hemiola::prelude::*;
use hemiola_model::Time;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_realtime::{AllocationGuard, CountingAllocator};
use hemiola_runtime::{Observation, Robot};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[derive(Representation, Clone, Default)]
struct Count {
    runs: u32,
}

#[derive(Module)]
struct Counter {}

#[module]
impl Counter {
    #[update]
    fn count(&self, last: Previous<Count>, count: &mut Count) {
        count.runs = last.runs + 1;
    }
}

/// A large value, the instances of which are counted.
#[derive(Representation, Clone)]
#[representation(opaque)]
struct Map {
    first: u8,
    counted: Counted,
}

impl Default for Map {
    fn default() -> Self {
        Self { first: 1, counted: Counted::new() }
    }
}

struct Counted;

static MAPS: AtomicUsize = AtomicUsize::new(0);

impl Counted {
    fn new() -> Self {
        MAPS.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        MAPS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Module)]
struct Mapper {}

#[module]
impl Mapper {
    #[update]
    fn map(&self, map: &mut Map) {
        map.first += 1;
    }
}

#[derive(Representation, Clone, Default)]
struct Seen {
    first: u8,
}

#[derive(Module)]
struct Planner {}

#[module]
impl Planner {
    #[update]
    fn seen(&self, map: &Map, seen: &mut Seen) {
        seen.first = map.first;
    }
}

fn cycle(name: &str, module: &str, rate: f64, workers: usize) -> CycleConfiguration {
    let mut cycle = CycleConfiguration::new(name, Trigger::Rate(rate));
    cycle.modules = vec![module.into()];
    cycle.workers = Some(workers);
    cycle.scheduling = Scheduling::TimeSharing;
    cycle
}

fn assembled(cycles: Vec<CycleConfiguration>) -> Robot {
    Robot::assemble(Configuration { cycles, ..Configuration::default() }).unwrap()
}

/// Assembles cycles that count their runs, each on that many workers.
fn robot(cycles: usize, workers: usize) -> Robot {
    assembled((0..cycles).map(|number| cycle(&format!("cycle{number}"), "Counter", 100.0, workers)).collect())
}

/// Returns what creating it allocates, including what is freed again.
fn allocated(cycles: usize, workers: usize) -> u64 {
    let guard = AllocationGuard::new();
    let stepper = robot(cycles, workers).into_stepper().unwrap();
    let bytes = guard.counted().bytes;
    drop(stepper);
    bytes
}

#[test]
fn a_worker_allocates_less_than_three_quarters_of_a_megabyte_and_a_cycle_with_two_less_than_twice_that() {
    // One-time allocations have been made.
    allocated(1, 1);
    let per_worker = (allocated(1, 10) - allocated(1, 2)) / 8;
    let per_cycle = (allocated(9, 2) - allocated(1, 2)) / 8;
    println!("a worker allocates {per_worker} bytes, a cycle with two workers {per_cycle}");
    assert!(per_worker < 750_000 && per_cycle < 1_500_000, "{per_worker} {per_cycle}");
}

#[test]
fn a_large_representation_is_there_twice_more_than_it_has_readers_and_once_as_its_default() {
    let cycles = vec![cycle("mapping", "Mapper", 30.0, 1), cycle("planning", "Planner", 10.0, 1)];
    let mut stepper = assembled(cycles).into_stepper().unwrap();
    for second in 1..=3 {
        stepper.run_until(Time::from_seconds(f64::from(second)));
        let maps = MAPS.load(Ordering::Relaxed);
        println!("a representation with one reader is there {maps} times");
        assert!(maps <= 1 + 2 + 1, "{maps}");
    }
    assert_eq!(stepper.with_value(|seen: &Seen| seen.first), Some(2));
}

#[test]
fn who_looks_at_a_robot_that_stands_still_and_leaves_again_and_again_leaves_nothing_behind() {
    let mut stepper = robot(1, 1).into_stepper().unwrap();
    let guard = AllocationGuard::new();
    let mut kept_after = |times: usize| {
        for _ in 0..times {
            let observer = stepper.handle().observe(Observation::of(["Count"])).unwrap();
            stepper.attend();
            drop(observer);
        }
        let counted = guard.counted();
        counted.allocations - counted.deallocations
    };
    // Some are released when the next ones come.
    let before = kept_after(10);
    let after = kept_after(100);
    assert!(after < before + 10, "{before} allocations are kept, and {after} after a hundred observers more");
}
