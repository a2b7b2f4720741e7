//! What a robot takes of the memory for each cycle and each worker. In a process of its own, because all of it is measured.
#![forbid(unsafe_code)]

use std::fs;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_model::module::registry;
use hemiola_realtime::{AllocationGuard, CountingAllocator};
use hemiola_runtime::{Pace, Robot};

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

/// Each cycle counts its runs on so many workers.
fn robot(cycles: usize, workers: usize) -> Robot {
    let cycle = |number: usize| {
        let mut cycle = CycleConfiguration::new(format!("cycle{number}"), Trigger::Rate(100.0));
        cycle.modules = vec!["Counter".into()];
        cycle.workers = Some(workers);
        cycle.scheduling = Scheduling::TimeSharing;
        cycle
    };
    let configuration = Configuration { cycles: (0..cycles).map(cycle).collect(), ..Configuration::default() };
    Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap()
}

/// What making it allocates, what is freed again included.
fn allocated(cycles: usize, workers: usize) -> u64 {
    let guard = AllocationGuard::new();
    let stepper = robot(cycles, workers).into_stepper().unwrap();
    let bytes = guard.counted().bytes;
    drop(stepper);
    bytes
}

/// What this process has of the machine's memory.
fn resident() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * line.trim().strip_suffix(" kB").unwrap().parse::<i64>().unwrap()
}

#[test]
fn a_worker_allocates_less_than_600_kb() {
    allocated(1, 1);
    let (few, many) = (allocated(1, 2), allocated(1, 10));
    let per_worker = (many - few) / 8;
    println!("a worker allocates {per_worker} bytes");
    let (few, many) = (allocated(1, 2), allocated(9, 2));
    let per_cycle = (many - few) / 8;
    println!("a cycle with two workers allocates {per_cycle} bytes");
}

#[test]
fn resident_test() {
    let Ok(shape) = std::env::var("SHAPE") else { return };
    let (c, w) = shape.split_once(',').unwrap();
    hemiola_realtime::secure_memory(32 << 20);
    let before = resident();
    let running = robot(c.parse().unwrap(), w.parse().unwrap()).start(Pace::RealTime).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    println!("{shape} {} {}", resident() - before, status.lines().find(|l| l.starts_with("VmLck")).unwrap());
    if std::env::var("MAPS").is_ok() { println!("{}", fs::read_to_string("/proc/self/smaps").unwrap()); }
    drop(running);
}
