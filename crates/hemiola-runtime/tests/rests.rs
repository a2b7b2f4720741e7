//! Threads with real-time priority that wait by spinning leave others a part of each core.
#![forbid(unsafe_code)]

use std::fs;
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, SourceConfiguration, Trigger};
use hemiola_realtime::{KernelThread, Policy, Priority, ThreadSettings, apply_to_this_thread};
use hemiola_runtime::{Pace, Robot, RobotHandle};

#[derive(Representation, Clone, Default)]
struct Pulse {
    count: u32,
}

/// The rate at which a thread that waits by spinning spins nearly always.
const RATE: f64 = 10_000.0;

#[derive(Source)]
struct Crystal {
    count: u32,
}

#[source]
impl Crystal {
    #[sample(rate = 10_000.0)]
    fn pulse(&mut self, pulse: &mut Pulse) {
        self.count += 1;
        pulse.count = self.count;
    }
}

/// A module with an update that reads nothing from the others, so that each may have a worker.
macro_rules! ticker {
    ($module:ident, $representation:ident) => {
        #[derive(Representation, Clone, Default)]
        struct $representation {
            sum: u32,
        }

        #[derive(Module)]
        struct $module {}

        #[module]
        impl $module {
            #[update]
            fn tick(&self, last: Previous<$representation>, ticks: &mut $representation) {
                // The update is long enough to be worth a hand-over.
                ticks.sum = (0..2_000).fold(last.sum, |sum, next| std::hint::black_box(sum.wrapping_add(next)));
            }
        }
    };
}

ticker!(TickerA, TicksA);
ticker!(TickerB, TicksB);
ticker!(TickerC, TicksC);

#[derive(Representation, Clone, Default)]
struct Heard {
    pulses: u32,
}

#[derive(Module)]
struct Ear {}

#[module]
impl Ear {
    #[update]
    fn heard(&self, pulse: &Pulse, heard: &mut Heard) {
        heard.pulses = pulse.count;
    }
}

/// Runs the tests one after the other, and all of them at a priority above what they test.
#[test]
fn what_spins_with_real_time_priority_rests_a_part_of_its_time() {
    let settings = ThreadSettings::new("rests").policy(Policy::Fifo(Priority::new(20).unwrap()));
    let report = apply_to_this_thread(&settings).unwrap();
    if let Some(denial) = report.policy.denial() {
        eprintln!("SKIPPED: {denial}");
        return;
    }
    a_dense_cycle_and_its_helpers_rest();
    a_dense_source_rests_and_says_so();
}

fn a_dense_cycle_and_its_helpers_rest() {
    let mut fast = CycleConfiguration::new("fast", Trigger::Rate(RATE));
    fast.modules = ["TickerA", "TickerB", "TickerC"].map(String::from).to_vec();
    fast.scheduling = Scheduling::Fifo(10);
    fast.workers = Some(8);
    let configuration = Configuration { cycles: vec![fast], ..Configuration::default() };
    let (shares, _) = shares(configuration, "fast", 8);
    assert!(shares.iter().all(|&share| share < MOST), "{shares:?}");
}

fn a_dense_source_rests_and_says_so() {
    let mut ears = CycleConfiguration::new("ears", Trigger::Rate(10.0));
    ears.modules = vec!["Ear".into()];
    ears.workers = Some(1);
    let mut configuration = Configuration { cycles: vec![ears], ..Configuration::default() };
    let crystal = SourceConfiguration { scheduling: Some(Scheduling::Fifo(10)), ..SourceConfiguration::default() };
    configuration.sources.insert("Crystal".into(), crystal);
    let (shares, handle) = shares(configuration, "Crystal", 1);
    assert!(shares[0] < MOST, "{shares:?}");
    let said =
        handle.messages().iter().filter(|message| message.to_string().contains("takes nearly all of a core")).count();
    assert!(said <= 1, "told {said} times");
}

/// A rest of a twelfth of its work is a thirteenth of the time, and a burst is let through.
const MOST: f64 = 0.945;

/// Returns the share of time for which the robot's threads with that name, of which there are
/// `count`, have a core, once they have settled.
fn shares(configuration: Configuration, name: &str, count: usize) -> (Vec<f64>, RobotHandle) {
    let running = Robot::assemble(configuration).unwrap().start(Pace::RealTime).unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    let threads: Vec<KernelThread> = loop {
        // A thread names itself when it begins.
        let threads = threads_named(name);
        if threads.len() == count {
            break threads;
        }
        assert!(Instant::now() < patience, "{} threads have the name {name}", threads.len());
        std::thread::sleep(Duration::from_millis(1));
    };
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let had: Vec<_> = threads.iter().map(|thread| thread.processor_time().unwrap()).collect();
    std::thread::sleep(Duration::from_secs(2));
    let has: Vec<_> = threads.iter().map(|thread| thread.processor_time().unwrap()).collect();
    let all = begin.elapsed().as_secs_f64();
    let shares: Vec<f64> = has.iter().zip(had).map(|(&has, had)| (has - had).as_secs_f64() / all).collect();
    println!("{name}: {shares:?}");
    (shares, running.stop())
}

fn threads_named(name: &str) -> Vec<KernelThread> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let named = tasks.filter(|task| fs::read_to_string(task.join("comm")).is_ok_and(|comm| comm.starts_with(name)));
    named.map(|task| KernelThread::from_number(task.file_name().unwrap().to_str().unwrap().parse().unwrap())).collect()
}
